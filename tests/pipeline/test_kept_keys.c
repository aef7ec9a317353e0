/* SPDX-License-Identifier: MIT */
/* test_kept_keys.c: the keys that rows get while their terms are learned are those that looking up
 * gives, for any number of threads; and are kept only within the limit and for the same view. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/digest.h>
#include <dataview/pipeline.h>
#include <dataview/table.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#ifdef DVT_SANITIZED
#define ROWS 34000  /* two chunks for the threads that learn */
#define FIRST_USE 1 /* by threads */
#else
#define ROWS 80000
#define FIRST_USE 0
#endif

/* --- The same rows ---------------------------------------------------------------------------- */

/* Texts, some of them long, empty or NA, and numbers. */
static dv_view *make_table(void)
{
    static char words[200][32];
    dv_text *texts = calloc(ROWS, sizeof *texts);
    float *numbers = calloc(ROWS, sizeof *numbers);
    dv_view *view;
    uint64_t state = 3;
    cr_assert(texts && numbers);
    for (size_t i = 0; i < COUNT(words); i++)
        snprintf(words[i], sizeof words[i], i % 9 ? "w%d" : "a word of more bytes %d", (int)i);
    for (int64_t i = 0; i < ROWS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const char *word = words[(state >> 33) % (size_t)(1 + i * (int64_t)COUNT(words) / ROWS)];
        const bool is_word = state >> 58;
        texts[i] = (dv_text){word, is_word ? (int64_t)strlen(word) : i % 2 - 1};
        numbers[i] = (float)((state >> 40) % 100) - 50;
    }
    const dv_table_column columns[] = {{"A", dv_type_of(DV_KIND_TX), NULL, texts},
                                       {"N", dv_type_of(DV_KIND_R4), numbers, NULL}};
    cr_assert_eq(dv_table_create(&view, columns, 2, ROWS, NULL, NULL), DV_OK);
    free(texts);
    free(numbers);
    return view;
}

static dv_view *piped(dv_view *source, const char *text, int32_t threads, int64_t keys_nbytes)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    options.threads = threads;
    options.keys_nbytes = keys_nbytes;
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(text), &options, NULL, &err), DV_OK,
                 "%s: %s", text, err.message);
    return view;
}

/* Of all columns, one after the other. */
static dv_u128 digest_of(dv_view *view, const dv_cursor_options *options)
{
    dv_digester *digester;
    cr_assert_eq(dv_digester_create(&digester, NULL, NULL), DV_OK);
    for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(view)); k++) {
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_cursor_options one = *options;
        one.columns = &k;
        one.columns_count = 1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &one, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            dv_digester_add_column(digester, dv_batch_column(batch, 0));
        dv_cursor_close(&cursor);
    }
    const dv_u128 digest = dv_digester_result(digester);
    dv_digester_free(&digester);
    return digest;
}

static void expect_same(dv_view *a, dv_view *b, const char *text, int32_t threads)
{
    for (int32_t use = FIRST_USE; use < 3; use++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = use == 1 ? 3 : 1;
        options.batch_rows = use == 1 ? 777 : 0;
        options.first_row = use == 2 ? ROWS - 999 : 0;
        options.end_row = use == 2 ? ROWS - 900 : -1;
        const dv_u128 want = digest_of(a, &options), found = digest_of(b, &options);
        cr_expect(want.lo == found.lo && want.hi == found.hi, "%s with %d threads, use %d", text,
                  (int)threads, (int)use);
    }
}

static const char *const pipelines[] = {
    "term A",
    "onehot A; term N sort=value",
    "term A sort=value; onehot N sort=value",
    "term A max=40; term N max=100",
    "term A; term B:A",
    "range N min=0; term A; term N",
    "range N max=10; onehot A; term N sort=value; term B:A",
};

