/* SPDX-License-Identifier: MIT */
/* test_own_view.c: checks that a view of the user works like any other (own_view.h). */
#include "support/allocator.h"
#include "support/golden.h"
#include "support/own_table.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/row.h>

static dvt_own_table table;
static dv_view *view;
static dv_error err;

static void start(void)
{
    err = (dv_error)DV_ERROR_INIT;
    table = (dvt_own_table){.open_status = DV_OK};
    cr_assert_eq(dvt_own_table_open(&view, &table, NULL, &err), DV_OK, "%s", err.message);
}

/* Everything was given back, once. */
static void stop(void)
{
    dv_view_release(&view);
    cr_expect_eq(table.views_closed, 1);
    cr_expect_eq(table.cursors_opened, table.cursors_closed);
    cr_expect_eq(table.wrapped, table.released);
}

TestSuite(own_view, .init = start, .fini = stop);

static dvt_producer *const ways[] = {dvt_produce_by_value, dvt_produce_by_getter,
                                     dvt_produce_by_layout};

/* The options deliver that range of the expected rows, in each way of reading. */
static void expect_part(const dv_cursor_options *options, const dvt_part *part)
{
    char message[DVT_MESSAGE_NBYTES];
    dvt_table truth, actual;
    cr_assert(dvt_table_parse(&truth, dv_text_of(dvt_own_truth), message), "%s", message);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        dvt_lines lines = {0};
        cr_expect_eq(ways[i](&lines, view, options, &err), DV_OK, "%s", err.message);
        cr_expect(dvt_table_parse(&actual, dvt_lines_text(&lines), message) &&
                      dvt_golden_compare_part(&truth, part, &actual, DVT_MAPPING_NONE, message),
                  "way %d, rows %d:%d in batches of %d: %s", (int)i, (int)part->first_row,
                  (int)part->end_row, (int)options->batch_rows, message);
        dvt_table_free(&actual);
        dvt_lines_free(&lines);
    }
    dvt_table_free(&truth);
}

Test(own_view, reads_as_its_maker_says)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    expect_part(&options, &(dvt_part)DVT_PART_ALL);
    cr_expect_eq(dv_view_rows(view), DVT_OWN_ROWS);
    cr_expect_str_eq(dv_view_kind(view), "own table");
    cr_expect_not(dv_view_can_shuffle(view));
    cr_expect_eq(dv_view_block_rows(view), 0);
}

Test(own_view, every_range_in_batches_of_every_size)
{
    for (int64_t first = 0; first <= DVT_OWN_ROWS; first++)
        for (int64_t end = first; end <= DVT_OWN_ROWS + 1; end++)
            for (int64_t size = 0; size <= 6; size++) {
                dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
                options.first_row = first;
                options.end_row = end;
                options.batch_rows = size == 6 ? INT64_MAX : size;
                expect_part(&options, &(dvt_part){first, end, NULL, 0});
            }
}

Test(own_view, batch_rows_are_exact)
{
    for (int64_t size = 1; size <= 13; size++) {
        dv_cursor *cursor = NULL;
        const dv_batch *batch;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = size;
        options.ids = true;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        uint64_t row = 0;
        while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
            const int64_t left = DVT_OWN_ROWS - (int64_t)row;
            cr_expect_eq(batch->rows, left < size ? left : size);
            cr_expect_eq(batch->first_row, (int64_t)row);
            for (int64_t i = 0; i < batch->rows; i++, row++)
                cr_expect(batch->ids && batch->ids[i].lo == row && batch->ids[i].hi == 0);
        }
        cr_expect_eq(row, DVT_OWN_ROWS);
        dv_cursor_close(&cursor);
    }
}

Test(own_view, columns_in_any_order_and_twice)
{
    /* Of the schema: x t z v w x; of the truth: t z v w x. */
    static const int32_t schema[] = {4, 3, 4, 1, 5, 2}, truth[] = {3, 2, 3, 0, 4, 1};
    for (int32_t n = 0; n <= 6; n++)
        for (int64_t size = 0; size <= 5; size += 5) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.columns = schema;
            options.columns_count = n;
            options.batch_rows = size;
            expect_part(&options, &(dvt_part){0, INT64_MAX, truth, n});
        }
}

