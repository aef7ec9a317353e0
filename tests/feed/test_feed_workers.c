/* SPDX-License-Identifier: MIT */
/* test_feed_workers.c: feeds of several workers deliver, in turn, the batches of a feed of one; and
 * the token after some batches is that of a feed that delivered them. */
#include "support/feeds.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <math.h>
#include <string.h>

#define ROWS 43
#define BATCHES_MAX 200
#define WORKERS_MAX 5

static dv_error err;

/* All that a feed delivers, and the token before each batch. */
typedef struct run {
    int n;
    dvt_feed_rows batch[BATCHES_MAX];
    dv_feed_batch facts[BATCHES_MAX];
    dv_token token[BATCHES_MAX + 1];
} run;

static dv_feed *open_feed(dv_view *view, const dv_feed_options *options)
{
    dv_feed *feed;
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
    return feed;
}

static void run_all(run *r, dv_view *view, const dv_feed_options *options)
{
    const dv_feed_batch *batch;
    dv_feed *feed = open_feed(view, options);
    for (r->n = 0;; r->n++) {
        cr_assert_eq(dv_feed_token(feed, &r->token[r->n], NULL), DV_OK);
        const dv_status status = dv_feed_next(feed, &batch, &err);
        if (status == DV_END)
            break;
        cr_assert_eq(status, DV_OK, "%s", err.message);
        cr_assert_lt(r->n, BATCHES_MAX);
        r->facts[r->n] = *batch;
        dvt_feed_copy(&r->batch[r->n], batch);
    }
    dv_feed_close(&feed);
}

/* Batch i of worker w is batch i * workers + w of all. */
static void expect_share(const run *all, const run *own, int w, int workers)
{
    int i = 0;
    for (int k = w; k < all->n; k += workers, i++) {
        cr_assert_lt(i, own->n);
        const dv_feed_batch *a = &all->facts[k], *b = &own->facts[i];
        cr_assert_eq(a->rows, b->rows);
        cr_assert_eq(a->epoch, b->epoch);
        cr_assert_eq(a->position, b->position);
        cr_assert_eq(a->number, b->number);
        dvt_feed_expect(&all->batch[k], 0, &own->batch[i], a->rows);
        cr_assert_str_eq(all->token[k + 1].text, own->token[i + 1].text); /* after it */
    }
    cr_assert_eq(own->n, i, "nothing else: worker %d of %d has %d", w, workers, own->n);
}

static void expect_shares(dv_view *view, const dv_feed_options *given)
{
    static run all, own;
    dv_feed_options options = *given;
    options.worker = 0;
    options.workers = 1;
    run_all(&all, view, &options);
    cr_assert_gt(all.n, 3);
    for (int32_t workers = 2; workers <= WORKERS_MAX; workers++)
        for (int32_t w = 0; w < workers; w++) {
            options.workers = workers;
            options.worker = w;
            run_all(&own, view, &options);
            expect_share(&all, &own, w, workers);
        }
}

/* From a token the first batch is that of worker 0, whatever its number. */
static void expect_resumed_shares(dv_view *view, const dv_feed_options *given)
{
    static run all;
    dv_feed_options options = *given;
    run_all(&all, view, &options);
    for (int at = 0; at < all.n - 4; at += 5) {
        options.token = all.token[at].text;
        expect_shares(view, &options);
    }
}

