/* SPDX-License-Identifier: MIT */
/* test_fit_needs.c: fitting asks for no more memory than dv_fit_needs tells before, and not for so
 * little that the number would mean nothing. */
#include "support/allocator.h"
#include "support/file.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/pipeline.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <stdio.h>

#define ROWS 20000
#define SLOTS 8
#define SLACK (96 << 10) /* for views and lists of columns */

/* A file of 20 blocks, so that threads share them. Columns whose values all differ: I I4, R R4, V
 * V<R4,8>, T TX, W text of several words, L label.
 */
static dv_view *make_table(void)
{
    static int32_t whole[ROWS];
    static float reals[ROWS], vectors[ROWS * SLOTS];
    static uint8_t labels[ROWS];
    static char texts[ROWS][16], words[ROWS][32];
    static const char *text_of[ROWS], *words_of[ROWS];
    for (int i = 0; i < ROWS; i++) {
        whole[i] = i * 7;
        reals[i] = (float)i + 0.5f;
        labels[i] = (uint8_t)(i % 3 + 1);
        for (int k = 0; k < SLOTS; k++)
            vectors[i * SLOTS + k] = (float)((i * SLOTS + k) * 13 % 100003);
        snprintf(texts[i], sizeof texts[i], "text %d", i);
        snprintf(words[i], sizeof words[i], "a%d b%d c%d", i, i % 100, i * 3);
        text_of[i] = texts[i];
        words_of[i] = words[i];
    }
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    const dv_table_column columns[] = {{"I", dv_type_of(DV_KIND_I4), whole, NULL},
                                       {"R", r4, reals, NULL},
                                       {"V", dv_type_vector(r4, SLOTS), vectors, NULL},
                                       {"T", dv_type_of(DV_KIND_TX), text_of, NULL},
                                       {"W", dv_type_of(DV_KIND_TX), words_of, NULL},
                                       {"L", dv_type_key(DV_KIND_U1, 0, 3), labels, NULL}};
    dv_view *view, *blocks;
    dv_error err = DV_ERROR_INIT;
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "a.idv");
    options.rows_per_block = 1000;
    cr_assert_eq(dv_table_create(&view, columns, 6, ROWS, NULL, NULL), DV_OK);
    cr_assert_eq(dv_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_open(&blocks, path.text, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
    return blocks;
}

/* texts: that are kept; times: the bound is at most so many times what was asked for. */
static const struct {
    const char *text;
    int64_t texts;
    int times;
} known[] = {
    {"term I", 0, 8},
    {"term I sort=value", 0, 12},
    {"term R V max=50000", 0, 8},
    {"term T", ROWS, 12},
    {"term T max=10", 10, 0},
    {"onehot I; onehot T", ROWS, 12},
    {"normalize R V", 0, 0},
    {"normalize V mode=meanvar cdf+", 0, 0},
    {"normalize V mode=bin bins=100", 0, 12},
    {"normalize R mode=robust", 0, 12},
    {"normalize V mode=supbin label=L", 0, 12},
    {"replacena V mode=mean; handlena R mode=max", 0, 0},
    {"replacena V mode=mode", 0, 12},
    {"selectcount V", 0, 0},
    {"wordbag B:W max=[30000]", 30000, 40},
    {"wordbag B:W n=2 max=[30000 50000] weight=idf", 30000, 40},
    {"text F:W wordmax=[30000] charmax=[20000] norm=none", 30000, 40},
    {"text F:W wordmax=[30000] charmax=[20000]", 30000, 40},
    {"copy C:W; text F:W wordmax=[30000] charmax=[20000] tokens=G; copy H:F", 30000, 40},
    {"tokenize B:W; term B max=30000; ngram B max=[30000 50000]", 30000, 40},
};

static int64_t highest(const char *text, dv_view *table, const dv_fit_options *options)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_fit(&fitted, pipeline, table, options, &counted.allocator, &err), DV_OK,
                 "%s: %s", text, err.message);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    return atomic_load(&counted.highest);
}

static dv_fit_need need_of(const char *text, dv_view *table, const dv_fit_options *options)
{
    dv_pipeline *pipeline;
    dv_fit_need needs[8], sum = {.nbytes = 0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(text), NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_fit_needs(needs, pipeline, table, ROWS, options, NULL, &err), DV_OK, "%s: %s",
                 text, err.message);
    for (int32_t i = 0; i < dv_pipeline_steps(pipeline); i++) {
        cr_expect_geq(needs[i].nbytes, 0, "%s, step %d", text, i);
        sum.nbytes += needs[i].nbytes;
        sum.texts += needs[i].texts;
    }
    dv_pipeline_release(&pipeline);
    return sum;
}

