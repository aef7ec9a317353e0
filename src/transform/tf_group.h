/* SPDX-License-Identifier: MIT */
/* tf_group.h: one row for each run of rows with equal keys (semantics:7.19; ML.NET: Group). */
#ifndef DVI_TRANSFORM_TF_GROUP_H
#define DVI_TRANSFORM_TF_GROUP_H

#include <dataview/view.h>

/* Consecutive rows with equal keys become one row: the key columns, then the listed ones as vectors
 * of variable size with the values of these rows. NA equals NA, -0 equals +0, and two DZ of one
 * moment are equal; the bits of the keys and the row id are those of the last row. Keys keep their
 * metadata, vectors IsNormalized and KeyValues.
 *
 * Lazy: key columns are read for every cursor, of the others those that are active. A batch takes
 * the memory of its rows; a single group that of all its rows. Row numbers are known only after all
 * rows before have been read.
 *
 * keys     names of scalar columns, at least one
 * columns  names of scalar columns; there may be none
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no keys, no such column, or a vector or an extension
 * DV_ERR_MEMORY */
dv_status dvi_group_view(dv_view **view_out, dv_view *source, const dv_text *keys,
                         int32_t keys_count, const dv_text *columns, int32_t columns_count,
                         const dv_allocator *allocator, dv_error *err);

#endif
