/* SPDX-License-Identifier: MIT */
/* test_datadings_table.c: rows are found by their hashes, random or not. */
#include "format/datadings/index/datadings_table.h"
#include "support/allocator.h"
#include "support/test.h"

/* Hashes of a hostile file: they differ in a few bits only. */
static uint64_t hash_of(int64_t row, int shift)
{
    return (uint64_t)row << shift;
}

static void expect_rows(const dvi_key_table *table, int64_t rows, int shift)
{
    for (int64_t row = 0; row < rows; row++) {
        dvi_key_table_prefetch(table, hash_of(row, shift));
        cr_assert_eq(dvi_key_table_get(table, hash_of(row, shift)), row);
    }
    cr_expect_eq(dvi_key_table_get(table, hash_of(rows, shift)), -1);
}

Test(datadings_table, finds_what_was_put)
{
    enum { ROWS = 10000 };
    for (int shift = 0; shift <= 48; shift += 16) {
        dvi_key_table table;
        dvi_key_table_init(&table, NULL);
        cr_expect_eq(dvi_key_table_get(&table, 0), -1);
        for (int64_t row = 0; row < ROWS; row++) {
            cr_assert_eq(dvi_key_table_reserve(&table, 2 * ((size_t)row / 1000 + 1) * 1000, NULL),
                         DV_OK);
            cr_assert_eq(dvi_key_table_put(&table, hash_of(row, shift), row), -1);
        }
        expect_rows(&table, ROWS, shift);
        cr_expect_eq(dvi_key_table_put(&table, hash_of(7, shift), 8), 7);
        cr_expect_eq(table.used, ROWS);
        dvi_key_table_clear(&table);
        cr_expect_eq(dvi_key_table_get(&table, hash_of(7, shift)), -1);
        cr_expect_eq(table.used, 0);
        dvi_key_table_free(&table);
        cr_expect_eq(dvi_key_table_get(&table, 0), -1);
    }
}

/* Enough rows that the table uses huge pages. */
Test(datadings_table, finds_many)
{
    enum { ROWS = 200000 };
    dvi_key_table table;
    dvi_key_table_init(&table, NULL);
    cr_assert_eq(dvi_key_table_reserve(&table, ROWS, NULL), DV_OK);
    cr_expect_geq(dvi_key_table_room(&table), ROWS);
    for (int64_t row = 0; row < ROWS; row++)
        cr_assert_eq(dvi_key_table_put(&table, hash_of(row, 13), row), -1);
    expect_rows(&table, ROWS, 13);
    dvi_key_table_free(&table);
}

Test(datadings_table, last_row_fits)
{
    dvi_key_table table;
    dvi_key_table_init(&table, NULL);
    cr_assert_eq(dvi_key_table_reserve(&table, 1, NULL), DV_OK);
    cr_expect_eq(dvi_key_table_put(&table, 0, DVI_DATADINGS_ROWS_MAX - 1), -1);
    cr_expect_eq(dvi_key_table_get(&table, 0), DVI_DATADINGS_ROWS_MAX - 1);
    dvi_key_table_free(&table);
}

Test(datadings_table, without_memory_stays_as_it_was)
{
    dvt_allocator counted;
    dvi_key_table table;
    dvt_allocator_init(&counted, 2);
    dvi_key_table_init(&table, &counted.allocator);
    cr_assert_eq(dvi_key_table_reserve(&table, 3, NULL), DV_OK);
    cr_expect_eq(dvi_key_table_put(&table, 5, 1), -1);
    cr_expect_eq(dvi_key_table_reserve(&table, 1000, NULL), DV_ERR_MEMORY);
    cr_expect_eq(dvi_key_table_reserve(&table, SIZE_MAX, NULL), DV_ERR_MEMORY);
    cr_expect_eq(dvi_key_table_get(&table, 5), 1);
    dvi_key_table_free(&table);
    cr_expect_eq(counted.live, 0);
}