Test(kept_keys, are_those_of_looking_up)
{
    dv_view *source = make_table();
    for (size_t i = 0; i < COUNT(pipelines); i++)
        for (int32_t threads = 1; threads <= 5; threads += threads == 1 ? 1 : 3) {
            dv_view *plain = piped(source, pipelines[i], threads, 0);
            dv_view *kept = piped(source, pipelines[i], threads, -1);
            expect_same(plain, kept, pipelines[i], threads);
            dv_view_release(&plain);
            dv_view_release(&kept);
        }
    dv_view_release(&source);
}

/* --- Rows that change ------------------------------------------------------------------------- */

/* Numbers 1, 2, 3 ... in the first column, and the same times ten in the second. */
#define FEW 5000

static int32_t ones[FEW], tens[FEW];

static dv_view *open_numbers(dvt_made_table *table)
{
    for (int32_t i = 0; i < FEW; i++) {
        ones[i] = i + 1;
        tens[i] = 10 * ones[i];
    }
    *table = (dvt_made_table){
        .columns = 2, .rows = FEW, .block_rows = 512, .in_blocks = true, .bad_row = -1};
    table->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I4), ones, FEW);
    table->column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), tens, FEW);
    return dvt_made_table_open(table, NULL);
}

static uint32_t first_key(dv_view *view, int32_t column)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &column;
    options.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_column_view *keys = dv_batch_column(batch, 0);
    const uint32_t key = *(const uint32_t *)keys->as.fixed.values.data;
    dv_cursor_close(&cursor);
    return key;
}

/* Where the first values become those of the last row, keys that were kept stay 1. */
static void expect_kept(const char *text, int64_t keys_nbytes, bool rows_unknown, bool first,
                        bool second)
{
    for (int32_t threads = 1; threads <= 2; threads++) {
        dvt_made_table table;
        dv_view *source = open_numbers(&table);
        int32_t x, y;
        table.rows_unknown = rows_unknown;
        dv_view *view = piped(source, text, threads, keys_nbytes);
        ones[0] = FEW;
        tens[0] = 10 * FEW;
        cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("X"), &x), DV_OK);
        cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("Y"), &y), DV_OK);
        cr_expect_eq(first_key(view, x), first ? 1 : FEW, "%s: %lld", text, (long long)keys_nbytes);
        cr_expect_eq(first_key(view, y), second ? 1 : FEW, "%s: %lld", text,
                     (long long)keys_nbytes);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

Test(kept_keys, are_kept_within_the_limit)
{
    static const char both[] = "term X:a; term Y:b";
    expect_kept(both, -1, false, true, true);
    expect_kept(both, 0, false, false, false);
    expect_kept(both, 4 * FEW - 1, false, false, false);
    expect_kept(both, 4 * FEW, false, true, false);
    expect_kept(both, 8 * FEW - 1, false, true, false);
    expect_kept(both, 8 * FEW, false, true, true);
}

Test(kept_keys, are_not_kept_without_knowing_all)
{
    static const char full[] = "term X:a max=5000; term Y:b max=5001";
    expect_kept("term X:a; term Y:b", -1, true, false, false);
    expect_kept(full, -1, false, false, true);
}

Test(kept_keys, are_of_one_view)
{
    dvt_made_table table, other_table;
    dv_view *source = open_numbers(&table), *other = open_numbers(&other_table), *view;
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_fit_options options = DV_FIT_OPTIONS_INIT;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term a"), NULL, NULL), DV_OK);
    options.keys_nbytes = 4 * FEW;
    cr_assert_eq(dv_fit(&fitted, pipeline, source, &options, NULL, NULL), DV_OK);
    ones[0] = FEW;
    for (int32_t is_other = 0; is_other < 2; is_other++) {
        cr_assert_eq(dv_fitted_apply(&view, fitted, is_other ? other : source, NULL, NULL), DV_OK);
        cr_expect_eq(first_key(view, 1), is_other ? FEW : 1);
        dv_view_release(&view);
    }
    dv_fitted_release(&fitted);

    options.keys_nbytes = -2;
    cr_expect_eq(dv_fit(&fitted, pipeline, source, &options, NULL, NULL), DV_ERR_ARGUMENT);
    dv_pipeline_release(&pipeline);
    dv_view_release(&source);
    dv_view_release(&other);
}
