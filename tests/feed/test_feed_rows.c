/* SPDX-License-Identifier: MIT */
/* test_feed_rows.c: rows that are copied straight into a matrix are the rows of a cursor, whatever
 * their columns hold, and a cursor reports a row that cannot be read. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/feed.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 97
#define SLOTS 5
#define BATCH 8

static dv_error err;

/* Columns a V<R4,5>, b R4, c I8, d I2 in static memory; rows `sparse_from` and on of a are sparse.
 */
typedef struct table {
    dvt_made_table made;
    dv_column_view items;
    float item[ROWS * SLOTS], b[ROWS];
    int64_t c[ROWS];
    int16_t d[ROWS];
    int32_t counts[ROWS], indices[2 * ROWS];
    dv_view *view;
} table;

static table *create(int64_t sparse_from)
{
    table *t = calloc(1, sizeof *t);
    int64_t items = 0, indices = 0;
    cr_assert_not_null(t);
    for (int64_t i = 0; i < ROWS; i++) {
        const bool is_sparse = i >= sparse_from;
        t->b[i] = (float)i / 4;
        t->c[i] = i * 1000;
        t->d[i] = (int16_t)(i - 50);
        t->counts[i] = is_sparse ? 2 : -1;
        for (int32_t k = 0; k < (is_sparse ? 2 : SLOTS); k++)
            t->item[items++] = (float)(i * 10 + k);
        for (int32_t k = 0; is_sparse && k < 2; k++)
            t->indices[indices++] = 1 + 2 * k;
    }
    dvt_made_table *m = &t->made;
    m->columns = 4;
    m->rows = ROWS;
    m->block_rows = 10;
    m->in_blocks = true;
    m->bad_row = -1;
    t->items = dvt_made_fixed(dv_type_of(DV_KIND_R4), t->item, items);
    m->column[0] = (dv_column_view){
        .type = dv_type_vector(t->items.type, SLOTS), .layout = DV_LAYOUT_VECTOR, .rows = ROWS};
    m->column[0].as.vector.length = SLOTS;
    m->column[0].as.vector.counts = (dv_buffer){.data = t->counts, .nbytes = sizeof t->counts};
    m->column[0].as.vector.indices =
        (dv_buffer){.data = t->indices, .nbytes = (size_t)indices * sizeof *t->indices};
    m->column[0].as.vector.items = &t->items;
    m->column[1] = dvt_made_fixed(dv_type_of(DV_KIND_R4), t->b, ROWS);
    m->column[2] = dvt_made_fixed(dv_type_of(DV_KIND_I8), t->c, ROWS);
    m->column[3] = dvt_made_fixed(dv_type_of(DV_KIND_I2), t->d, ROWS);
    t->view = dvt_made_table_open(m, NULL);
    return t;
}

static void drop(table *t)
{
    dv_view_release(&t->view);
    free(t);
}

/* Features b, a, b; labels c, d: whole numbers, or as the test says. */
static const int32_t x_columns[] = {1, 0, 1}, y_columns[] = {2, 3};
#define WIDTH (SLOTS + 2)

static void expect_row(const table *t, const dv_feed_batch *batch, int64_t i, int64_t row,
                       size_t labels)
{
    float x[WIDTH] = {t->b[row], 0, 0, 0, 0, 0, t->b[row]};
    const float first = (float)(row * 10);
    for (int32_t k = 0; k < SLOTS && t->counts[row] < 0; k++)
        x[1 + k] = first + (float)k;
    if (t->counts[row] >= 0) {
        x[2] = first;
        x[4] = first + 1;
    }
    const float *got =
        (const float *)batch->matrices[0].items + (size_t)i * batch->matrices[0].stride;
    cr_assert_arr_eq(got, x, sizeof x, "row %d", (int)row);
    const int64_t *y =
        (const int64_t *)batch->matrices[1].items + (size_t)i * batch->matrices[1].stride;
    cr_assert_eq(y[0], t->c[row]);
    cr_assert(labels == 1 || y[1] == t->d[row]);
    cr_assert_eq(batch->ids[i].lo, (uint64_t)row);
}

