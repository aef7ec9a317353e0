/* SPDX-License-Identifier: MIT */
/* mapper.h: views whose rows are those of a source, or a run of them, and whose columns are the
 * source's or are made of them.
 *
 * A transform of this kind fills a dvi_mapper (columns and a schema) and hands it to
 * dvi_mapper_view; the rest is done here: the cursor reads of the source what active columns need,
 * lends what is as it was, and has each other column filled, batch by batch. */
#ifndef DVI_TRANSFORM_MAPPER_H
#define DVI_TRANSFORM_MAPPER_H

#include "view/column.h"
#include "view/source_cursor.h"

/* A column that shall be filled for one batch of the source. */
typedef struct dvi_filling {
    const void *how;       /* the column's own (dvi_mapped) */
    void *memory;          /* of this column and cursor: maker->memory bytes, zeroed at first */
    const dv_type *type;   /* of the column */
    const dv_batch *batch; /* the source's */
    const int32_t *at;     /* where the column's sources are in it */
    int32_t n;
    const dv_allocator *allocator;
} dvi_filling;

typedef struct dvi_new_column dvi_new_column;

/* How columns are made.  One static const struct per way. */
typedef struct dvi_maker {
    const char *way; /* its name, in the identity of the view */
    /* Add what `how` has that the types of the column and of its sources do not tell.  NULL:
     * nothing. */
    void (*identify)(const void *how, dv_identity *identity);
    /* Add the metadata of a new column.  NULL: those of its first source, all of them. */
    dv_status (*describe)(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err);
    /* Let *dst be the column; it adds no reference.  A call that failed may be repeated.  NULL:
     * the column is its first source as it is, which is lent. */
    dv_status (*fill)(const dvi_filling *filling, dvi_column *dst, dv_error *err);
    size_t memory;
    void (*release)(void *memory);
} dvi_maker;

/* The column is its only source as it is, with all metadata. */
extern const dvi_maker dvi_same_column;

/* What a column is made of. */
typedef struct dvi_mapped {
    const dvi_maker *maker;
    const void *how;
    const int32_t *sources; /* columns of the source view */
    int32_t n;
} dvi_mapped;

struct dvi_new_column {
    dv_text name;
    dv_type type;
    dvi_mapped mapped;
    int32_t hides; /* of the source; -1: none */
};

typedef struct dvi_mapper {
    dvi_derived base;
    dvi_mapped *column;
    int32_t *origin; /* base.origin */
    int32_t columns;
    bool is_numbered; /* columns are made of the numbers of rows */
} dvi_mapper;

/* A mapper with room for the columns of the source and so many more, to be filled.
 * DV_ERR_ARGUMENT: that would be over 2^31-1 columns. */
dv_status dvi_mapper_create(dvi_mapper **mapper_out, dv_view *source, int32_t more,
                            const dv_allocator *allocator, dv_error *err);
/* Add a column to the mapper; the schema gets it from the caller.  origin: which column of the
 * source has its facts; -1: none. */
void dvi_mapper_add(dvi_mapper *mapper, const dvi_mapped *mapped, int32_t origin);
/* Add column i of the source as it is, to the schema too, under that name. */
dv_status dvi_mapper_keep(dvi_mapper *mapper, dv_schema *schema, int32_t i, dv_text name,
                          dv_error *err);

/* Let a mapper without columns have all those of the source, each with the new one that hides it
 * right behind it, and the other new ones at the end, in their order (semantics:2.1).  `how` and
 * `sources` of the new ones must live as long as the mapper.
 * DV_ERR_ARGUMENT: two new ones have one name; one is empty or not UTF-8. */
dv_status dvi_mapper_place(dvi_mapper *mapper, dv_schema **schema_out, dvi_new_column *made,
                           int32_t n, dv_error *err);

/* Say of a column that it is normalized. */
dv_status dvi_mapper_add_normalized(dv_schema *schema, int32_t column, dv_error *err);

/* Let *view_out be the view; mapper and schema are taken, also on failure.  If `status` is a
 * failure, they are only freed, and it is passed on. */
dv_status dvi_mapper_view(dv_view **view_out, const dv_view_class *cls, dvi_mapper *mapper,
                          dv_schema *schema, dv_status status, dv_error *err);

/* The cursor and the identity: members of dv_view_class. */
dv_status dvi_mapper_identify(void *self, dv_identity *identity, dv_error *err);
dv_status dvi_mapper_open(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err);
dv_status dvi_mapper_next(void *cursor, dv_batch *batch, dv_error *err);
void dvi_mapper_close(void *cursor);

/* A dv_view_class.  shuffles, rows_of_blocks: its members can_shuffle and block_rows; NULL: as the
 * source. */
#define DVI_MAPPER_CLASS(name, shuffles, rows_of_blocks)                                           \
    {                                                                                              \
        .size = sizeof(dv_view_class), .kind = name, .can_shuffle = shuffles,                      \
        .open_cursor = dvi_mapper_open, .next = dvi_mapper_next, .close_cursor = dvi_mapper_close, \
        .check_cursor = dvi_source_cursor_check, .seek = dvi_pass_seek,                            \
        .block_rows = rows_of_blocks, .identify = dvi_mapper_identify                              \
    }

#endif
