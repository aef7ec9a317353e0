/* SPDX-License-Identifier: MIT */
/* derived.h: what views made of one other view have in common: ownership and default members. */
#ifndef DVI_VIEW_DERIVED_H
#define DVI_VIEW_DERIVED_H

#include "base/arena.h"
#include "view/view.h"
#include <dataview/cursor.h>

/* The beginning of what such a view is made of. */
typedef struct dvi_derived {
    dvi_arena arena;               /* all that the view keeps */
    dv_view *source;               /* one reference */
    const dvi_view_traits *traits; /* of the view, set before it is made; NULL: none */
    int64_t first_row;             /* of the source: row 0 of the view */
    int64_t rows_most;     /* the view ends after this many rows; INT64_MAX: with the source */
    const int32_t *origin; /* of each column: the column of the source that it is; -1: none; NULL:
                              both have the same columns */
    size_t nbytes;         /* of the struct that begins with this one */
} dvi_derived;

/* A zeroed struct of nbytes with a reference to the source, and all of its rows. Freed by
 * dvi_derived_close. */
dv_status dvi_derived_create(void **self_out, size_t nbytes, dv_view *source,
                             const dv_allocator *allocator, dv_error *err);

/* Traits of a view with the columns of its source, and its rows in another order or some of them: a
 * row takes as long as there. */
extern const dvi_view_traits dvi_reordered_traits;

/* Make a view of that class. If a member of the class is NULL, the source answers: rows (of the run
 * in the struct), can_shuffle, block_rows, check, inspect and verify. Without open_cursor the
 * cursor returns the batches of the source (source_cursor.h). Without close, the struct is freed.
 * The class sets the other members, to functions of its own or to the constant ones below.
 *
 * schema  NULL: the columns of the source; else taken, and freed on failure
 *
 * On failure self is closed. */
dv_status dvi_derived_view(dv_view **view_out, const dv_view_class *cls, void *self,
                           dv_schema *schema, dv_error *err);

/* The row of the source for a row of the view, or for the row after the last one. */
int64_t dvi_derived_source_row(const dvi_derived *derived, int64_t row);

/* Members of dv_view_class: those that ask the source, and constant ones. */
void dvi_derived_close(void *self);
int64_t dvi_derived_rows(void *self);
int64_t dvi_derived_block_rows(void *self);
int64_t dvi_rows_unknown(void *self);
bool dvi_never_shuffles(void *self);
bool dvi_always_shuffles(void *self);
int64_t dvi_no_block_rows(void *self);                     /* seeking reads all rows before */
int64_t dvi_single_rows(void *self);                       /* every row can be read alone */
dv_status dvi_nothing_to_check(void *self, dv_error *err); /* batches are copies */
dv_status dvi_no_facts(void *self, dv_facts *facts, dv_error *err);

/* The column to which a name refers. DV_ERR_ARGUMENT: there is none; err->expected is "a name of
 * the schema", and the message has the name that is near. */
dv_status dvi_find_column(const dv_schema *schema, dv_text name, int32_t *column_out,
                          dv_error *err);

/* The columns of a source that a cursor reads: each once, in the order in which they were added. */
typedef struct dvi_needed {
    int32_t *columns;
    int32_t count;
    int32_t *slots; /* of each column of the source: 1 + its slot in batches; 0: not needed */
} dvi_needed;

/* An empty list, whose arrays the arena owns. */
dv_status dvi_needed_alloc(dvi_needed *needed_out, dvi_arena *arena, const dv_view *source,
                           dv_error *err);
/* Add a column, unless it is in the list. Returns its slot in the source's batches. */
int32_t dvi_needed_slot(dvi_needed *needed, int32_t column);

/* Open a cursor on the source, for a cursor on the view: with these columns, rows and batch_rows
 * (0: as stored), and everything else as in the request. */
dv_status dvi_open_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err);
/* The same for a cursor that passes all columns on without looking at them: if the request says so,
 * their layout may stay in the mapped file (DVI_CURSOR_IN_PLACE), and rows go to the sink. */
dv_status dvi_pass_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err);

#endif
