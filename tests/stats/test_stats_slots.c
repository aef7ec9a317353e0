/* SPDX-License-Identifier: MIT */
/* test_stats_slots.c: the statistics of a slot are those of a column with its values. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/stats_truth.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/value.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20011, SLOTS = 4 };

/* The slots of column d of many rows, as columns. */
static dv_stats *truth_of(const dvt_many_rows *m)
{
    static int32_t value[SLOTS][ROWS];
    dvt_made_table table = {
        .columns = SLOTS, .rows = ROWS, .block_rows = 700, .in_blocks = true, .bad_row = -1};
    dv_value vector = dv_value_first(&m->table.column[3]);
    for (int64_t row = 0; row < ROWS; row++, dv_value_next(&vector)) {
        for (int slot = 0; slot < SLOTS; slot++)
            value[slot][row] = 0;
        for (int32_t i = 0; i < dv_value_items(&vector); i++) {
            const dv_value item = dv_value_item(&vector, i);
            value[dv_value_slot(&vector, i)][row] = dv_value_i4(&item);
        }
    }
    for (int slot = 0; slot < SLOTS; slot++)
        table.column[slot] = dvt_made_fixed(dv_type_of(DV_KIND_I4), value[slot], ROWS);
    dv_view *view = dvt_made_table_open(&table, NULL);
    dv_stats *stats = dvt_stats_of(view, NULL);
    dv_view_release(&view);
    return stats;
}

/* Print the statistics of one item as those of column 0. */
static void print(dvt_lines *lines, const dv_column_stats *c)
{
    dv_column_stats alone = *c;
    alone.column = 0;
    alone.slot = -1;
    dvt_stats_print(lines, &(dv_stats){.rows = ROWS, .columns = 1, .column = &alone});
}

static void expect_same(const dv_column_stats *got, const dv_column_stats *want, const char *how)
{
    dvt_lines a = {0}, b = {0};
    print(&a, got);
    print(&b, want);
    cr_expect_str_eq(a.data, b.data, "%s", how);
    dvt_lines_free(&a);
    dvt_lines_free(&b);
}

