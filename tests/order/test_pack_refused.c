/* SPDX-License-Identifier: MIT */
/* test_pack_refused.c: what a view of packs refuses, when it is made and when it is read, and that
 * it survives failing allocations (pack.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/documents.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/pack.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

static dv_error err;
static dvt_documents documents;
static const int32_t packed[] = {1, 2};

static dv_pack_options options_of(const int32_t *columns, int32_t n)
{
    dv_pack_options o = DV_PACK_OPTIONS_INIT;
    o.columns = columns;
    o.columns_count = n;
    return o;
}

static void expect_refused(dv_view *source, const dv_pack_options *o, const char *says)
{
    dv_view *view;
    cr_expect_eq(dv_view_pack(&view, source, o, NULL, &err), DV_ERR_ARGUMENT, "%s", says);
    cr_expect(!view && strstr(err.message, says), "expected %s: %s", says, err.message);
    dv_view_release(&view);
}

/* --- Making ----------------------------------------------------------------------------------- */

Test(pack_refused, numbers_and_enums)
{
    dv_view *source = dvt_documents_open(&documents, 30, 20, 2, 1, NULL);
    dv_pack_options o = options_of(packed, 2);
    o.size = 3;
    expect_refused(source, &o, "DV_PACK_OPTIONS_INIT");
    o = options_of(NULL, 2);
    expect_refused(source, &o, "columns is NULL");
    expect_refused(source, NULL, "columns is NULL");
    o = options_of(packed, 0);
    expect_refused(source, &o, "columns_count");
    o = options_of(packed, DV_PACK_COLUMNS_MOST + 1);
    expect_refused(source, &o, "columns_count is 65");
    o = options_of(packed, 2);
    o.tokens = 0;
    expect_refused(source, &o, "tokens");
    o.tokens = INT64_C(1) << 31;
    expect_refused(source, &o, "tokens");
    o.tokens = 10;
    o.window = 0;
    expect_refused(source, &o, "window");
    o.window = 65537;
    expect_refused(source, &o, "window");
    o.window = 1;
    o.threads = -1;
    expect_refused(source, &o, "threads");
    o.threads = 0;
    o.how = (dv_pack_how)2;
    expect_refused(source, &o, "how is 2");
    o.how = DV_PACK_WHOLE;
    o.too_long = (dv_pack_long)4;
    expect_refused(source, &o, "too_long is 4");
    o.too_long = DV_PACK_LONG_REFUSE;
    o.drop_last = true;
    expect_refused(source, &o, "drop_last");
    o.how = DV_PACK_STREAM;
    o.too_long = DV_PACK_LONG_CUT;
    expect_refused(source, &o, "too_long with a stream");
    dv_view_release(&source);
}

Test(pack_refused, columns)
{
    static const int32_t none[] = {1, 9}, twice[] = {1, 2, 1}, scalar[] = {0}, text[] = {1, 3};
    static const char *const taken[] = {"cu_seqlens", "position_ids", "rows"};
    dv_view *source = dvt_documents_open(&documents, 30, 20, 2, 1, NULL), *renamed;
    dv_pack_options o = options_of(none, 2);
    expect_refused(source, &o, "column 9: the view has 5 columns");
    o = options_of(twice, 3);
    expect_refused(source, &o, "\"ids\" is packed twice");
    o = options_of(scalar, 1);
    expect_refused(source, &o, "\"n\" of type I8");
    o = options_of(text, 2);
    expect_refused(source, &o, "\"text\" of type TX");
    for (int i = 0; i < 3; i++) {
        static const int32_t first[] = {0};
        const dv_column_spec spec = {.name = dv_text_of(taken[i]), .source = dv_text_of("ids")};
        cr_assert_eq(dv_view_select(&renamed, source, &spec, 1, true, NULL, &err), DV_OK, "%s",
                     err.message);
        o = options_of(first, 1);
        expect_refused(renamed, &o, taken[i]);
        dv_view_release(&renamed);
    }
    dv_view_release(&source);
}

Test(pack_refused, rows_in_sequence)
{
    dv_view *source = dvt_documents_open(&documents, 30, 20, 0, 1, NULL);
    const dv_pack_options o = options_of(packed, 2);
    expect_refused(source, &o, "in sequence");
    dv_view_release(&source);
}

/* The first document that is too long is named, with its length. */
Test(pack_refused, long_documents)
{
    dv_view *source = dvt_documents_open(&documents, 30, 20, 7, 1, NULL);
    dv_pack_options o = options_of(packed, 2);
    char want[60];
    int row = 0;
    o.tokens = 15;
    while (documents.length[row] <= 15)
        row++;
    snprintf(want, sizeof want, "row %d has %d items", row, (int)documents.length[row]);
    expect_refused(source, &o, want);
    dv_view_release(&source);
}