/* The order, read by a cursor. */
static int64_t list_rows(dv_view *view, const dv_epoch_options *order, int64_t *rows)
{
    dv_view *epoch;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t n = 0;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns_count = 0;
    options.ids = true;
    cr_assert_eq(dv_view_epoch(&epoch, view, order, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, epoch, &options, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++)
            rows[n++] = (int64_t)batch->ids[i].lo;
    dv_cursor_close(&cursor);
    dv_view_release(&epoch);
    return n;
}

static dv_feed *open_feed(dv_view *view, const dv_epoch_options *order, size_t labels,
                          int32_t prefetch)
{
    dv_feed *feed;
    dv_dense_options x = DV_DENSE_OPTIONS_INIT, y = DV_DENSE_OPTIONS_INIT;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    x.columns = x_columns;
    x.columns_count = 3;
    y.columns = y_columns;
    y.columns_count = (int32_t)labels;
    dv_feed_matrix matrices[] = {{&x, DV_KIND_R4, NULL}, {&y, DV_KIND_I8, NULL}};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = BATCH;
    options.ids = true;
    options.order = order;
    options.epochs = 2;
    options.prefetch = prefetch;
    cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
    return feed;
}

/* Two epochs; a bad row ends them in place of the first batch that has it. */
static void expect_epochs(table *t, dv_view *view, dv_epoch_options order, size_t labels,
                          int32_t prefetch)
{
    const int64_t bad = t->made.bad_row;
    dv_feed *feed = open_feed(view, &order, labels, prefetch);
    const dv_feed_batch *batch;
    for (int64_t end = order.epoch + 2; order.epoch < end; order.epoch++) {
        int64_t rows[ROWS];
        const int64_t n = list_rows(view, &order, rows);
        for (int64_t at = 0; at < n; at += BATCH) {
            const int64_t some = n - at < BATCH ? n - at : BATCH;
            bool is_bad = false;
            for (int64_t i = 0; i < some; i++)
                is_bad = is_bad || rows[at + i] == bad;
            const dv_status status = dv_feed_next(feed, &batch, &err);
            cr_assert_eq(status, is_bad ? DV_ERR_CORRUPT : DV_OK, "%s", err.message);
            if (is_bad) {
                cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_ERR_CORRUPT);
                dv_feed_close(&feed);
                return;
            }
            cr_assert_eq(batch->rows, some);
            for (int64_t i = 0; i < some; i++)
                expect_row(t, batch, i, rows[at + i], labels);
        }
    }
    cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_END);
    dv_feed_close(&feed);
}

/* Matrices of the columns' own items, with all rows dense, or some, or none; labels that are copied
 * or converted; every order, with a thread and without. */
static void expect_all(table *t, dv_view *view)
{
    for (int k = 0; k < 24; k++) {
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = (dv_shuffle)(k % 4);
        order.seed = (uint64_t)k;
        order.block_rows = 10;
        order.pool_blocks = 2;
        order.shards = order.shuffle == DV_SHUFFLE_NONE || k >= 12 ? 3 : 1;
        order.shard = order.shards - 1;
        expect_epochs(t, view, order, (size_t)(1 + k / 4 % 2), k % 3);
    }
}

Test(feed_rows, rows_of_a_cursor)
{
    static const int64_t sparse_from[] = {ROWS, 0, 35};
    for (size_t i = 0; i < sizeof sparse_from / sizeof *sparse_from; i++) {
        table *t = create(sparse_from[i]);
        dv_view *held;
        cr_assert_eq(dv_view_materialize(&held, t->view, NULL, NULL, &err), DV_OK);
        expect_all(t, held);
        expect_all(t, t->view);
        dv_view_release(&held);
        drop(t);
    }
}

