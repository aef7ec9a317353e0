/* SPDX-License-Identifier: MIT */
/* made_table.c: a view of columns in memory. */
#include "support/made_table.h"
#include "view/column.h"
#include <dataview/own_view.h>
#include <stdlib.h>

typedef struct walk {
    dvt_made_table *table;
    const dv_cursor_request *request;
    int64_t row;
} walk;

static int64_t count_rows(void *self)
{
    const dvt_made_table *table = self;
    return table->rows_unknown ? DV_ROWS_UNKNOWN : table->rows;
}

static dv_status open_walk(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)err;
    walk *w = malloc(sizeof *w);
    if (!w)
        abort();
    *w = (walk){self, request, request->first_row};
    *cursor_out = w;
    return DV_OK;
}

static dv_status fail_corrupt(dv_error *err)
{
    if (err) {
        *err = (dv_error)DV_ERROR_INIT;
        err->status = DV_ERR_CORRUPT;
    }
    return DV_ERR_CORRUPT;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    walk *w = cursor;
    dvt_made_table *t = w->table;
    const int64_t last = w->request->end_row < t->rows ? w->request->end_row : t->rows;
    int64_t end = (w->row / t->block_rows + 1) * t->block_rows;
    end = end < last ? end : last;
    if (w->row >= end)
        return DV_END;
    if (w->request->columns_count > 0 && t->bad_row >= w->row && t->bad_row < end)
        return fail_corrupt(err);
    dv_status status = dv_batch_start(batch, w->row, end - w->row, err);
    for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++) {
        dvi_column part;
        dvi_column_assign(&part, &t->column[w->request->columns[k]]);
        dvi_column_advance(&part.view, w->row);
        dvi_column_limit(&part.view, end - w->row);
        status = dv_batch_fill(batch, k, &part.view, err);
        atomic_fetch_add(&t->read, end - w->row);
    }
    w->row = end;
    return status;
}

static int64_t block_rows(void *self)
{
    const dvt_made_table *t = self;
    return t->in_blocks ? t->block_rows : 0;
}

static const dv_view_class made_class = {.size = sizeof made_class,
                                         .block_rows = block_rows,
                                         .kind = "made table",
                                         .rows = count_rows,
                                         .open_cursor = open_walk,
                                         .next = next,
                                         .close_cursor = free};

dv_view *dvt_made_table_open(dvt_made_table *table, const dv_allocator *allocator)
{
    dv_schema *schema;
    dv_view *view = NULL;
    if (dv_schema_create(&schema, allocator, NULL) < 0)
        abort();
    for (int32_t k = 0; k < table->columns; k++) {
        const dv_text letter = {&"abcdefgh"[k], 1};
        const dv_text name = table->name[k] ? dv_text_of(table->name[k]) : letter;
        if (dv_schema_add(schema, name, &table->column[k].type, NULL, NULL) < 0)
            abort();
    }
    if (table->metadata_kind && dv_schema_add_metadata(schema, 0, dv_text_of(table->metadata_kind),
                                                       &table->metadata, NULL) < 0)
        abort();
    for (int32_t i = 0; i < table->more_count; i++)
        if (dv_schema_add_metadata(schema, table->more[i].column, dv_text_of(table->more[i].kind),
                                   &table->more[i].value, NULL) < 0)
            abort();
    if (dv_view_create(&view, &made_class, table, &schema, allocator, NULL) < 0)
        abort();
    return view;
}

dv_column_view dvt_made_fixed(dv_type type, const void *values, int64_t n)
{
    dv_column_view view = {.type = type, .layout = DV_LAYOUT_FIXED, .rows = n};
    view.as.fixed.values = (dv_buffer){.data = values,
                                       .nbytes = (size_t)n * dvi_width_of(&type),
                                       .is_borrowed = true,
                                       .is_aligned = true};
    return view;
}

dv_column_view dvt_made_text(dv_kind kind, const char *utf8, const int32_t *ends, int64_t n)
{
    dv_column_view view = {.type = dv_type_of(kind), .rows = n};
    view.layout = kind == DV_KIND_TX ? DV_LAYOUT_TEXT : DV_LAYOUT_BYTES;
    const size_t nbytes = n > 0 ? (size_t)(ends[n - 1] & INT32_MAX) : 0;
    view.as.text.utf8 = (dv_buffer){.data = utf8, .nbytes = nbytes, .is_borrowed = true};
    view.as.text.ends = (dv_buffer){
        .data = ends, .nbytes = (size_t)n * sizeof *ends, .is_borrowed = true, .is_aligned = true};
    return view;
}
