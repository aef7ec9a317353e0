/* SPDX-License-Identifier: MIT */
/* slot_values.c: walks over the values of columns. */
#include "transform/slot_values.h"
#include "base/check.h"
#include "transform/vector_rows.h"

#define RUN 512 /* values that are handed on at once */

/* Read n values from item `at` on. */
static void read_values(double *dst, const dv_column_view *items, int64_t at, size_t n)
{
    const char *src = items->as.fixed.values.data;
    if (items->type.kind == DV_KIND_R4)
        for (size_t i = 0; i < n; i++)
            dst[i] = (double)dvi_load_f4(src + 4 * ((size_t)at + i));
    else
        for (size_t i = 0; i < n; i++)
            dst[i] = dvi_load_f8(src + 8 * ((size_t)at + i));
}

/* Hand on the values from item `at` on; `from` says what they are. */
static dv_status take_items(const dv_column_view *items, int64_t at, int64_t n,
                            const dvi_slot_values *from, dvi_take_values *take, void *ctx,
                            dv_error *err)
{
    double values[RUN];
    for (int64_t i = 0; i < n; i += RUN) {
        dvi_slot_values run = *from;
        run.values = values;
        run.n = (size_t)(n - i < RUN ? n - i : RUN);
        run.slots = from->slots ? from->slots + 4 * i : NULL;
        if (from->is_single)
            run.row += i;
        else
            run.first_slot += (int32_t)i;
        read_values(values, items, at + i, run.n);
        DVI_TRY(take(ctx, &run, err));
    }
    return DV_OK;
}

dv_status dvi_slot_values_each(const dv_column_view *column, int64_t first, dvi_take_values *take,
                               void *ctx, dv_error *err)
{
    dvi_vector_row row = dvi_vector_rows(column);
    const dvi_slot_values all = {.is_single = true, .row = first};
    if (column->layout != DV_LAYOUT_VECTOR)
        return take_items(column, 0, column->rows, &all, take, ctx, err);
    while (dvi_vector_rows_next(&row)) {
        const dvi_slot_values own = {.slots = row.slots, .row = first + row.row};
        DVI_TRY(take_items(row.items, row.item, row.n, &own, take, ctx, err));
    }
    return DV_OK;
}

dv_status dvi_pooled_values_each(const dv_column_view *column, int64_t *first,
                                 dvi_take_values *take, void *ctx, dv_error *err)
{
    dvi_vector_row row = dvi_vector_rows(column);
    while (dvi_vector_rows_next(&row)) {
        for (int32_t i = 0; row.slots && i < row.n; i++) {
            const dvi_slot_values one = {.is_single = true,
                                         .row = *first + dvi_vector_row_slot(&row, i)};
            DVI_TRY(take_items(row.items, row.item + i, 1, &one, take, ctx, err));
        }
        const dvi_slot_values all = {.is_single = true, .row = *first};
        if (!row.slots)
            DVI_TRY(take_items(row.items, row.item, row.n, &all, take, ctx, err));
        *first += row.length;
    }
    return DV_OK;
}
