/* SPDX-License-Identifier: MIT */
/* test_order_groups.c: rows with one value of a column are in one part (order.h). */
#include "base/random.h"
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/order.h>
#include <string.h>

#define ROWS 300
#define PARTS 4
#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_column(dvt_made_table *table, dv_column_view column)
{
    *table = (dvt_made_table){
        .columns = 1, .rows = column.rows, .block_rows = 7, .in_blocks = true, .bad_row = -1};
    table->column[0] = column;
    return dvt_made_table_open(table, NULL);
}

/* The part of each row; each row is in one part, in ascending order. */
static void find_parts(int32_t *part, const int64_t *rows, const int64_t *counts, int32_t parts,
                       int64_t n)
{
    int64_t at = 0;
    memset(part, 0xFF, (size_t)n * sizeof *part);
    for (int32_t i = 0; i < parts; i++)
        for (int64_t k = 0; k < counts[i]; k++, at++) {
            cr_assert(rows[at] >= 0 && rows[at] < n && part[rows[at]] < 0);
            cr_expect(k == 0 || rows[at] > rows[at - 1]);
            part[rows[at]] = i;
        }
    cr_assert_eq(at, n);
}

/* Values of all frequencies: each is in one part, and parts without rows mean too few values.  Of
 * two parts, neither differs from its share by more than the largest group has rows. */
Test(order_groups, keep_values_together)
{
    static int32_t value[ROWS], part[ROWS];
    int64_t rows[ROWS], counts[PARTS], shares[PARTS];
    dv_error err = DV_ERROR_INIT;
    for (uint32_t round = 0; round < 400; round++) {
        dvi_random random = dvi_random_of(round);
        const int64_t n = 1 + dvi_random_below(&random, ROWS);
        const int32_t most = 1 + (int32_t)dvi_random_below(&random, round % 2 ? 8 : ROWS);
        const int32_t parts = 1 + (int32_t)dvi_random_below(&random, PARTS);
        int64_t whole = 0, sizes[ROWS] = {0}, largest = 0, different = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint32_t one = dvi_random_below(&random, (uint32_t)most);
            value[i] = (int32_t)dvi_random_below(&random, one + 1); /* small ones more often */
            different += sizes[value[i]]++ == 0;
            if (sizes[value[i]] > largest)
                largest = sizes[value[i]];
            if (value[i] == 3)
                value[i] = INT32_MIN; /* NA is a value */
        }
        for (int32_t i = 0; i < parts; i++)
            whole += shares[i] = 1 + dvi_random_below(&random, 100);
        dvt_made_table table;
        dv_view *view = open_column(&table, dvt_made_fixed(dv_type_of(DV_KIND_I4), value, n));
        cr_assert_eq(dv_order_groups(rows, counts, n, view, 0, NULL, shares, parts, round, &err),
                     DV_OK, "%s", err.message);
        find_parts(part, rows, counts, parts, n);
        for (int64_t i = 0; i < n; i++)
            for (int64_t k = 0; k < i; k++)
                cr_assert(value[i] != value[k] || part[i] == part[k], "round %u", round);
        int32_t filled = 0;
        for (int32_t i = 0; i < parts; i++) {
            const int64_t off = counts[i] * whole - shares[i] * n;
            filled += counts[i] > 0;
            cr_expect(parts > 2 || (off < 0 ? -off : off) <= largest * whole, "round %u", round);
        }
        cr_expect_eq(filled, different < parts ? different : parts, "round %u", round);
        dv_view_release(&view);
    }
}

/* The same seed gives the same result on every machine, other seeds give other results. */
Test(order_groups, depend_on_the_seed)
{
    static const int64_t shares[] = {3, 1};
    static int32_t value[40];
    int64_t first[40], rows[40], counts[2];
    dv_error err = DV_ERROR_INIT;
    dvt_made_table table;
    int others = 0;
    for (int32_t i = 0; i < 40; i++)
        value[i] = i / 2;
    dv_view *view = open_column(&table, dvt_made_fixed(dv_type_of(DV_KIND_I4), value, 40));
    cr_assert_eq(dv_order_groups(first, counts, 40, view, 0, NULL, shares, 2, 0, &err), DV_OK);
    cr_expect(counts[0] == 30 && counts[1] == 10);
    static const int64_t want[10] = {2, 3, 6, 7, 8, 9, 16, 17, 30, 31};
    for (int i = 0; i < 10; i++)
        cr_expect_eq(first[30 + i], want[i], "%d: %d", i, (int)first[30 + i]);
    for (uint64_t seed = 0; seed < 20; seed++) {
        cr_assert_eq(dv_order_groups(rows, counts, 40, view, 0, NULL, shares, 2, seed, &err),
                     DV_OK);
        others += memcmp(rows, first, sizeof rows) != 0;
    }
    cr_expect_eq(others, 19);
    dv_view_release(&view);
}

/* 0 and -0 are one value, and so are all NaN. */
Test(order_groups, compare_values_as_counts_do)
{
    static const int64_t shares[] = {1, 1};
    static double value[] = {0.0, -0.0, 0.0, 1.5, 1.5};
    int64_t rows[5], counts[2];
    int32_t part[5];
    dv_error err = DV_ERROR_INIT;
    dvt_made_table table;
    dv_view *view = open_column(&table, dvt_made_fixed(dv_type_of(DV_KIND_R8), value, 5));
    cr_assert_eq(dv_order_groups(rows, counts, 5, view, 0, NULL, shares, 2, 5, &err), DV_OK);
    find_parts(part, rows, counts, 2, 5);
    cr_expect(part[0] == part[1] && part[1] == part[2] && part[3] == part[4]);
    cr_expect_neq(part[0], part[3]);
    dv_view_release(&view);
}

Test(order_groups, of_no_rows_and_of_wrong_arguments)
{
    static const int32_t value[] = {1, 2, 3};
    static const struct {
        int64_t n, shares[2];
        int32_t column, parts;
    } wrong[] = {{2, {1, 1}, 0, 2},  {4, {1, 1}, 0, 2},        {3, {1, 0}, 0, 2},
                 {3, {1, 1}, 1, 2},  {3, {1, 1}, -1, 2},       {3, {1, 1}, 0, 0},
                 {-1, {1, 1}, 0, 2}, {3, {1, INT64_MAX}, 0, 2}};
    int64_t rows[4], counts[2];
    dv_error err = DV_ERROR_INIT;
    dvt_made_table table;
    dv_view *view = open_column(&table, dvt_made_fixed(dv_type_of(DV_KIND_I4), value, 3));
    for (size_t i = 0; i < COUNT(wrong); i++)
        cr_expect_eq(dv_order_groups(rows, counts, wrong[i].n, view, wrong[i].column, NULL,
                                     wrong[i].shares, wrong[i].parts, 0, &err),
                     DV_ERR_ARGUMENT, "%zu", i);
    dv_cursor_options none = DV_CURSOR_OPTIONS_INIT;
    none.take = 0;
    cr_expect_eq(dv_order_groups(rows, counts, 0, view, 0, &none, wrong[0].shares, 2, 0, &err),
                 DV_OK, "%s", err.message);
    cr_expect(counts[0] == 0 && counts[1] == 0);
    dv_view_release(&view);
}
