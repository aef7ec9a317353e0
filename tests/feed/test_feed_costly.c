/* SPDX-License-Identifier: MIT */
/* test_feed_costly.c: rows that are costly to make are made by themselves, each once and only those
 * that are asked for, by any number of threads, unless the order goes by blocks. Rows that are
 * quick to make come by blocks, in each epoch anew. */
#include "support/allocator.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/feed.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 97
#define BLOCK 10
#define WIDTH 3
#define BATCH 8

static dv_error err;
static atomic_int made;  /* rows */
static int64_t bad = -1; /* the row that cannot be made */

/* --- A costly step: a row, its id, the epoch -------------------------------------------------- */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *e)
{
    (void)b, (void)learned, (void)e;
    *type_out = dv_type_vector(dv_type_of(DV_KIND_R4), WIDTH);
    return DV_OK;
}

static dv_status wrap(dv_buffer *buffer, void *data, size_t nbytes, dv_error *e)
{
    return dv_buffer_wrap(buffer, data, nbytes, 4, free, data, NULL, e);
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *e)
{
    dv_column_view *items = f->memory;
    const int64_t *row = (const int64_t *)f->sources[0]->as.fixed.values.data;
    for (int64_t i = 0; i < f->rows; i++)
        if (row[i] == bad)
            return dv_error_set(e, DV_ERR_ARGUMENT, "a bad row");
    float *values = malloc((size_t)f->rows * WIDTH * sizeof *values);
    int32_t *dense = malloc((size_t)f->rows * sizeof *dense);
    cr_assert(values && dense);
    for (int64_t i = 0; i < f->rows; i++) {
        const float number = (float)row[i];
        values[WIDTH * i] = number;
        values[WIDTH * i + 1] = (float)f->ids[i].lo;
        values[WIDTH * i + 2] = (float)f->epoch;
        dense[i] = -1;
    }
    made += (int)f->rows;
    *items = (dv_column_view){dv_type_of(DV_KIND_R4), DV_LAYOUT_FIXED, WIDTH * f->rows, {{{0}}}};
    out->layout = DV_LAYOUT_VECTOR;
    out->as.vector = (dv_vector_layout){.length = WIDTH, .items = items};
    cr_assert_eq(wrap(&items->as.fixed.values, values, (size_t)f->rows * WIDTH * 4, e), DV_OK);
    cr_assert_eq(wrap(&out->as.vector.counts, dense, (size_t)f->rows * 4, e), DV_OK);
    return DV_OK;
}

static const dv_transform_info info = {.name = "costly",
                                       .ml_net = "",
                                       .summary = "Make a costly vector.",
                                       .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class class = {.size = sizeof(dv_step_class),
                                    .version = 1,
                                    .type = type,
                                    .fill = fill,
                                    .reads_ids = true,
                                    .memory = sizeof(dv_column_view),
                                    .batch_rows = 4};

/* The same, but quick. */
static const dv_transform_info quick_info = {
    .name = "quickly", .ml_net = "", .summary = "Make a vector.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class quick_class = {.size = sizeof(dv_step_class),
                                          .version = 1,
                                          .type = type,
                                          .fill = fill,
                                          .reads_ids = true,
                                          .memory = sizeof(dv_column_view)};

static int64_t number[ROWS];
static bool is_quick; /* which step a view gets */

static void start(void)
{
    static bool is_done; /* once in a process */
    if (!is_done) {
        cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_step_register(&quick_info, &quick_class, &err), DV_OK, "%s", err.message);
    }
    is_done = true;
    is_quick = false;
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
}

TestSuite(feed_costly, .init = start);

