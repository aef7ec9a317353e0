/* SPDX-License-Identifier: MIT */
/* test_mix_values.c: a mix has the values and ids of its sources' rows, in columns of every
 * layout, from files of any kind (mix.h). */
#include "support/concatenated.h"
#include "support/many_rows.h"
#include "support/mix_model.h"
#include "support/resumed.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/mix.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

#define MOST 2000
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const sets[] = {
    "people people people",
    "scalar-all-deflate-rpb7 scalar-all-raw-rpb7",
    "vector-TX-raw vector-TX-raw",
    "metadata-raw metadata-raw metadata-raw",
};

static const double weights[] = {5, 3, 1};

/* The rows of the model, taken from the concatenation of the sources. */
static dv_view *taken(const dvt_set *set, const dv_mix_options *options, int64_t epoch)
{
    static dvt_mixed_row mixed[MOST];
    int64_t rows[MOST], counts[DVT_APPENDED_MAX], firsts[DVT_APPENDED_MAX], all = 0;
    dv_view *joined, *view;
    for (int32_t i = 0; i < set->n; i++) {
        firsts[i] = all;
        all += counts[i] = dv_view_rows(set->view[i]);
    }
    const dvt_mix m = {set->n, counts, *options};
    const int64_t n = dvt_mix_rows(mixed, MOST, &m, epoch);
    for (int64_t i = 0; i < n; i++)
        rows[i] = firsts[mixed[i].source] + mixed[i].row;
    cr_assert_eq(dv_view_concat(&joined, set->view, set->n, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&view, joined, rows, n, NULL, NULL), DV_OK);
    dv_view_release(&joined);
    return view;
}

