/* SPDX-License-Identifier: MIT */
/* inherit.h: what does a view keep of the schema of the view that it is made from? */
#ifndef DVI_VIEW_INHERIT_H
#define DVI_VIEW_INHERIT_H

#include <dataview/schema.h>

/* Each takes from `source`, which must outlive the schema: the values of metadata are read there
 * when they are asked for.  DV_OK; DV_ERR_MEMORY. */

/* Add all columns as they are, with all their metadata; or one of them, under that name. */
dv_status dvi_inherit_columns(dv_schema *schema, const dv_schema *source, dv_error *err);
dv_status dvi_inherit_column(dv_schema *schema, const dv_schema *source, int32_t source_column,
                             dv_text name, dv_error *err);

/* Add metadata i of a column of the source, or all of them, to a column. */
dv_status dvi_inherit_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                               int32_t source_column, int32_t i, dv_error *err);
dv_status dvi_inherit_all_metadata(dv_schema *schema, int32_t column, const dv_schema *source,
                                   int32_t source_column, dv_error *err);

#endif
