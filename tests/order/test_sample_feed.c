/* SPDX-License-Identifier: MIT */
/* test_sample_feed.c: feeds of a sample draw anew in each epoch, the same rows for any order of
 * reading: workers, prefetch, tokens, shuffling (sample.h, feed.h). */
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/feed.h>
#include <dataview/order.h>
#include <dataview/transform.h>
#include <string.h>

#define EPOCHS 3
#define ROWS 130
#define MOST (EPOCHS * DVT_DRAWN_MOST)

static dv_error err;
static dvt_drawn_table table;

/* The numbers of the rows that a feed delivers, and where a token was written. */
typedef struct run {
    int64_t rows[MOST], epoch[MOST], n;
    int64_t before[MOST]; /* rows before each batch */
    dv_token token[MOST];
    int64_t batches;
} run;

static dv_feed *open_feed(dv_view *view, const dv_epoch_options *order, int32_t worker,
                          int32_t workers, const char *token, int64_t seed)
{
    static const int32_t x[] = {1}, y[] = {0};
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT, labels = DV_DENSE_OPTIONS_INIT;
    dv_feed *feed;
    features.columns = x;
    labels.columns = y;
    features.columns_count = labels.columns_count = 1;
    const dv_feed_matrix matrices[] = {{&features, DV_KIND_R8, NULL}, {&labels, DV_KIND_I8, NULL}};
    options.matrices = matrices;
    options.matrices_count = 2;
    options.batch_rows = 9;
    options.epochs = EPOCHS;
    options.order = order;
    options.ids = true;
    options.worker = worker;
    options.workers = workers;
    options.token = token;
    options.prefetch = (int32_t)(seed % 3);
    options.threads = (int32_t)(1 + seed % 2);
    cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
    return feed;
}

static void run_feed(run *r, dv_feed *feed)
{
    const dv_feed_batch *batch;
    dv_status status;
    r->n = r->batches = 0;
    for (;;) {
        cr_assert_eq(dv_feed_token(feed, &r->token[r->batches], &err), DV_OK, "%s", err.message);
        r->before[r->batches] = r->n;
        if ((status = dv_feed_next(feed, &batch, &err)) != DV_OK)
            break;
        r->batches++;
        for (int64_t i = 0; i < batch->rows; i++) {
            const int64_t row = ((const int64_t *)batch->matrices[1].items)[i];
            cr_assert_eq(((const double *)batch->matrices[0].items)[i], table.weight[row]);
            cr_assert(batch->ids[i].lo == (uint64_t)row && batch->ids[i].hi == 0);
            r->epoch[r->n] = batch->epoch;
            r->rows[r->n++] = row;
        }
    }
    cr_assert_eq(status, DV_END, "%s", err.message);
    dv_feed_close(&feed);
}

/* Position p of a shuffled epoch is position order[p] of the sample. */
static int64_t model(int64_t *rows, const dv_sample_options *o, const dv_epoch_options *order)
{
    static int64_t drawn[DVT_DRAWN_MOST], at[DVT_DRAWN_MOST];
    int64_t all = 0, n, count;
    dv_epoch_options epoch = *order;
    for (epoch.epoch = 0; epoch.epoch < EPOCHS; epoch.epoch++) {
        n = dvt_drawn_model(drawn, &table, o, epoch.epoch);
        cr_assert_eq(dv_order_epoch(at, n, &count, n, &epoch, NULL, &err), DV_OK);
        for (int64_t i = 0; i < count; i++)
            rows[all++] = drawn[at[i]];
    }
    return all;
}

static void expect_same(const run *r, const int64_t *want, int64_t n, const char *what, int k)
{
    cr_assert_eq(r->n, n, "%s, sample %d: %d rows, not %d", what, k, (int)r->n, (int)n);
    for (int64_t i = 0; i < n; i++)
        cr_assert_eq(r->rows[i], want[i], "%s, sample %d: row %d", what, k, (int)i);
}

/* Workers take batches in turn. */
static void expect_workers(dv_view *view, const dv_epoch_options *order, const run *all, int k)
{
    static run own;
    for (int32_t worker = 0; worker < 3; worker++) {
        int64_t at = 0;
        run_feed(&own, open_feed(view, order, worker, 3, NULL, k));
        for (int64_t b = worker; b < all->batches; b += 3)
            for (int64_t i = all->before[b]; i < all->before[b + 1]; i++)
                cr_assert_eq(own.rows[at++], all->rows[i], "worker %d, sample %d", (int)worker, k);
        cr_assert_eq(at, own.n);
    }
}

