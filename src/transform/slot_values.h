/* SPDX-License-Identifier: MIT */
/* slot_values.h: reads the values of columns of R4 or R8, each with its slot, to learn from them.
 */
#ifndef DVI_TRANSFORM_SLOT_VALUES_H
#define DVI_TRANSFORM_SLOT_VALUES_H

#include "base/load.h"
#include "view/column.h"

/* Values that follow each other, as doubles, which hold every R4. */
typedef struct dvi_slot_values {
    const double *values;
    size_t n;
    const char *slots; /* of each value; NULL: from first_slot on, or all in slot 0 */
    int32_t first_slot;
    bool is_single; /* one value a row, in slot 0 */
    int64_t row;    /* rows before that of the values; with is_single: of the first one */
} dvi_slot_values;

static inline int32_t dvi_slot_of(const dvi_slot_values *v, size_t i)
{
    if (v->slots)
        return dvi_load_i32(v->slots + 4 * i);
    return v->is_single ? 0 : v->first_slot + (int32_t)i;
}

/* Takes values; ctx is that of the caller. */
typedef dv_status dvi_take_values(void *ctx, const dvi_slot_values *values, dv_error *err);

/* Call take for the items of all rows, in their order; row: the rows before this column. Slots
 * without an item are passed over. */
dv_status dvi_slot_values_each(const dv_column_view *column, int64_t row, dvi_take_values *take,
                               void *ctx, dv_error *err);

/* The same with all slots of all rows as one: each slot counts as a row. *row rises by the slots of
 * the column. */
dv_status dvi_pooled_values_each(const dv_column_view *column, int64_t *row, dvi_take_values *take,
                                 void *ctx, dv_error *err);

#endif
