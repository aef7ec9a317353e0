/* SPDX-License-Identifier: MIT */
/* test_feed_memory.c: a feed survives each allocation that fails, and allocates nothing within an
 * epoch. */
#include "support/allocator.h"
#include "support/feeds.h"
#include "support/test.h"

static dv_error err;

/* How batches are requested. */
typedef enum way { NEXT, FILL, LENT, WAYS } way;

#define LENT_MOST 4
static float x[LENT_MOST][DVT_FEED_ROWS * DVT_FEED_WIDTH];
static int64_t y[LENT_MOST][DVT_FEED_ROWS];

/* Lend matrices number *lent to before `end`. */
static dv_status lend(dv_feed *feed, int64_t *lent, int64_t end)
{
    for (; *lent < end; (*lent)++) {
        const int64_t k = *lent % LENT_MOST;
        const dv_status status = dv_feed_lend(feed, (dv_feed_items[]){{x[k], 6}, {y[k], 1}}, &err);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

static int64_t open_feed(dv_feed **feed, dv_view *view, const dv_feed_options *options)
{
    int64_t refused = 0;
    while (dv_feed_open(feed, view, options, &err) != DV_OK) {
        cr_assert_null(*feed);
        cr_assert_eq(err.status, DV_ERR_MEMORY, "%s", err.message);
        cr_assert_lt(++refused, 9);
    }
    return refused;
}

/* Go on at the token, with matrices that are lent anew. */
static void resume(dv_feed **feed, dv_view *view, const dv_feed_options *given)
{
    dv_feed_options options = *given;
    dv_feed_batch filled;
    const dv_feed_batch *batch;
    dv_token token;
    const dv_status again =
        options.lent || options.prefetch > 0
            ? dv_feed_next(*feed, &batch, &err)
            : dv_feed_fill(*feed, (dv_feed_items[]){{x[0], 6}, {y[0], 1}}, &filled, &err);
    cr_expect_eq(again, DV_ERR_MEMORY);
    cr_assert_eq(dv_feed_token(*feed, &token, &err), DV_OK, "%s", err.message);
    dv_feed_close(feed);
    options.token = token.text;
    cr_assert_eq(open_feed(feed, view, &options), 0);
}

/* Read a feed to its end; after DV_ERR_MEMORY, at the token. */
static int64_t read_all(dvt_feed_table *t, dvt_allocator *counted, const dv_feed_options *options,
                        const dvt_feed_rows *want, way how)
{
    static dvt_feed_rows got;
    dv_feed *feed;
    int64_t refused = open_feed(&feed, t->held, options), rows = 0, lent = 0, delivered = 0;
    for (;;) {
        dv_feed_batch filled;
        const dv_feed_batch *batch = &filled;
        dv_status status = DV_OK;
        while (how == LENT && lend(feed, &lent, delivered + options->prefetch + 1) != DV_OK)
            refused++; /* may be repeated */
        status = how == FILL
                     ? dv_feed_fill(feed, (dv_feed_items[]){{x[0], 6}, {y[0], 1}}, &filled, &err)
                     : dv_feed_next(feed, &batch, &err);
        refused += status == DV_ERR_MEMORY;
        if (status == DV_END)
            break;
        if (status == DV_ERR_MEMORY) {
            resume(&feed, t->held, options);
            lent = delivered;
            continue;
        }
        cr_assert_eq(status, DV_OK, "%s", err.message);
        cr_assert(how != LENT || batch->matrices[0].items == x[delivered % LENT_MOST]);
        delivered++;
        dvt_feed_copy(&got, batch);
        dvt_feed_expect(&want[batch->epoch], batch->position, &got, batch->rows);
        rows += batch->rows;
    }
    dv_feed_close(&feed);
    cr_assert_eq(rows, want[0].rows + want[1].rows);
    (void)counted;
    return refused;
}

/* Each allocation in turn, from opening on. */
static void expect_survived(int32_t prefetch, way how, dv_shuffle shuffle)
{
    static dvt_feed_rows want[2];
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvt_feed_table *t = dvt_feed_table_create(41, 7, &counted.allocator);
    t->order.shuffle = shuffle;
    dv_feed_options options = dvt_feed_options(&t->order);
    options.batch_rows = 9;
    options.epochs = 2;
    options.prefetch = prefetch;
    options.threads = 1 + prefetch;
    options.ids = true;
    options.lent = how == LENT;
    dvt_feed_truth(&want[0], t->held, &options, 0);
    dvt_feed_truth(&want[1], t->held, &options, 1);
    const int64_t live = counted.live;
    int64_t k = 0, refused = 1;
    for (; refused > 0; k++) {
        counted.fail_at = counted.asked + 1 + k;
        refused = read_all(t, &counted, &options, want, how);
        cr_assert_leq(refused, 1);
        cr_assert_eq(counted.live, live);
    }
    cr_assert_gt(k, 5);
    counted.fail_at = 0;
    dvt_feed_table_free(t);
    cr_assert_eq(counted.live, 0);
}

Test(feed_memory, every_allocation_may_fail)
{
    for (int how = 0; how < WAYS; how++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            expect_survived(0, (way)how, (dv_shuffle)shuffle);
            expect_survived(1, (way)how, (dv_shuffle)shuffle);
            expect_survived(3, (way)how, (dv_shuffle)shuffle);
        }
}

/* Within an epoch no thread allocates. */
Test(feed_memory, steady)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvt_feed_table *t = dvt_feed_table_create(160, 7, &counted.allocator);
    for (int32_t prefetch = 0; prefetch < 3; prefetch++) {
        const dv_feed_batch *batch;
        dv_feed *feed;
        dv_feed_options options = dvt_feed_options(&t->order);
        t->order.shuffle = DV_SHUFFLE_UNIFORM;
        options.batch_rows = 4;
        options.prefetch = prefetch;
        options.ids = true;
        cr_assert_eq(dv_feed_open(&feed, t->held, &options, &err), DV_OK, "%s", err.message);
        for (int i = 0; i < 10; i++)
            cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
        const int64_t asked = counted.asked;
        for (int i = 10; i < 38; i++)
            cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
        cr_expect_eq(counted.asked, asked);
        dv_feed_close(&feed);
    }
    dvt_feed_table_free(t);
    cr_assert_eq(counted.live, 0);
}