/* The token after n batches, asked of any worker at any time. */
static void expect_tokens(dv_view *view, const dv_feed_options *given)
{
    static run all;
    dv_feed_options options = *given;
    const dv_feed_batch *batch;
    dv_token token;
    run_all(&all, view, &options);
    options.workers = 3;
    options.worker = 1;
    dv_feed *feed = open_feed(view, &options);
    for (int n = 0; n <= all.n; n++) {
        cr_assert_eq(dv_feed_token_after(feed, n, &token, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(token.text, all.token[n].text, "after %d", n);
        if (n % 4 == 3)
            cr_assert_geq(dv_feed_next(feed, &batch, &err), 0);
    }
    cr_expect_eq(dv_feed_token_after(feed, all.n + 1, &token, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "the feed has") && !*token.text, "%s", err.message);
    cr_expect_eq(dv_feed_token_after(feed, INT64_MAX, &token, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_feed_token_after(feed, -1, &token, NULL), DV_ERR_ARGUMENT);
    dv_feed_close(&feed);
}

/* Rows in memory, which are skipped; and batches that are read and dropped. */
Test(feed_workers, deliver_the_batches_of_one_in_turn)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.epochs = 3;
    options.ids = true;
    t->order.seed = 9;
    t->order.epoch = 1;
    t->order.block_rows = 5;
    for (int k = 0; k < 16; k++) {
        t->order.shuffle = (dv_shuffle)(k % 4);
        t->order.shards = 1 + k / 4 % 2 * 2;
        t->order.shard = t->order.shards - 1;
        options.drop_last = k / 8;
        options.batch_rows = 1 + k % 3 * 2;
        options.prefetch = k % 3; /* with a thread, too */
        expect_shares(t->held, &options);
        expect_tokens(t->held, &options);
        t->many->table.in_blocks = true; /* not in place: a cursor reads them */
        expect_shares(t->view, &options);
        expect_tokens(t->view, &options);
        t->many->table.in_blocks = false;
        if (t->order.shuffle == DV_SHUFFLE_NONE && t->order.shards == 1) {
            t->many->table.rows_unknown = true;
            expect_shares(t->view, &options);
            t->many->table.rows_unknown = false;
        }
    }
    dvt_feed_table_free(t);
}

Test(feed_workers, count_from_where_the_feed_begins)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.epochs = 2;
    options.ids = true;
    options.batch_rows = 4;
    for (int k = 0; k < 4; k++) {
        t->order.shuffle = (dv_shuffle)k;
        expect_resumed_shares(t->held, &options);
    }
    t->order = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    t->order.start = 10;
    expect_shares(t->held, &options);
    expect_tokens(t->held, &options);
    dvt_feed_table_free(t);
}

/* Without end, and where most epochs have no batch for a shard. */
Test(feed_workers, tokens_of_a_feed_without_end)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    dv_feed *feed;
    dv_token token;
    const dv_feed_batch *batch;
    options.epochs = -1;
    options.batch_rows = 5;
    t->order.shuffle = DV_SHUFFLE_BLOCKS;
    t->order.block_rows = 10;
    t->order.shards = 3;
    t->order.shard = 2;
    t->order.shard_by = DV_SHARD_BY_BLOCKS;
    options.drop_last = true;
    feed = open_feed(t->held, &options);
    for (int n = 1; n <= 100; n++) {
        dv_token after;
        cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_feed_token(feed, &token, NULL), DV_OK);
        cr_assert_eq(dv_feed_token_after(feed, n, &after, &err), DV_OK, "%s", err.message);
        cr_expect_str_eq(after.text, token.text, "after %d", n);
    }
    dv_feed_close(&feed);
    options.batch_rows = ROWS + 1; /* no epoch has a batch */
    feed = open_feed(t->held, &options);
    cr_expect_eq(dv_feed_next(feed, &batch, NULL), DV_END);
    cr_expect_eq(dv_feed_token_after(feed, 1, &token, NULL), DV_ERR_ARGUMENT);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}

/* The batches of others cost nothing: rows are touched only by who delivers them. */
Test(feed_workers, read_only_their_own_rows)
{
    dvt_feed_table *t = dvt_feed_table_create(DVT_FEED_ROWS, 1, NULL);
    dv_dense_options refused = DV_DENSE_OPTIONS_INIT;
    static const int32_t reals[] = {0};
    dv_feed_options options = dvt_feed_options(&t->order);
    const dv_feed_batch *batch;
    refused.na = DV_DENSE_NA_REFUSED;
    refused.columns = reals;
    refused.columns_count = 1;
    const dv_feed_matrix matrix = {&refused, DV_KIND_R4, NULL};
    options.matrices = &matrix;
    options.matrices_count = 1;
    options.batch_rows = 8;
    for (int64_t i = 0; i < DVT_FEED_ROWS; i++)
        t->many->real[i] = i < 24 ? 1 : (double)(i % 16 < 8) - 0.5;
    t->many->real[20] = NAN; /* batch 2 has it */
    dv_view *held;
    cr_assert_eq(dv_view_materialize(&held, t->view, NULL, NULL, NULL), DV_OK);
    for (int32_t w = 0; w < 2; w++) {
        options.workers = 2;
        options.worker = w;
        dv_feed *feed = open_feed(held, &options);
        int n = 0;
        dv_status status;
        while ((status = dv_feed_next(feed, &batch, &err)) == DV_OK)
            n++;
        cr_expect_eq(status, w == 0 ? DV_ERR_LIMIT : DV_END, "worker %d: %s", w, err.message);
        cr_expect_eq(n, w == 0 ? 1 : DVT_FEED_ROWS / 16);
        dv_feed_close(&feed);
    }
    dv_view_release(&held);
    dvt_feed_table_free(t);
}

Test(feed_workers, refuses_what_is_no_worker_and_rows_that_nobody_counted)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    static const int32_t wrong[][2] = {{-1, 1}, {1, 1}, {0, 0}, {3, 2}, {0, -1}, {0, 1025}};
    dv_feed *feed;
    dv_token token;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        options.worker = wrong[i][0];
        options.workers = wrong[i][1];
        cr_expect_eq(dv_feed_open(&feed, t->held, &options, &err), DV_ERR_ARGUMENT);
        cr_expect(strstr(err.message, "worker"), "%s", err.message);
    }
    options.worker = 0;
    options.workers = 1;
    t->many->table.rows_unknown = true;
    feed = open_feed(t->view, &options);
    cr_expect_eq(dv_feed_token_after(feed, 1, &token, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "dv_view_cache"), "%s", err.message);
    cr_expect_eq(dv_feed_token_after(feed, 0, &token, NULL), DV_OK);
    dv_feed_close(&feed);
    dvt_feed_table_free(t);
}
