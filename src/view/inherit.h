/* SPDX-License-Identifier: MIT */
/* inherit.h: copies metadata from the schema of a source. */
#ifndef DVI_VIEW_INHERIT_H
#define DVI_VIEW_INHERIT_H

#include <dataview/schema.h>

/* `source` must outlive the schema: values of metadata are read from it on demand. Each returns
 * DV_OK or DV_ERR_MEMORY. */

/* Add metadata i of a column of the source, or all its metadata, to a column. */
dv_status dvi_inherit_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                               int32_t source_column, int32_t i, dv_error *err);
dv_status dvi_inherit_all_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                                   int32_t source_column, dv_error *err);

#endif
