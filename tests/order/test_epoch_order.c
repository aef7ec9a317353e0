/* SPDX-License-Identifier: MIT */
/* test_epoch_order.c: an epoch has every row once, for any number of shards, from any position on.
 */
#include "base/error.h"
#include "order/epoch_order.h"
#include "order/permutation.h"
#include "support/allocator.h"
#include "support/test.h"
#include <dataview/order.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST 12000
#define EPOCHS 400 /* and ranges of a view, for statistics */
#define PARTS 10

typedef struct numbers {
    int64_t row[MOST];
    int64_t n;
} numbers;

static dv_epoch_options options_of(dv_shuffle shuffle)
{
    dv_epoch_options o = DV_EPOCH_OPTIONS_INIT;
    o.shuffle = shuffle;
    o.seed = 7;
    return o;
}

/* All numbers of a shard, `chunk` at a time. */
static void read_order(numbers *got, int64_t rows, int64_t block_rows, const dv_epoch_options *o,
                       int64_t chunk)
{
    dvi_epoch_plan plan;
    dvi_epoch_order *order;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_epoch_plan_make(&plan, rows, block_rows, o, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvi_epoch_order_create(&order, &plan, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_leq(plan.count, MOST);
    got->n = 0;
    for (int64_t n = 1; n > 0; got->n += n) {
        const int64_t left = MOST - got->n;
        n = dvi_epoch_order_next(order, got->row + got->n, chunk < left ? chunk : left);
    }
    cr_assert_eq(got->n, plan.count);
    dvi_epoch_order_free(&order);
    cr_assert_null(order);
}

static bool is_allowed(dv_shuffle shuffle, dv_shard_by by)
{
    return shuffle != DV_SHUFFLE_UNIFORM || by != DV_SHARD_BY_BLOCKS;
}

/* Every valid combination of the options below. */
static void each_case(void (*check)(int64_t rows, int64_t block_rows, const dv_epoch_options *o))
{
    static const int64_t rows[] = {0, 1, 2, 3, 7, 40, 41, 300};
    static const int64_t blocks[] = {1, 4, 7, 64, 1000};
    static const int32_t shards[] = {1, 2, 3, 5, 64};
    static const int64_t pools[] = {1, 2, 5, 100};
    for (dv_shuffle s = DV_SHUFFLE_NONE; s <= DV_SHUFFLE_BLOCKS; s++)
        for (dv_shard_by by = DV_SHARD_BY_DEFAULT; by <= DV_SHARD_BY_BLOCKS; by++)
            for (size_t r = 0; r < COUNT(rows) && is_allowed(s, by); r++)
                for (size_t b = 0; b < COUNT(blocks); b++)
                    for (size_t m = 0; m < COUNT(shards); m++) {
                        dv_epoch_options o = options_of(s);
                        o.shard_by = by;
                        o.block_rows = blocks[b];
                        o.shards = shards[m];
                        o.epoch = (int64_t)(r % 2);
                        o.pool_rows = pools[(r + b + m) % COUNT(pools)];
                        check(rows[r], 4, &o);
                    }
}

/* --- Every row once --------------------------------------------------------------------------- */

static void check_rows_once(int64_t rows, int64_t block_rows, const dv_epoch_options *given)
{
    static numbers got;
    uint8_t seen[MOST] = {0};
    dv_epoch_options o = *given;
    int64_t all = 0;
    for (o.shard = 0; o.shard < o.shards; o.shard++) {
        read_order(&got, rows, block_rows, &o, 13);
        all += got.n;
        for (int64_t i = 0; i < got.n; i++) {
            cr_assert(got.row[i] >= 0 && got.row[i] < rows);
            cr_assert_eq(seen[got.row[i]]++, 0, "row %lld again", (long long)got.row[i]);
        }
    }
    cr_assert_eq(all, rows);
}

Test(epoch_order, shards_cover_all_rows)
{
    each_case(check_rows_once);
}

/* --- Equal sizes ------------------------------------------------------------------------------ */

static void check_sizes(int64_t rows, int64_t block_rows, const dv_epoch_options *given)
{
    static numbers own, equal;
    int64_t least = INT64_MAX, greatest = 0;
    dv_epoch_options o = *given;
    for (o.shard = 0; o.shard < o.shards; o.shard++) {
        read_order(&own, rows, block_rows, &o, MOST);
        least = own.n < least ? own.n : least;
        greatest = own.n > greatest ? own.n : greatest;
    }
    for (o.shard = 0; o.shard < o.shards; o.shard++) {
        o.shard_size = DV_SHARD_AS_IS;
        read_order(&own, rows, block_rows, &o, MOST);
        o.shard_size = DV_SHARD_DROP;
        read_order(&equal, rows, block_rows, &o, 5);
        cr_assert_eq(equal.n, least);
        cr_assert_eq(memcmp(equal.row, own.row, (size_t)least * sizeof *own.row), 0);
        o.shard_size = DV_SHARD_PAD;
        read_order(&equal, rows, block_rows, &o, 5);
        cr_assert_eq(equal.n, greatest);
        for (int64_t i = 0; i < equal.n && own.n > 0; i++)
            cr_assert_eq(equal.row[i], own.row[i % own.n]);
    }
}

Test(epoch_order, drops_and_pads)
{
    each_case(check_sizes);
}

/* A shard without rows of its own gets those of another one. */
Test(epoch_order, pads_shards_that_have_no_row)
{
    static numbers got, other;
    for (dv_shuffle s = DV_SHUFFLE_NONE; s <= DV_SHUFFLE_BLOCKS; s++) {
        dv_epoch_options o = options_of(s);
        o.shards = 7;
        o.block_rows = 4;
        o.shard_size = DV_SHARD_PAD;
        const int64_t rows = s == DV_SHUFFLE_NONE || s == DV_SHUFFLE_UNIFORM ? 3 : 12;
        o.shard = 1;
        read_order(&other, rows, 1, &o, MOST);
        o.shard = 4; /* three rows, or blocks: that of shard 1 */
        read_order(&got, rows, 1, &o, MOST);
        cr_expect_gt(got.n, 0);
        cr_expect_eq(got.n, other.n);
        cr_expect_eq(memcmp(got.row, other.row, (size_t)got.n * sizeof *got.row), 0);
    }
}

/* --- Any position --------------------------------------------------------------------------------
 */

static void check_seeks(int64_t rows, int64_t block_rows, const dv_epoch_options *given)
{
    static numbers all;
    dvi_epoch_plan plan;
    dvi_epoch_order *order;
    dv_epoch_options o = *given;
    uint32_t draws = 12345;
    o.shard = o.shards - 1;
    for (dv_shard_size size = DV_SHARD_AS_IS; size <= DV_SHARD_PAD; size++) {
        o.shard_size = size;
        read_order(&all, rows, block_rows, &o, MOST);
        cr_assert_eq(dvi_epoch_plan_make(&plan, rows, block_rows, &o, NULL), DV_OK);
        cr_assert_eq(dvi_epoch_order_create(&order, &plan, NULL, NULL), DV_OK);
        for (int i = 0; i < 12; i++) {
            int64_t some[MOST];
            draws = draws * 1664525 + 1013904223;
            const int64_t at = (int64_t)(draws >> 8) % (all.n + 1), wanted = (draws >> 4) % 40;
            dvi_epoch_order_seek(order, at);
            const int64_t n = dvi_epoch_order_next(order, some, wanted);
            cr_assert_eq(n, wanted < all.n - at ? wanted : all.n - at);
            cr_assert_eq(memcmp(some, all.row + at, (size_t)n * sizeof *some), 0);
        }
        dvi_epoch_order_free(&order);
    }
}

Test(epoch_order, seek_is_skipping)
{
    each_case(check_seeks);
}

/* With `start`, all shards together continue after the rows that they delivered. */
static void check_start(int64_t rows, int64_t block_rows, const dv_epoch_options *given)
{
    static numbers all, rest;
    dv_epoch_options o = *given;
    for (o.shard = 0; o.shard < o.shards; o.shard += 2)
        for (dv_shard_size size = DV_SHARD_AS_IS; size <= DV_SHARD_PAD; size++)
            for (int64_t delivered = 0; delivered < 6; delivered = delivered * 2 + 1) {
                o.shard_size = size;
                o.start = 0;
                read_order(&all, rows, block_rows, &o, MOST);
                o.start = delivered * o.shards;
                read_order(&rest, rows, block_rows, &o, 3);
                const int64_t left = all.n > delivered ? all.n - delivered : 0;
                cr_assert_eq(rest.n, left);
                cr_assert_eq(
                    memcmp(rest.row, all.row + (all.n - left), (size_t)left * sizeof *rest.row), 0);
            }
}

Test(epoch_order, goes_on_behind_start)
{
    each_case(check_start);
}

/* By rows, any number of shards may have delivered them; by blocks, if they had whole blocks. */
Test(epoch_order, goes_on_with_other_shards)
{
    static numbers whole, rest;
    for (dv_shuffle s = DV_SHUFFLE_NONE; s <= DV_SHUFFLE_BLOCKS; s++) {
        dv_epoch_options o = options_of(s);
        o.block_rows = 8;
        o.shard_by = DV_SHARD_BY_ROWS;
        read_order(&whole, 203, 8, &o, MOST);
        o.shards = 3;
        o.start = 50; /* five shards had ten each */
        for (o.shard = 0; o.shard < 3; o.shard++) {
            read_order(&rest, 203, 8, &o, MOST);
            for (int64_t i = 0; i < rest.n; i++)
                cr_assert_eq(rest.row[i], whole.row[50 + o.shard + 3 * i]);
        }
    }
    dv_epoch_options o = options_of(DV_SHUFFLE_BLOCKS);
    o.block_rows = 8;
    read_order(&whole, 200, 8, &o, MOST);
    uint8_t seen[200] = {0};
    for (int64_t i = 0; i < 48; i++)
        seen[whole.row[i]] = 1; /* six shards had a block each */
    o.shards = 3;
    o.start = 48;
    for (o.shard = 0; o.shard < 3; o.shard++) {
        read_order(&rest, 200, 8, &o, MOST);
        for (int64_t i = 0; i < rest.n; i++)
            cr_assert_eq(seen[rest.row[i]]++, 0);
    }
    for (int i = 0; i < 200; i++)
        cr_assert_eq(seen[i], 1);
}

/* --- What the orders are ---------------------------------------------------------------------- */

/* Each block comes once, whole, its rows in an order of their own. */
Test(epoch_order, blocks_are_whole)
{
    static numbers got;
    dv_epoch_options o = options_of(DV_SHUFFLE_BLOCKS);
    o.block_rows = 64;
    read_order(&got, 1000, 1, &o, MOST);
    int64_t straight = 0, at = 0;
    for (int blocks = 0; at < got.n; blocks++) {
        const int64_t block = got.row[at] / 64, end = at + (block == 15 ? 40 : 64);
        straight += block == blocks;
        for (; at < end; at++)
            cr_assert_eq(got.row[at] / 64, block);
    }
    cr_expect_lt(straight, 8);
}

/* 0 and 1: rows are not stored in blocks.  Then a block has 1024 rows. */
Test(epoch_order, blocks_of_its_own)
{
    static numbers got, same;
    dv_epoch_options o = options_of(DV_SHUFFLE_BLOCKS);
    read_order(&got, 5000, 1, &o, MOST);
    o.block_rows = 1024;
    read_order(&same, 5000, 300, &o, MOST);
    cr_expect_eq(memcmp(got.row, same.row, sizeof got.row), 0);
    o.block_rows = 0;
    read_order(&same, 5000, 1024, &o, MOST);
    cr_expect_eq(memcmp(got.row, same.row, sizeof got.row), 0);
    read_order(&same, 5000, 300, &o, MOST);
    cr_expect_neq(memcmp(got.row, same.row, sizeof got.row), 0);
}

/* If rows are reached only in sequence, they enter the pool in order; no row comes earlier than the
 * pool allows. */
Test(epoch_order, a_pool_over_rows_that_walk)
{
    static numbers got;
    dv_epoch_options o = options_of(DV_SHUFFLE_POOL);
    o.pool_rows = 50;
    read_order(&got, 5000, 0, &o, MOST);
    int64_t moved = 0;
    for (int64_t i = 0; i < got.n; i++) {
        cr_assert_lt(got.row[i], i + 50);
        moved += got.row[i] != i;
    }
    cr_expect_gt(moved, 4500);
}

/* Another seed, epoch or shuffle is another order; the same ones are the same. */
Test(epoch_order, seeds_and_epochs)
{
    static numbers got[6];
    for (dv_shuffle s = DV_SHUFFLE_UNIFORM; s <= DV_SHUFFLE_BLOCKS; s++) {
        static const struct {
            uint64_t seed;
            int64_t epoch;
        } cases[] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {UINT64_C(1) << 32, 0}, {0, INT64_MAX}};
        for (size_t i = 0; i < COUNT(cases); i++) {
            dv_epoch_options o = options_of(s);
            o.seed = cases[i].seed;
            o.epoch = cases[i].epoch;
            read_order(&got[i], 9000, 100, &o, MOST);
            for (size_t k = 0; k < i; k++) {
                int64_t same = 0;
                for (int64_t row = 0; row < 9000; row++)
                    same += got[i].row[row] == got[k].row[row];
                cr_expect_lt(same, 900, "shuffle %d: cases %zu and %zu", (int)s, i, k);
            }
        }
    }
}

/* Regression: ML.NET 1.5 shuffles ten rows in these orders (ShuffleRows with a pool of 3 rows,
 * source not shuffled). Its seeds have a sign; negative ones were not accepted. */
Test(epoch_order, has_mlnets_negative_seeds)
{
    static const struct {
        int32_t seed;
        int64_t order[10];
    } cases[] = {
        {42, {1, 2, 4, 5, 6, 3, 0, 9, 8, 7}},        {-1, {2, 1, 4, 3, 5, 6, 8, 9, 7, 0}},
        {-5, {0, 3, 2, 5, 6, 4, 1, 9, 7, 8}},        {-42, {0, 3, 2, 1, 6, 7, 8, 5, 4, 9}},
        {INT32_MIN, {2, 0, 1, 5, 4, 7, 8, 9, 6, 3}}, {INT32_MAX, {1, 0, 2, 3, 6, 4, 7, 8, 5, 9}}};
    static numbers got;
    for (size_t i = 0; i < COUNT(cases); i++) {
        dv_epoch_options o = options_of(DV_SHUFFLE_POOL);
        o.pool_rows = 3;
        o.seed = (uint64_t)(int64_t)cases[i].seed;
        read_order(&got, 10, 0, &o, MOST);
        cr_expect_arr_eq(got.row, cases[i].order, sizeof cases[i].order, "seed %d", cases[i].seed);
        o.seed = (uint32_t)cases[i].seed;
        read_order(&got, 10, 0, &o, MOST);
        cr_expect_arr_eq(got.row, cases[i].order, sizeof cases[i].order, "seed %d", cases[i].seed);
    }
}

/* --- Quality ---------------------------------------------------------------------------------- */

/* Chi-square of where rows of one range of the view go, over epochs, in standard deviations. */
static double spread_off(const dv_epoch_options *given, int64_t rows, int64_t block_rows)
{
    static numbers got;
    int64_t counts[PARTS][PARTS] = {{0}};
    dv_epoch_options o = *given;
    for (o.epoch = 0; o.epoch < EPOCHS; o.epoch++) {
        read_order(&got, rows, block_rows, &o, MOST);
        for (int64_t i = 0; i < rows;
             i += rows / PARTS) /* rows of a block go together: one of each */
            counts[i * PARTS / rows][got.row[i] * PARTS / rows]++;
    }
    double sum = 0;
    const double mean = EPOCHS / (double)PARTS;
    for (int i = 0; i < PARTS; i++)
        for (int k = 0; k < PARTS; k++)
            sum += ((double)counts[i][k] - mean) * ((double)counts[i][k] - mean) / mean;
    return (sum - PARTS * (PARTS - 1)) / sqrt(2.0 * PARTS * (PARTS - 1));
}

Test(epoch_order, rows_go_everywhere)
{
    dv_epoch_options o = options_of(DV_SHUFFLE_UNIFORM);
    cr_expect_lt(fabs(spread_off(&o, 10000, 1)), 4, "uniform");
    cr_expect_lt(fabs(spread_off(&o, 100, 1)), 4, "uniform, few rows");
    o.shuffle = DV_SHUFFLE_BLOCKS;
    cr_expect_lt(fabs(spread_off(&o, 1000, 10)), 4, "blocks");
    o.shuffle = DV_SHUFFLE_NONE;
    cr_expect_gt(spread_off(&o, 1000, 10), 100, "none");
}

/* --- Refusals --------------------------------------------------------------------------------- */

static void expect_refused(const dv_epoch_options *o, int64_t rows, int64_t block_rows,
                           dv_status status, const char *word)
{
    dvi_epoch_plan plan;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_epoch_plan_make(&plan, rows, block_rows, o, &err), status, "%s", word);
    cr_expect(strstr(err.message, word), "%s: %s", word, err.message);
}

