/* SPDX-License-Identifier: MIT */
/* test_mix_feed.c: a feed of a mix delivers its epochs, and goes on at any token, whatever the
 * workers, threads and shards (mix.h). */
#include "support/many_rows.h"
#include "support/mixed.h"
#include "support/test.h"
#include <dataview/epoch.h>
#include <dataview/expression.h>
#include <dataview/feed.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4000
#define BATCHES 400
#define EPOCHS 3
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;

/* All that a feed delivers, and the token before each batch. */
typedef struct run {
    int n;
    int64_t rows, number[BATCHES], batch_rows[BATCHES], epoch[BATCHES], values[MOST];
    dv_token token[BATCHES + 1];
} run;

static void run_feed(run *r, dv_view *view, const dv_feed_options *options)
{
    const dv_feed_batch *batch;
    dv_feed *feed;
    cr_assert_eq(dv_feed_open(&feed, view, options, &err), DV_OK, "%s", err.message);
    r->rows = 0;
    for (r->n = 0;; r->n++) {
        cr_assert_eq(dv_feed_token(feed, &r->token[r->n], &err), DV_OK, "%s", err.message);
        const dv_status status = dv_feed_next(feed, &batch, &err);
        if (status == DV_END)
            break;
        cr_assert_eq(status, DV_OK, "%s", err.message);
        cr_assert(r->n < BATCHES && r->rows + batch->rows <= MOST);
        r->number[r->n] = batch->number;
        r->epoch[r->n] = batch->epoch;
        r->batch_rows[r->n] = batch->rows;
        memcpy(r->values + r->rows, batch->matrices[0].items,
               (size_t)batch->rows * sizeof *r->values);
        r->rows += batch->rows;
    }
    dv_feed_close(&feed);
}

/* Batch `at` and those after it of `all`, each `step` after the one before, are those of `some`. */
static void expect_part(const run *all, const run *some, int at, int step)
{
    int64_t first = 0, from = 0;
    int k = 0;
    for (int i = 0; i < all->n; i++) {
        if (i >= at && (i - at) % step == 0) {
            cr_assert_lt(k, some->n);
            cr_assert_eq(some->number[k], all->number[i]);
            cr_assert_eq(some->epoch[k], all->epoch[i]);
            cr_assert_eq(some->batch_rows[k], all->batch_rows[i]);
            cr_assert_eq(memcmp(some->values + from, all->values + first,
                                (size_t)all->batch_rows[i] * sizeof *all->values),
                         0, "batch %d", i);
            from += some->batch_rows[k++];
        }
        first += all->batch_rows[i];
    }
    cr_assert_eq(k, some->n);
}

/* --- Mixes ------------------------------------------------------------------------------------ */

static const int64_t counts[] = {130, 40, 75};
static const double weights[] = {3, 2, 2};

typedef struct story {
    dvt_mixed_kind kind;
    dv_mix_order order;
    dv_mix_stop stop;
    bool shuffle;
    int64_t rows;
} story;

static const story stories[] = {
    {DVT_MIXED_BLOCKS, DV_MIX_EXACT, DV_MIX_FIRST, false, 0},
    {DVT_MIXED_BLOCKS, DV_MIX_RANDOM, DV_MIX_LAST, true, 0},
    {DVT_MIXED_BLOCKS, DV_MIX_EXACT, DV_MIX_REPEAT, true, 101},
    {DVT_MIXED_BLOCKS, DV_MIX_RANDOM, DV_MIX_REPEAT, false, 333},
    {DVT_MIXED_COUNTED, DV_MIX_RANDOM, DV_MIX_REPEAT, false, 150},
    {DVT_MIXED_UNKNOWN, DV_MIX_EXACT, DV_MIX_LAST, false, 0},
    {DVT_MIXED_UNKNOWN, DV_MIX_RANDOM, DV_MIX_REPEAT, false, 150},
    {DVT_MIXED_UNKNOWN, DV_MIX_RANDOM, DV_MIX_FIRST, false, 0},
};

static dv_mix_options options_of(const story *s)
{
    dv_mix_options options = DV_MIX_OPTIONS_INIT;
    options.weights = weights;
    options.order = s->order;
    options.stop = s->stop;
    options.shuffle = s->shuffle;
    options.seed = 12;
    options.rows = s->rows;
    return options;
}

static dv_view *open_story(dvt_mixed *mixed, const story *s)
{
    const dv_mix_options options = options_of(s);
    dv_view *view;
    dvt_mixed_open(mixed, counts, COUNT(counts), 16, s->kind, NULL);
    cr_assert_eq(dv_view_mix(&view, mixed->view, mixed->n, &options, NULL, &err), DV_OK, "%s",
                 err.message);
    return view;
}

static dv_feed_options feed_options(void)
{
    static const dv_feed_matrix matrix = {NULL, DV_KIND_I8, NULL};
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    options.matrices = &matrix;
    options.matrices_count = 1;
    options.batch_rows = 7;
    options.epochs = EPOCHS;
    return options;
}

/* --- Tests ------------------------------------------------------------------------------------ */

