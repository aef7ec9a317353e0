/* SPDX-License-Identifier: MIT */
/* test_feed_window.c: batches of a window have the rows of the order, with any size of batches, any
 * number of threads, and wherever the feed begins. */
#include "feed/feed_window.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <dataview/epoch.h>
#include <dataview/feed.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 60000

/* Of four columns rows are kept (gather/kept_rows.h), and a window is not made. */
static const int32_t x_columns[] = {2, 0, 4, 2}, y_columns[] = {1};

/* Three columns of float and two of int64_t, which tell their row. */
static dv_view *make_table(const dv_allocator *allocator)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    float *x[3];
    int64_t *y[2];
    dv_view *view;
    options.allocator = allocator;
    for (int k = 0; k < 3; k++) {
        x[k] = malloc(ROWS * sizeof(float));
        for (int64_t i = 0; i < ROWS; i++)
            x[k][i] = (float)(4 * i + k);
    }
    for (int k = 0; k < 2; k++) {
        y[k] = malloc(ROWS * sizeof(int64_t));
        for (int64_t i = 0; i < ROWS; i++)
            y[k][i] = -i - k;
    }
    const dv_table_column columns[] = {{"a", dv_type_of(DV_KIND_R4), x[0], NULL},
                                       {"b", dv_type_of(DV_KIND_I8), y[0], NULL},
                                       {"c", dv_type_of(DV_KIND_R4), x[1], NULL},
                                       {"d", dv_type_of(DV_KIND_I8), y[1], NULL},
                                       {"e", dv_type_of(DV_KIND_R4), x[2], NULL}};
    cr_assert_eq(dv_table_create(&view, columns, 5, ROWS, &options, NULL), DV_OK);
    for (int k = 0; k < 3; k++)
        free(x[k]);
    for (int k = 0; k < 2; k++)
        free(y[k]);
    return view;
}

static void expect_row(const dv_feed_batch *batch, int64_t i, int64_t row)
{
    const float *x =
        (const float *)batch->matrices[0].items + (size_t)i * batch->matrices[0].stride;
    cr_assert(x[0] == (float)(4 * row + 1) && x[1] == (float)(4 * row) &&
                  x[2] == (float)(4 * row + 2) && (batch->matrices[0].stride == 3 || x[3] == x[0]),
              "row %d", (int)row);
    cr_assert_eq(((const int64_t *)batch->matrices[1].items)[(size_t)i * batch->matrices[1].stride],
                 -row);
}

/* The order of an epoch, from row numbers of its view. */
static void read_order(dv_view *view, const dv_epoch_options *order, int64_t *rows)
{
    dv_view *epoch;
    dv_cursor *cursor;
    const dv_batch *batch;
    static const int32_t b = 1;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int64_t n = 0;
    options.columns = &b;
    options.columns_count = 1;
    cr_assert_eq(dv_view_epoch(&epoch, view, order, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, epoch, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        const int64_t *values = dv_batch_column(batch, 0)->as.fixed.values.data;
        for (int64_t i = 0; i < batch->rows; i++)
            rows[n++] = -values[i];
    }
    cr_assert_eq(n, ROWS);
    dv_cursor_close(&cursor);
    dv_view_release(&epoch);
}

/* matrices: room for the two. */
static dv_feed_options options_of(const dv_epoch_options *order, const dv_dense_options *x,
                                  const dv_dense_options *y, dv_kind items,
                                  dv_feed_matrix matrices[2])
{
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    matrices[0] = (dv_feed_matrix){x, DV_KIND_R4, NULL};
    matrices[1] = (dv_feed_matrix){y, items, NULL};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.order = order;
    return options;
}

/* Two epochs from a token after `skipped` batches. */
static void expect_epochs(dv_view *view, int32_t columns, int64_t batch_rows, int32_t threads,
                          int64_t skipped)
{
    static int64_t rows[2][ROWS];
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    const dv_feed_batch *batch;
    dv_token token;
    dv_feed *feed;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    order.seed = 3;
    for (order.epoch = 1; order.epoch >= 0; order.epoch--)
        read_order(view, &order, rows[order.epoch]);
    order.epoch = 0;
    x.columns = x_columns;
    x.columns_count = columns;
    y.columns = y_columns;
    y.columns_count = 1;
    dv_feed_matrix matrices[2];
    dv_feed_options options = options_of(&order, &x, &y, DV_KIND_I8, matrices);
    options.batch_rows = batch_rows;
    options.threads = threads;
    options.epochs = 2;
    cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
    for (int64_t i = 0; i < skipped; i++)
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_feed_token(feed, &token, &err), DV_OK);
    dv_feed_close(&feed);
    options.token = token.text;
    cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
    int64_t n = skipped * batch_rows;
    while (dv_feed_next(feed, &batch, &err) == DV_OK) {
        for (int64_t i = 0; i < batch->rows; i++)
            expect_row(batch, i, rows[batch->epoch][batch->position + i]);
        n += batch->rows;
    }
    cr_expect_eq(n, 2 * ROWS);
    dv_feed_close(&feed);
}

Test(feed_window, batches_of_a_table)
{
    dv_view *view = make_table(NULL);
    for (int32_t threads = 1; threads <= 3; threads += 2)
        for (int64_t rows = 7; rows < 9000; rows = 5 * rows + 3)
            expect_epochs(view, 3, rows, threads, 3);
    dv_view_release(&view);
}

