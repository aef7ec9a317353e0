/* SPDX-License-Identifier: MIT */
/* tf_rowid.h: a column of the ids of rows (semantics:7.19; ML.NET: ProduceId). */
#ifndef DVI_TRANSFORM_TF_ROWID_H
#define DVI_TRANSFORM_TF_ROWID_H

#include <dataview/view.h>

/* The columns of the source, and a UG column with the id of each row (semantics:5.4). Ids are asked
 * of the source only if the column is active; its values are lent, not copied.
 *
 * DV_OK; DV_ERR_ARGUMENT: a name that is empty or not UTF-8; DV_ERR_MEMORY. */
dv_status dvi_rowid_view(dv_view **view_out, dv_view *source, dv_text name,
                         const dv_allocator *allocator, dv_error *err);

#endif