Test(own_view, the_hidden_column_is_there_by_number)
{
    dv_row_cursor *cursor = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = &(int32_t){0};
    options.columns_count = 1;
    cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, &err), DV_OK);
    for (int row = 0; row < DVT_OWN_ROWS; row++) {
        float value = -1;
        cr_expect_eq(dv_row_next(cursor, &err), DV_OK);
        cr_expect_eq(dv_row_r4(cursor, 0, &value, &err), DV_OK);
        cr_expect_eq(value, (float)row);
    }
    dv_row_cursor_close(&cursor);
}

Test(own_view, retained_batches_outlive_all)
{
    char message[DVT_MESSAGE_NBYTES];
    dv_cursor *cursor = NULL;
    const dv_batch *batch, *list[DVT_OWN_ROWS];
    dvt_lines lines = {0};
    int n = 0;
    dvt_put_header(&lines, view, NULL, dvt_put_metadata_by_value, &err);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
        dv_batch_retain(batch);
        list[n++] = batch;
    }
    cr_expect_eq(n, 5);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(table.views_closed, 0, "batches hold the view");
    cr_expect_lt(table.released, table.wrapped);
    for (int i = 0; i < n; i++)
        dvt_put_batch_by_layout(&lines, list[i]);
    cr_expect(dvt_golden_compare(dv_text_of(dvt_own_truth), dvt_lines_text(&lines),
                                 DVT_MAPPING_NONE, message),
              "%s", message);
    for (int i = 0; i < n; i++)
        dv_batch_release(&list[i]);
    dvt_lines_free(&lines);
}

Test(own_view, metadata_outlives_the_view)
{
    const dv_batch *value = NULL;
    cr_assert_eq(dv_schema_metadata_value(dv_view_schema(view), 3, 1, &value, &err), DV_OK);
    dv_view_release(&view);
    dvt_lines lines = {0};
    dvt_put_metadata_by_value(&lines, value);
    cr_expect_str_eq(lines.data, "{\"len\":3,\"idx\":[2],\"val\":[\"a\"]}");
    dvt_lines_free(&lines);
    dv_batch_release(&value);
}

Test(own_view, requests_are_resolved)
{
    dv_cursor *cursor = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = 2;
    options.end_row = 100;
    options.skip = 3;
    options.take = 4;
    options.batch_rows = 5;
    options.threads = 3;
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "x", &err), DV_OK);
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "v", &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    const dv_cursor_request *r = &table.request;
    cr_expect_geq(r->size, sizeof *r);
    cr_expect_eq(r->schema, dv_view_schema(view));
    cr_expect_eq(r->columns_count, 2);
    cr_expect(r->columns[0] == 5 && r->columns[1] == 3);
    cr_expect(r->first_row == 5 && r->end_row == 9);
    cr_expect_eq(r->threads, 3);
    cr_expect_not(r->zero_copy_only);
    cr_expect_not_null(r->allocator);
    dv_cursor_close(&cursor);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    cr_expect_geq(r->threads, 1);
    cr_expect(r->columns_count == 5 && r->columns[0] == 1 && r->columns[4] == 5);
    dv_cursor_close(&cursor);
}

Test(own_view, a_view_need_not_know_its_rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    table.rows_unknown = true;
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    options.first_row = 3;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(table.request.end_row, INT64_MAX);
    int64_t rows = 0;
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, 9);
    dv_cursor_close(&cursor);
    options.end_row = 1000;
    options.take = 5;
    options.batch_rows = 4;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(table.request.end_row, 8);
    for (rows = 0; dv_cursor_next(cursor, &batch, &err) == DV_OK; rows += batch->rows)
        cr_expect_eq(batch->rows, rows == 0 ? 4 : 1);
    cr_expect_eq(rows, 5);
    dv_cursor_close(&cursor);
}

