/* SPDX-License-Identifier: MIT */
/* derived.h: what views made of one other view have in common: ownership, default members, and what
 * their cursors begin with. */
#ifndef DVI_SCAN_DERIVED_H
#define DVI_SCAN_DERIVED_H

#include "base/arena.h"
#include "view/growing_column.h"
#include "view/view.h"
#include <dataview/cursor.h>

/* The beginning of what such a view is made of. */
typedef struct dvi_derived {
    dvi_arena arena;               /* all that the view keeps */
    dv_view *source;               /* one reference */
    const dvi_view_traits *traits; /* set before the view is made; NULL: none */
    int64_t first_row;             /* row 0 of the view, in the source */
    int64_t rows_most;     /* the view ends after this many rows; INT64_MAX: with the source */
    const int32_t *origin; /* which column of the source each column is; -1: none; NULL: both have
                              the same columns */
    size_t nbytes;         /* the size of the struct that begins with this one */
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
 * cursor returns the batches of the source. Without close, the struct is freed.
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
    int32_t *slots; /* for each column of the source, 1 + its slot in batches; 0: not needed */
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
/* As dvi_open_source, for a cursor that does not look at the columns that it passes on: rows go to
 * the sink, and the layout may stay in the mapped file if the request allows it
 * (DVI_CURSOR_IN_PLACE). */
dv_status dvi_pass_source(dv_cursor **cursor_out, dv_view *source, const dv_cursor_request *request,
                          const int32_t *columns, int32_t columns_count, int64_t batch_rows,
                          int64_t first_row, int64_t end_row, dv_error *err);

/* --- Cursors ---------------------------------------------------------------------------------- */

/* The beginning of a cursor: zeroed, then `view` and `request` are set. */
typedef struct dvi_source_cursor {
    const dvi_derived *view;
    const dv_cursor_request *request;
    dv_cursor *cursor;     /* on the source; NULL: not open yet */
    const dv_batch *batch; /* read from the source and not returned yet; NULL: none */
} dvi_source_cursor;

/* Read the next batch of the source, unless the last one has not been returned yet. DV_OK, DV_END,
 * or an error of the source's cursor. */
dv_status dvi_source_cursor_read(dvi_source_cursor *cursor, dv_error *err);

/* Members of dv_view_class: check_cursor, for a cursor whose batches point into the source's
 * batches; seek, for one that reads a run of the source's rows. */
dv_status dvi_source_cursor_check(void *cursor, dv_error *err);
dv_status dvi_source_cursor_seek(void *cursor, dv_error *err);

/* The beginning of a cursor that copies rows of the source into columns of its own: rows that are
 * joined, split or repeated. */
typedef struct dvi_gathering_cursor {
    dvi_source_cursor source;
    dvi_arena arena;            /* lives as long as the cursor */
    dvi_growing_column *gather; /* the batch that is made, by active columns */
    size_t size;                /* the size of the cursor that begins with this one */
} dvi_gathering_cursor;

/* A kind of such cursors. */
typedef struct dvi_gathering {
    size_t size;      /* the cursor's */
    const char *made; /* what it makes: for the refusal of zero_copy_only */
    /* Open source.cursor. The cursor is zeroed but for its beginning. */
    dv_status (*open_source)(void *cursor, dv_error *err);
    /* The member of dv_view_class; it ends with dvi_gathering_close. Also after open_source has
     * failed. */
    void (*close)(void *cursor);
} dvi_gathering;

/* The body of the member open_cursor of dv_view_class. DV_ERR_COPY, DV_ERR_MEMORY, and what
 * open_source returns. */
dv_status dvi_gathering_open(void **cursor_out, const dvi_gathering *kind, void *self,
                             const dv_cursor_request *request, dv_error *err);

/* Close the source's cursor, and free the columns and the cursor itself. */
void dvi_gathering_close(void *cursor);

#endif
