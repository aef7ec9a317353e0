/* SPDX-License-Identifier: MIT */
/* tf_ungroup_priv.h: what the files of ungroup share. */
#ifndef DVI_TRANSFORM_TF_UNGROUP_PRIV_H
#define DVI_TRANSFORM_TF_UNGROUP_PRIV_H

#include "view/growing_column.h"

/* Append to a column of scalars the slots first..end-1 of row 0 of a column of vectors; those that
 * the vector does not have are NaN (R4, R8) or the default. Statuses: dvi_growing_reserve; after a
 * failure part of them may have been appended. */
dv_status dvi_ungroup_slots(dvi_growing_column *gather, const dv_column_view *vectors,
                            int32_t first, int32_t end, const dv_allocator *allocator,
                            dv_error *err);

/* Append row 0 of a column n times. Statuses as above. */
dv_status dvi_ungroup_repeat(dvi_growing_column *gather, const dv_column_view *column, int32_t n,
                             const dv_allocator *allocator, dv_error *err);

#endif
