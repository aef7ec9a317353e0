/* SPDX-License-Identifier: MIT */
/* gathered_rows.c: rows copied into columns that grow. */
#include "gather/gathered_rows.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/batch.h"

static const dv_type *type_of(const dvi_gathered_rows *g, int32_t k)
{
    return dvi_row_type(g->request, k);
}

dv_status dvi_gathered_make(dvi_gathered_rows *g, const dv_cursor_request *request, dv_error *err)
{
    g->request = request;
    g->columns = request->columns_count + request->ids;
    return DVI_NEW(request->allocator, &g->column, (size_t)g->columns, err);
}

void dvi_gathered_free(dvi_gathered_rows *g)
{
    for (int32_t k = 0; g->column && k < g->columns; k++)
        dvi_growing_free(&g->column[k]);
    if (g->column)
        dvi_free(g->request->allocator, g->column, (size_t)g->columns * sizeof *g->column);
    *g = (dvi_gathered_rows){0};
}

/* --- Copying ---------------------------------------------------------------------------------- */

dv_status dvi_gathered_add(dvi_gathered_rows *g, int32_t first, int32_t count,
                           const dvi_row_ref *refs, int64_t n, dv_error *err)
{
    for (int32_t k = first; k < first + count; k++)
        DVI_TRY(dvi_row_refs_reserve(&g->column[k], type_of(g, k), g->first + k, refs, n,
                                     g->request->allocator, err));
    for (int32_t k = first; k < first + count; k++)
        DVI_TRY(dvi_row_refs_append(&g->column[k], type_of(g, k), g->first + k, refs, n, err));
    return DV_OK;
}

static dv_column_view column_of(const dvi_gathered_rows *g, const dv_batch *batch, int32_t k)
{
    return k < g->request->columns_count ? *dv_batch_column(batch, g->first + k)
                                         : dvi_batch_ids_column(batch, batch->rows);
}

dv_status dvi_gathered_add_batch(dvi_gathered_rows *g, const dv_batch *batch, dv_error *err)
{
    for (int32_t k = 0; k < g->columns; k++) {
        const dv_column_view column = column_of(g, batch, k);
        DVI_TRY(
            dvi_growing_reserve(&g->column[k], &column, batch->rows, g->request->allocator, err));
    }
    for (int32_t k = 0; k < g->columns; k++) {
        const dv_column_view column = column_of(g, batch, k);
        dvi_growing_append(&g->column[k], &column, batch->rows);
    }
    return DV_OK;
}

void dvi_gathered_reset(dvi_gathered_rows *g)
{
    for (int32_t k = 0; k < g->columns; k++)
        dvi_growing_reset(&g->column[k]);
}

int64_t dvi_gathered_nbytes_of(const dvi_gathered_rows *g, int32_t k)
{
    return dvi_row_refs_nbytes(&g->column[k], type_of(g, k));
}

int64_t dvi_gathered_nbytes(const dvi_gathered_rows *g)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < g->columns; k++)
        sum += dvi_gathered_nbytes_of(g, k);
    return sum;
}

/* --- What has been copied --------------------------------------------------------------------- */

void dvi_gathered_lend(const dvi_gathered_rows *g, int32_t first, int32_t count, dv_batch *batch)
{
    for (int32_t k = first; k < first + count; k++) {
        dvi_column column;
        dvi_growing_view(&g->column[k], type_of(g, k), &column);
        if (k == g->request->columns_count)
            dvi_batch_lend_ids(batch, &column.view.as.fixed.values);
        else
            dvi_batch_set_slot(batch, k, &column.view);
    }
}

dv_status dvi_gathered_keep(const dvi_gathered_rows *g, dvi_kept_batch **kept_out, dv_error *err)
{
    const dv_allocator *allocator = g->request->allocator;
    const size_t n = (size_t)g->columns, each = sizeof(dvi_column) + sizeof(const dv_column_view *);
    void *made;
    *kept_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &made, n * each, err));
    dvi_column *columns = made;
    const dv_column_view **views = (const dv_column_view **)(void *)(columns + n);
    for (int32_t k = 0; k < g->columns; k++) {
        dvi_growing_view(&g->column[k], type_of(g, k), &columns[k]);
        views[k] = &columns[k].view;
    }
    const int64_t rows = g->columns > 0 ? g->column[0].rows : 0;
    const dv_status status =
        dvi_kept_batch_make(kept_out, views, g->columns, rows, NULL, allocator, err);
    dvi_free(allocator, made, n * each);
    return status;
}