Test(mix_feed, delivers_the_epochs)
{
    static int32_t want[MOST];
    static run all;
    for (size_t i = 0; i < COUNT(stories); i++) {
        const dv_mix_options options = options_of(&stories[i]);
        const dvt_mix m = {COUNT(counts), counts, options};
        dv_feed_options feed = feed_options();
        dvt_mixed mixed;
        int64_t at = 0;
        dv_view *view = open_story(&mixed, &stories[i]);
        feed.prefetch = (int32_t)(i % 3);
        run_feed(&all, view, &feed);
        for (int64_t epoch = 0; epoch < EPOCHS; epoch++) {
            const int64_t n = dvt_mixed_truth(want, MOST, &m, epoch);
            cr_assert_leq(at + n, all.rows);
            for (int64_t k = 0; k < n; k++)
                cr_assert_eq(all.values[at + k], want[k], "story %d, epoch %d, row %d", (int)i,
                             (int)epoch, (int)k);
            at += n;
        }
        cr_expect_eq(at, all.rows);
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}

/* The token of a feed on one view is good for a view that was made anew. */
Test(mix_feed, goes_on_at_each_token)
{
    static run all, rest;
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_feed_options feed = feed_options();
        dvt_mixed mixed, again;
        dv_view *view = open_story(&mixed, &stories[i]), *other = open_story(&again, &stories[i]);
        run_feed(&all, view, &feed);
        for (int at = 0; at <= all.n; at += 5) {
            feed.token = all.token[at].text;
            feed.prefetch = at % 2;
            feed.threads = 1 + at % 3;
            run_feed(&rest, other, &feed);
            expect_part(&all, &rest, at, 1);
        }
        dv_view_release(&view);
        dv_view_release(&other);
        dvt_mixed_close(&mixed);
        dvt_mixed_close(&again);
    }
}

Test(mix_feed, workers_share_the_batches)
{
    static run all, own;
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_feed_options feed = feed_options();
        dvt_mixed mixed;
        dv_view *view = open_story(&mixed, &stories[i]);
        run_feed(&all, view, &feed);
        for (feed.workers = 2; feed.workers < 5; feed.workers++)
            for (feed.worker = 0; feed.worker < feed.workers; feed.worker++) {
                run_feed(&own, view, &feed);
                expect_part(&all, &own, feed.worker, feed.workers);
            }
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}

/* A token of the mix with other weights, rows or sources is refused. */
Test(mix_feed, refuses_tokens_of_other_mixes)
{
    dv_feed_options feed = feed_options();
    dv_feed *opened;
    dv_token token;
    dvt_mixed mixed;
    dv_view *other, *view = open_story(&mixed, &stories[0]);
    cr_assert_eq(dv_feed_open(&opened, view, &feed, &err), DV_OK);
    cr_assert_eq(dv_feed_token(opened, &token, &err), DV_OK);
    dv_feed_close(&opened);
    dv_mix_options options = options_of(&stories[0]);
    options.seed++;
    cr_assert_eq(dv_view_mix(&other, mixed.view, mixed.n, &options, NULL, NULL), DV_OK);
    feed.token = token.text;
    cr_expect_eq(dv_feed_open(&opened, other, &feed, &err), DV_ERR_ARGUMENT);
    dv_view_release(&other);
    dv_view_release(&view);
    dvt_mixed_close(&mixed);
}

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The orders of an epoch apply to a mix as to any view: every row comes once, in shards too. */
Test(mix_feed, epochs_in_another_order)
{
    static run all, share;
    static int64_t values[MOST];
    for (int shuffle = 0; shuffle < 4; shuffle++) {
        dv_feed_options feed = feed_options();
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        dvt_mixed mixed;
        int64_t n = 0;
        dv_view *view = open_story(&mixed, &stories[1]);
        feed.epochs = 1;
        run_feed(&all, view, &feed);
        feed.order = &order;
        order.shuffle = (dv_shuffle)shuffle;
        order.shards = 3;
        for (order.shard = 0; order.shard < 3; order.shard++) {
            run_feed(&share, view, &feed);
            memcpy(values + n, share.values, (size_t)share.rows * sizeof *values);
            n += share.rows;
        }
        cr_assert_eq(n, 245);
        cr_assert_eq(all.rows, 245);
        qsort(values, (size_t)n, sizeof *values, by_value);
        qsort(all.values, (size_t)n, sizeof *values, by_value);
        cr_expect_eq(memcmp(values, all.values, (size_t)n * sizeof *values), 0);
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}

/* Steps above a mix have its rows, with threads or without. */
Test(mix_feed, steps_above_with_threads)
{
    static int32_t want[MOST], got[MOST];
    for (size_t i = 0; i < COUNT(stories); i++) {
        const dv_mix_options options = options_of(&stories[i]);
        const dvt_mix m = {COUNT(counts), counts, options};
        dvt_mixed mixed;
        dv_view *filtered, *view = open_story(&mixed, &stories[i]);
        cr_assert_eq(dv_view_where(&filtered, view, dv_text_of("a % 2 = 1"), NULL, &err), DV_OK,
                     "%s", err.message);
        for (int64_t epoch = 0; epoch < 2; epoch++) {
            dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
            const int64_t n = dvt_mixed_truth(want, MOST, &m, epoch);
            int64_t k = 0;
            cursor.epoch = epoch;
            cursor.threads = 1 + (int32_t)epoch * 3;
            const int64_t rows = dvt_mixed_read(got, MOST, filtered, &cursor, &err);
            for (int64_t j = 0; j < n; j++)
                if (want[j] % 2 == 1)
                    cr_assert_eq(got[k++], want[j]);
            cr_expect_eq(k, rows, "%s", err.message);
        }
        dv_view_release(&filtered);
        dv_view_release(&view);
        dvt_mixed_close(&mixed);
    }
}
