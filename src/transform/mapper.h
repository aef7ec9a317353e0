/* SPDX-License-Identifier: MIT */
/* mapper.h: views with the rows of a source, or a run of them, whose columns are the source's or
 * are made of them.
 *
 * Such a transform fills a dvi_mapper (columns and a schema) and passes it to dvi_mapper_view. Its
 * cursor is written here: it reads the source columns that the active columns need, lends unchanged
 * columns, and calls the maker of each other column for every batch. */
#ifndef DVI_TRANSFORM_MAPPER_H
#define DVI_TRANSFORM_MAPPER_H

#include "view/column.h"
#include "scan/cursor.h"
#include "scan/derived.h"

/* A column to fill for one batch of the source. */
typedef struct dvi_filling {
    const void *params; /* of the column (dvi_mapped) */
    void *memory; /* of this column and cursor: maker->memory bytes, zeroed when the cursor opens */
    const dv_type *type;   /* of the column */
    const dv_batch *batch; /* the source's */
    const int32_t *slots;  /* in that batch, of the column's sources */
    int32_t n;
    int64_t epoch;         /* of the cursor's reader; -1: none */
    dvi_vector_sink *sink; /* of the cursor's reader, if the maker uses sinks; NULL: none */
    int64_t row_nbytes;    /* an option of open.h */
    int64_t *below;        /* bytes per row of the chain up to here, which row_nbytes limits */
    const dv_allocator *allocator;
} dvi_filling;

typedef struct dvi_new_column dvi_new_column;
typedef struct dvi_mapped dvi_mapped;

/* How a kind of column is made. One static const struct per kind; of a chain (tf_chain.h), one in
 * the arena. */
typedef struct dvi_maker {
    const char *name; /* in the identity of the view */
    /* Add what `params` has beyond the types of the column and of its sources. NULL: nothing. */
    void (*identify)(const void *params, dv_identity *identity);
    /* Add the metadata of a new column. NULL: all of its first source. */
    dv_status (*describe)(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err);
    /* Set *dst to the column, without a new reference.
     * NULL: the column is its first source, which is lent. */
    dv_status (*fill)(const dvi_filling *filling, dvi_column *dst, dv_error *err);
    size_t memory;
    void (*release)(void *memory);
    /* Let *mapped, whose source no other column of a cursor needs, be made straight from what the
     * source is made of, if that is in columns of the view `source`, too; the bits are the same.
     * What it needs is in the arena. DV_OK, changed or not; DV_ERR_MEMORY. NULL: it never is. */
    dv_status (*fuse)(dvi_mapped *mapped, const dv_view *source, dvi_arena *arena, dv_error *err);
    int64_t batch_rows; /* the most rows that fill gets, unless the cursor says, and enough for a
                           job of a thread; 0: any */
    bool reads_ids;     /* filling->batch->ids are the ids of the rows */
    bool uses_sinks;    /* fill gives filling->sink its rows, and makes a column of empty ones */
    /* May fill make an item for each slot of a sparse row?  NULL: no. */
    bool (*fills_slots)(const void *params);
    /* The most bytes that fill makes of one value or item.  NULL: not many more than it has. */
    int64_t (*value_nbytes)(const void *params);
    bool lends; /* fill copies no values: it may with zero_copy_only, and gains nothing from threads
                 */
} dvi_maker;

/* A column of nbytes will be made, which may be larger than its sources: do rows on average keep to
 * row_nbytes, together with the rest of the chain?  DV_OK; DV_ERR_LIMIT. */
dv_status dvi_filling_check(const dvi_filling *filling, size_t nbytes, dv_error *err);

/* A `describe`: the column has no metadata. */
dv_status dvi_no_metadata(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err);

/* A `fills_slots`: yes. */
bool dvi_fills_slots(const void *params);

/* The column is its only source, unchanged, with all metadata. */
extern const dvi_maker dvi_same_column;

/* The source columns of a column, and its maker. */
struct dvi_mapped {
    const dvi_maker *maker;
    const void *params;
    const int32_t *sources; /* columns of the source view */
    int32_t n;
};

struct dvi_new_column {
    dv_text name;
    dv_type type;
    dvi_mapped mapped;
    int32_t hides; /* the column of the source that it hides; -1: none */
};

typedef struct dvi_mapper {
    dvi_derived base;
    int32_t *origin;  /* base.origin */
    int32_t *number;  /* index in `made` by column; -1: the column is origin[i] of the source */
    dvi_mapped *made; /* the columns that are made, or copied */
    int32_t made_count;
    int64_t *job_rows; /* of each column (dvi_view_traits); NULL: 0 of all. For dvi_mapper_view */
    int32_t columns;
    bool is_numbered;  /* columns depend on row numbers */
    bool is_reordered; /* the source has its rows in another order than the one it was made for */
} dvi_mapper;

/* How column i is made.  Its `sources` are the mapper's. */
static inline dvi_mapped dvi_mapper_column(const dvi_mapper *mapper, int32_t i)
{
    if (mapper->number[i] >= 0)
        return mapper->made[mapper->number[i]];
    return (dvi_mapped){&dvi_same_column, NULL, &mapper->origin[i], 1};
}

/* A mapper with room for the columns of the source and `more` others. DV_ERR_ARGUMENT: more than
 * 2^31-1 columns. */
dv_status dvi_mapper_create(dvi_mapper **mapper_out, dv_view *source, int32_t more,
                            const dv_allocator *allocator, dv_error *err);
/* Add column i of the source, unchanged and under this name, to the mapper and the schema. */
dv_status dvi_mapper_keep(dvi_mapper *mapper, dv_schema *schema, int32_t i, dv_text name,
                          dv_error *err);

/* Give a mapper without columns all columns of the source and n new ones. A new column that hides
 * one of the source comes right after it; the others come last, in their order (semantics:2.1).
 * `params` and `sources` of the new columns must live as long as the mapper. DV_ERR_ARGUMENT: two
 * new columns have the same name, or a name is empty or not UTF-8. */
dv_status dvi_mapper_arrange(dvi_mapper *mapper, dv_schema **schema_out, dvi_new_column *made,
                             int32_t n, dv_error *err);

/* Add the metadata IsNormalized, true, to a column. */
dv_status dvi_mapper_add_normalized(dv_schema *schema, int32_t column, dv_error *err);

/* Make the view. It takes mapper and schema, also on failure. If `status` is a failure, it only
 * frees both and returns that status. */
dv_status dvi_mapper_view(dv_view **view_out, const dv_view_class *cls, dvi_mapper *mapper,
                          dv_schema *schema, dv_status status, dv_error *err);

/* Cursor and identity: members of dv_view_class. */
dv_status dvi_mapper_identify(void *self, dv_identity *identity, dv_error *err);
dv_status dvi_mapper_open(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err);
dv_status dvi_mapper_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_mapper_close(void *cursor);

/* A dv_view_class. shuffles, rows_of_blocks: its members can_shuffle and block_rows; NULL: those of
 * the source. */
#define DVI_MAPPER_CLASS(name, shuffles, rows_of_blocks)                                           \
    {                                                                                              \
        .size = sizeof(dv_view_class), .kind = name, .can_shuffle = shuffles,                      \
        .open_cursor = dvi_mapper_open, .next = dvi_mapper_next, .close_cursor = dvi_mapper_close, \
        .check_cursor = dvi_source_cursor_check, .seek = dvi_source_cursor_seek,                   \
        .block_rows = rows_of_blocks, .identify = dvi_mapper_identify                              \
    }

#endif
