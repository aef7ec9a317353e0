/* SPDX-License-Identifier: MIT */
/* derived.h: what have all views in common that are made from one other view? */
#ifndef DVI_TRANSFORM_DERIVED_H
#define DVI_TRANSFORM_DERIVED_H

#include "base/arena.h"
#include <dataview/cursor.h>
#include <dataview/inspect.h>

/* The beginning of what such a view is made of. */
typedef struct dvi_derived {
    dvi_arena arena;       /* of all that it keeps */
    dv_view *source;       /* one reference */
    const int32_t *origin; /* of each column: which one of the source it is, -1: none; NULL: both
                              have the same columns */
    size_t nbytes;         /* of the struct that begins with this one */
} dvi_derived;

/* A zeroed struct of nbytes, with a reference to the source.  Freed by dvi_derived_close. */
dv_status dvi_derived_create(void **self_out, size_t nbytes, dv_view *source,
                             const dv_allocator *allocator, dv_error *err);

/* The columns of the source.  The caller frees it, also after a failure. */
dv_status dvi_derived_schema(const void *self, dv_schema **schema_out, dv_error *err);

/* Let *view_out be a view of that class.  schema: NULL, the columns of the source; else taken, and
 * freed on failure.  On failure self is closed. */
dv_status dvi_derived_view(dv_view **view_out, const dv_view_class *cls, void *self,
                           dv_schema *schema, dv_error *err);

/* Members of dv_view_class: those of the source. */
void dvi_derived_close(void *self);
int64_t dvi_derived_rows(void *self);
bool dvi_derived_can_shuffle(void *self);
bool dvi_never_shuffles(void *self); /* but this: no */
int64_t dvi_derived_block_rows(void *self);
int64_t dvi_no_block_rows(void *self); /* but this: rows are reached by walking there */
dv_status dvi_derived_check(void *self, dv_error *err);
dv_status dvi_derived_inspect(void *self, dv_facts *facts, dv_error *err);
dv_status dvi_derived_verify(void *self, const dv_verify_options *options, dv_error *err);

/* The column that a name means.  DV_ERR_ARGUMENT: none. */
dv_status dvi_find_column(const dv_schema *schema, dv_text name, int32_t *column_out,
                          dv_error *err);

/* Which columns of a source a cursor reads: each once, in the order in which they are met. */
typedef struct dvi_needed {
    int32_t *columns;
    int32_t count;
    int32_t *places; /* of each column of the source: 1 + its place; 0: it is not needed */
} dvi_needed;

/* None; the arena keeps the arrays. */
dv_status dvi_needed_alloc(dvi_needed *needed_out, dvi_arena *arena, const dv_view *source,
                           dv_error *err);
/* One more column, if it is not there yet.  Its place in the source's batches. */
int32_t dvi_needed_place(dvi_needed *needed, int32_t column);

/* Open a cursor on a source for a cursor on the view: for these of its columns and rows, batches of
 * batch_rows (0: as stored), and otherwise as the request says. */
dv_status dvi_open_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err);

#endif
