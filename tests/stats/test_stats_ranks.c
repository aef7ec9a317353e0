/* SPDX-License-Identifier: MIT */
/* test_stats_ranks.c: the rank sketch stays within the error that it reports. */
#include "stats/stats_ranks.h"
#include "support/many_rows.h"
#include "support/stats_truth.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>

static const dv_allocator *allocator; /* malloc */

/* The rank of x among 0 to n - 1 in any order. */
static void check_bounds(const dvi_ranks *ranks, int64_t n, int way)
{
    cr_expect_eq(dvi_ranks_at_most(ranks, UINT64_MAX), n, "way %d", way);
    for (int64_t x = 0; x < n; x += n / 97 + 1) {
        const int64_t reported = dvi_ranks_at_most(ranks, (uint64_t)x);
        cr_expect(reported >= x + 1 - ranks->below && reported <= x + 1 + ranks->above,
                  "way %d: rank %d, reported %d, -%d +%d", way, (int)x + 1, (int)reported,
                  (int)ranks->below, (int)ranks->above);
    }
}

/* A sorted run of n of the numbers 0 to all - 1; `stride` decides which come first. */
static void make_run(uint64_t *items, int64_t first, int64_t n, int64_t stride, int64_t all)
{
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = (uint64_t)((first + i) * stride % all);
        int64_t k = i;
        for (; k > 0 && items[k - 1] > x; k--)
            items[k] = items[k - 1];
        items[k] = x;
    }
}

/* Runs of any length, added one by one or to two sketches that are merged. */
Test(stats_ranks, any_runs_in_any_order)
{
    enum { N = 100000 };
    static const int64_t strides[] = {1, 7919, 3, 99999}; /* no divisor in common with N */
    uint64_t *items = malloc(N * sizeof *items), state = 3;
    for (int way = 0; way < 8; way++) {
        dvi_ranks halves[2] = {{0}, {0}};
        for (int64_t at = 0, n; at < N; at += n) {
            n = 1 + (int64_t)(dvt_draw(&state) % (way == 0 ? 9000 : 300));
            n = n < N - at ? n : N - at;
            make_run(items, at, n, strides[way % 4], N);
            const int half = way >= 4 && at > N / 3;
            cr_assert_eq(dvi_ranks_add(&halves[half], items, (size_t)n, allocator, NULL), DV_OK);
        }
        cr_assert_eq(dvi_ranks_merge(&halves[0], &halves[1], allocator, NULL), DV_OK);
        cr_expect_eq(halves[1].levels, 0);
        check_bounds(&halves[0], N, way);
        cr_expect(halves[0].above > 0 && halves[0].above < N / 200, "way %d", way);
        dvi_ranks_free(&halves[0], allocator);
    }
    free(items);
}

/* Nothing is lost while one level can keep all. */
Test(stats_ranks, few_are_exact)
{
    uint64_t items[DVI_RANKS_KEPT + 1];
    dvi_ranks ranks = {0};
    for (size_t i = 0; i < DVI_RANKS_KEPT; i++)
        items[i] = i;
    cr_assert_eq(dvi_ranks_add(&ranks, items, DVI_RANKS_KEPT, allocator, NULL), DV_OK);
    cr_expect(ranks.above == 0 && ranks.below == 0);
    for (size_t i = 0; i < DVI_RANKS_KEPT; i += 100)
        cr_expect_eq(dvi_ranks_at_most(&ranks, i), (int64_t)i + 1);
    *items = 5;
    cr_assert_eq(dvi_ranks_add(&ranks, items, 1, allocator, NULL), DV_OK);
    cr_expect(ranks.above == 1 && ranks.below == 0);
    dvi_ranks_free(&ranks, allocator);
}

static int compare_reals(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double order_value(int order, int64_t i, int64_t n, uint64_t *state)
{
    switch (order) {
    case 0:
        return (double)i + 1; /* sorted */
    case 1:
        return (double)(n - i); /* reversed */
    case 2:
        return (double)(i < n / 2 ? i : n - i) + 1; /* organ pipe */
    case 3:
        return 3; /* constant */
    case 4:
        return (double)(i % 64 * n + i); /* interleaved */
    default:
        return (double)(dvt_draw(state) % 1000000) - 500000; /* random, a few of them zero */
    }
}

static void check_sketch(int order, int64_t exact, double *values, int64_t n)
{
    static const double shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};
    uint64_t state = 9;
    for (int64_t i = 0; i < n; i++)
        values[i] = order_value(order, i, n, &state);
    dvt_made_table table = {.columns = 1, .rows = n, .block_rows = n, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R8), values, n);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.exact_values = exact;
    dv_stats *stats = dvt_stats_of(view, &options);
    const dv_column_stats *c = stats->column;
    qsort(values, (size_t)n, sizeof *values, compare_reals);
    cr_expect(c->rank_error > 0 && c->rank_error < 0.002, "order %d: %g", order, c->rank_error);
    for (int i = 0; i < DV_STATS_QUANTILES; i++) {
        const double off = dvt_rank_distance(values, n, shares[i], c->quantile[i].r8);
        cr_expect_leq(off, c->rank_error, "order %d, %g: off by %g, said %g", order, shares[i], off,
                      c->rank_error);
    }
    cr_expect(c->min.r8 == values[0] && c->max.r8 == values[n - 1]);
    int64_t sum = 0, at = 0;
    for (int i = 0; i < DV_STATS_BINS; i++) {
        const double end = c->bin_low.r8 * (1 - (i + 1) / 10.0) + c->bin_high.r8 * ((i + 1) / 10.0);
        const int64_t from = at;
        while (at < n && (i == DV_STATS_BINS - 1 || values[at] < end))
            at++;
        const double off = fabs((double)(c->bin[i] - (at - from))) / (double)n;
        cr_expect(order == 3 || off <= 2 * c->rank_error, "order %d, bin %d: %g", order, i, off);
        sum += c->bin[i];
    }
    cr_expect_eq(sum, n);
    dv_stats_free(&stats);
    dv_view_release(&view);
}

Test(stats_ranks, sketches_keep_within_the_reported_error)
{
    enum { N = 400000 };
    double *values = malloc(N * sizeof *values);
    for (int order = 0; order < 6; order++) {
        check_sketch(order, 0, values, N - order);
        check_sketch(order, 3000, values, N);
        check_sketch(order, 100000, values, N - 4097);
    }
    free(values);
}
