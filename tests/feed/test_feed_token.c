/* SPDX-License-Identifier: MIT */
/* test_feed_token.c: does a feed go on with the identical next batch, from wherever it stood, with
 * and without a thread? */
#include "support/feeds.h"
#include "support/test.h"
#include <dataview/digest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 43
#define BATCHES_MAX 200

static dv_error err;

/* All that a feed delivers, and where it stood before each batch. */
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

static dv_token token_of(const dv_feed *feed)
{
    dv_token token;
    cr_assert_eq(dv_feed_token(feed, &token, &err), DV_OK, "%s", err.message);
    return token;
}

static void run_all(run *r, dv_view *view, const dv_feed_options *options)
{
    const dv_feed_batch *batch;
    dv_feed *feed = open_feed(view, options);
    for (r->n = 0;; r->n++) {
        r->token[r->n] = token_of(feed);
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

/* From each position: what is left, and the same tokens. */
static void expect_resumes(dv_view *view, const dv_feed_options *given, int32_t prefetch)
{
    static run whole, rest;
    dv_feed_options options = *given;
    run_all(&whole, view, &options);
    cr_assert_gt(whole.n, 3);
    for (int at = 0; at <= whole.n; at++) {
        options.token = whole.token[at].text;
        options.prefetch = prefetch;
        run_all(&rest, view, &options);
        cr_assert_eq(rest.n, whole.n - at, "at %d of %d: %d", at, whole.n, rest.n);
        for (int i = 0; i < rest.n; i++) {
            const dv_feed_batch *a = &whole.facts[at + i], *b = &rest.facts[i];
            cr_assert_eq(a->rows, b->rows);
            cr_assert_eq(a->epoch, b->epoch);
            cr_assert_eq(a->position, b->position);
            cr_assert_eq(a->number, b->number);
            dvt_feed_expect(&whole.batch[at + i], 0, &rest.batch[i], a->rows);
            cr_assert_str_eq(whole.token[at + i].text, rest.token[i].text);
        }
    }
}

Test(feed_token, goes_on_from_every_position)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    options.epochs = 3;
    options.ids = true;
    t->order.seed = UINT64_MAX;
    t->order.epoch = 2;
    t->order.block_rows = 5;
    for (int k = 0; k < 16; k++) {
        t->order.shuffle = (dv_shuffle)(k % 4);
        t->order.shards = 1 + k / 4 % 2 * 2;
        t->order.shard = t->order.shards - 1;
        options.drop_last = k / 8;
        options.batch_rows = 1 + k % 3 * 2;
        expect_resumes(t->held, &options, k % 3);
        if (t->order.shuffle == DV_SHUFFLE_NONE && t->order.shards == 1) {
            t->many->table.rows_unknown = true;
            expect_resumes(t->view, &options, k % 3);
            t->many->table.rows_unknown = false;
        }
    }
    t->order = (dv_epoch_options)DV_EPOCH_OPTIONS_INIT;
    t->order.start = 10; /* its own first epoch is shorter */
    options.batch_rows = 4;
    expect_resumes(t->held, &options, 1);
    dvt_feed_table_free(t);
}

/* Batches that were filled ahead count for nothing; a token is of what was handed out. */
Test(feed_token, knows_nothing_of_what_is_ahead)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    static run now, ahead;
    dv_feed_options options = dvt_feed_options(&t->order);
    options.batch_rows = 4;
    options.epochs = 2;
    run_all(&now, t->view, &options);
    options.prefetch = 5;
    run_all(&ahead, t->view, &options);
    cr_assert_eq(now.n, ahead.n);
    for (int i = 0; i <= now.n; i++)
        cr_assert_str_eq(now.token[i].text, ahead.token[i].text);
    dvt_feed_table_free(t);
}

/* --- Another number of shards -----------------------------------------------------------------
 */

/* Which rows the shards deliver of one epoch, batches of two; up to `most` batches each.  Returns
 * the token of the first shard. */