/* Whatever the order of reading, the threads, and the memory, which may end within a column. */
Test(stats_slots, are_those_of_columns)
{
    static const int32_t split[] = {3}, columns[] = {1, 3, 0};
    dvt_many_rows *m = dvt_many_rows_create(ROWS, 900);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_stats *truth = truth_of(m), *whole = dvt_stats_of(view, NULL);
    for (int how = 0; how < 16; how++) {
        char name[64];
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        m->table.in_blocks = how & 1;
        cursor.threads = how & 2 ? 3 : 1;
        cursor.batch_rows = how & 4 ? 333 : 0;
        cursor.columns = columns;
        cursor.columns_count = 3;
        options.cursor = &cursor;
        options.slot_columns = split;
        options.slot_columns_count = 1;
        options.memory_nbytes = how & 8 ? 1500000 : options.memory_nbytes;
        snprintf(name, sizeof name, "way %d", how);
        dv_stats *stats = dvt_stats_of(view, &options);
        cr_assert(stats->columns == 2 + SLOTS && stats->rows == ROWS);
        for (int32_t k = 0; k < SLOTS; k++) {
            const dv_column_stats *c = &stats->column[1 + k];
            cr_expect(c->column == 3 && c->slot == k && c->values == ROWS);
            cr_expect_eq(c->vector_length.least, -1);
            expect_same(c, &truth->column[k], name);
        }
        cr_expect(stats->column[0].slot == -1 && stats->column[5].column == 0);
        expect_same(&stats->column[0], &whole->column[1], name);
        expect_same(&stats->column[5], &whole->column[0], name);
        dv_stats_free(&stats);
    }
    dv_stats_free(&truth);
    dv_stats_free(&whole);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* Every kind of item, dense and sparse: the slots together have the values of the column. */
Test(stats_slots, of_every_kind)
{
    static const char *const files[] = {"idv/random-16.idv", "idv/random-03.idv",
                                        "idv/vector-wide-sparse.idv", "idv/metadata-raw.idv"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        dv_view *view = dvt_golden_open(files[f], NULL);
        dv_stats *whole = dvt_stats_of(view, NULL);
        for (int32_t k = 0; k < whole->columns; k++) {
            const int32_t column = whole->column[k].column;
            const dv_type *type = &dv_schema_column(dv_view_schema(view), column)->type;
            dv_stats_options options = DV_STATS_OPTIONS_INIT;
            options.slot_columns = &column;
            options.slot_columns_count = 1;
            dv_stats *stats = NULL;
            const bool has_slots = dv_type_is_vector(type) && type->size > 0;
            cr_expect_eq(dv_stats_create(&stats, view, &options, NULL),
                         has_slots ? DV_OK : DV_ERR_ARGUMENT);
            int64_t values = 0, na = 0, defaults = 0;
            for (int32_t i = 0; stats && i < stats->columns; i++)
                if (stats->column[i].column == column) {
                    values += stats->column[i].values;
                    na += stats->column[i].na;
                    defaults += stats->column[i].defaults;
                }
            cr_expect(!stats || (values == whole->column[k].values && na == whole->column[k].na &&
                                 defaults == whole->column[k].defaults));
            dv_stats_free(&stats);
        }
        dv_stats_free(&whole);
        dv_view_release(&view);
    }
}

Test(stats_slots, wrong_columns)
{
    static const int32_t lists[][2] = {{0, 0}, {0, 3}, {9, 0}, {0, 0}};
    static const int32_t counts[] = {2, 2, 1, -1}, only[] = {0};
    dv_view *view = dvt_golden_open("idv/metadata-raw.idv", NULL);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        dv_stats *stats;
        dv_error err = DV_ERROR_INIT;
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        cursor.columns = only;
        cursor.columns_count = 1;
        options.cursor = &cursor;
        options.slot_columns = lists[i];
        options.slot_columns_count = counts[i];
        cr_expect_eq(dv_stats_create(&stats, view, &options, &err), DV_ERR_ARGUMENT, "%zu", i);
        cr_expect(strstr(err.message, "slot_columns"), "%s", err.message);
    }
    dv_view_release(&view);
}

/* A type may claim any number of slots in a few bytes: too many are refused before the 45 MB
 * are reserved that they would take. */
Test(stats_slots, too_many)
{
    static const int32_t lengths[] = {0};
    static const int32_t split[] = {0};
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvt_made_table table = {.columns = 1, .rows = 1, .block_rows = 1, .bad_row = -1};
    dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R4), NULL, 0);
    dv_column_view *v = &table.column[0];
    *v = (dv_column_view){.type = dv_type_vector(items.type, DV_STATS_SLOTS_MOST + 1),
                          .layout = DV_LAYOUT_VECTOR,
                          .rows = 1};
    v->as.vector.length = DV_STATS_SLOTS_MOST + 1;
    v->as.vector.counts = (dv_buffer){.data = lengths, .nbytes = 4};
    v->as.vector.items = &items;
    dv_view *view = dvt_made_table_open(&table, &counted.allocator);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.slot_columns = split;
    options.slot_columns_count = 1;
    dv_stats *stats;
    counted.highest = counted.live;
    const int64_t live = counted.live;
    cr_expect_eq(dv_stats_create(&stats, view, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_leq(counted.highest, live + 200000);
    dv_view_release(&view);
}

Test(stats_slots, each_allocation_may_fail)
{
    static const int32_t split[] = {0};
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    open.allocator = &counted.allocator;
    dv_view *view = dvt_golden_open("idv/metadata-raw.idv", &open);
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    options.slot_columns = split;
    options.slot_columns_count = 1;
    const int64_t live = counted.live;
    for (int64_t k = 1, done = 0; !done; k += DVT_FAIL_STEP) {
        dv_stats *stats;
        counted.fail_at = counted.asked + k;
        const dv_status status = dv_stats_create(&stats, view, &options, NULL);
        done = counted.asked < counted.fail_at;
        counted.fail_at = 0;
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY);
        dv_stats_free(&stats);
        cr_expect_eq(counted.live, live, "allocation %d: a leak", (int)k);
    }
    dv_view_release(&view);
}
