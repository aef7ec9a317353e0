/* SPDX-License-Identifier: MIT */
/* feeds.c: a table to train on, and the batches that a feed must deliver of it. */
#include "support/feeds.h"
#include "support/produce.h"
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

static const int32_t feature_columns[] = {3, 0, 2}, label_columns[] = {1};

static dv_dense_options dense_of(const int32_t *columns, int32_t n)
{
    dv_dense_options dense = DV_DENSE_OPTIONS_INIT;
    dense.columns = columns;
    dense.columns_count = n;
    return dense;
}

dvt_feed_table *dvt_feed_table_create(int64_t rows, int64_t block_rows,
                                      const dv_allocator *allocator)
{
    dv_error err = DV_ERROR_INIT;
    dvt_feed_table *t = calloc(1, sizeof *t);
    DVT_MUST(t);
    t->many = dvt_many_rows_create(rows, block_rows);
    t->view = dvt_made_table_open(&t->many->table, allocator);
    DVT_MUST(dv_view_materialize(&t->held, t->view, NULL, allocator, &err) == DV_OK);
    t->order = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    return t;
}

void dvt_feed_table_free(dvt_feed_table *t)
{
    dv_view_release(&t->held);
    dv_view_release(&t->view);
    dvt_many_rows_free(t->many);
    free(t);
}

dv_feed_options dvt_feed_options(const dv_epoch_options *order)
{
    static dv_dense_options features, labels;
    static const dv_feed_matrix matrices[] = {{&features, DV_KIND_R4, "features"},
                                              {&labels, DV_KIND_I8, "labels"}};
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    features = dense_of(feature_columns, 3);
    labels = dense_of(label_columns, 1);
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = 1;
    options.order = order;
    return options;
}

/* Append a batch of any size to the rows. */
static void add_batch(dvt_feed_rows *want, const dv_batch *batch, const dv_feed_options *options)
{
    static const int32_t x[] = {0, 1, 2}, y[] = {3};
    dv_error err = DV_ERROR_INIT;
    dv_dense_options features = dense_of(x, 3), labels = dense_of(y, 1);
    features.na = options->matrices[0].columns->na;
    features.na_value = options->matrices[0].columns->na_value;
    const size_t at = (size_t)want->rows;
    DVT_MUST(want->rows + batch->rows <= DVT_FEED_ROWS);
    DVT_MUST(dv_batch_dense(batch, DV_KIND_R4, want->features[at], DVT_FEED_WIDTH, &features,
                            &err) == DV_OK);
    DVT_MUST(dv_batch_dense(batch, DV_KIND_I8, want->labels[at], 1, &labels, &err) == DV_OK);
    memcpy(want->ids + at, batch->ids, (size_t)batch->rows * sizeof *batch->ids);
    want->rows += batch->rows;
}

void dvt_feed_truth_of(dvt_feed_rows *want, dv_view *view, const dv_feed_options *options,
                       int64_t epoch, int64_t end)
{
    static const int32_t columns[] = {3, 0, 2, 1};
    dv_error err = DV_ERROR_INIT;
    dv_view *rows = NULL;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_status status;
    dv_cursor_options read = DV_CURSOR_OPTIONS_INIT;
    dv_epoch_options order = *options->order;
    order.epoch = epoch;
    memset(want, 0, sizeof *want);
    want->width = 6;
    read.columns = columns;
    read.columns_count = 4;
    read.ids = true;
    read.end_row = end;
    read.epoch = epoch;
    if (order.shuffle == DV_SHUFFLE_NONE && order.shards == 1) {
        dv_view_retain(view);
        rows = view;
    } else {
        DVT_MUST(dv_view_epoch(&rows, view, &order, NULL, &err) == DV_OK);
    }
    DVT_MUST(dv_cursor_open(&cursor, rows, &read, &err) == DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        add_batch(want, batch, options);
    DVT_MUST(status == DV_END);
    dv_cursor_close(&cursor);
    dv_view_release(&rows);
}

void dvt_feed_truth(dvt_feed_rows *want, dv_view *view, const dv_feed_options *options,
                    int64_t epoch)
{
    dvt_feed_truth_of(want, view, options, epoch, -1);
}

void dvt_feed_copy(dvt_feed_rows *got, const dv_feed_batch *batch)
{
    const float *const x = batch->matrices[0].items;
    const int64_t *const y = batch->matrices[1].items;
    DVT_MUST(batch->rows <= DVT_FEED_ROWS);
    got->rows = batch->rows;
    got->width = 6;
    for (size_t i = 0; i < (size_t)batch->rows; i++) {
        memcpy(got->features[i], x + i * batch->matrices[0].stride, got->width * sizeof *x);
        got->labels[i][0] = y[i * batch->matrices[1].stride];
    }
    memset(got->ids, 0xA5, sizeof got->ids);
    if (batch->ids)
        memcpy(got->ids, batch->ids, (size_t)batch->rows * sizeof *batch->ids);
}

void dvt_feed_expect(const dvt_feed_rows *want, int64_t at, const dvt_feed_rows *got, int64_t rows)
{
    dv_u128 none;
    memset(&none, 0xA5, sizeof none);
    for (int64_t i = 0; i < rows; i++) {
        DVT_MUST(memcmp(want->features[at + i], got->features[i], want->width * sizeof(float)) ==
                 0);
        DVT_MUST(want->labels[at + i][0] == got->labels[i][0]);
        DVT_MUST(memcmp(&got->ids[i], &none, sizeof none) == 0 ||
                 memcmp(&want->ids[at + i], &got->ids[i], sizeof none) == 0);
    }
}
