/* SPDX-License-Identifier: MIT */
/* metadata.h: batches of one row, as dv_schema_metadata_value delivers metadata. */
#ifndef DVI_VIEW_METADATA_H
#define DVI_VIEW_METADATA_H

#include <dataview/schema.h>

/* A batch with the first row of a checked column, and one reference for the caller. It retains the
 * buffers of the column and copies the dims of its type, so it may outlive both. DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_metadata_batch(const dv_batch **batch_out, const dv_column_view *value,
                             const dv_allocator *allocator, dv_error *err);

#endif
