/* SPDX-License-Identifier: MIT */
/* table_layout.c: shares the width of the screen among the columns. */
#include "cli/terminal/table_layout.h"

#define NAME_LEAST 11 /* names in the header are not cut below this */

static int32_t less(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t more(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Find the natural and the least width of each column. */
static void measure(dvi_table *table)
{
    for (int32_t i = 0; i < table->count; i++)
        table->columns[i].natural = table->columns[i].least = 1;
    const size_t count = (size_t)table->count, header = (size_t)table->header * count;
    for (size_t k = 0; k < table->used; k++) {
        if (table->cells[k - k % count].kind == DVI_CELL_NOTE)
            continue;
        dvi_table_column *column = &table->columns[k % count];
        const int32_t width = less(table->cells[k].width, table->most);
        const bool is_firm = column->flags & DVI_COLUMN_FIRM && k >= header;
        const int32_t least = k < header ? NAME_LEAST : table->cells[k].least;
        column->natural = more(column->natural, width);
        column->least = more(column->least, is_firm ? width : less(width, least));
    }
}

/* The width of the table if columns are at most `cap` wide, or as wide as they need. */
static int64_t total_width(const dvi_table *table, int32_t cap)
{
    int64_t total = -DVI_TABLE_GAP;
    for (int32_t i = 0; i < table->count; i++) {
        const dvi_table_column *column = &table->columns[i];
        if (column->width)
            total += more(column->least, less(column->natural, cap)) + DVI_TABLE_GAP;
    }
    return total;
}

/* Leave out the last optional column, or else the last one; false: only one is left. */
static bool leave_out(dvi_table *table)
{
    int32_t last = 0;
    bool is_optional = false;
    for (int32_t i = 1; i < table->count; i++) {
        const bool can_miss = table->columns[i].flags & DVI_COLUMN_OPTIONAL;
        if (table->columns[i].width && can_miss >= is_optional) {
            last = i;
            is_optional = can_miss;
        }
    }
    table->columns[last].width = last ? 0 : 1;
    return last != 0;
}

void dvi_table_lay_out(dvi_table *table)
{
    measure(table);
    for (int32_t i = 0; i < table->count; i++)
        table->columns[i].width = 1;
    while (total_width(table, 0) > table->most)
        if (!leave_out(table))
            break;

    int32_t low = 0, high = table->most; /* the widest cap that fits */
    while (low < high) {
        const int32_t cap = low + (high - low + 1) / 2;
        if (total_width(table, cap) <= table->most)
            low = cap;
        else
            high = cap - 1;
    }
    int64_t left = table->most - total_width(table, low);
    for (int32_t i = 0; i < table->count; i++) {
        dvi_table_column *column = &table->columns[i];
        if (!column->width)
            continue;
        column->width = less(more(column->least, less(column->natural, low)), table->most);
        if (left > 0 && column->width < column->natural) {
            column->width++;
            left--;
        }
    }
}