static void expect_tokens(dv_view *view, const dv_epoch_options *order, const run *all, int k)
{
    static run rest;
    dv_token token;
    dv_feed *feed = open_feed(view, order, 0, 1, NULL, k);
    for (int64_t b = 0; b <= all->batches; b += 4) {
        cr_assert_eq(dv_feed_token_after(feed, b, &token, &err), DV_OK, "%s", err.message);
        cr_assert_str_eq(token.text, all->token[b].text);
        run_feed(&rest, open_feed(view, order, 0, 1, token.text, k));
        expect_same(&rest, all->rows + all->before[b], all->n - all->before[b], "a token", k);
    }
    dv_feed_close(&feed);
}

Test(sample_feed, draws_anew_in_each_epoch)
{
    static const dv_shuffle shuffles[] = {DV_SHUFFLE_NONE, DV_SHUFFLE_UNIFORM, DV_SHUFFLE_POOL};
    static int64_t want[MOST];
    static run all;
    dv_view *source = dvt_drawn_open(&table, ROWS, 16, 8, NULL), *held, *view;
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
    for (int k = 0; k < 36; k++) {
        dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        o.replace = k % 2;
        o.weight_column = k / 2 % 3 == 1 ? 1 : -1;
        o.class_column = k / 2 % 3 == 2 ? 2 : -1;
        o.seed = (uint64_t)k;
        order.shuffle = shuffles[k / 6 % 3];
        order.seed = 5;
        order.pool_rows = 20;
        cr_assert_eq(dv_view_sample(&view, k < 18 ? source : held, &o, NULL, &err), DV_OK, "%s",
                     err.message);
        const int64_t n = model(want, &o, &order);
        run_feed(&all, open_feed(view, &order, 0, 1, NULL, k));
        expect_same(&all, want, n, "a feed", k);
        cr_assert_neq(memcmp(want, want + n / EPOCHS, (size_t)(n / EPOCHS) * sizeof *want), 0);
        expect_workers(view, &order, &all, k);
        expect_tokens(view, &order, &all, k);
        dv_view_release(&view);
    }
    dv_view_release(&held);
    dv_view_release(&source);
}

/* The ranks of an epoch have all of its rows between them, each position once. */
Test(sample_feed, is_shared_by_ranks)
{
    static int64_t want[DVT_DRAWN_MOST];
    static run own;
    dv_view *source = dvt_drawn_open(&table, ROWS, 16, 8, NULL), *view;
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    o.replace = true;
    o.class_column = 2;
    cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    order.shards = 4;
    for (order.shard = 0; order.shard < 4; order.shard++) {
        run_feed(&own, open_feed(view, &order, 0, 1, NULL, order.shard));
        for (int64_t i = 0, epoch = -1, p = 0; i < own.n; i++, p += 4) {
            if (own.epoch[i] != epoch) {
                epoch = own.epoch[i];
                p = order.shard;
                cr_assert_eq(dvt_drawn_model(want, &table, &o, epoch), ROWS);
            }
            cr_assert_eq(own.rows[i], want[p], "rank %d, epoch %d", (int)order.shard, (int)epoch);
        }
    }
    dv_view_release(&view);
    dv_view_release(&source);
}

/* A token of a sample is one of these weights and this seed. */
Test(sample_feed, refuses_a_token_of_another_sample)
{
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    static const int32_t x[] = {1};
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, ROWS, 16, 8, NULL), *view;
    dv_feed *feed;
    dv_token token;
    o.weight_column = 1;
    cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    feed = open_feed(view, &order, 0, 1, NULL, 0);
    cr_assert_eq(dv_feed_token(feed, &token, &err), DV_OK);
    dv_feed_close(&feed);
    dv_view_release(&view);
    features.columns = x;
    features.columns_count = 1;
    const dv_feed_matrix matrix = {&features, DV_KIND_R4, NULL};
    options.matrices = &matrix;
    options.matrices_count = 1;
    options.batch_rows = 9;
    options.epochs = EPOCHS;
    options.token = token.text;
    for (int k = 0; k < 2; k++) {
        o.seed = k == 0;
        table.weight[40] += 1;
        cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_expect_eq(dv_feed_open(&feed, view, &options, &err), DV_ERR_ARGUMENT);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}
