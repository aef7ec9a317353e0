/* SPDX-License-Identifier: MIT */
/* test_feed_pad.c: matrices of a feed fill and cut rows of varying length, and a matrix as wide as
 * the longest row of a batch is made from its columns. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/feed.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 230
#define MOST 40
#define BATCH 32
#define WIDTH ((size_t)9)

static dv_error err;

/* Row i of V<I4,*> has the numbers 100 i, 100 i + 1, ...; the column n has the numbers of rows. */
typedef struct table {
    dvt_made_table made;
    dv_column_view items;
    int32_t numbers[ROWS * MOST], lengths[ROWS], counts[ROWS], n[ROWS];
    dv_view *view;
} table;

static table *create(int64_t block_rows)
{
    table *t = calloc(1, sizeof *t);
    int64_t items = 0;
    cr_assert_not_null(t);
    for (int32_t i = 0; i < ROWS; i++) {
        t->n[i] = i;
        t->counts[i] = -1;
        t->lengths[i] = i * i % 31 % MOST;
        for (int32_t k = 0; k < t->lengths[i]; k++)
            t->numbers[items++] = 100 * i + k;
    }
    dvt_made_table *m = &t->made;
    m->columns = 2;
    m->rows = ROWS;
    m->block_rows = block_rows;
    m->in_blocks = true;
    m->bad_row = -1;
    t->items = dvt_made_fixed(dv_type_of(DV_KIND_I4), t->numbers, items);
    m->column[0] = (dv_column_view){
        .type = dv_type_vector(t->items.type, 0), .layout = DV_LAYOUT_VECTOR, .rows = ROWS};
    m->column[0].as.vector.lengths = (dv_buffer){.data = t->lengths, .nbytes = sizeof t->lengths};
    m->column[0].as.vector.counts = (dv_buffer){.data = t->counts, .nbytes = sizeof t->counts};
    m->column[0].as.vector.items = &t->items;
    m->column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), t->n, ROWS);
    t->view = dvt_made_table_open(m, NULL);
    return t;
}

static void drop(table *t)
{
    dv_view_release(&t->view);
    free(t);
}

/* The slot of a row of `width` that is cut at its start and filled with -1 on its left. */
static int64_t want(const table *t, int64_t row, size_t width, size_t slot)
{
    const int64_t back = (int64_t)(width - slot); /* from the end of the row */
    return back > t->lengths[row] ? -1 : 100 * row + t->lengths[row] - back;
}

static dv_dense_options padded(const int32_t *column, const size_t *width)
{
    dv_dense_options o = DV_DENSE_OPTIONS_INIT;
    o.columns = column;
    o.columns_count = 1;
    o.widths = width;
    o.fill = -1;
    o.left = true;
    o.cut = DV_DENSE_CUT_START;
    return o;
}

/* A matrix as wide as the longest row, from the columns of a batch. */
static void expect_longest(const table *t, const dv_feed_batch *batch, const int64_t *rows)
{
    static int64_t dst[BATCH * MOST], lengths[BATCH];
    const int32_t first = 0;
    size_t width = 0;
    cr_assert_eq(dv_column_lengths(dv_batch_column(batch->columns, 0), lengths, &err), DV_OK);
    for (int64_t i = 0; i < batch->rows; i++) {
        cr_assert_eq(lengths[i], t->lengths[rows[i]]);
        width = (size_t)lengths[i] > width ? (size_t)lengths[i] : width;
    }
    const dv_dense_options o = padded(&first, &width);
    cr_assert_eq(dv_batch_dense(batch->columns, DV_KIND_I8, dst, width, &o, &err), DV_OK, "%s",
                 err.message);
    for (int64_t i = 0; i < batch->rows; i++)
        for (size_t slot = 0; slot < width; slot++)
            cr_assert_eq(dst[(size_t)i * width + slot], want(t, rows[i], width, slot));
}

static int64_t expect_batch(const table *t, const dv_feed_batch *batch)
{
    const int64_t *rows = batch->matrices[1].items;
    const int16_t *tokens = batch->matrices[0].items;
    for (int64_t i = 0; i < batch->rows; i++)
        for (size_t slot = 0; slot < WIDTH; slot++)
            cr_assert_eq(tokens[(size_t)i * batch->matrices[0].stride + slot],
                         want(t, rows[i], WIDTH, slot), "row %d, slot %zu", (int)rows[i], slot);
    expect_longest(t, batch, rows);
    return batch->rows;
}

/* The rows of the batches of one worker. */
static int64_t expect_worker(const table *t, dv_shuffle shuffle, int32_t prefetch, int32_t worker,
                             int32_t workers)
{
    static const int32_t tokens = 0, number = 1;
    static const size_t width = WIDTH;
    dv_feed *feed;
    const dv_feed_batch *batch;
    int64_t rows = 0;
    const dv_dense_options first = padded(&tokens, &width);
    dv_dense_options second = DV_DENSE_OPTIONS_INIT;
    second.columns = &number;
    second.columns_count = 1;
    const dv_feed_matrix matrices[] = {{&first, DV_KIND_I2, "tokens"}, {&second, DV_KIND_I8, "n"}};
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shuffle = shuffle;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    options.matrices = matrices;
    options.matrices_count = 2;
    options.columns = &tokens;
    options.columns_count = 1;
    options.order = &order;
    options.batch_rows = BATCH;
    options.prefetch = prefetch;
    options.worker = worker;
    options.workers = workers;
    cr_assert_eq(dv_feed_open(&feed, t->view, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_feed_width(feed, 0), WIDTH);
    dv_status status;
    while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK)
        rows += expect_batch(t, batch);
    cr_assert_eq(status, DV_END, "%s", err.message);
    dv_feed_close(&feed);
    return rows;
}

static void expect_epoch(const table *t, dv_shuffle shuffle, int32_t prefetch)
{
    cr_assert_eq(expect_worker(t, shuffle, prefetch, 0, 1), ROWS);
    const int64_t last = expect_worker(t, shuffle, prefetch, 2, 3); /* batches 2 and 5 */
    cr_assert_eq(last, 2 * BATCH);
    cr_assert_eq(expect_worker(t, shuffle, prefetch, 0, 3) +
                     expect_worker(t, shuffle, prefetch, 1, 3) + last,
                 ROWS);
}

Test(feed_pad, rows_are_filled_and_cut_in_every_order)
{
    static const dv_shuffle shuffles[] = {DV_SHUFFLE_NONE, DV_SHUFFLE_UNIFORM, DV_SHUFFLE_POOL,
                                          DV_SHUFFLE_BLOCKS};
    err = (dv_error)DV_ERROR_INIT;
    for (int64_t block_rows = 7; block_rows <= 7 * 7 * 7; block_rows *= 7) {
        table *t = create(block_rows);
        for (size_t i = 0; i < sizeof shuffles / sizeof *shuffles; i++)
            for (int32_t prefetch = 0; prefetch < 3; prefetch++)
                expect_epoch(t, shuffles[i], prefetch);
        drop(t);
    }
}