/* The same rows, of which a label is computed: blocks are decoded, and kept or dropped. */
static dv_view *open_decoded(const table *t)
{
    static const dv_conversion_spec spec = {{"d", 1}, {"d", 1}, {.kind = DV_KIND_I8}};
    dv_view *view;
    cr_assert_eq(dv_view_convert(&view, t->view, &spec, 1, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

Test(feed_rows, decoded_rows)
{
    static const int64_t sparse_from[] = {ROWS, 0, 35};
    for (size_t i = 0; i < sizeof sparse_from / sizeof *sparse_from; i++) {
        table *t = create(sparse_from[i]);
        dv_view *decoded = open_decoded(t);
        expect_all(t, decoded);
        dv_view_release(&decoded);
        drop(t);
    }
}

Test(feed_rows, bad_rows)
{
    for (int64_t bad = 0; bad < ROWS; bad += 6) {
        table *t = create(ROWS);
        t->made.bad_row = bad;
        dv_view *decoded = open_decoded(t);
        for (int k = 0; k < 16; k++) {
            dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
            order.shuffle = (dv_shuffle)(1 + k / 4 % 3);
            order.seed = (uint64_t)(bad * 4 + k);
            order.shards = 1 + k / 2 % 2;
            order.block_rows = 10;
            order.pool_blocks = 2;
            expect_epochs(t, k < 8 ? t->view : decoded, order, 2, k % 2);
        }
        dv_view_release(&decoded);
        drop(t);
    }
}

/* Rows in place are read once, whatever the number of epochs. */
Test(feed_rows, asks_for_rows_once)
{
    table *t = create(ROWS);
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_UNIFORM;
    dv_feed *feed = open_feed(t->view, &order, 2, 0);
    const dv_feed_batch *batch;
    int64_t read = 0;
    while (dv_feed_next(feed, &batch, &err) == DV_OK)
        if (batch->epoch == 1 && batch->position == 0)
            read = t->made.read;
    cr_expect_gt(read, 0);
    cr_expect_eq(t->made.read, read);
    dv_feed_close(&feed);
    drop(t);
}

/* --- Threads ---------------------------------------------------------------------------------- */

#define WIDE 300
#define WIDE_SLOTS 512

/* Batches large enough that threads copy them together are complete. */
Test(feed_rows, threads_copy_a_batch_together)
{
    static float item[WIDE * WIDE_SLOTS], key[WIDE], got[WIDE * (WIDE_SLOTS + 1)];
    static int32_t counts[WIDE];
    static const int32_t columns[] = {1, 0};
    dvt_made_table made = {.columns = 2, .rows = WIDE, .block_rows = 64, .in_blocks = true};
    dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), item, WIDE * WIDE_SLOTS);
    for (int32_t i = 0; i < WIDE; i++) {
        key[i] = (float)i;
        counts[i] = -1;
        for (int32_t k = 0; k < WIDE_SLOTS; k++)
            item[i * WIDE_SLOTS + k] = (float)(i * 7 + k);
    }
    made.bad_row = -1;
    made.column[0] = (dv_column_view){
        .type = dv_type_vector(items.type, WIDE_SLOTS), .layout = DV_LAYOUT_VECTOR, .rows = WIDE};
    made.column[0].as.vector.length = WIDE_SLOTS;
    made.column[0].as.vector.counts = (dv_buffer){.data = counts, .nbytes = sizeof counts};
    made.column[0].as.vector.items = &items;
    made.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_R4), key, WIDE);
    dv_view *view = dvt_made_table_open(&made, NULL);
    for (int32_t threads = 0; threads < 5; threads++) {
        bool seen[3][WIDE] = {{false}};
        dv_feed *feed;
        dv_feed_batch batch;
        dv_dense_options x = DV_DENSE_OPTIONS_INIT;
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        dv_feed_options options = DV_FEED_OPTIONS_INIT;
        x.columns = columns;
        x.columns_count = 2;
        order.shuffle = DV_SHUFFLE_UNIFORM;
        const dv_feed_matrix matrix = {&x, DV_KIND_R4, NULL};
        options.matrices = &matrix;
        options.matrices_count = 1;
        options.batch_rows = WIDE - 50;
        options.order = &order;
        options.epochs = 3;
        options.threads = threads;
        options.prefetch = threads % 3;
        cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
        while (dv_feed_fill(feed, &(dv_feed_items){got, WIDE_SLOTS + 1}, &batch, &err) == DV_OK)
            for (int64_t i = 0; i < batch.rows; i++) {
                const float *row = got + i * (WIDE_SLOTS + 1);
                const int32_t number = (int32_t)row[0];
                cr_assert_not(seen[batch.epoch][number]);
                seen[batch.epoch][number] = true;
                cr_assert_arr_eq(row + 1, item + number * WIDE_SLOTS, WIDE_SLOTS * sizeof *row);
            }
        for (int32_t i = 0; i < 3 * WIDE; i++)
            cr_assert(seen[i / WIDE][i % WIDE]);
        dv_feed_close(&feed);
    }
    dv_view_release(&view);
}
