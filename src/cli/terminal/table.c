/* SPDX-License-Identifier: MIT */
/* table.c: collects the cells of a table and writes them. */
#include "cli/terminal/table.h"
#include "cli/terminal/table_layout.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define BOLD "\x1b[1m"
#define DIM "\x1b[2m"
#define PLAIN "\x1b[0m"

#define NOTE_VALUE_LEAST 16 /* columns kept for the value of a note, its gap included */

void dvi_table_init(dvi_table *table, const dvi_screen *screen, int32_t header)
{
    *table = (dvi_table){.most = screen->width ? screen->width : DVI_CLIP_UNLIMITED,
                         .has_colour = screen->has_colour,
                         .header = header};
}

void dvi_table_free(dvi_table *table)
{
    for (size_t i = 0; i < table->used; i++)
        dvi_cell_free(&table->cells[i]);
    free(table->cells);
    free(table->columns);
    *table = (dvi_table){0};
}

/* Make room for one more item; false: out of memory, which is remembered. */
static bool reserve(dvi_table *table, void **items, size_t used, size_t cap, size_t item_nbytes)
{
    if (used < cap)
        return true;
    void *more = realloc(*items, (cap ? 2 * cap : 16) * item_nbytes);
    if (!more) {
        table->is_failed = true;
        return false;
    }
    *items = more;
    return true;
}

void dvi_table_column_add(dvi_table *table, unsigned flags)
{
    void *columns = table->columns;
    const size_t used = (size_t)table->count, cap = (size_t)table->columns_cap;
    if (!reserve(table, &columns, used, cap, sizeof *table->columns))
        return;
    if (used == cap)
        table->columns_cap = cap ? 2 * table->columns_cap : 16;
    table->columns = columns;
    table->columns[table->count++] = (dvi_table_column){.flags = flags};
}

/* Add a cell, or free it and remember that memory ran out. */
static void add(dvi_table *table, bool ok, dvi_cell *cell)
{
    void *cells = table->cells;
    if (!ok || !reserve(table, &cells, table->used, table->cells_cap, sizeof *table->cells)) {
        table->is_failed = true;
        dvi_cell_free(cell);
        return;
    }
    if (table->used == table->cells_cap)
        table->cells_cap = table->cells_cap ? 2 * table->cells_cap : 16;
    table->cells = cells;
    table->cells[table->used++] = *cell;
}

void dvi_table_add_text(dvi_table *table, dv_text text)
{
    dvi_cell cell;
    const bool ok = dvi_cell_text(&cell, text, table->most);
    add(table, ok, &cell);
}

void dvi_table_add_print(dvi_table *table, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    dvi_table_add_text(table, dv_text_of(text));
}

void dvi_table_add_clip(dvi_table *table, dvi_clip *clip)
{
    dvi_cell cell;
    const bool ok = dvi_cell_take(&cell, clip);
    add(table, ok, &cell);
}

void dvi_table_add_value(dvi_table *table, const dv_value *value)
{
    dvi_cell cell;
    const bool ok = dvi_cell_value(&cell, value, table->most);
    add(table, ok, &cell);
}

void dvi_table_add_id(dvi_table *table, dv_u128 id)
{
    dvi_cell cell;
    const bool ok = dvi_cell_id(&cell, id);
    add(table, ok, &cell);
}

void dvi_table_add_type(dvi_table *table, const dv_type *type)
{
    dvi_clip clip = {.most = table->most};
    dvi_clip_type(&clip, type);
    dvi_table_add_clip(table, &clip);
}

void dvi_table_add_name(dvi_table *table, const dv_column_info *info)
{
    dvi_clip clip = {.most = table->most};
    dvi_clip_write(&clip, info->name.data, (size_t)info->name.nbytes);
    dvi_clip_text(&clip, info->is_hidden ? " (hidden)" : "");
    dvi_table_add_clip(table, &clip);
}

