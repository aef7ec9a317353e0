/* SPDX-License-Identifier: MIT */
/* schema.h: which columns does a view have, and what is known about them?  (semantics:2) */
#ifndef DATAVIEW_SCHEMA_H
#define DATAVIEW_SCHEMA_H

#include <dataview/batch.h>
#include <dataview/buffer.h>
#include <dataview/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An ordered list of columns.  A column's index is its identity; its name is for people, and
 * several may share one: the name then means the last of them, and the others are hidden.
 * A schema that a view holds never changes: any thread may read it, and it lives as long as the
 * view.  What the functions below return lives as long as the schema. */
typedef struct dv_schema dv_schema;

typedef struct dv_column_info {
    dv_text name; /* not empty */
    dv_type type;
    bool is_hidden;         /* a later column has the same name */
    int32_t metadata_count; /* how many kinds of metadata it has */
} dv_column_info;

typedef struct dv_metadata_info {
    dv_text kind; /* not empty, once per column: "SlotNames", "KeyValues", ... */
    dv_type type;
} dv_metadata_info;

/* The kinds in use (semantics:2.2); others are legal. */
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

DV_API int32_t dv_schema_columns(const dv_schema *schema);

/* A column, hidden ones included.  column must be 0..columns-1; NULL otherwise. */
DV_API const dv_column_info *dv_schema_column(const dv_schema *schema, int32_t column);

/* The column that a name means: the last one of that name.  O(1).
 * DV_OK; DV_NOT_FOUND, a normal outcome: *column_out is -1. */
DV_API dv_status dv_schema_find(const dv_schema *schema, dv_text name, int32_t *column_out);

/* Kind i of a column's metadata, 0..metadata_count-1; NULL outside. */
DV_API const dv_metadata_info *dv_schema_metadata(const dv_schema *schema, int32_t column,
                                                  int32_t i);

/* Which metadata of a column is of that kind?  DV_OK; DV_NOT_FOUND: *i_out is -1. */
DV_API dv_status dv_schema_find_metadata(const dv_schema *schema, int32_t column, dv_text kind,
                                         int32_t *i_out);

/* The value of one metadata: a batch of one row and one column, of the type that the info tells.
 * Read and decoded now, at each call.  The caller releases it (dv_batch_release); it may outlive
 * the view.
 *
 * DV_OK; DV_NOT_FOUND: no such column or metadata; and all that reading a batch may say:
 * DV_ERR_CORRUPT, DV_ERR_LIMIT (option metadata_nbytes), DV_ERR_IO, DV_ERR_MEMORY.
 */
DV_API dv_status dv_schema_metadata_value(const dv_schema *schema, int32_t column, int32_t i,
                                          const dv_batch **batch_out, dv_error *err);

/* --- Making a schema, for those who make a view (own_view.h). One thread.
 * ------------------------- */

/* DV_OK, DV_ERR_MEMORY. */
DV_API dv_status dv_schema_create(dv_schema **schema_out, const dv_allocator *allocator,
                                  dv_error *err);

/* Add a column after the others.  Name and type (dims too) are copied.
 * DV_OK; DV_ERR_ARGUMENT: empty or NA name, name that is not UTF-8, no type (dv_type_check);
 * DV_ERR_MEMORY.  column_out may be NULL. */
DV_API dv_status dv_schema_add(dv_schema *schema, dv_text name, const dv_type *type,
                               int32_t *column_out, dv_error *err);

/* Add metadata to a column.  value: a column view of one row or more, whose first row is taken, and
 * whose buffers are retained (those without an owner must outlive the schema).
 * DV_OK; DV_ERR_ARGUMENT: no such column, the kind is empty or there already; DV_ERR_MEMORY. */
DV_API dv_status dv_schema_add_metadata(dv_schema *schema, int32_t column, dv_text kind,
                                        const dv_column_view *value, dv_error *err);

/* Only for a schema that no view took.  Sets the pointer to NULL; NULL is fine. */
DV_API void dv_schema_free(dv_schema **schema);

#ifdef __cplusplus
}
#endif

#endif