Test(epoch_order, refuses)
{
#define REFUSE(shuffle, member, value, word)                                                       \
    do {                                                                                           \
        dv_epoch_options o = options_of(shuffle);                                                  \
        o.member = (value);                                                                        \
        expect_refused(&o, 10, 4, DV_ERR_ARGUMENT, word);                                          \
    } while (0)
    REFUSE(DV_SHUFFLE_NONE, size, 0, "0 bytes");
    REFUSE(DV_SHUFFLE_NONE, size, sizeof(dv_epoch_options) + 1, "bytes");
    REFUSE(DV_SHUFFLE_NONE, shuffle, (dv_shuffle)4, "no such shuffle: 4");
    REFUSE(DV_SHUFFLE_NONE, shard_by, (dv_shard_by)3, "no such shard_by: 3");
    REFUSE(DV_SHUFFLE_NONE, shard_size, (dv_shard_size)3, "no such shard_size: 3");
    REFUSE(DV_SHUFFLE_UNIFORM, epoch, -1, "epoch is -1");
    REFUSE(DV_SHUFFLE_BLOCKS, block_rows, -1, "block_rows is -1");
    REFUSE(DV_SHUFFLE_POOL, pool_blocks, NAN, "pool_blocks");
    REFUSE(DV_SHUFFLE_POOL, pool_blocks, -0.5, "pool_blocks");
    REFUSE(DV_SHUFFLE_POOL, pool_rows, -1, "pool_rows");
    REFUSE(DV_SHUFFLE_POOL, pool_rows, INT64_C(1) << 31, "pool_rows");
    REFUSE(DV_SHUFFLE_NONE, shards, 0, "shard 0 of 0");
    REFUSE(DV_SHUFFLE_NONE, shard, 1, "shard 1 of 1");
    REFUSE(DV_SHUFFLE_NONE, shard, -1, "shard -1 of 1");
    REFUSE(DV_SHUFFLE_NONE, start, -1, "start is -1");
    REFUSE(DV_SHUFFLE_UNIFORM, shard_by, DV_SHARD_BY_BLOCKS, "uniform");
#undef REFUSE
    dv_epoch_options o = options_of(DV_SHUFFLE_BLOCKS);
    o.shards = 2;
    o.start = 3;
    expect_refused(&o, 10, 4, DV_ERR_ARGUMENT, "start is 3");
    o.start = 0;
    expect_refused(&o, 10, 0, DV_ERR_ARGUMENT, "blocks: the rows are reached only");
    o.shuffle = DV_SHUFFLE_UNIFORM;
    expect_refused(&o, 10, 0, DV_ERR_ARGUMENT, "uniform: the rows are reached only");
    expect_refused(&o, DVI_PERMUTATION_MOST + 1, 1, DV_ERR_LIMIT, "rows");
    o.shuffle = DV_SHUFFLE_POOL;
    o.block_rows = 1;
    expect_refused(&o, INT64_C(1) << 32, 1, DV_ERR_LIMIT, "blocks");
    dvi_epoch_plan plan;
    cr_expect_eq(dvi_epoch_plan_pool(&plan, INT64_C(1) << 32, 1, DVI_POOL_OF_A_CACHE, 1,
                                     dvi_random_of(1), NULL),
                 DV_ERR_LIMIT);
}

