/* SPDX-License-Identifier: MIT */
/* metadata.h: batches of one row, as dv_schema_metadata_value delivers metadata; the metadata of a
 * source. */
#ifndef DVI_VIEW_METADATA_H
#define DVI_VIEW_METADATA_H

#include <dataview/schema.h>

/* A batch with the first row of a checked column, and one reference for the caller. It retains the
 * buffers of the column and copies the dims of its type, so it may outlive both. DV_OK,
 * DV_ERR_MEMORY. */
dv_status dvi_metadata_batch(const dv_batch **batch_out, const dv_column_view *value,
                             const dv_allocator *allocator, dv_error *err);

/* `source` must outlive the schema: values of metadata are read from it on demand. Each returns
 * DV_OK or DV_ERR_MEMORY. */

/* Add metadata i of a column of the source, or all its metadata, to a column. */
dv_status dvi_inherit_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                               int32_t source_column, int32_t i, dv_error *err);
dv_status dvi_inherit_all_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                                   int32_t source_column, dv_error *err);

/* Does metadata of this kind, of a vector, also hold for its items, wherever they go? */
bool dvi_is_of_items(dv_text kind);

#endif
