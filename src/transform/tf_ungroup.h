/* SPDX-License-Identifier: MIT */
/* tf_ungroup.h: one row for each slot of vectors (semantics:7.19; ML.NET: Ungroup). */
#ifndef DVI_TRANSFORM_TF_UNGROUP_H
#define DVI_TRANSFORM_TF_UNGROUP_H

#include <dataview/view.h>

/* How many rows are made of one. */
typedef enum dvi_ungroup_mode {
    DVI_UNGROUP_INNER, /* the slots of its shortest pivot */
    DVI_UNGROUP_OUTER, /* of its longest one */
    DVI_UNGROUP_FIRST  /* of its first one */
} dvi_ungroup_mode;

/* The vectors of the pivot columns become scalars, a row for each slot; those that are too short
 * are continued with NaN (R4, R8) or the default. Of their metadata IsNormalized, KeyValues,
 * IsUserVisible and those of scores stay. Other columns are repeated; hidden ones are left out. The
 * id of a row combines that of the source's row with the slot (semantics:5.4).
 *
 * Lazy: active columns are read, and pivots of variable size on which the number of rows depends. A
 * batch has at most 65,536 rows, and what is repeated in it at most 64 MiB or one row. If all these
 * pivots have a size, rows are found by number; else all rows before have to be read.
 *
 * pivots  names of columns of vectors, each once, at least one
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no pivots, no such column, a scalar, vectors of extensions, or a column twice
 * DV_ERR_MEMORY */
dv_status dvi_ungroup_view(dv_view **view_out, dv_view *source, const dv_text *pivots,
                           int32_t pivots_count, dvi_ungroup_mode mode,
                           const dv_allocator *allocator, dv_error *err);

#endif