/* Views larger than any memory, at once: only numbers that are asked for are computed. */
Test(epoch_order, a_great_many_rows)
{
    static const int64_t block_rows[] = {1, 1000, INT64_MAX};
    const int64_t rows = DVI_PERMUTATION_MOST - 5;
    for (size_t b = 0; b < COUNT(block_rows); b++)
        for (dv_shuffle s = DV_SHUFFLE_NONE; s <= DV_SHUFFLE_BLOCKS; s++) {
            if (s == DV_SHUFFLE_POOL)
                continue;
            int64_t some[10];
            dvi_epoch_plan plan;
            dvi_epoch_order *order;
            dv_epoch_options o = options_of(s);
            o.block_rows = block_rows[b];
            o.shards = 3;
            cr_assert_eq(dvi_epoch_plan_make(&plan, rows, 1, &o, NULL), DV_OK);
            cr_assert_eq(dvi_epoch_order_create(&order, &plan, NULL, NULL), DV_OK);
            dvi_epoch_order_seek(order, plan.count - 10);
            cr_assert_eq(dvi_epoch_order_next(order, some, 10), 10);
            for (int i = 0; i < 10; i++)
                cr_assert(some[i] >= 0 && some[i] < rows);
            cr_assert_eq(dvi_epoch_order_next(order, some, 1), 0);
            dvi_epoch_order_free(&order);
        }
}