/* --- Failures --------------------------------------------------------------------------------- */

Test(own_view, a_cursor_that_does_not_open_is_not_closed)
{
    dv_cursor *cursor;
    table.open_status = DV_ERR_UNSUPPORTED;
    cr_expect_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_ERR_UNSUPPORTED);
    cr_expect_null(cursor);
    cr_expect_eq(err.status, DV_ERR_UNSUPPORTED);
    cr_expect_eq(table.cursors_closed, 0);
}

static void expect_failure(int64_t batch_rows, int64_t rows_before)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    int64_t rows = 0;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, rows_before);
    for (int i = 0; i < 3; i++) {
        cr_expect_eq(status, DV_ERR_IO);
        cr_expect_eq(err.status, DV_ERR_IO);
        err = (dv_error)DV_ERROR_INIT;
        table.next_status = DV_OK; /* yet the error is final */
        status = dv_cursor_next(cursor, &batch, &err);
    }
    dv_cursor_close(&cursor);
    table.next_status = DV_ERR_IO;
}

Test(own_view, a_failure_comes_after_the_rows_before_it)
{
    table.next_status = DV_ERR_IO;
    for (int64_t size = 0; size < 10; size++)
        expect_failure(size, 6);
}

Test(own_view, a_lack_of_memory_is_final_and_the_token_goes_on)
{
    for (int64_t size = 0; size < 10; size++) {
        dv_cursor *cursor = NULL;
        const dv_batch *batch;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = size;
        table.next_status = DV_ERR_MEMORY;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
        int64_t rows = 0;
        dv_token token;
        dv_status status;
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
            rows += batch->rows;
        cr_expect_eq(status, DV_ERR_MEMORY);
        cr_expect_null(batch);
        table.next_status = DV_OK;
        cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_MEMORY);
        cr_assert_eq(dv_cursor_token(cursor, &token, &err), DV_OK, "%s", err.message);
        dv_cursor_close(&cursor);
        options.token = token.text;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
            cr_expect_eq(batch->position, rows);
            rows += batch->rows;
        }
        cr_expect_eq(status, DV_END);
        cr_expect_eq(rows, DVT_OWN_ROWS);
        dv_cursor_close(&cursor);
    }
}

/* --- inspect and verify, for a class that has neither ----------------------------------------- */

Test(own_view, facts_are_those_of_the_schema)
{
    dv_facts *facts = NULL;
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK, "%s", err.message);
    cr_expect_str_eq(facts->format, "own table");
    cr_expect_str_eq(facts->version, "");
    cr_expect_eq(facts->rows, DVT_OWN_ROWS);
    cr_expect_eq(facts->columns, 6);
    cr_expect_eq(facts->file_nbytes, -1);
    cr_expect_eq(facts->rows_per_block, -1);
    cr_expect_eq(facts->blocks_per_column, -1);
    cr_expect_eq(facts->dead_columns, 0);
    cr_expect_eq(facts->warnings, 0);
    for (int32_t i = 0; i < 6; i++) {
        cr_expect_eq(facts->column[i].blocks, -1);
        cr_expect_eq(facts->column[i].stored_nbytes, -1);
        cr_expect_eq(facts->column[i].inflated_nbytes, -1);
        cr_expect_eq(facts->column[i].in_place_blocks, -1);
        cr_expect_eq(facts->column[i].aligned_blocks, -1);
        cr_expect_str_eq(facts->column[i].compression, "");
    }
    dv_facts_free(&facts);
    cr_expect_null(facts);
    dv_facts_free(&facts);
}

static int defects;
static bool goes_on;

static bool count_defect(void *ctx, const dv_error *what)
{
    cr_expect_eq(ctx, &defects);
    cr_expect_eq(what->status, DV_ERR_CORRUPT);
    defects++;
    return goes_on;
}