/* Columns a I8, the row, and g, which is costly; a slice of two views may lie on top. */
static dv_view *open_view(dvt_made_table *table, bool in_blocks, bool is_sliced,
                          const dv_allocator *allocator)
{
    dv_pipeline *pipeline;
    dv_fitted *fitted;
    dv_view *view, *slice;
    dv_fit_options how = DV_FIT_OPTIONS_INIT;
    *table = (dvt_made_table){.columns = 1, .rows = ROWS, .block_rows = BLOCK, .bad_row = -1};
    table->in_blocks = in_blocks;
    table->column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    dv_view *source = dvt_made_table_open(table, allocator);
    cr_assert_eq(dv_pipeline_parse(&pipeline, dv_text_of(is_quick ? "quickly g:a" : "costly g:a"),
                                   NULL, &err),
                 DV_OK, "%s", err.message);
    cr_assert_eq(dv_fit(&fitted, pipeline, source, &how, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_fitted_apply(&view, fitted, source, allocator, &err), DV_OK, "%s", err.message);
    dv_fitted_release(&fitted);
    dv_pipeline_release(&pipeline);
    dv_view_release(&source);
    if (!is_sliced)
        return view;
    cr_assert_eq(dv_view_slice(&slice, view, 7, 60, NULL, &err), DV_OK);
    dv_view_release(&view);
    return slice;
}

/* The rows of an epoch, from its cheap column. */
static int64_t list_rows(dv_view *view, const dv_epoch_options *order, int64_t *rows)
{
    static const int32_t cheap[] = {0};
    dv_view *epoch;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t n = 0;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = cheap;
    options.columns_count = 1;
    cr_assert_eq(dv_view_epoch(&epoch, view, order, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, epoch, &options, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            rows[n++] = dv_value_i8(&value);
        }
    dv_cursor_close(&cursor);
    dv_view_release(&epoch);
    return n;
}

static void expect_row(const dv_feed_batch *batch, int64_t i, int64_t row)
{
    const float *x =
        (const float *)batch->matrices[0].items + (size_t)i * batch->matrices[0].stride;
    const int64_t *y =
        (const int64_t *)batch->matrices[1].items + (size_t)i * batch->matrices[1].stride;
    cr_assert(x[0] == (float)row && x[1] == (float)row && x[2] == (float)batch->epoch);
    cr_assert_eq(y[0], row);
    cr_assert(!batch->ids || batch->ids[i].lo == (uint64_t)row);
}

/* Two epochs of one worker's batches.  Returns whether a row failed. */
static bool expect_epochs(dv_view *view, dv_epoch_options order, dv_feed_options *options)
{
    static const int32_t x_columns[] = {1}, y_columns[] = {0};
    dv_feed *feed;
    const dv_feed_batch *batch;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    int64_t expected = 0, count = 0;
    x.columns = x_columns;
    y.columns = y_columns;
    x.columns_count = y.columns_count = 1;
    dv_feed_matrix matrices[] = {{&x, DV_KIND_R4, NULL}, {&y, DV_KIND_I8, NULL}};
    options->matrices = matrices;
    options->matrices_count = 2;
    options->batch_rows = BATCH;
    options->order = &order;
    options->epochs = 2;
    made = 0;
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
    for (int64_t end = order.epoch + 2; order.epoch < end; order.epoch++) {
        int64_t rows[ROWS];
        const int64_t n = list_rows(view, &order, rows);
        for (int64_t at = 0; at < n; at += BATCH, count++) {
            const int64_t some = n - at < BATCH ? n - at : BATCH;
            int64_t first_bad = -1;
            if (count % options->workers != options->worker)
                continue;
            for (int64_t i = 0; i < some && first_bad < 0; i++)
                first_bad = rows[at + i] == bad ? bad : -1;
            const dv_status status = dv_feed_next(feed, &batch, &err);
            if (first_bad >= 0) {
                cr_assert_eq(status, DV_ERR_ARGUMENT);
                cr_assert_not_null(strstr(err.message, "a bad row"), "%s", err.message);
                cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_ERR_ARGUMENT);
                dv_feed_close(&feed);
                return true;
            }
            cr_assert_eq(status, DV_OK, "%s", err.message);
            cr_assert_eq(batch->rows, some);
            for (int64_t i = 0; i < some; i++)
                expect_row(batch, i, rows[at + i]);
            expected += some;
        }
    }
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_END);
    dv_feed_close(&feed);
    if (!is_quick && (order.shuffle == DV_SHUFFLE_UNIFORM || order.shuffle == DV_SHUFFLE_NONE))
        cr_assert_eq(made, expected, "%d rows made, %d delivered", (int)made, (int)expected);
    return false;
}

/* Every order, by several threads, ahead or not, and for one of two workers. */
static bool expect_all(dv_view *view, int32_t workers)
{
    bool has_failed = false;
    for (int k = 0; k < 48; k++) {
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        order.shuffle = (dv_shuffle)(k % 4);
        order.seed = (uint64_t)k;
        order.block_rows = BLOCK;
        order.pool_blocks = 2;
        order.shards = order.shuffle == DV_SHUFFLE_NONE || k % 3 == 0 ? 3 : 1;
        order.shard = order.shards - 1;
        options.threads = 1 + k % 5;
        options.prefetch = k % 3;
        options.ids = k % 2;
        options.workers = k < 24 ? 1 : workers;
        options.worker = options.workers - 1;
        has_failed |= expect_epochs(view, order, &options);
    }
    return has_failed;
}

Test(feed_costly, each_row_is_made_once)
{
    for (int k = 0; k < 2; k++) {
        dvt_made_table table;
        dv_view *view = open_view(&table, true, k == 1, NULL);
        expect_all(view, 2);
        dv_view_release(&view);
    }
}

