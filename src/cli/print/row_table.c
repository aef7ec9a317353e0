/* SPDX-License-Identifier: MIT */
/* row_table.c: reads rows into tables and prints them. */
#include "cli/print/row_table.h"
#include "cli/args/input.h"
#include "cli/print/printer.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_UNKNOWN 100 /* columns, if the width of the screen is unknown */
#define COLUMN_LEAST 3    /* columns of the screen that a column takes, with its gap */

static unsigned flags_of(const dv_type *type)
{
    if (dv_type_is_vector(type))
        return 0;
    switch (type->kind) {
    case DV_KIND_TX:
    case DV_KIND_BY:
    case DV_KIND_UG:
    case DV_KIND_EXTENSION:
        return 0;
    case DV_KIND_DT:
    case DV_KIND_DZ:
        return DVI_COLUMN_FIRM;
    default:
        return DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT;
    }
}

static const dv_type *type_of(const dvi_selection *selection, int32_t k)
{
    return &dv_schema_column(selection->schema, selection->columns[k])->type;
}

/* Add the names and a line of types. */
static void add_header(dvi_row_table *t)
{
    dvi_table *table = &t->table;
    if (t->selection->ids)
        dvi_table_column_add(table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    for (int32_t k = 0; k < t->candidates; k++)
        dvi_table_column_add(table, flags_of(type_of(t->selection, k)));
    if (t->selection->ids)
        dvi_table_add_text(table, dv_text_of(DVI_ID_NAME));
    for (int32_t k = 0; k < t->candidates; k++)
        dvi_table_add_text(table, dvi_selection_name(t->selection, k));
    if (t->selection->ids)
        dvi_table_add_text(table, dv_text_of(dv_kind_name(DV_KIND_UG)));
    for (int32_t k = 0; k < t->candidates; k++)
        dvi_table_add_type(table, type_of(t->selection, k));
}

static void add_row(dvi_row_table *t, const dv_batch *batch, int64_t row)
{
    if (batch->ids)
        dvi_table_add_id(&t->table, batch->ids[row]);
    for (int32_t k = 0; k < batch->columns; k++)
        dvi_table_add_value(&t->table, &t->values[k]);
    t->rows++;
}

/* "... 12 more columns: a, b, c" */
static dvi_exit print_left_out(const dvi_row_table *t)
{
    const int32_t first = t->selection->ids, total = t->selection->count;
    int32_t shown = 0;
    while (shown < t->candidates && t->table.columns[first + shown].width)
        shown++;
    if (shown == total)
        return DVI_EXIT_DONE;
    char text[64];
    snprintf(text, sizeof text, "\u2026 %d more column%s: ", (int)(total - shown),
             total - shown == 1 ? "" : "s");
    dvi_clip clip = {.most = t->table.most};
    dvi_clip_text(&clip, text);
    for (int32_t k = shown; k < total && !clip.is_full; k++) {
        const dv_text name = dvi_selection_name(t->selection, k);
        dvi_clip_text(&clip, k > shown ? ", " : "");
        dvi_clip_write(&clip, name.data, (size_t)name.nbytes);
    }
    dvi_cell cell;
    if (!dvi_cell_take(&cell, &clip))
        return dvi_say_memory();
    dvi_cell_write(&cell, t->table.most, t->out);
    dvi_out_text(t->out, "\n");
    dvi_cell_free(&cell);
    return DVI_EXIT_DONE;
}

static dvi_exit print_table(dvi_row_table *t)
{
    if (t->has_printed)
        dvi_out_text(t->out, "\n");
    dvi_exit status = dvi_table_print(&t->table, t->out);
    if (!status)
        status = print_left_out(t);
    dvi_table_clear(&t->table);
    t->has_printed = true;
    return status;
}

dvi_exit dvi_row_table_add(dvi_row_table *t, const dv_batch *batch, int64_t first)
{
    for (int32_t k = 0; k < batch->columns; k++)
        t->values[k] = dv_value_at(dv_batch_column(batch, k), first);
    for (int64_t row = first; row < batch->rows; row++) {
        if (dvi_table_rows(&t->table) == DVI_TABLE_ROWS) {
            const dvi_exit status = print_table(t);
            if (status)
                return status;
        }
        add_row(t, batch, row);
        for (int32_t k = 0; k < batch->columns && row + 1 < batch->rows; k++)
            dv_value_next(&t->values[k]);
    }
    return DVI_EXIT_DONE;
}

/* "10 of 600 rows, 5 columns" */
static void print_summary(const dvi_row_table *t)
{
    const int64_t rows = t->selection->rows;
    if (rows > t->rows)
        dvi_out_print(t->out, "%" PRId64 " of ", t->rows);
    const int64_t all = rows < 0 ? t->rows : rows;
    dvi_out_print(t->out, "%" PRId64 " row%s%s, %d column%s\n", all, all == 1 ? "" : "s",
                  rows < 0 ? " shown" : "", (int)t->selection->count,
                  t->selection->count == 1 ? "" : "s");
}

dvi_exit dvi_row_table_finish(dvi_row_table *t, bool quiet)
{
    const dvi_exit status = print_table(t);
    if (!status && !quiet)
        print_summary(t);
    return status;
}

dvi_exit dvi_row_table_init(dvi_row_table *t, const dvi_selection *selection, dvi_out *out)
{
    dvi_screen screen = dvi_screen_of(out->fd);
    screen.width = screen.width ? screen.width : WIDTH_UNKNOWN;
    const int32_t most = screen.width / COLUMN_LEAST + 1;
    *t = (dvi_row_table){.selection = selection, .out = out};
    t->candidates = selection->count < most ? selection->count : most;
    dvi_table_init(&t->table, &screen, 2);
    t->values = calloc((size_t)t->candidates + 1, sizeof *t->values);
    if (!t->values)
        return dvi_say_memory();
    add_header(t);
    return DVI_EXIT_DONE;
}

void dvi_row_table_free(dvi_row_table *t)
{
    dvi_table_free(&t->table);
    free(t->values);
}

dvi_exit dvi_row_table_read(dvi_row_table *t, dv_view *view)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = t->selection->options;
    options.columns_count = t->candidates;
    dv_cursor *cursor = NULL;
    dv_status status = dv_cursor_open(&cursor, view, &options, &err);
    dvi_exit printed = DVI_EXIT_DONE;
    const dv_batch *batch;
    while (status == DV_OK && !printed && !t->out->os_code) {
        status = dv_cursor_next(cursor, &batch, &err);
        if (status == DV_OK)
            printed = dvi_row_table_add(t, batch, 0);
    }
    dv_cursor_close(&cursor);
    if (printed || status >= 0)
        return printed;
    if (t->rows)
        printed = print_table(t);
    dvi_out_flush(t->out);
    return printed ? printed : dvi_say_reworded(&err);
}

dvi_exit dvi_row_table_show(dv_view *view, const dvi_selection *selection, bool quiet, dvi_out *out)
{
    dvi_row_table t;
    dvi_exit status = dvi_row_table_init(&t, selection, out);
    if (!status)
        status = dvi_row_table_read(&t, view);
    if (!status)
        status = dvi_row_table_finish(&t, quiet);
    dvi_row_table_free(&t);
    return status;
}