void dvi_table_add_note(dvi_table *table, dvi_clip *label, const dv_value *value)
{
    dvi_cell cell;
    const bool ok = dvi_cell_take(&cell, label);
    cell.kind = DVI_CELL_NOTE;
    add(table, ok, &cell);
    dvi_table_add_value(table, value);
    for (int32_t i = 2; i < table->count; i++)
        add(table, true, &(dvi_cell){0});
}

size_t dvi_table_rows(const dvi_table *table)
{
    const size_t rows = table->count ? table->used / (size_t)table->count : 0;
    return rows > (size_t)table->header ? rows - (size_t)table->header : 0;
}

void dvi_table_clear(dvi_table *table)
{
    const size_t header = (size_t)table->header * (size_t)table->count;
    while (table->used > header)
        dvi_cell_free(&table->cells[--table->used]);
}

static const char *colour_of(const dvi_table *table, size_t row, const dvi_cell *cell)
{
    if (!table->has_colour)
        return NULL;
    if (row < (size_t)table->header)
        return row == 0 ? BOLD : DIM;
    return cell->kind == DVI_CELL_NA ? DIM : NULL;
}

static void write_blanks(dvi_out *out, int32_t n)
{
    static const char blanks[] = "                                ";
    for (const int32_t most = (int32_t)sizeof blanks - 1; n > 0; n -= most)
        dvi_out_write(out, blanks, (size_t)(n < most ? n : most));
}

static int32_t write_cell(dvi_out *out, const dvi_cell *cell, int32_t width, const char *colour)
{
    if (colour)
        dvi_out_text(out, colour);
    const int32_t shown = dvi_cell_write(cell, width, out);
    if (colour)
        dvi_out_text(out, PLAIN);
    return shown;
}

/* Write a row, without blanks at its end. */
static void write_row(const dvi_table *table, size_t row, dvi_out *out)
{
    const dvi_cell *cells = table->cells + row * (size_t)table->count;
    int32_t gap = 0;
    for (int32_t i = 0; i < table->count; i++) {
        const dvi_table_column *column = &table->columns[i];
        if (column->width && cells[i].width) {
            const bool is_right = column->flags & DVI_COLUMN_RIGHT;
            const int32_t room = column->width - cells[i].width;
            const int32_t left = is_right && room > 0 ? room : 0;
            write_blanks(out, gap + left);
            const char *colour = colour_of(table, row, &cells[i]);
            gap = -left - write_cell(out, &cells[i], column->width, colour);
        }
        if (column->width)
            gap += column->width + DVI_TABLE_GAP;
    }
    dvi_out_text(out, "\n");
}

/* Write the label, then the value. */
static void write_note(const dvi_table *table, const dvi_cell *label, dvi_out *out)
{
    const int32_t room = table->most - NOTE_VALUE_LEAST;
    const int32_t width = label->width < room ? label->width : room > 0 ? room : 1;
    const int32_t left = table->most - DVI_TABLE_GAP - dvi_cell_write(label, width, out);
    write_blanks(out, DVI_TABLE_GAP);
    dvi_cell_write(&label[1], left > 0 ? left : 1, out);
    dvi_out_text(out, "\n");
}

bool dvi_table_fits(dvi_table *table)
{
    bool fits = true;
    dvi_table_lay_out(table);
    for (int32_t i = 0; i < table->count; i++)
        fits &= table->columns[i].width || table->columns[i].flags & DVI_COLUMN_OPTIONAL;
    return fits;
}

dvi_exit dvi_table_print(dvi_table *table, dvi_out *out)
{
    if (table->is_failed)
        return dvi_say_memory();
    dvi_table_lay_out(table);
    const size_t rows = table->count ? table->used / (size_t)table->count : 0;
    for (size_t row = 0; row < rows && !out->os_code; row++) {
        const dvi_cell *first = &table->cells[row * (size_t)table->count];
        if (first->kind == DVI_CELL_NOTE)
            write_note(table, first, out);
        else
            write_row(table, row, out);
    }
    return DVI_EXIT_DONE;
}