static void expect_same(dv_view *view, dv_view *truth, int64_t epoch, int64_t batch_rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines want = {0}, got = {0};
    options.ids = true;
    options.epoch = epoch;
    cr_assert_eq(dvt_put_numbered(&want, truth, &options, &err), DV_OK, "%s", err.message);
    options.batch_rows = batch_rows;
    options.end_row = dv_view_rows(truth);
    cr_assert_eq(dvt_put_numbered(&got, view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_gt(want.nbytes, 0);
    size_t at = 0;
    while (at < got.nbytes && at < want.nbytes && got.data[at] == want.data[at])
        at++;
    cr_expect(at == got.nbytes && at == want.nbytes, "epoch %d: \"%.60s\", not \"%.60s\"",
              (int)epoch, got.data + at, want.data + at);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
}

static dv_mix_options drawn_options(uint64_t *state, bool may_shuffle)
{
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    options.weights = dvt_draw(state) % 3 ? weights : NULL;
    options.order = (dv_mix_order)(dvt_draw(state) % 2);
    options.stop = (dv_mix_stop)(dvt_draw(state) % 3);
    options.shuffle = may_shuffle && dvt_draw(state) % 2;
    options.seed = dvt_draw(state);
    options.rows = options.stop == DV_MIX_REPEAT ? (int64_t)(1 + dvt_draw(state) % 900) : 0;
    return options;
}

Test(mix_values, of_files)
{
    uint64_t state = 3;
    for (size_t i = 0; i < COUNT(sets); i++) {
        dvt_set set = dvt_set_open(sets[i], NULL);
        for (int64_t round = 0; round < 12; round++) {
            const dv_mix_options options = drawn_options(&state, true);
            dv_view *truth = taken(&set, &options, round % 3), *view;
            cr_assert_eq(dv_view_mix(&view, set.view, set.n, &options, NULL, NULL), DV_OK);
            expect_same(view, truth, round % 3, (int64_t)(dvt_draw(&state) % 50));
            dv_view_release(&view);
            dv_view_release(&truth);
        }
        dvt_set_release(&set);
    }
}

/* One source has ids of its own, without the number of a source. */
Test(mix_values, of_one_source)
{
    dvt_set set = dvt_set_open("people people", NULL);
    set.n = 1;
    for (int shuffle = 0; shuffle < 2; shuffle++) {
        dv_mix_options options = DV_MIX_OPTIONS_INIT;
        dv_view *view;
        options.shuffle = shuffle;
        dv_view *truth = taken(&set, &options, 0);
        cr_assert_eq(dv_view_mix(&view, set.view, 1, &options, NULL, NULL), DV_OK);
        expect_same(view, truth, 0, 0);
        dv_view_release(&view);
        dv_view_release(&truth);
    }
    set.n = 2;
    dvt_set_release(&set);
}

/* --- Text, whose rows are not counted --------------------------------------------------------- */

typedef struct texts {
    char data[3][9000];
    dvt_set text, held; /* as text, and the same in memory */
} texts;

static void open_texts(texts *t)
{
    static const int rows[] = {210, 90, 33};
    for (int32_t i = 0; i < 3; i++) {
        size_t n = 0;
        for (int r = 0; r < rows[i]; r++)
            n += (size_t)snprintf(t->data[i] + n, sizeof t->data[i] - n, "%d\tname %d of %d\t%d\n",
                                  r, r * r, i, r % 5);
        dv_error err = DV_ERROR_INIT;
        t->text.view[i] =
            dvt_text_open("col=A:I4:0 col=B:TX:1 col=C:R4:2", t->data[i], n, NULL, &err);
        cr_assert(t->text.view[i], "%s", err.message);
        cr_assert_eq(dv_view_materialize(&t->held.view[i], t->text.view[i], NULL, NULL, NULL),
                     DV_OK);
    }
    t->text.n = t->held.n = 3;
}

/* Where the end of a source is found by reading, the model knows its rows all the same. */
static dv_view *taken_uncounted(const texts *t, const dv_mix_options *options)
{
    static dvt_mixed_row mixed[MOST];
    int64_t rows[MOST];
    const int64_t counts[] = {210, 90, 33}, firsts[] = {0, 210, 300};
    dv_view *joined, *view;
    const dvt_mix m = {3, counts, *options};
    const int64_t n = dvt_mix_rows(mixed, MOST, &m, 0);
    for (int64_t i = 0; i < n; i++)
        rows[i] = firsts[mixed[i].source] + mixed[i].row;
    cr_assert_eq(dv_view_concat(&joined, t->held.view, 3, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_take(&view, joined, rows, n, NULL, NULL), DV_OK);
    dv_view_release(&joined);
    return view;
}

/* Text, and filters, which know neither how many rows they have. */
Test(mix_values, of_text)
{
    static texts t;
    uint64_t state = 9;
    open_texts(&t);
    for (int round = 0; round < 12; round++) {
        const dv_mix_options options = drawn_options(&state, false);
        dv_view *truth = taken_uncounted(&t, &options), *view;
        cr_assert_eq(dv_view_mix(&view, t.text.view, 3, &options, NULL, NULL), DV_OK);
        expect_same(view, truth, 0, round % 2 ? 0 : 17);
        const char *difference = dvt_resume_difference(
            view, view, &(dv_cursor_options)DV_CURSOR_OPTIONS_INIT, dvt_draw(&state));
        cr_expect_null(difference, "%s", difference);
        dv_view_release(&view);
        dv_view_release(&truth);
    }
    dvt_set_release(&t.text);
    dvt_set_release(&t.held);
}

/* --- Tokens ----------------------------------------------------------------------------------- */

Test(mix_values, goes_on_at_a_token)
{
    uint64_t state = 5;
    for (size_t i = 0; i < COUNT(sets); i++) {
        dvt_set set = dvt_set_open(sets[i], NULL), again = dvt_set_open(sets[i], NULL);
        for (int round = 0; round < 6; round++) {
            const dv_mix_options options = drawn_options(&state, true);
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            dv_view *first, *second;
            cursor.ids = round % 2;
            cr_assert_eq(dv_view_mix(&first, set.view, set.n, &options, NULL, NULL), DV_OK);
            cr_assert_eq(dv_view_mix(&second, again.view, set.n, &options, NULL, NULL), DV_OK);
            const char *difference =
                dvt_resume_difference(first, second, &cursor, dvt_draw(&state));
            cr_expect_null(difference, "%s: %s", sets[i], difference);
            dv_view_release(&first);
            dv_view_release(&second);
        }
        dvt_set_release(&set);
        dvt_set_release(&again);
    }
}

static dv_token token_of(dv_view *view)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_token token;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_assert_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
    dv_cursor_close(&cursor);
    return token;
}

static dv_status open_at(dv_view *view, const dv_token *token)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    options.token = token->text;
    const dv_status status = dv_cursor_open(&cursor, view, &options, NULL);
    dv_cursor_close(&cursor);
    return status;
}

/* Each option, and each source, is part of the token. */
Test(mix_values, refuses_the_token_of_another_mix)
{
    static const double other[] = {5, 3, 2}, twice[] = {10, 6, 2};
    dvt_set set = dvt_set_open("people people people", NULL);
    dv_mix_options options = DV_MIX_OPTIONS_INIT, changed[8];
    dv_view *view, *others;
    options.weights = weights;
    cr_assert_eq(dv_view_mix(&view, set.view, 3, &options, NULL, NULL), DV_OK);
    const dv_token token = token_of(view);
    cr_expect_eq(open_at(view, &token), DV_OK);
    for (size_t i = 0; i < COUNT(changed); i++)
        changed[i] = options;
    changed[0].weights = other;
    changed[1].order = DV_MIX_RANDOM;
    changed[2].stop = DV_MIX_LAST;
    changed[3].shuffle = true;
    changed[4].seed = 1;
    changed[5].rows = 3;
    changed[6].stop = DV_MIX_REPEAT;
    changed[7].weights = twice; /* the same shares */
    for (size_t i = 0; i < COUNT(changed); i++) {
        cr_assert_eq(dv_view_mix(&others, set.view, 3, &changed[i], NULL, NULL), DV_OK);
        cr_expect_eq(open_at(others, &token), i < 7 ? DV_ERR_ARGUMENT : DV_OK, "%d", (int)i);
        dv_view_release(&others);
    }
    cr_assert_eq(dv_view_mix(&others, set.view, 2, &options, NULL, NULL), DV_OK);
    cr_expect_eq(open_at(others, &token), DV_ERR_ARGUMENT);
    dv_view_release(&others);
    dv_view_release(&view);
    dvt_set_release(&set);
}
