/* SPDX-License-Identifier: MIT */
/* tf_dropslots.h: vectors without some of their slots (semantics:7.17; ML.NET: SlotsDropping). */
#ifndef DVI_TRANSFORM_TF_DROPSLOTS_H
#define DVI_TRANSFORM_TF_DROPSLOTS_H

#include "transform/mapper.h"

/* Slots first..last. */
typedef struct dvi_slot_range {
    int32_t first, last;
} dvi_slot_range;

typedef struct dvi_dropslots_options {
    const dvi_slot_range *ranges; /* to drop, in any order; copied */
    size_t n;
} dvi_dropslots_options;

/* Plan the column (mapper.h). options: dvi_dropslots_options. A scalar is slot 0. If all slots go,
 * one remains, which has the default value; if none does, the column is the source's.
 * DV_ERR_ARGUMENT: an extension. DV_ERR_MEMORY. */
dv_status dvi_dropslots_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err);

#endif