Test(fit_needs, are_not_exceeded)
{
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            dv_fit_options options = DV_FIT_OPTIONS_INIT;
            options.threads = threads;
            const dv_fit_need need = need_of(known[i].text, table, &options);
            const int64_t texts = need.texts * 32 * 3 * (threads + 1); /* bytes */
            const int64_t found = highest(known[i].text, table, &options);
            cr_expect_eq(need.texts, known[i].texts, "%s: %lld texts", known[i].text,
                         (long long)need.texts);
            cr_expect_leq(found, need.nbytes + texts + SLACK, "%s, %d threads: %lld of %lld",
                          known[i].text, threads, (long long)found, (long long)need.nbytes);
            cr_expect(known[i].times == 0 || need.nbytes <= known[i].times * threads * found,
                      "%s, %d threads: %lld of %lld", known[i].text, threads, (long long)found,
                      (long long)need.nbytes);
        }
    }
    dv_view_release(&table);
}

/* Of more rows more, until there are as many terms as there may be. */
Test(fit_needs, grow_with_the_rows)
{
    dv_view *table = make_table();
    dv_pipeline *pipeline;
    dv_fit_need few, many, more, most;
    const int64_t rows[] = {0, 1000, 1000000, INT64_MAX};
    dv_fit_need *const needs[] = {&few, &many, &more, &most};
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term V"), NULL, NULL), DV_OK);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(dv_fit_needs(needs[i], pipeline, table, rows[i], NULL, NULL, &err), DV_OK);
    cr_expect(few.nbytes < many.nbytes && many.nbytes < more.nbytes);
    cr_expect_eq(more.nbytes, most.nbytes);
    cr_expect_eq(dv_fit_needs(&few, pipeline, table, -1, NULL, NULL, &err), DV_ERR_ARGUMENT);
    dv_pipeline_release(&pipeline);
    dv_view_release(&table);
}

static const struct {
    const char *text;
    int64_t last; /* of its last step */
} others[] = {
    {"hash I bits=4 invert=1", -1},
    {"selectmi V label=L", -1},
    {"onehot T; normalize T", -1}, /* the size of the vector is learned */
    {"text F:W; normalize F", -1},
    {"text F:W; normalize F; term I", -1},
    {"text F:W; normalize F; copy J:I", 0},
    {"replacena V mode=mode slots-; copy A:I", 0},
    {"term I terms=[1 2]", 0},
};

Test(fit_needs, that_are_not_known)
{
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        dv_pipeline *pipeline;
        dv_fit_need needs[8];
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(others[i].text), NULL, &err), DV_OK);
        cr_assert_eq(dv_fit_needs(needs, pipeline, table, ROWS, NULL, NULL, &err), DV_OK, "%s: %s",
                     others[i].text, err.message);
        cr_expect_eq(needs[dv_pipeline_steps(pipeline) - 1].nbytes, others[i].last, "%s",
                     others[i].text);
        dv_pipeline_release(&pipeline);
    }
    dv_view_release(&table);
}

/* What is wrong is wrong with any rows. */
Test(fit_needs, of_steps_that_are_wrong)
{
    static const char *const texts[] = {"normalize T", "term Q", "copy A:Q; text F:W", "text F:I"};
    dv_view *table = make_table();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        dv_pipeline *pipeline;
        dv_fit_need needs[2];
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(texts[i]), NULL, NULL), DV_OK);
        cr_expect_eq(dv_fit_needs(needs, pipeline, table, ROWS, NULL, NULL, &err), DV_ERR_ARGUMENT);
        cr_expect(*err.message, "%s", texts[i]);
        dv_pipeline_release(&pipeline);
    }
    dv_view_release(&table);
}

Test(fit_needs, each_allocation_may_fail)
{
    dv_view *table = make_table();
    for (int64_t k = 1;; k++) {
        dv_pipeline *pipeline;
        dv_fit_need needs[2];
        dvt_allocator counted;
        cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of("term T; onehot I"), NULL, NULL),
                     DV_OK);
        dvt_allocator_init(&counted, k);
        const dv_status status =
            dv_fit_needs(needs, pipeline, table, ROWS, NULL, &counted.allocator, NULL);
        const bool has_failed = atomic_load(&counted.asked) >= k;
        cr_assert_eq(status, has_failed ? DV_ERR_MEMORY : DV_OK);
        dv_pipeline_release(&pipeline);
        cr_assert_eq(atomic_load(&counted.live), 0);
        if (!has_failed)
            break;
    }
    dv_view_release(&table);
}
