/* SPDX-License-Identifier: MIT */
/* test_feed_below.c: a feed of rows taken, left out or drawn reads them below these views, and
 * delivers what a cursor of the epoch does.
 *
 * A shuffled feed of such a view once moved a cursor for each row: 5 microseconds, where rows in
 * place took 60 nanoseconds. */
#include "support/feeds.h"
#include "support/test.h"
#include <dataview/sample.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <string.h>

#define ROWS 5000 /* more than a permutation in a table has */
#define FEW 150
#define EPOCHS 2

static dv_error err;

static dv_view *taken(dv_view *of, int64_t n, uint64_t *state)
{
    int64_t rows[ROWS];
    dv_view *view;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (int64_t)(dvt_draw(state) % (uint64_t)dv_view_rows(of));
    cr_assert_eq(dv_view_take(&view, of, rows, n, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_view *without(dv_view *of, int64_t n, uint64_t *state)
{
    int64_t rows[ROWS];
    dv_view *view;
    for (int64_t i = 0; i < n; i++)
        rows[i] = (int64_t)(dvt_draw(state) % (uint64_t)dv_view_rows(of));
    cr_assert_eq(dv_view_exclude(&view, of, rows, n, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_view *drawn(dv_view *of, int64_t n, bool replace)
{
    dv_sample_options options = DV_SAMPLE_OPTIONS_INIT;
    dv_view *view;
    options.rows = n;
    options.replace = replace;
    cr_assert_eq(dv_view_sample(&view, of, &options, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

/* Some of these above each other, then FEW rows. */
static dv_view *chain(dv_view *of, int kind)
{
    uint64_t state = (uint64_t)kind + 1;
    dv_view *view = of, *next;
    dv_view_retain(view);
    for (int k = 0; k < (kind == 4 ? 12 : kind % 4); k++) {
        next = k % 3 == 0   ? without(view, 40, &state)
               : k % 3 == 1 ? taken(view, dv_view_rows(view) - 5, &state)
                            : drawn(view, dv_view_rows(view) - 5, k % 2);
        dv_view_release(&view);
        view = next;
    }
    next = kind % 2 ? taken(view, FEW, &state) : drawn(view, FEW, kind == 0);
    dv_view_release(&view);
    return next;
}

/* All batches of a worker against the rows of the epoch. */
static void expect_epochs(dv_view *view, const dv_feed_options *options, const char *what)
{
    static dvt_feed_rows want, got;
    const dv_feed_batch *batch;
    dv_feed *feed;
    dv_status status;
    int64_t epoch = -1, rows = 0;
    want.rows = 0; /* a shard may have none */
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s: %s", what, err.message);
    while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK) {
        if (batch->epoch != epoch)
            dvt_feed_truth(&want, view, options, epoch = batch->epoch);
        dvt_feed_copy(&got, batch);
        dvt_feed_expect(&want, batch->position, &got, batch->rows);
        rows += batch->rows;
    }
    cr_assert_eq(status, DV_END, "%s: %s", what, err.message);
    cr_expect(options->workers > 1 || rows == EPOCHS * want.rows, "%s: %d rows", what, (int)rows);
    dv_feed_close(&feed);
}

Test(feed_below, delivers_the_rows_of_a_cursor)
{
    static const dv_shuffle shuffles[] = {DV_SHUFFLE_UNIFORM, DV_SHUFFLE_NONE, DV_SHUFFLE_POOL};
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 64, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    char what[80];
    t->many->table.in_blocks = true;
    options.epochs = EPOCHS;
    options.ids = true;
    options.batch_rows = 16;
    for (int k = 0; k < 5 * 3 * 4; k++) {
        dv_view *view = chain(k % 2 ? t->held : t->view, k / 12);
        t->order.shuffle = shuffles[k / 4 % 3];
        t->order.seed = (uint64_t)k;
        t->order.shards = k % 4 == 1 ? 3 : 1;
        t->order.shard = t->order.shards - 1;
        options.workers = k % 4 == 2 ? 3 : 1;
        options.worker = options.workers - 1;
        options.prefetch = k % 3;
        options.threads = 1 + k % 2;
        snprintf(what, sizeof what, "chain %d, shuffle %d, shards %d, workers %d", k / 12,
                 (int)t->order.shuffle, (int)t->order.shards, (int)options.workers);
        expect_epochs(view, &options, what);
        dv_view_release(&view);
    }
    dvt_feed_table_free(t);
}

/* Rows of few batches, all of them in place, are read together: of scalars alone. */
Test(feed_below, reads_scalars_in_place)
{
    static const int32_t x[] = {0, 1};
    static double value[2][ROWS];
    dvt_made_table made = {
        .columns = 2, .rows = ROWS, .block_rows = 64, .in_blocks = true, .bad_row = -1};
    dv_epoch_options shuffle = DV_EPOCH_OPTIONS_INIT;
    dv_view *source, *held;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    static double got[ROWS][2], want[ROWS][2];
    for (int i = 0; i < 2 * ROWS; i++)
        value[i / ROWS][i % ROWS] = i;
    for (int k = 0; k < 2; k++)
        made.column[k] = dvt_made_fixed(dv_type_of(DV_KIND_R8), value[k], ROWS);
    source = dvt_made_table_open(&made, NULL);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK, "%s", err.message);
    features.columns = x;
    features.columns_count = 2;
    const dv_feed_matrix matrix = {&features, DV_KIND_R8, NULL};
    options.matrices = &matrix;
    options.matrices_count = 1;
    options.order = &shuffle;
    options.batch_rows = 50;
    options.epochs = EPOCHS;
    shuffle.shuffle = DV_SHUFFLE_UNIFORM;
    for (int kind = 0; kind < 3; kind++) {
        uint64_t state = 9;
        const dv_feed_batch *batch;
        dv_feed *feed;
        dv_view *view = kind == 0   ? taken(held, 4000, &state)
                        : kind == 1 ? without(held, 1000, &state)
                                    : drawn(held, 4000, true);
        cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
        for (int64_t epoch = 0; epoch < EPOCHS; epoch++) {
            dv_epoch_options order = shuffle;
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            dv_view *shuffled;
            int64_t n;
            order.epoch = cursor.epoch = epoch;
            cursor.columns = x;
            cursor.columns_count = 2;
            cr_assert_eq(dv_view_epoch(&shuffled, view, &order, NULL, &err), DV_OK);
            cr_assert_eq(
                dv_view_dense(shuffled, DV_KIND_R8, want[0], ROWS, 2, &cursor, NULL, &n, &err),
                DV_OK, "%s", err.message);
            for (int64_t at = 0; at < n; at += batch->rows) {
                cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
                cr_assert_eq(batch->position, at);
                memcpy(got[at], batch->matrices[0].items, (size_t)batch->rows * sizeof *got);
            }
            cr_assert_eq(memcmp(got, want, (size_t)n * sizeof *got), 0, "kind %d", kind);
            dv_view_release(&shuffled);
        }
        dv_feed_close(&feed);
        dv_view_release(&view);
    }
    dv_view_release(&held);
    dv_view_release(&source);
}