static dv_token count_rows(dvt_feed_table *t, int shards, const char *token, int most, int *seen)
{
    dv_token first = {{0}};
    for (int shard = 0; shard < shards; shard++) {
        const dv_feed_batch *batch;
        t->order.shards = shards;
        t->order.shard = shard;
        dv_feed_options options = dvt_feed_options(&t->order);
        options.batch_rows = 2;
        options.ids = true;
        options.token = token;
        dv_feed *feed = open_feed(t->held, &options);
        for (int i = 0; i < most && dv_feed_next(feed, &batch, &err) == DV_OK; i++)
            for (int64_t k = 0; k < batch->rows; k++)
                seen[batch->ids[k].lo]++;
        if (shard == 0)
            first = token_of(feed);
        dv_feed_close(&feed);
    }
    return first;
}

static void expect_once(const int *seen)
{
    for (int row = 0; row < ROWS; row++)
        cr_assert_eq(seen[row], 1, "row %d: %d times", row, seen[row]);
}

/* Every row of the epoch comes once, when three shards have stopped together and two, or five, or
 * one go on; and once more in between.  In any order, if rows are dealt. */
Test(feed_token, other_shards_go_on_together)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    static const int then[] = {2, 5, 1, 3};
    t->order.seed = 4;
    t->order.block_rows = 7;
    t->order.pool_rows = 10;
    t->order.shard_by = DV_SHARD_BY_ROWS;
    for (int k = 0; k < 4; k++)
        for (size_t i = 0; i < sizeof then / sizeof *then; i++)
            for (int most = 0; most < 7; most++) {
                int seen[ROWS] = {0};
                t->order.shuffle = (dv_shuffle)k;
                dv_token token = count_rows(t, 3, NULL, most, seen);
                token = count_rows(t, then[i], token.text, 1, seen);
                count_rows(t, 4, token.text, ROWS, seen);
                expect_once(seen);
            }
    dvt_feed_table_free(t);
}

/* A single shard has the rows of an epoch in their order, whatever would be dealt. */
Test(feed_token, one_shard_becomes_many_and_many_one)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    t->order.block_rows = 7;
    t->order.pool_rows = 10;
    for (int k = 0; k < 4; k++) {
        int seen[ROWS] = {0};
        t->order.shuffle = (dv_shuffle)k;
        t->order.shard_by = DV_SHARD_BY_DEFAULT;
        dv_token token = count_rows(t, 1, NULL, 4, seen);
        t->order.shard_by = DV_SHARD_BY_ROWS;
        token = count_rows(t, 3, token.text, 2, seen);
        t->order.shard_by = k == DV_SHUFFLE_UNIFORM ? DV_SHARD_BY_DEFAULT : DV_SHARD_BY_BLOCKS;
        count_rows(t, 1, token.text, ROWS, seen);
        expect_once(seen);
    }
    dvt_feed_table_free(t);
}

/* --- What is no token --------------------------------------------------------------------------
 */

static void expect_refused(dv_view *view, const dv_feed_options *options, const char *token,
                           const char *why)
{
    dv_feed *feed;
    dv_feed_options with = *options;
    with.token = token;
    err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dv_feed_open(&feed, view, &with, &err), DV_ERR_ARGUMENT, "%s", token);
    cr_assert_null(feed);
    cr_assert(strstr(err.message, why), "%s: %s", why, err.message);
}

Test(feed_token, damaged)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    dv_feed *feed = open_feed(t->view, &options);
    const dv_token token = token_of(feed);
    const size_t n = strlen(token.text);
    dv_feed_close(&feed);
    expect_refused(t->view, &options, "", "dvf1-");
    expect_refused(t->view, &options, "dv1-0", "dvf1-");
    expect_refused(t->view, &options, "dvf2-0", "version");
    expect_refused(t->view, &options, "dvf1-0", "complete");
    for (size_t i = 0; i < n; i++) {
        dv_token bad = token;
        bad.text[i] ^= 1;
        expect_refused(t->view, &options, bad.text, "");
        bad.text[i] = 0; /* cut off */
        expect_refused(t->view, &options, bad.text, "");
    }
    char longer[400];
    memset(longer, '0', sizeof longer);
    memcpy(longer, token.text, n);
    longer[399] = 0;
    expect_refused(t->view, &options, longer, "complete");
    longer[n + 1] = 0;
    expect_refused(t->view, &options, longer, "checksum");
    dvt_feed_table_free(t);
}