Test(own_view, verifying_reads_every_row)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = count_defect;
    options.ctx = &defects;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(defects, 0);
    cr_expect_eq(table.cursors_opened, 1);
    goes_on = true;
    table.next_status = DV_ERR_CORRUPT;
    cr_expect_eq(dv_verify(view, &options, &err), DV_OK);
    cr_expect_eq(defects, 1);
    goes_on = false;
    cr_expect_eq(dv_verify(view, &options, &err), DV_END);
    cr_expect_eq(defects, 2);
    table.next_status = DV_ERR_IO;
    cr_expect_eq(dv_verify(view, &options, &err), DV_ERR_IO);
    cr_expect_eq(err.status, DV_ERR_IO);
    cr_expect_eq(defects, 2);
    options.size = 0;
    cr_expect_eq(dv_verify(view, &options, &err), DV_ERR_ARGUMENT);
}

/* --- Batches that are wrong ------------------------------------------------------------------- */

/* What the next batch of `wrong_class` does. */
static dv_status (*fill_wrong)(dv_batch *batch, dv_column_view *x, dv_error *err);

static dv_status open_wrong(void *self, const dv_cursor_request *request, void **cursor_out,
                            dv_error *error)
{
    (void)request, (void)error;
    *cursor_out = self;
    return DV_OK;
}

static dv_status next_wrong(void *cursor, dv_batch *batch, dv_error *error)
{
    static const float values[2] = {1, 2};
    (void)cursor;
    dv_column_view x = {.type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = 2};
    x.as.fixed.values = (dv_buffer){values, sizeof values, NULL, true, true};
    return fill_wrong(batch, &x, error);
}

static dv_status nothing(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    (void)batch, (void)x, (void)error;
    return DV_OK;
}

static dv_status no_column(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    (void)x;
    return dv_batch_start(batch, 0, 2, error);
}

static dv_status no_row(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    (void)x;
    return dv_batch_start(batch, 0, 0, error);
}

static dv_status other_rows(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    dv_batch_start(batch, 0, 1, error);
    return dv_batch_fill(batch, 0, x, error);
}

static dv_status other_type(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    x->type = dv_type_of(DV_KIND_I4);
    dv_batch_start(batch, 0, 2, error);
    return dv_batch_fill(batch, 0, x, error);
}

static dv_status other_layout(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    x->layout = DV_LAYOUT_TEXT;
    dv_batch_start(batch, 0, 2, error);
    return dv_batch_fill(batch, 0, x, error);
}

static dv_status short_buffer(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    x->as.fixed.values.nbytes--;
    dv_batch_start(batch, 0, 2, error);
    return dv_batch_fill(batch, 0, x, error);
}

static dv_status column_outside(dv_batch *batch, dv_column_view *x, dv_error *error)
{
    dv_batch_start(batch, 0, 2, error);
    cr_expect_eq(dv_batch_fill(batch, -1, x, error), DV_ERR_ARGUMENT);
    return dv_batch_fill(batch, 1, x, error);
}

Test(own_view, a_wrong_batch_is_refused)
{
    static const dv_view_class wrong_class = {
        .size = sizeof wrong_class, .kind = "wrong", .open_cursor = open_wrong, .next = next_wrong};
    static dv_status (*const list[])(dv_batch *, dv_column_view *, dv_error *) = {
        nothing,    no_column,    no_row,       other_rows,
        other_type, other_layout, short_buffer, column_outside};
    dv_schema *schema;
    dv_view *wrong = NULL;
    const dv_type r4 = dv_type_of(DV_KIND_R4);
    cr_assert_eq(dv_schema_create(&schema, NULL, &err), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &r4, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_create(&wrong, &wrong_class, &table, &schema, NULL, &err), DV_OK);
    cr_expect_null(schema, "the view took it");
    cr_expect_eq(dv_view_rows(wrong), DV_ROWS_UNKNOWN);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dv_cursor *cursor = NULL;
        const dv_batch *batch;
        fill_wrong = list[i];
        cr_assert_eq(dv_cursor_open(&cursor, wrong, NULL, &err), DV_OK);
        err = (dv_error)DV_ERROR_INIT;
        cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_ARGUMENT, "case %d", (int)i);
        cr_expect_eq(err.status, DV_ERR_ARGUMENT, "case %d", (int)i);
        cr_expect_null(batch);
        dv_cursor_close(&cursor);
    }
    dv_view_release(&wrong);
}

