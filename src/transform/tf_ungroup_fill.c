/* SPDX-License-Identifier: MIT */
/* tf_ungroup_fill.c: slots of vectors as rows, and rows that come again. */
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "transform/tf_ungroup_priv.h"

dv_status dvi_ungroup_repeat(dvi_growing_column *gather, const dv_column_view *column, int32_t n,
                             const dv_allocator *allocator, dv_error *err)
{
    /* The memory of n rows is known without looking at them. */
    const bool is_fixed = column->layout == DV_LAYOUT_FIXED || column->layout == DV_LAYOUT_ZONED;
    if (is_fixed)
        DVI_TRY(dvi_growing_reserve(gather, column, n, allocator, err));
    for (int32_t i = 0; i < n; i++) {
        if (!is_fixed)
            DVI_TRY(dvi_growing_reserve(gather, column, 1, allocator, err));
        dvi_growing_append(gather, column, 1);
    }
    return DV_OK;
}

/* Append n items from one on. */
static dv_status append_items(dvi_growing_column *gather, const dv_column_view *items, int64_t at,
                              int32_t n, const dv_allocator *allocator, dv_error *err)
{
    dv_column_view part = *items;
    if (n == 0)
        return DV_OK;
    dvi_column_advance(&part, at);
    DVI_TRY(dvi_growing_reserve(gather, &part, n, allocator, err));
    dvi_growing_append(gather, &part, n);
    return DV_OK;
}

/* The first of n indices that is not less than a slot. */
static int32_t find_index(const char *indices, int32_t n, int32_t slot)
{
    int32_t low = 0;
    while (low < n) {
        const int32_t middle = low + (n - low) / 2;
        if (dvi_load_i32(indices + 4 * (size_t)middle) < slot)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

static dv_status append_sparse(dvi_growing_column *gather, const dv_vector_layout *vector,
                               int32_t first, int32_t end, const dv_allocator *allocator,
                               dv_error *err)
{
    const int32_t count = dvi_vector_count(vector, 0);
    const dv_column_view none = dvi_column_of_default(&vector->items->type);
    const char *indices =
        count > 0 ? (const char *)vector->indices.data + 4 * vector->index_base : NULL;
    int32_t i = find_index(indices, count, first);
    for (int32_t slot = first; slot < end; i++) {
        int32_t stop = end; /* slots before it have no item */
        if (i < count)
            stop = (int32_t)dvi_min_i64(end, dvi_load_i32(indices + 4 * (size_t)i));
        DVI_TRY(dvi_ungroup_repeat(gather, &none, stop - slot, allocator, err));
        slot = stop;
        if (slot < end)
            DVI_TRY(append_items(gather, vector->items, vector->item_base + i, 1, allocator, err));
        slot += slot < end;
    }
    return DV_OK;
}

/* What stands for a slot that a vector does not have. */
static dv_column_view value_of_no_slot(const dv_type *type)
{
    static const uint32_t r4 = DV_R4_NA_BITS;
    static const uint64_t r8 = DV_R8_NA_BITS;
    dv_column_view value = dvi_column_of_default(type);
    if (type->kind == DV_KIND_R4)
        value.as.fixed.values = (dv_buffer){&r4, sizeof r4, NULL, false, true};
    if (type->kind == DV_KIND_R8)
        value.as.fixed.values = (dv_buffer){&r8, sizeof r8, NULL, false, true};
    return value;
}

dv_status dvi_ungroup_slots(dvi_growing_column *gather, const dv_column_view *vectors,
                            int32_t first, int32_t end, const dv_allocator *allocator,
                            dv_error *err)
{
    const dv_vector_layout *vector = &vectors->as.vector;
    const int32_t length = dvi_vector_length(vector, 0);
    const int32_t stop = end < length ? end : length;
    if (first < stop && dvi_vector_count(vector, 0) < 0)
        DVI_TRY(append_items(gather, vector->items, vector->item_base + first, stop - first,
                             allocator, err));
    else if (first < stop)
        DVI_TRY(append_sparse(gather, vector, first, stop, allocator, err));
    const int32_t missing = end - (first > length ? first : length);
    if (missing <= 0)
        return DV_OK;
    const dv_column_view none = value_of_no_slot(&vector->items->type);
    return dvi_ungroup_repeat(gather, &none, missing, allocator, err);
}
