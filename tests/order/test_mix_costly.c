/* SPDX-License-Identifier: MIT */
/* test_mix_costly.c: slow columns of the sources are made for the rows of a mix alone, by all
 * threads, with the epoch of its cursor (mix.h). */
#include "view/view.h"
#include "support/mixed.h"
#include "support/test.h"
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define ROWS 90

static dv_error err;
static atomic_int made; /* rows, by the step */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *e)
{
    (void)b, (void)learned, (void)e;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *e)
{
    const int32_t *number = (const int32_t *)f->sources[0]->as.fixed.values.data;
    const size_t nbytes = (size_t)f->rows * sizeof(int64_t);
    int64_t *values = malloc(nbytes);
    cr_assert(values);
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = number[i] + INT64_C(1000000000) * f->epoch;
    made += (int)f->rows;
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, values, nbytes, 8, free, values, NULL, e);
}

static const dv_transform_info info = {
    .name = "mixslow", .ml_net = "", .summary = "Be slow.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class slow = {
    .size = sizeof(dv_step_class), .version = 1, .type = type, .fill = fill, .batch_rows = 2};

static void start(void)
{
    static bool is_done; /* once in a process */
    if (!is_done)
        cr_assert_eq(dv_step_register(&info, &slow, &err), DV_OK, "%s", err.message);
    is_done = true;
}

TestSuite(mix_costly, .init = start);

/* The mix of three sources with the step above each. */
static dv_view *open_mix(dvt_mixed *mixed, dvt_mixed_kind kind, const dv_mix_options *options)
{
    static const int64_t counts[] = {ROWS, ROWS, ROWS};
    dv_view *piped[COUNT(counts)], *view;
    dvt_mixed_open(mixed, counts, COUNT(counts), 10, kind, NULL);
    for (size_t i = 0; i < COUNT(counts); i++)
        cr_assert_eq(dv_view_pipe(&piped[i], mixed->view[i], dv_text_of("mixslow s:a; select s"),
                                  NULL, NULL, &err),
                     DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_mix(&view, piped, COUNT(counts), options, NULL, &err), DV_OK, "%s",
                 err.message);
    for (size_t i = 0; i < COUNT(counts); i++)
        dv_view_release(&piped[i]);
    return view;
}

/* The values that a cursor delivers; returns how many. */
static int64_t read_values(int64_t *out, int64_t most, dv_view *view,
                           const dv_cursor_options *options)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t n = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, options, &err), DV_OK, "%s", err.message);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
        const int64_t *values = (const int64_t *)dv_batch_column(batch, 0)->as.fixed.values.data;
        for (int64_t i = 0; i < batch->rows && n < most; i++)
            out[n++] = values[i];
    }
    dv_cursor_close(&cursor);
    return n;
}

static void expect_values(dvt_mixed_kind kind, bool shuffle, int32_t threads, int64_t epoch)
{
    static int32_t want[3 * ROWS];
    int64_t got[3 * ROWS];
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dvt_mixed mixed;
    options.order = DV_MIX_RANDOM;
    options.stop = DV_MIX_LAST;
    options.shuffle = shuffle;
    options.rows = 200;
    dv_view *view = open_mix(&mixed, kind, &options);
    const dvt_mix m = {3, mixed.counts, options};
    const int64_t n = dvt_mixed_truth(want, COUNT(want), &m, epoch);
    cursor.threads = threads;
    cursor.epoch = epoch;
    made = 0;
    cr_assert_eq(read_values(got, COUNT(got), view, &cursor), n);
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(got[i], want[i] + INT64_C(1000000000) * epoch, "row %d", (int)i);
    if (kind == DVT_MIXED_BLOCKS)
        cr_expect_eq(made, n, "%d rows made for %d", (int)made, (int)n);
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

Test(mix_costly, rows_that_are_read_by_number)
{
    for (int32_t threads = 1; threads < 5; threads++)
        for (int shuffle = 0; shuffle < 2; shuffle++)
            expect_values(DVT_MIXED_BLOCKS, shuffle, threads, threads);
}

Test(mix_costly, rows_in_sequence)
{
    for (int32_t threads = 1; threads < 5; threads++)
        expect_values(DVT_MIXED_UNKNOWN, false, threads, threads);
}

/* Threads share such rows if each can be read by itself. */
Test(mix_costly, threads_share_the_rows)
{
    static const dvt_mixed_kind kinds[] = {DVT_MIXED_BLOCKS, DVT_MIXED_UNKNOWN};
    static const dvi_work works[] = {DVI_WORK_SET, DVI_WORK_OWN};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        dvt_mixed mixed;
        dv_view *view = open_mix(&mixed, kinds[i], NULL);
        cr_expect_eq(dvi_view_work(view, &(dv_cursor_request){.schema = dv_view_schema(view),
                                                              .columns = (const int32_t[]){0},
                                                              .columns_count = 1}),
                     works[i]);
        cr_expect_eq(dvi_view_takes_long(view), true);
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}