Test(epoch_order, no_options)
{
    static numbers got;
    read_order(&got, 100, 1, NULL, MOST);
    for (int64_t i = 0; i < 100; i++)
        cr_expect_eq(got.row[i], i);
}

Test(epoch_order, memory_that_fails)
{
    dv_epoch_options o = options_of(DV_SHUFFLE_POOL);
    dvi_epoch_plan plan;
    cr_assert_eq(dvi_epoch_plan_make(&plan, 1000, 10, &o, NULL), DV_OK);
    for (int64_t fail_at = 0;; fail_at++) {
        dvt_allocator counted;
        dvi_epoch_order *order;
        dv_error err = DV_ERROR_INIT;
        int64_t row;
        dvt_allocator_init(&counted, fail_at + 1);
        const dv_status status = dvi_epoch_order_create(&order, &plan, &counted.allocator, &err);
        if (status == DV_OK) {
            cr_expect_eq(fail_at, 3); /* itself, the blocks, the pool */
            cr_expect_eq(dvi_epoch_order_next(order, &row, 1), 1);
            dvi_epoch_order_free(&order);
            cr_expect_eq(counted.live, 0);
            break;
        }
        cr_assert_eq(status, DV_ERR_MEMORY);
        cr_assert_null(order);
        cr_assert_eq(counted.live, 0);
        dvi_epoch_order_free(&order); /* NULL is fine */
    }
}