/* Other choices of columns are kept: this one has a window, which writes groups side by side. */
static void keep_others(dv_view *view)
{
    static const int32_t others[4][4] = {{0, 0, 0, 0}, {2, 2, 2, 2}, {4, 4, 4, 4}, {0, 2, 4, 0}};
    static const int64_t row = 5;
    for (int i = 0; i < 4; i++) {
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        dv_view *taken;
        float got[4];
        cursor.columns = others[i];
        cursor.columns_count = 4;
        cr_assert_eq(dv_view_take(&taken, view, &row, 1, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_dense(taken, DV_KIND_R4, got, 1, 4, &cursor, NULL, NULL, NULL), DV_OK);
        dv_view_release(&taken);
    }
}

Test(feed_window, batches_of_groups)
{
    dv_view *view = make_table(NULL);
    keep_others(view);
    for (int32_t threads = 1; threads <= 3; threads += 2)
        for (int64_t rows = 7; rows < 9000; rows = 5 * rows + 3)
            expect_epochs(view, 4, rows, threads, 3);
    dv_view_release(&view);
}

Test(feed_window, batches_of_kept_rows)
{
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        dv_view *view = make_table(NULL);
        for (int64_t rows = 7; rows < 9000; rows = 5 * rows + 3)
            expect_epochs(view, 4, rows, threads, 3);
        dv_view_release(&view);
    }
}

/* Blocks of a file, and a table of which a slice is read. */
Test(feed_window, batches_of_a_file)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    dv_view *table = make_table(NULL), *view;
    how.rows_per_block = 1000;
    how.compression = DV_COMPRESSION_NONE;
    cr_assert_eq(dv_save(table, path.text, &how, NULL), DV_OK);
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK);
    for (int32_t columns = 3; columns <= 4; columns++) {
        expect_epochs(view, columns, 100, 1, 0);
        expect_epochs(view, columns, 256, 2, 200);
    }
    dv_view_release(&view);
    cr_assert_eq(dv_open(&view, path.text, NULL, NULL), DV_OK);
    keep_others(view);
    expect_epochs(view, 4, 100, 2, 0);
    dv_view_release(&view);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

/* Batches until the end, and the status after them. */
static int64_t count_batches(dv_view *view, const dv_feed_options *options, dv_error *err)
{
    const dv_feed_batch *batch;
    dv_feed *feed;
    int64_t n = 0;
    cr_assert_eq(dv_feed_open(&feed, view, options, NULL), DV_OK);
    while (dv_feed_next(feed, &batch, err) == DV_OK)
        n++;
    dv_feed_close(&feed);
    return n;
}

/* Where NA is refused, the batches before come, then the error that gathered rows have. */
Test(feed_window, refuses_na)
{
    static float x[ROWS], y[ROWS];
    static const int32_t a = 0, b = 1;
    for (int64_t i = 0; i < ROWS; i++) {
        x[i] = (float)i;
        y[i] = i == 777 ? NAN : 1;
    }
    const dv_table_column columns[] = {{"a", dv_type_of(DV_KIND_R4), x, NULL},
                                       {"b", dv_type_of(DV_KIND_R4), y, NULL}};
    dv_view *view;
    cr_assert_eq(dv_table_create(&view, columns, 2, ROWS, NULL, NULL), DV_OK);
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT, labels = DV_DENSE_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    features.columns = &a;
    labels.columns = &b;
    features.columns_count = labels.columns_count = 1;
    labels.na = DV_DENSE_NA_REFUSED;
    dv_feed_matrix matrices[2];
    dv_feed_options options = options_of(&order, &features, &labels, DV_KIND_R4, matrices);
    options.batch_rows = 100;
    for (order.seed = 1; order.seed < 5; order.seed++) {
        dv_error copied = DV_ERROR_INIT, gathered = DV_ERROR_INIT;
        options.ids = false;
        const int64_t n = count_batches(view, &options, &copied);
        options.ids = true;
        cr_expect_eq(count_batches(view, &options, &gathered), n);
        cr_expect_eq(copied.status, DV_ERR_LIMIT);
        cr_expect_str_eq(copied.rule, "na");
        cr_expect_str_eq(copied.message, gathered.message);
        cr_expect_lt(n, ROWS / 100);
    }
    dv_view_release(&view);
}

Test(feed_window, each_allocation_may_fail)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *view = make_table(&counted.allocator);
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    x.columns = x_columns;
    x.columns_count = 3;
    y.columns = y_columns;
    y.columns_count = 1;
    dv_feed_matrix matrices[2];
    dv_feed_options options = options_of(&order, &x, &y, DV_KIND_I8, matrices);
    options.batch_rows = 64;
    options.threads = 2;
    const int64_t live = counted.live;
    int failures = 0;
    for (int64_t k = 1, is_done = 0; !is_done; k++) {
        const dv_feed_batch *batch;
        dv_feed *feed;
        counted.fail_at = counted.asked + k;
        dv_status status = dv_feed_open(&feed, view, &options, NULL);
        for (int i = 0; i < 3 && status == DV_OK; i++)
            status = dv_feed_next(feed, &batch, NULL);
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY);
        failures += status != DV_OK;
        dv_feed_close(&feed);
        is_done = counted.asked < counted.fail_at;
        cr_expect(counted.live >= live && counted.live <= live + 5); /* addresses stay */
    }
    cr_expect_gt(failures, 10);
    counted.fail_at = 0;
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
}