/* Shards by blocks keep their blocks to the end of the epoch.  Others once went on at wrong rows:
 * of a pool, of blocks that were begun, and after the short last block. */
Test(feed_token, blocks_are_not_dealt_anew)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    t->order.block_rows = 7;
    static const dv_shuffle orders[] = {DV_SHUFFLE_POOL, DV_SHUFFLE_BLOCKS, DV_SHUFFLE_NONE};
    for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
        int seen[ROWS] = {0};
        t->order.shuffle = orders[k];
        t->order.shard_by = DV_SHARD_BY_BLOCKS;
        dv_token token = count_rows(t, 2, NULL, 2, seen);
        for (int shards = 1; shards < 7; shards++) {
            t->order.shards = shards;
            t->order.shard = 0;
            if (shards != 2)
                expect_refused(t->held, &options, token.text,
                               shards == 1 ? "1 by rows, found 2 by blocks" : "finish the epoch");
        }
        t->order.shards = 2;
        t->order.shard_by = DV_SHARD_BY_ROWS;
        expect_refused(t->held, &options, token.text, "2 by rows, found 2 by blocks");
        t->order.shard_by = DV_SHARD_BY_BLOCKS;
        token = count_rows(t, 2, token.text, ROWS, seen);
        expect_once(seen);
        t->order.shard_by = DV_SHARD_BY_ROWS;
        token = count_rows(t, 3, NULL, 1, seen);
        t->order.shard_by = DV_SHARD_BY_BLOCKS;
        t->order.shard = 0;
        expect_refused(t->held, &options, token.text, "3 by blocks, found 3 by rows");
    }
    dvt_feed_table_free(t);
}

/* Where an epoch begins, and where all shards have had their last batch, there may be others. */
Test(feed_token, blocks_are_dealt_anew_in_the_next_epoch)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS - 1, 7, NULL);
    t->order.block_rows = 7;
    static const dv_shard_size sizes[] = {DV_SHARD_PAD, DV_SHARD_DROP, DV_SHARD_AS_IS};
    for (int shuffle = DV_SHUFFLE_POOL; shuffle <= DV_SHUFFLE_BLOCKS; shuffle++)
        for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            const dv_feed_batch *batch;
            int seen[ROWS] = {0};
            t->order.shuffle = (dv_shuffle)shuffle;
            t->order.shard_size = sizes[k];
            dv_token token = count_rows(t, 2, NULL, 0, seen); /* none yet */
            token = count_rows(t, 3, token.text, 7, seen);    /* 14 rows: all of each shard */
            int all = 0;
            for (int row = 0; row < ROWS; row++)
                all += seen[row];
            cr_assert_eq(all, ROWS - 1);
            t->order.shards = 4;
            t->order.shard = 1;
            dv_feed_options options = dvt_feed_options(&t->order);
            options.batch_rows = 2;
            options.epochs = 2;
            options.token = token.text;
            dv_feed *feed = open_feed(t->held, &options);
            cr_assert_eq(dv_feed_next(feed, &batch, &err), DV_OK, "%s", err.message);
            cr_assert_eq(batch->epoch, 1);
            cr_assert_eq(batch->position, 0);
            cr_assert_eq(batch->number, 7);
            dv_feed_close(&feed);
        }
    dvt_feed_table_free(t);
}

/* Sealed by a checksum, and yet not what is written: each is refused, none ends in numbers that no
 * epoch has. */
