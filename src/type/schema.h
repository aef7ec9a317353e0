/* SPDX-License-Identifier: MIT */
/* schema.h: what only the library does with a schema: metadata whose value is read on request. */
#ifndef DVI_TYPE_SCHEMA_H
#define DVI_TYPE_SCHEMA_H

#include <dataview/schema.h>

/* How the value of one metadata is had: `load` delivers it at each request, as a batch of one row
 * and one column with one reference for the caller.  Any thread.
 *
 * source   handed to load; must outlive the schema
 * number   handed to load: which of the source's values
 * release  called once with source when the schema is freed; NULL: nothing to do
 */
typedef struct dvi_metadata_source {
    dv_status (*load)(void *source, int64_t number, const dv_batch **batch_out, dv_error *err);
    void *source;
    int64_t number;
    void (*release)(void *source);
} dvi_metadata_source;

/* A reference to the schema of a view, for another view, which it outlives: its metadata belong to
 * the first.  dv_schema_free gives it back. */
dv_schema *dvi_schema_share(const dv_schema *schema);

/* Add metadata to a column; kind and type (dims too) are copied.  Statuses as
 * dv_schema_add_metadata; on failure release is not called. */
dv_status dvi_schema_add_metadata(dv_schema *schema, int32_t column, dv_text kind,
                                  const dv_type *type, const dvi_metadata_source *source,
                                  dv_error *err);

/* The source of metadata i of a column; NULL: no such column or metadata. */
const dvi_metadata_source *dvi_schema_metadata_source(const dv_schema *schema, int32_t column,
                                                      int32_t i);

/* Show a column of another schema, or all of its columns, after the others.  The source outlives
 * the schema, which takes a pointer for a column of the same name, and a column without metadata of
 * its own for one that is renamed.  What is hidden follows from the order in which columns are
 * added.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_schema_add
 * DV_ERR_MEMORY */
dv_status dvi_schema_add_column(dv_schema *schema, const dv_schema *source, int32_t source_column,
                                dv_text name, dv_error *err);
dv_status dvi_schema_add_columns(dv_schema *schema, const dv_schema *source, dv_error *err);

/* Marks of a column: bits that the format of its file sets, and that only that format's saver
 * reads: what saving the column again would change.  They are no metadata, and pass with the column
 * from a view to those made of it.  0 at first.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_schema_mark(dv_schema *schema, int32_t column, uint32_t marks, dv_error *err);
uint32_t dvi_schema_marks(const dv_schema *schema, int32_t column);

/* While a schema is made: give a column that was added with dv_schema_add another type, a scalar.
 */
void dvi_schema_set_type(dv_schema *schema, int32_t column, const dv_type *type);

/* Add to a message about a column that is not there the name that is near, or the first names. */
void dvi_schema_advise(const dv_schema *schema, dv_text name, dv_error *err);

const dv_allocator *dvi_schema_allocator(const dv_schema *schema);

#endif
