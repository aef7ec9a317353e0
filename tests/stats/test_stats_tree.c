/* SPDX-License-Identifier: MIT */
/* test_stats_tree.c: statistics have the same bits for any batches, blocks and threads. */
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/stats_truth.h"
#include "support/test.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Each way to compute them gives the same bits. */
static void check_same(const char *name, dv_view *view, int64_t exact)
{
    static const int32_t threads[] = {1, 2, 3, 8};
    static const int64_t batches[] = {0, 1, 100, 4097};
    dvt_lines want = {0};
    dv_cursor_options cursor = dvt_all_columns(view);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.cursor = &cursor;
    options.exact_values = options.exact_distinct = exact;
    for (size_t i = 0; i < COUNT(threads); i++)
        for (size_t j = 0; j < COUNT(batches); j++) {
            dvt_lines lines = {0};
            cursor.threads = threads[i];
            cursor.batch_rows = batches[(i + j) % COUNT(batches)];
            options.memory_nbytes = (i + j) % 3 == 0 ? 0 : INT64_C(1) << 30;
            dv_stats *stats = dvt_stats_of(view, &options);
            dvt_stats_print(i + j ? &lines : &want, stats);
            cr_expect(i + j == 0 || strcmp(lines.data, want.data) == 0,
                      "%s, %d threads, %d rows a batch:\n%s\nnot:\n%s", name, threads[i],
                      (int)cursor.batch_rows, lines.data, want.data);
            dv_stats_free(&stats);
            dvt_lines_free(&lines);
        }
    dvt_lines_free(&want);
    dvt_all_columns_free(&cursor);
}

static void check_golden_same(const dvt_golden *golden)
{
    dv_view *view;
    cr_assert_eq(dv_open(&view, golden->path, NULL, NULL), DV_OK);
    check_same(golden->path, view, 100000);
    check_same(golden->path, view, 5);
    dv_view_release(&view);
}

Test(stats_tree, threads_and_batches_do_not_show)
{
    static const char *const names[] = {"idv/people.idv",    "idv/scalar-all-deflate-rpb7.idv",
                                        "idv/rows-8193.idv", "idv/random-10.idv",
                                        "idv/random-16.idv", "idv/rows-0-raw.idv"};
    for (size_t i = 0; i < COUNT(names); i++)
        dvt_golden_one(names[i], check_golden_same);
}

/* Enough for several runs of rows, and sketches merged from many leaves. */
Test(stats_tree, runs_of_rows_do_not_show)
{
    dvt_many_rows *m = dvt_many_rows_create(70001, 1000);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    check_same("many rows, in order", view, 1000);
    m->table.in_blocks = true;
    check_same("many rows", view, 1000);
    check_same("many rows", view, 100000);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* Nor does it matter whether the number of rows is known. */
Test(stats_tree, blocks_and_unknown_rows_do_not_show)
{
    static const int64_t blocks[] = {1 << 20, 1, 16384, 20000};
    dvt_lines want = {0};
    dvt_many_rows *m = dvt_many_rows_create(40000, 1);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.exact_values = options.exact_distinct = 100;
    for (size_t i = 0; i < 2 * COUNT(blocks); i++) {
        dvt_lines lines = {0};
        m->table.block_rows = blocks[i % COUNT(blocks)];
        m->table.rows_unknown = i / COUNT(blocks);
        m->table.in_blocks = !m->table.rows_unknown;
        for (int32_t k = 0; k < 3; k++) /* as decoded blocks, which determine the runs */
            m->table.column[k].as.fixed.values.is_borrowed = i % 2;
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        dv_stats *stats = dvt_stats_of(view, &options);
        dvt_stats_print(i ? &lines : &want, stats);
        cr_expect(i == 0 || strcmp(lines.data, want.data) == 0, "way %zu", i);
        dv_stats_free(&stats);
        dv_view_release(&view);
        dvt_lines_free(&lines);
    }
    dvt_lines_free(&want);
    dvt_many_rows_free(m);
}

/* Other columns do not change the statistics of a column. */
Test(stats_tree, columns_do_not_show_in_each_other)
{
    dvt_many_rows *m = dvt_many_rows_create(20000, 512);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    options.exact_values = options.exact_distinct = 1000;
    dv_stats *all = dvt_stats_of(view, &options);
    options.cursor = &cursor;
    for (int32_t k = 0; k < all->columns; k++) {
        dvt_lines a = {0}, b = {0};
        const int32_t columns[] = {k};
        cursor.columns = columns;
        cursor.columns_count = 1;
        dv_stats *one = dvt_stats_of(view, &options);
        dvt_stats_print(&a, &(dv_stats){all->rows, 1, &all->column[k]});
        dvt_stats_print(&b, one);
        cr_expect_str_eq(a.data, b.data);
        dv_stats_free(&one);
        dvt_lines_free(&a);
        dvt_lines_free(&b);
    }
    dv_stats_free(&all);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* One pass: no row of any column is read twice, except in the first block, which the plan reads
 * too. */
Test(stats_tree, every_value_is_read_once)
{
    dvt_many_rows *m = dvt_many_rows_create(300000, 8192);
    for (int32_t k = 0; k < 4; k++)
        m->table.column[k].as.fixed.values.is_borrowed = false;
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    cr_expect_leq(m->table.read, 4 * 300000 + 8192);
    cr_expect_geq(m->table.read, 4 * 300000);
    dv_stats_free(&stats);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}