/* A sparse vector that claims slots would become many packs of nothing. */
Test(pack_refused, claimed_slots)
{
    static const int32_t lengths[] = {3, INT32_MAX}, counts[] = {0, 1}, slots[] = {7};
    static const int32_t items[] = {1}, first[] = {0};
    const dv_column_view all = dvt_made_fixed(dv_type_of(DV_KIND_I4), items, 1);
    dvt_made_table made = {
        .columns = 1, .rows = 2, .block_rows = 2, .in_blocks = true, .bad_row = -1};
    dv_pack_options o = options_of(first, 1);
    dv_column_view *vectors = &made.column[0];
    dv_view *view;
    *vectors = (dv_column_view){
        .type = dv_type_vector(dv_type_of(DV_KIND_I4), 0), .layout = DV_LAYOUT_VECTOR, .rows = 2};
    vectors->as.vector = (dv_vector_layout){
        .lengths = dvt_made_fixed(dv_type_of(DV_KIND_I4), lengths, 2).as.fixed.values,
        .counts = dvt_made_fixed(dv_type_of(DV_KIND_I4), counts, 2).as.fixed.values,
        .indices = dvt_made_fixed(dv_type_of(DV_KIND_I4), slots, 1).as.fixed.values,
        .items = &all};
    dv_view *source = dvt_made_table_open(&made, NULL);
    o.how = DV_PACK_STREAM;
    cr_expect_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_ERR_LIMIT, "%s", err.message);
    cr_expect(strstr(err.message, "row 1") && !view, "%s", err.message);
    dv_view_release(&source);
}

static bool stop(void *ctx, int64_t rows, int64_t total)
{
    (void)ctx;
    (void)rows;
    (void)total;
    return false;
}

Test(pack_refused, failures_of_the_source)
{
    dv_view *source = dvt_documents_open(&documents, 100, 30, 10, 1, NULL), *view;
    dv_pack_options o = options_of(packed, 2);
    documents.made.bad_row = 57;
    cr_expect_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_ERR_CORRUPT);
    cr_expect_null(view);
    documents.made.bad_row = -1;
    o.progress.report = stop;
    cr_expect_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_ERR_STOPPED);
    cr_expect_null(view);
    dv_view_release(&source);
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* Read all packs; returns how many came before the status. */
static int64_t read_packs(dv_view *view, dv_status *status_out)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t n = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK, "%s", err.message);
    while ((*status_out = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        n += batch->rows;
    dv_cursor_close(&cursor);
    return n;
}

/* The pack that has a piece of a row. */
static int64_t pack_of(int64_t row, int64_t tokens)
{
    int64_t before = 0;
    for (int64_t i = 0; i < row; i++)
        before += documents.length[i];
    return before / tokens;
}

/* Packs before the one whose documents do not agree are delivered. */
Test(pack_refused, lengths_that_differ)
{
    dv_view *source = dvt_documents_open(&documents, 100, 30, 10, 1, NULL), *view;
    dv_pack_options o = options_of(packed, 2);
    dv_status status;
    int row = 50;
    char want[100];
    o.how = DV_PACK_STREAM;
    o.tokens = 32;
    while (documents.length[row] < 2 || documents.length[row + 1] < 2)
        row++;
    documents.mask_length[row]--;
    documents.mask_length[row + 1]++;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(read_packs(view, &status), pack_of(row, 32));
    cr_expect_eq(status, DV_ERR_ARGUMENT);
    snprintf(want, sizeof want, "column \"mask\": row %d has %d items, but column \"ids\" had %d",
             row, (int)documents.mask_length[row], (int)documents.length[row]);
    cr_expect(strstr(err.message, want), "%s", err.message);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* The row alone fails, not the others of its block. */
Test(pack_refused, rows_that_cannot_be_read)
{
    dv_view *source = dvt_documents_open(&documents, 100, 30, 10, 1, NULL), *view;
    dv_pack_options o = options_of(packed, 2);
    dv_status status;
    int row = 57;
    o.how = DV_PACK_STREAM;
    o.tokens = 32;
    cr_assert_eq(dv_view_pack(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    while (documents.length[row] == 0)
        row++;
    documents.made.bad_row = row;
    cr_expect_eq(read_packs(view, &status), pack_of(row, 32));
    cr_expect_eq(status, DV_ERR_CORRUPT);
    documents.made.bad_row = -1;
    cr_expect_eq(read_packs(view, &status), dv_view_rows(view));
    cr_expect_eq(status, DV_END);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static dv_status try_all(const dv_pack_options *o, const dv_allocator *allocator, dvt_lines *lines)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = dvt_documents_open(&documents, 60, 20, 7, 3, NULL), *view = NULL;
    dv_status status = dv_view_pack(&view, source, o, allocator, &err);
    options.batch_rows = 3;
    if (status == DV_OK)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(pack_refused, each_allocation_may_fail)
{
    for (int kind = 0; kind < 4; kind++) {
        dv_pack_options o = options_of(packed, 2);
        dvt_lines truth = {0};
        int64_t k = 0;
        o.tokens = 13;
        o.window = 4;
        o.how = (dv_pack_how)(kind % 2);
        o.too_long = kind % 2 ? DV_PACK_LONG_REFUSE : DV_PACK_LONG_SPLIT;
        o.shuffle = kind / 2;
        cr_assert_eq(try_all(&o, NULL, &truth), DV_OK, "%s", err.message);
        for (bool is_done = false; !is_done;) {
            dvt_allocator counted;
            dvt_lines lines = {0};
            dvt_allocator_init(&counted, ++k);
            const dv_status status = try_all(&o, &counted.allocator, &lines);
            is_done = counted.asked < k;
            cr_expect(status == DV_OK || (!is_done && status == DV_ERR_MEMORY),
                      "kind %d, allocation %d: %s", kind, (int)k, err.message);
            if (status == DV_OK)
                cr_expect_str_eq(lines.data, truth.data, "kind %d, allocation %d", kind, (int)k);
            cr_expect_eq(counted.live, 0, "kind %d, allocation %d: a leak", kind, (int)k);
            dvt_lines_free(&lines);
        }
        cr_expect_gt(k, 10);
        dvt_lines_free(&truth);
    }
}
