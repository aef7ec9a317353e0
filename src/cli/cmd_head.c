/* SPDX-License-Identifier: MIT */
/* cmd_head.c: the first rows, as a table that fits the screen. */
#include "cli/input.h"
#include "cli/printer.h"
#include "cli/select.h"
#include "cli/table.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define WIDTH_UNKNOWN 100 /* columns, when nobody tells how wide the reader is */
#define COLUMN_LEAST 3    /* columns of the screen that a column takes, its gap included */

typedef struct head {
    const dvi_selection *selection;
    dvi_table table;
    int32_t candidates; /* selected columns that could fit; only these are read */
    dv_value *values;   /* one per candidate, standing in a row */
    int64_t rows;       /* shown so far */
    bool has_printed;   /* a table, of which this one is the next part */
} head;

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

/* The names, and a line of types. */
static void add_header(head *h)
{
    dvi_table *table = &h->table;
    if (h->selection->ids)
        dvi_table_column_add(table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    for (int32_t k = 0; k < h->candidates; k++)
        dvi_table_column_add(table, flags_of(type_of(h->selection, k)));
    if (h->selection->ids)
        dvi_table_add_text(table, dv_text_of(DVI_ID_NAME));
    for (int32_t k = 0; k < h->candidates; k++)
        dvi_table_add_text(table, dvi_selection_name(h->selection, k));
    if (h->selection->ids)
        dvi_table_add_text(table, dv_text_of(dv_kind_name(DV_KIND_UG)));
    for (int32_t k = 0; k < h->candidates; k++)
        dvi_table_add_type(table, type_of(h->selection, k));
}

static void add_row(head *h, const dv_batch *batch, int64_t row)
{
    if (batch->ids)
        dvi_table_add_id(&h->table, batch->ids[row]);
    for (int32_t k = 0; k < batch->columns; k++)
        dvi_table_add_value(&h->table, &h->values[k]);
    h->rows++;
}

/* "... 12 more columns: a, b, c" */
static void print_left_out(const head *h, dvi_out *out)
{
    const int32_t first = h->selection->ids, total = h->selection->count;
    int32_t shown = 0;
    while (shown < h->candidates && h->table.columns[first + shown].width)
        shown++;
    if (shown == total)
        return;
    char text[64];
    snprintf(text, sizeof text, "\u2026 %d more column%s: ", (int)(total - shown),
             total - shown == 1 ? "" : "s");
    dvi_ink ink = {.most = h->table.most};
    dvi_ink_text(&ink, text);
    for (int32_t k = shown; k < total && !ink.is_full; k++) {
        const dv_text name = dvi_selection_name(h->selection, k);
        dvi_ink_text(&ink, k > shown ? ", " : "");
        dvi_ink_write(&ink, name.data, (size_t)name.nbytes);
    }
    dvi_cell cell;
    if (dvi_cell_take(&cell, &ink)) {
        dvi_cell_write(&cell, h->table.most, out);
        dvi_out_text(out, "\n");
    }
    dvi_cell_free(&cell);
}

static dvi_exit print_part(head *h, dvi_out *out)
{
    if (h->has_printed)
        dvi_out_text(out, "\n");
    const dvi_exit status = dvi_table_print(&h->table, out);
    if (!status)
        print_left_out(h, out);
    dvi_table_clear(&h->table);
    h->has_printed = true;
    return status;
}

static dvi_exit add_batch(head *h, const dv_batch *batch, dvi_out *out)
{
    for (int32_t k = 0; k < batch->columns; k++)
        h->values[k] = dv_value_first(dv_batch_column(batch, k));
    for (int64_t row = 0; row < batch->rows; row++) {
        if (dvi_table_rows(&h->table) == DVI_TABLE_ROWS) {
            const dvi_exit status = print_part(h, out);
            if (status)
                return status;
        }
        add_row(h, batch, row);
        for (int32_t k = 0; k < batch->columns && row + 1 < batch->rows; k++)
            dv_value_next(&h->values[k]);
    }
    return DVI_EXIT_DONE;
}

/* Print the rows; the ones before a failure come first. */
static dvi_exit print_rows(head *h, dv_view *view, dvi_out *out)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = h->selection->options;
    options.columns_count = h->candidates;
    dv_cursor *cursor = NULL;
    dv_status status = dv_cursor_open(&cursor, view, &options, &err);
    dvi_exit told = DVI_EXIT_DONE;
    const dv_batch *batch;
    while (status == DV_OK && !told && !out->os_code) {
        status = dv_cursor_next(cursor, &batch, &err);
        if (status == DV_OK)
            told = add_batch(h, batch, out);
    }
    dv_cursor_close(&cursor);
    if (!told && (status >= 0 || h->rows))
        told = print_part(h, out);
    if (status >= 0 || told)
        return told;
    dvi_out_flush(out);
    return dvi_say_error(&err);
}

/* "10 of 600 rows, 5 columns" */
static void print_summary(const head *h, dvi_out *out)
{
    const int64_t rows = h->selection->rows;
    if (rows > h->rows)
        dvi_out_print(out, "%" PRId64 " of ", h->rows);
    const int64_t all = rows < 0 ? h->rows : rows;
    dvi_out_print(out, "%" PRId64 " row%s%s, %d column%s\n", all, all == 1 ? "" : "s",
                  rows < 0 ? " shown" : "", (int)h->selection->count,
                  h->selection->count == 1 ? "" : "s");
}

static dvi_exit show(dv_view *view, const dvi_selection *selection, bool quiet, dvi_out *out)
{
    dvi_screen screen = dvi_screen_of(out->fd);
    screen.width = screen.width ? screen.width : WIDTH_UNKNOWN;
    const int32_t most = screen.width / COLUMN_LEAST + 1;
    head h = {.selection = selection};
    h.candidates = selection->count < most ? selection->count : most;
    h.values = calloc((size_t)h.candidates + 1, sizeof *h.values);
    if (!h.values)
        return dvi_say_memory();

    dvi_table_init(&h.table, &screen, 2);
    add_header(&h);
    const dvi_exit status = print_rows(&h, view, out);
    if (!status && !quiet)
        print_summary(&h, out);
    dvi_table_free(&h.table);
    free(h.values);
    return status;
}

dvi_exit dvi_cmd_head(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dvi_selection selection = {0};
    dvi_exit status = dvi_input_open(&view, args);
    if (!status)
        status = dvi_select(&selection, args, view);
    if (!status) {
        dv_cursor_options *options = &selection.options;
        if (options->take < 0 || options->take > args->lines)
            options->take = args->lines;
        if (options->threads == 0 && options->take <= DVI_TABLE_ROWS)
            options->threads = 1; /* not worth waking others */
        status = show(view, &selection, args->quiet, out);
    }
    dvi_selection_free(&selection);
    dv_view_release(&view);
    return status;
}