Test(feed_costly, the_first_bad_row_fails)
{
    dvt_made_table table;
    dv_view *view = open_view(&table, true, false, NULL);
    for (bad = 0; bad < ROWS; bad += 12)
        cr_assert(expect_all(view, 1));
    bad = -1;
    dv_view_release(&view);
}

/* Their values depend on the epoch and on ids, so blocks of one epoch are of no use in the next. */
Test(feed_costly, quick_rows)
{
    is_quick = true;
    for (int k = 0; k < 2; k++) {
        dvt_made_table table;
        dv_view *view = open_view(&table, true, k == 1, NULL);
        expect_all(view, 2);
        for (bad = 9; k == 0 && bad < ROWS; bad += 12)
            cr_assert(expect_all(view, 1));
        bad = -1;
        dv_view_release(&view);
    }
}

/* Rows that are taken by number are made alone, too. */
Test(feed_costly, rows_taken)
{
    static const int64_t rows[] = {90, 3, 3, 55, 12};
    static const int32_t columns[] = {1};
    dvt_made_table table;
    dv_view *taken, *view = open_view(&table, true, false, NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 1;
    cr_assert_eq(dv_view_take(&taken, view, rows, 5, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, taken, &options, &err), DV_OK);
    made = 0;
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_assert_eq(batch->rows, 5);
    for (int64_t i = 0; i < 5; i++) {
        const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
        const dv_value item = dv_value_item(&value, 0);
        cr_expect_eq(dv_value_r4(&item), (float)rows[i]);
    }
    cr_expect_eq(made, 5);
    dv_cursor_close(&cursor);
    dv_view_release(&taken);
    dv_view_release(&view);
}

/* Read two epochs; after DV_ERR_MEMORY, at the token. Returns how many calls failed. */
static int64_t read_refused(dv_view *view, const dv_feed_options *options, int64_t *rows_out)
{
    dv_feed *feed;
    const dv_feed_batch *batch;
    dv_status status;
    int64_t refused = 0, rows = 0, sum = 0;
    while (dv_feed_open(&feed, view, options, &err) != DV_OK) {
        cr_assert_eq(err.status, DV_ERR_MEMORY, "%s", err.message);
        refused++;
    }
    while ((status = dv_feed_next(feed, &batch, &err)) != DV_END) {
        if (status == DV_ERR_MEMORY) {
            dv_feed_options rest = *options;
            dv_token token;
            refused++;
            cr_expect_eq(dv_feed_next(feed, &batch, NULL), DV_ERR_MEMORY);
            cr_assert_eq(dv_feed_token(feed, &token, &err), DV_OK, "%s", err.message);
            dv_feed_close(&feed);
            rest.token = token.text;
            cr_assert_eq(dv_feed_open(&feed, view, &rest, &err), DV_OK, "%s", err.message);
            continue;
        }
        cr_assert_eq(status, DV_OK, "%s", err.message);
        for (int64_t i = 0; i < batch->rows; i++) {
            const float *x =
                (const float *)batch->matrices[0].items + (size_t)i * batch->matrices[0].stride;
            const int64_t row = ((const int64_t *)batch->matrices[1].items)[i];
            expect_row(batch, i, row);
            sum += (int64_t)x[0];
        }
        rows += batch->rows;
    }
    dv_feed_close(&feed);
    cr_assert_eq(sum, ROWS * (ROWS - 1));
    *rows_out = rows;
    return refused;
}

Test(feed_costly, every_allocation_may_fail)
{
    static const int32_t x_columns[] = {1}, y_columns[] = {0};
    dvt_allocator counted;
    dvt_made_table table;
    dvt_allocator_init(&counted, 0);
    dv_view *view = open_view(&table, true, false, &counted.allocator);
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    x.columns = x_columns;
    y.columns = y_columns;
    x.columns_count = y.columns_count = 1;
    const int64_t live = counted.live;
    for (int32_t how = 0; how < 4; how++) {
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        dv_feed_matrix matrices[] = {{&x, DV_KIND_R4, NULL}, {&y, DV_KIND_I8, NULL}};
        options.matrices = matrices;
        options.matrices_count = 2;
        options.batch_rows = 40;
        options.order = &order;
        options.epochs = 2;
        options.ids = true;
        options.threads = 1 + how % 2 * 2;
        options.prefetch = how / 2;
        int64_t k = 0, refused = 1, rows;
        for (; refused > 0; k++) {
            counted.fail_at = counted.asked + 1 + k;
            refused = read_refused(view, &options, &rows);
            cr_assert_leq(refused, 1);
            cr_assert_eq(rows, 2 * ROWS);
            cr_assert_eq(counted.live, live);
        }
        cr_assert_gt(k, 10);
    }
    counted.fail_at = 0;
    dv_view_release(&view);
    cr_assert_eq(counted.live, 0);
}