/* --- For users -------------------------------------------------------------------------------- */

Test(epoch_order, numbers_for_anyone)
{
    static numbers want;
    int64_t got[500], n;
    dv_error err = DV_ERROR_INIT;
    dv_epoch_options o = options_of(DV_SHUFFLE_BLOCKS);
    o.shards = 3;
    o.block_rows = 10;
    o.shard = 1;
    read_order(&want, 1000, 1, &o, MOST);
    cr_assert_eq(dv_order_epoch(NULL, 0, &n, 1000, &o, NULL, NULL), DV_OK);
    cr_assert_eq(n, want.n);
    cr_assert_eq(dv_order_epoch(got, 500, &n, 1000, &o, NULL, NULL), DV_OK);
    cr_assert_eq(n, want.n);
    cr_expect_eq(memcmp(got, want.row, (size_t)n * sizeof *got), 0);
    cr_expect_eq(dv_order_epoch(got, 500, &n, -1, &o, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "-1 rows"));
    cr_expect_eq(n, 0);
    o.shard = 3;
    cr_expect_eq(dv_order_epoch(got, 500, &n, 10, &o, NULL, &err), DV_ERR_ARGUMENT);
    o.shard = 1;
    for (int64_t fail_at = 1;; fail_at++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, fail_at);
        o.shuffle = DV_SHUFFLE_POOL;
        const dv_status status = dv_order_epoch(got, 500, &n, 1000, &o, &counted.allocator, NULL);
        cr_expect_eq(counted.live, 0);
        if (status == DV_OK)
            break;
        cr_assert_eq(status, DV_ERR_MEMORY);
    }
}
