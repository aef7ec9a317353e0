/* SPDX-License-Identifier: MIT */
/* metadata.h: how does a value become what dv_schema_metadata_value delivers? */
#ifndef DVI_VIEW_METADATA_H
#define DVI_VIEW_METADATA_H

#include <dataview/schema.h>

/* A batch of one row, the first of a checked column, and one reference for the caller.  It retains
 * the column's buffers, copies the dims of its type, and so outlives everything.
 * DV_OK, DV_ERR_MEMORY. */
dv_status dvi_metadata_batch(const dv_batch **batch_out, const dv_column_view *value,
                             const dv_allocator *allocator, dv_error *err);

#endif