Test(own_view, a_class_needs_a_cursor)
{
    static const dv_view_class no_next = {
        .size = sizeof no_next, .kind = "a", .open_cursor = open_wrong};
    static const dv_view_class no_open = {.size = sizeof no_open, .kind = "a", .next = next_wrong};
    static const dv_view_class no_size = {
        .kind = "a", .open_cursor = open_wrong, .next = next_wrong};
    static const dv_view_class *const list[] = {&no_next, &no_open, &no_size};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        dv_schema *schema;
        dv_view *none = view;
        cr_assert_eq(dv_schema_create(&schema, NULL, &err), DV_OK);
        cr_expect_eq(dv_view_create(&none, list[i], NULL, &schema, NULL, &err), DV_ERR_ARGUMENT,
                     "case %d", (int)i);
        cr_expect_null(none);
        cr_expect_not_null(schema, "still the caller's");
        dv_schema_free(&schema);
        cr_expect_null(schema);
    }
}

/* --- dv_buffer_wrap --------------------------------------------------------------------------- */

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

Test(own_view, a_wrapped_buffer_is_released_with_its_last_reference)
{
    static const _Alignas(8) char bytes[16];
    int released = 0;
    dv_buffer buffer, copy;
    cr_assert_eq(dv_buffer_wrap(&buffer, bytes, 8, 8, count_release, &released, NULL, &err), DV_OK);
    cr_expect(buffer.data == bytes && buffer.nbytes == 8);
    cr_expect(buffer.is_borrowed && buffer.is_aligned);
    dv_buffer_retain(&buffer);
    copy = buffer;
    dv_buffer_release(&buffer);
    cr_expect(released == 0 && buffer.data == NULL && buffer.owner == NULL && buffer.nbytes == 0);
    dv_buffer_release(&copy);
    cr_expect_eq(released, 1);
    dv_buffer_release(&copy); /* empty: nothing to do */
    dv_buffer_retain(&copy);
    cr_expect_eq(released, 1);

    cr_assert_eq(dv_buffer_wrap(&buffer, bytes + 1, 8, 8, NULL, NULL, NULL, &err), DV_OK);
    cr_expect_not(buffer.is_aligned);
    dv_buffer_release(&buffer);
}

Test(own_view, wrapping_without_memory_leaves_the_bytes_to_the_caller)
{
    dvt_allocator counted;
    int released = 0;
    dv_buffer buffer;
    dvt_allocator_init(&counted, 1);
    cr_expect_eq(
        dv_buffer_wrap(&buffer, "x", 1, 1, count_release, &released, &counted.allocator, &err),
        DV_ERR_MEMORY);
    cr_expect(buffer.data == NULL && buffer.owner == NULL);
    cr_expect_eq(released, 0);
    cr_expect_eq(counted.live, 0);
}

/* Whichever allocation fails: an error, and everything that was wrapped is given back. */
Test(own_view, survives_every_failed_allocation)
{
    for (int64_t k = 1, done = 0; !done; k++) {
        dvt_allocator counted;
        dvt_own_table own = {.open_status = DV_OK};
        dv_view *of_own = NULL;
        dvt_lines lines = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = 5;
        options.ids = true;
        dvt_allocator_init(&counted, k);
        dv_status status = dvt_own_table_open(&of_own, &own, &counted.allocator, &err);
        if (status == DV_OK)
            status = dvt_produce_by_value(&lines, of_own, &options, &err);
        done = counted.asked < k;
        cr_expect_eq(status, done ? DV_OK : DV_ERR_MEMORY, "allocation %d", (int)k);
        dv_view_release(&of_own);
        cr_expect_eq(counted.live, 0, "allocation %d", (int)k);
        cr_expect_eq(own.wrapped, own.released, "allocation %d", (int)k);
        dvt_lines_free(&lines);
    }
}
