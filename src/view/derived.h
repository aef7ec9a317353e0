/* SPDX-License-Identifier: MIT */
/* derived.h: what all views that are made of one other view have in common. */
#ifndef DVI_VIEW_DERIVED_H
#define DVI_VIEW_DERIVED_H

#include "base/arena.h"
#include "view/view.h"
#include <dataview/cursor.h>

/* The beginning of what such a view is made of. */
typedef struct dvi_derived {
    dvi_arena arena;               /* of all that the view keeps */
    dv_view *source;               /* one reference */
    const dvi_view_traits *traits; /* of the view, set before it is made; NULL: none */
    int64_t first_row;             /* of the source: row 0 of the view */
    int64_t rows_most; /* the view has no more rows than this; INT64_MAX: all from first_row on */
    const int32_t *origin; /* of each column: which one of the source it is, -1: none; NULL: both
                              have the same columns */
    size_t nbytes;         /* of the struct that begins with this one */
} dvi_derived;

/* A zeroed struct of nbytes, with a reference to the source and all of its rows.  Freed by
 * dvi_derived_close. */
dv_status dvi_derived_create(void **self_out, size_t nbytes, dv_view *source,
                             const dv_allocator *allocator, dv_error *err);

/* The columns of the source.  The caller frees it, also after a failure. */
dv_status dvi_derived_schema(const void *self, dv_schema **schema_out, dv_error *err);

/* Make a view of that class.  Members of the class that are NULL pass through to the source: rows
 * (of the run that the struct says), can_shuffle, block_rows, check, inspect and verify; without
 * open_cursor so does the cursor (source_cursor.h), which hands on the source's batches.  Without
 * close, the struct is freed.  What the source does not answer for is said by a member of the class
 * or by an answer below.
 *
 * schema  NULL: the columns of the source; else taken, and freed on failure
 *
 * On failure self is closed. */
dv_status dvi_derived_view(dv_view **view_out, const dv_view_class *cls, void *self,
                           dv_schema *schema, dv_error *err);

/* Which row of the source is that of the view; of the row after the last one likewise. */
int64_t dvi_derived_source_row(const dvi_derived *derived, int64_t row);

/* Members of dv_view_class: as the source, and answers that do not depend on it. */
void dvi_derived_close(void *self);
int64_t dvi_derived_rows(void *self);
int64_t dvi_derived_block_rows(void *self);
int64_t dvi_rows_unknown(void *self);
bool dvi_never_shuffles(void *self);
bool dvi_always_shuffles(void *self);
int64_t dvi_no_block_rows(void *self);                     /* rows before are read on the way */
int64_t dvi_single_rows(void *self);                       /* each row costs itself */
dv_status dvi_nothing_to_check(void *self, dv_error *err); /* batches are copies */
dv_status dvi_no_facts(void *self, dv_facts *facts, dv_error *err);

/* The column that a name means.  DV_ERR_ARGUMENT: there is none. */
dv_status dvi_find_column(const dv_schema *schema, dv_text name, int32_t *column_out,
                          dv_error *err);

/* Which columns of a source a cursor reads: each once, in the order in which they are added. */
typedef struct dvi_needed {
    int32_t *columns;
    int32_t count;
    int32_t *slots; /* of each column of the source: 1 + its slot in batches; 0: it is not needed */
} dvi_needed;

/* None; the arena keeps the arrays. */
dv_status dvi_needed_alloc(dvi_needed *needed_out, dvi_arena *arena, const dv_view *source,
                           dv_error *err);
/* Add a column, if it is not there yet.  Its slot in the source's batches. */
int32_t dvi_needed_slot(dvi_needed *needed, int32_t column);

/* Open a cursor on a source for a cursor on the view: for these of its columns and rows, batches of
 * batch_rows (0: as stored), and otherwise as the request says. */
dv_status dvi_open_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err);

#endif
