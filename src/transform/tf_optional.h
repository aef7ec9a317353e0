/* SPDX-License-Identifier: MIT */
/* tf_optional.h: a column that a source may lack (semantics:7.19; ML.NET: OptionalColumn). */
#ifndef DVI_TRANSFORM_TF_OPTIONAL_H
#define DVI_TRANSFORM_TF_OPTIONAL_H

#include <dataview/view.h>

/* If the source has a column of that name and type: the source itself, retained. If it has none of
 * that name: the columns of the source and a last one, whose values are the default, vectors
 * without items, those of variable size without slots. No values are written per row.
 *
 * metadata_of      has the metadata of the new column, and is retained; NULL: no metadata
 * metadata_column  of that view; -1: no metadata
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a column of that name and of another type; a type that dv_type_check refuses; a
 *                  name that is empty or not UTF-8
 * DV_ERR_MEMORY */
dv_status dvi_optional_view(dv_view **view_out, dv_view *source, dv_text name, const dv_type *type,
                            dv_view *metadata_of, int32_t metadata_column,
                            const dv_allocator *allocator, dv_error *err);

/* A view without rows that has a column of that name and type, with copies of the metadata of a
 * column of a schema. DV_OK; DV_ERR_MEMORY, and errors of reading metadata. */
dv_status dvi_optional_column(dv_view **column_out, const dv_schema *schema, int32_t column,
                              const dv_allocator *allocator, dv_error *err);

#endif
