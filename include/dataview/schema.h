/* SPDX-License-Identifier: MIT */
/* schema.h: the columns of a view: names, types and metadata (semantics:2). */
#ifndef DATAVIEW_SCHEMA_H
#define DATAVIEW_SCHEMA_H

#include <dataview/batch.h>
#include <dataview/buffer.h>
#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ordered list of columns (ML.NET: DataViewSchema).  A column is identified by its index.
 * Several columns may have the same name: the name then means the last of them, and the others are
 * hidden.
 *
 * The schema of a view never changes: any thread may read it, and it is valid as long as the view.
 * Names, types and infos that the functions return are valid as long as the schema. */
typedef struct dv_schema dv_schema;

typedef struct dv_column_info {
    dv_text name; /* not empty */
    dv_type type;
    bool is_hidden;         /* a later column has the same name */
    int32_t metadata_count; /* kinds of metadata that the column has */
} dv_column_info;

typedef struct dv_metadata_info {
    dv_text kind; /* not empty, unique within the column: "SlotNames", "KeyValues", ... */
    dv_type type;
} dv_metadata_info;

/* The kinds of metadata (in ML.NET: annotations) that ML.NET uses (semantics:2.2).  Others are
 * legal. */
#define DV_SLOT_NAMES "SlotNames"
#define DV_KEY_VALUES "KeyValues"
#define DV_IS_NORMALIZED "IsNormalized"
#define DV_IS_USER_VISIBLE "IsUserVisible"
#define DV_HAS_MISSING_VALUES "HasMissingValues"
#define DV_SCORE_COLUMN_SET_ID "ScoreColumnSetId"
#define DV_SCORE_COLUMN_KIND "ScoreColumnKind"
#define DV_SCORE_VALUE_KIND "ScoreValueKind"
#define DV_TRAINING_LABEL_VALUES "TrainingLabelValues"
#define DV_CATEGORICAL_SLOT_RANGES "CategoricalSlotRanges"

/* The number of columns, hidden ones included. */
DV_API int32_t dv_schema_columns(const dv_schema *schema);

/* A column, 0..columns-1, hidden ones included; NULL if column is outside. */
DV_API const dv_column_info *dv_schema_column(const dv_schema *schema, int32_t column);

/* Find the column that a name means: the last one of that name.  O(1).
 * DV_OK; DV_NOT_FOUND: *column_out is -1. */
DV_API dv_status dv_schema_find(const dv_schema *schema, dv_text name, int32_t *column_out);

/* Metadata i of a column, 0..metadata_count-1; NULL if column or i is outside. */
DV_API const dv_metadata_info *dv_schema_metadata(const dv_schema *schema, int32_t column,
                                                  int32_t i);

/* Find the metadata of a column by its kind.
 * DV_OK; DV_NOT_FOUND, also if there is no such column: *i_out is -1. */
DV_API dv_status dv_schema_find_metadata(const dv_schema *schema, int32_t column, dv_text kind,
                                         int32_t *i_out);

/* Read the value of metadata i of a column: a batch of one row and one column, of the type that its
 * dv_metadata_info has.  Each call reads and decodes it again.  The caller releases the batch with
 * dv_batch_release; it may outlive the view.
 *
 * DV_OK
 * DV_NOT_FOUND    no such column or metadata
 * DV_ERR_CORRUPT  the stored value is damaged
 * DV_ERR_LIMIT    the value is larger than metadata_nbytes (open.h)
 * DV_ERR_IO, DV_ERR_MEMORY
 */
DV_API dv_status dv_schema_metadata_value(const dv_schema *schema, int32_t column, int32_t i,
                                          const dv_batch **batch_out, dv_error *err);

/* --- Making a schema -------------------------------------------------------------------------- */

/* For views of your own (own_view.h).  One thread at a time. */

/* Make a schema without columns.  The caller owns it until dv_view_create takes it.
 * allocator NULL: malloc.  DV_OK; DV_ERR_MEMORY. */
DV_API dv_status dv_schema_create(dv_schema **schema_out, const dv_allocator *allocator,
                                  dv_error *err);

/* Add a column after the others.  Name and type, with its dims, are copied.  column_out may be
 * NULL.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a name that is empty, NA or not UTF-8; a type that dv_type_check refuses
 * DV_ERR_MEMORY */
DV_API dv_status dv_schema_add(dv_schema *schema, dv_text name, const dv_type *type,
                               int32_t *column_out, dv_error *err);

/* Add metadata to a column.
 *
 * kind   copied
 * value  a column view of at least one row, of which the first is the value.  Its buffers are
 *        retained; those without an owner must outlive the schema
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; a kind that is empty, not UTF-8, or already present; an unsound
 *                  value
 * DV_ERR_MEMORY */
DV_API dv_status dv_schema_add_metadata(dv_schema *schema, int32_t column, dv_text kind,
                                        const dv_column_view *value, dv_error *err);

/* Free a schema that no view has taken, and set the pointer to NULL; NULL is fine. */
DV_API void dv_schema_free(dv_schema **schema);

#ifdef __cplusplus
}
#endif

#endif
