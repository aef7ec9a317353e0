/* SPDX-License-Identifier: MIT */
/* test_pack_costly.c: documents that are slow to make are made once for their packs, by all
 * threads, with the epoch of the cursor (pack.h). */
#include "view/view.h"
#include "support/documents.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/pack.h>
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdatomic.h>
#include <stdlib.h>

#define ROWS 90

static dv_error err;
static dvt_documents documents;
static atomic_int made; /* rows, by the step */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *e)
{
    (void)b, (void)learned, (void)e;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *e)
{
    const int64_t *number = (const int64_t *)f->sources[0]->as.fixed.values.data;
    const size_t nbytes = (size_t)f->rows * sizeof(int64_t);
    int64_t *values = malloc(nbytes);
    cr_assert(values);
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = number[i] + 1000 * f->epoch;
    made += (int)f->rows;
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, values, nbytes, 8, free, values, NULL, e);
}

static const dv_transform_info info = {
    .name = "packslow", .ml_net = "", .summary = "Be slow.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class slow = {
    .size = sizeof(dv_step_class), .version = 1, .type = type, .fill = fill, .batch_rows = 2};

/* Packs of three documents of two items, which are slow. */
static dv_view *open_packs(void)
{
    int32_t vectors;
    const dv_column_spec pair[] = {{.source = dv_text_of("s")}, {.source = dv_text_of("s")}};
    dv_view *source, *held, *piped, *pairs, *view;
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    cr_assert_eq(dv_step_register(&info, &slow, &err), DV_OK, "%s", err.message);
    source = dvt_documents_open(&documents, ROWS, 5, 10, 1, NULL);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_pipe(&piped, held, dv_text_of("packslow s:n; select s"), NULL, NULL, &err),
                 DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_combine(&pairs, piped, dv_text_of("v"), pair, 2, NULL, &err), DV_OK, "%s",
                 err.message);
    cr_assert_eq(dv_schema_find(dv_view_schema(pairs), dv_text_of("v"), &vectors), DV_OK);
    o.columns = &vectors;
    o.columns_count = 1;
    o.tokens = 6;
    cr_assert(dvi_view_makes_single_rows(pairs, &vectors, 1));
    cr_assert_eq(dv_view_pack(&view, pairs, &o, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&pairs);
    dv_view_release(&piped);
    dv_view_release(&held);
    dv_view_release(&source);
    return view;
}

static void expect_packs(dv_view *view, int64_t first, int32_t threads, int64_t epoch)
{
    static const int32_t column[] = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t at = 3 * first;
    options.columns = column;
    options.columns_count = 1;
    options.first_row = first;
    options.threads = threads;
    options.epoch = epoch;
    made = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value pack = dv_value_at(dv_batch_column(batch, 0), i);
            cr_assert_eq(pack.length, 6);
            for (int32_t k = 0; k < 6; k++) {
                const dv_value item = dv_value_item(&pack, k);
                cr_assert_eq(dv_value_i8(&item), at + k / 2 + 1000 * epoch);
            }
            at += 3;
        }
    cr_assert_eq(at, ROWS, "%s", err.message);
    cr_expect_eq(made, ROWS - 3 * first, "%d threads made %d rows", (int)threads, (int)made);
    dv_cursor_close(&cursor);
}

Test(pack_costly, documents_are_made_once)
{
    dv_view *view = open_packs();
    cr_assert_eq(dv_view_rows(view), ROWS / 3);
    for (int32_t threads = 1; threads <= 4; threads++)
        for (int64_t epoch = 0; epoch < 2; epoch++) {
            expect_packs(view, 0, threads, epoch);
            expect_packs(view, 11, threads, epoch);
        }
    dv_view_release(&view);
}
