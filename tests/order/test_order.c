/* SPDX-License-Identifier: MIT */
/* test_order.c: orders depend on the seed as documented (order.h). */
#include "support/allocator.h"
#include "support/test.h"
#include <dataview/order.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void number(int64_t *rows, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        rows[i] = i;
}

/* The vectors of datadings:5.3. */
Test(order, shuffles_as_datadings_does)
{
    static const struct {
        uint64_t seed;
        int64_t n;
        int64_t want[10];
    } cases[] = {
        {10, 10, {5, 2, 7, 1, 8, 4, 3, 6, 0, 9}},
        {11, 10, {2, 6, 0, 1, 5, 4, 3, 9, 8, 7}},
        {20, 10, {5, 3, 0, 7, 8, 9, 6, 1, 4, 2}},
        {3, 3, {1, 2, 0}},
        {1000, 1000, {654, 401, 623, 887, 775, 588, 632, 69}},
    };
    static int64_t rows[1000];
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t shown = cases[i].n == 1000 ? 8 : cases[i].n;
        number(rows, cases[i].n);
        dv_order_mersenne(rows, cases[i].n, cases[i].seed);
        cr_expect_eq(memcmp(rows, cases[i].want, (size_t)shown * sizeof *rows), 0, "case %zu", i);
    }
}

/* The vectors of datadings:5.3, and more drawn by the package's loop. */
Test(order, quasi_shuffles_as_datadings_does)
{
    static const struct {
        int64_t n, buffer, chunk;
        uint64_t seed;
        int64_t want[20];
    } cases[] = {
        {20, 8, 4, 640, {9, 7, 17, 8, 11, 10, 13, 19, 14, 6, 15, 0, 4, 5, 1, 18, 2, 16, 3, 12}},
        {18, 5, 4, 576, {9, 10, 5, 7, 8, 11, 12, 6, 4, 0, 16, 2, 15, 3, 14, 17, 1, 13}},
        {1000, 10, 16, 256000, {764, 761, 672, 753, 767, 757, 676, 675}},
        {3, 1, 16, 48, {0, 1, 2}},
        {3, INT64_MAX, INT64_MAX, 1, {0, 1, 2}},
        {0, 1, 1, 0, {0}},
    };
    static int64_t rows[1000];
    dv_error err = DV_ERROR_INIT;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const int64_t n = cases[i].n, shown = n == 1000 ? 8 : n;
        cr_expect_eq(
            dv_order_quasi(rows, n, cases[i].buffer, cases[i].chunk, cases[i].seed, NULL, &err),
            DV_OK, "%s", err.message);
        cr_expect_eq(memcmp(rows, cases[i].want, (size_t)shown * sizeof *rows), 0, "case %zu", i);
        char seen[1000] = {0};
        for (int64_t k = 0; k < n; k++) {
            cr_assert(rows[k] >= 0 && rows[k] < n && !seen[rows[k]], "case %zu", i);
            seen[rows[k]] = 1;
        }
    }
}

Test(order, quasi_refuses_what_is_no_size)
{
    int64_t row;
    dvt_allocator none;
    dvt_allocator_init(&none, 1);
    cr_expect_eq(dv_order_quasi(&row, -1, 1, 1, 0, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_order_quasi(&row, 1, 0, 1, 0, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_order_quasi(&row, 1, 1, 0, 0, NULL, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_order_quasi(&row, 1, 1, 1, 0, &none.allocator, NULL), DV_ERR_MEMORY);
}

Test(order, no_row_and_one_stay)
{
    int64_t row = 7;
    dv_order_mersenne(NULL, 0, 1);
    dv_order_mersenne(&row, 1, 1);
    cr_expect_eq(row, 7);
}

/* All rows of each table come, in their order. */
static void expect_merged(const int64_t *rows, const int64_t *counts, int32_t n)
{
    int64_t next[8], end[8], total = 0;
    for (int32_t i = 0; i < n; i++) {
        next[i] = total;
        end[i] = total += counts[i];
    }
    for (int64_t k = 0; k < total; k++) {
        int32_t i = 0;
        while (i < n && rows[k] >= end[i])
            i++;
        cr_assert(i < n && rows[k] == next[i], "row %lld", (long long)k);
        next[i]++;
    }
}

Test(order, merges_tables)
{
    static const int64_t counts[][8] = {
        {0}, {1}, {5, 0, 3}, {0, 0, 4, 1, 1, 0, 2, 0}, {300, 100, 1}};
    static const int32_t n[] = {1, 1, 3, 8, 3};
    static int64_t rows[512];
    for (size_t i = 0; i < COUNT(n); i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            cr_expect_eq(dv_order_merge(rows, counts[i], n[i], seed, NULL, NULL), DV_OK);
            expect_merged(rows, counts[i], n[i]);
        }
    cr_expect_eq(dv_order_merge(rows, NULL, 0, 0, NULL, NULL), DV_OK);
}

/* The draws one by one, made with CPython: random.seed(5), tables of 3, 1 and 2 rows, randrange of
 * the rows that are left: 4 of 6, 2 of 6, 5 of 6, 2 of 4, 0 of 4, 0 of 1. */
Test(order, merges_by_these_draws)
{
    static const int64_t counts[] = {3, 1, 2}, want[] = {4, 0, 5, 1, 2, 3};
    int64_t rows[6];
    cr_assert_eq(dv_order_merge(rows, counts, 3, 5, NULL, NULL), DV_OK);
    cr_expect_eq(memcmp(rows, want, sizeof want), 0);
}

/* While both have rows left, three of four come from the table that had three times as many. */
Test(order, merges_in_proportion)
{
    static const int64_t counts[] = {30000, 10000};
    static int64_t rows[40000];
    int64_t first = 0;
    cr_assert_eq(dv_order_merge(rows, counts, 2, 1, NULL, NULL), DV_OK);
    for (int i = 0; i < 10000; i++)
        first += rows[i] < 30000;
    cr_expect(first > 7300 && first < 7700, "%lld of 10000", (long long)first);
}

Test(order, memory_that_is_refused)
{
    static const int64_t counts[] = {1, 1};
    int64_t rows[2];
    dvt_allocator memory;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator_init(&memory, 1);
    cr_expect_eq(dv_order_merge(rows, counts, 2, 0, &memory.allocator, &err), DV_ERR_MEMORY);
    cr_expect_eq(err.status, DV_ERR_MEMORY);
    dvt_allocator_init(&memory, 0);
    cr_expect_eq(dv_order_merge(rows, counts, 2, 0, &memory.allocator, &err), DV_OK);
    cr_expect_eq(memory.asked, 1);
    cr_expect_eq(memory.live, 0);
}