Test(feed_token, made_by_hand)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    dv_feed *feed = open_feed(t->view, &options);
    const dv_token token = token_of(feed);
    dv_feed_close(&feed);
    const char *rest = strstr(token.text, "-1-0-");
    cr_assert_not_null(rest);
    static const char *const heads[] = {
        "dvf1-0-0-0-00",
        "dvf1-0-0-0-",
        "dvf1-0-0--0",
        "dvf1-0-0-0-9223372036854775808",
        "dvf1-0-0-0-99999999999999999999",
        "dvf1-0-0-0-+1",
        "dvf1-0-0-0-a",
        "dvf1-0-0-0",
        "dvf1-0-0-0-0-0",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[192];
        int n = snprintf(text, sizeof text, "%s%s", heads[i], rest);
        n -= 9;
        snprintf(text + n, sizeof text - (size_t)n, "-%08x",
                 (unsigned)(uint32_t)dv_digest_8(text, (size_t)n, 0));
        expect_refused(t->view, &options, text, "token");
    }
    static const struct {
        const char *text;
        const char *why;
    } numbers[] = {
        {"dvf1-0-0-9223372036854775807-0-3", "rows of an epoch"},
        {"dvf1-0-9223372036854775807-1-0-2", "rows of an epoch"},
        {"dvf1-0-0-0-0-0", "dvf1-EPOCH-START-"},
        {"dvf1-0-0-0-0-2147483648", "dvf1-EPOCH-START-"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[192];
        int n = snprintf(text, sizeof text, "%s%s", numbers[i].text, rest + 2);
        n -= 9;
        snprintf(text + n, sizeof text - (size_t)n, "-%08x",
                 (unsigned)(uint32_t)dv_digest_8(text, (size_t)n, 0));
        expect_refused(t->view, &options, text, numbers[i].why);
    }
    dvt_feed_table_free(t);
}

Test(feed_token, of_something_else)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dvt_feed_table *u = dvt_feed_table_create(ROWS + 1, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    t->order.epoch = 1;
    dv_feed *feed = open_feed(t->view, &options);
    const dv_token token = token_of(feed);
    dv_feed_close(&feed);
    expect_refused(u->view, &options, token.text, "token of another file");
    t->order.seed = 3;
    expect_refused(t->view, &options, token.text, "seed of the token: expected 3, found 0");
    t->order.seed = 0;
    t->order.epoch = 2;
    expect_refused(t->view, &options, token.text, "epoch of the token");
    t->order.epoch = 1;
    t->order.shuffle = DV_SHUFFLE_POOL;
    expect_refused(t->view, &options, token.text, "order of the token");
    t->order.shuffle = DV_SHUFFLE_NONE;
    t->order.block_rows = 5;
    expect_refused(t->view, &options, token.text, "order of the token");
    t->order.block_rows = 0;
    t->order.pool_blocks = 5;
    expect_refused(t->view, &options, token.text, "order of the token");
    t->order.pool_blocks = 4;
    t->order.shard_size = DV_SHARD_PAD;
    expect_refused(t->view, &options, token.text, "order of the token");
    dvt_feed_table_free(t);
    dvt_feed_table_free(u);
}

/* Each names the other kind: a token of a feed opens no cursor. */
Test(feed_token, is_not_one_of_a_cursor)
{
    dvt_feed_table *t = dvt_feed_table_create(ROWS, 7, NULL);
    dv_feed_options options = dvt_feed_options(&t->order);
    dv_feed *feed = open_feed(t->view, &options);
    const dv_token token = token_of(feed);
    dv_feed_close(&feed);
    dv_cursor *cursor;
    err = (dv_error)DV_ERROR_INIT;
    dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
    rows.token = token.text;
    cr_expect_eq(dv_cursor_open(&cursor, t->view, &rows, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "token of a cursor: expected dv1-"), "%s", err.message);
    rows.token = NULL;
    cr_assert_eq(dv_cursor_open(&cursor, t->view, &rows, &err), DV_OK);
    dv_token other;
    cr_assert_eq(dv_cursor_token(cursor, &other, &err), DV_OK);
    dv_cursor_close(&cursor);
    expect_refused(t->view, &options, other.text, "token of a feed: expected dvf1-");
    dvt_feed_table_free(t);
}
