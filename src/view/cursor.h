/* SPDX-License-Identifier: MIT */
/* cursor.h: what a row cursor must know of the batch cursor under it, and how options are read. */
#ifndef DVI_VIEW_CURSOR_H
#define DVI_VIEW_CURSOR_H

#include <dataview/cursor.h>
#include <dataview/own_view.h>

struct dvi_member; /* split_cursor.h */

/* A request as cursors make it, recognised by its size. */
typedef struct dvi_request {
    dv_cursor_request shown;
    struct dvi_member *member;
} dvi_request;

/* The member of a cursor set on whose way down the chain of views the cursor is; NULL: the rows are
 * not shared out. */
struct dvi_member *dvi_request_member(const dv_cursor_request *shown);

/* As dv_cursor_open.  member: the cursor is on the way from a member of a set to where its rows are
 * shared out, or NULL.  is_plain: no set is made of this view, whatever threads could do. */
dv_status dvi_cursor_open(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                          struct dvi_member *member, bool is_plain, dv_error *err);

/* The active columns, resolved; alive as long as the cursor. */
const int32_t *dvi_cursor_columns(const dv_cursor *cursor, int32_t *count_out);

/* Is what the last batch points into still there? */
dv_status dvi_cursor_check(const dv_cursor *cursor, dv_error *err);

/* Go to other rows, first_row..end_row-1, as if the cursor had been opened with them; only without
 * batch_rows.  What was handed out before lives on until the next batch.
 * DV_OK; a status of open_cursor, after which the call may be repeated. */
dv_status dvi_cursor_seek(dv_cursor *cursor, int64_t first_row, int64_t end_row, dv_error *err);

/* How many rows were handed out, those before the token included; the token of a cursor that has
 * handed out so many. */
int64_t dvi_cursor_position(const dv_cursor *cursor);
dv_status dvi_cursor_token_at(const dv_cursor *cursor, int64_t delivered, dv_token *token_out,
                              dv_error *err);

/* Let another source deliver the rows of a cursor that has not been moved; after a failure it has
 * none, and is good for closing only. */
dv_status dvi_cursor_move_onto(dv_cursor *cursor, const dv_view_class *cls, void *self,
                               dv_error *err);

/* Let its tokens count from where those of another one do. */
void dvi_cursor_take_place(dv_cursor *cursor, const dv_cursor *of);

dv_view *dvi_cursor_view(const dv_cursor *cursor);
const dv_cursor_request *dvi_cursor_request(const dv_cursor *cursor);

/* Let the cursor free the member that it was opened with: it is the member itself.  And that
 * member; NULL: it is no member. */
void dvi_cursor_own_member(dv_cursor *cursor);
struct dvi_member *dvi_cursor_member(const dv_cursor *cursor);

/* Options as they were meant: a copy of `given` (NULL: the defaults), checked.  DV_OK,
 * DV_ERR_ARGUMENT. */
dv_status dvi_cursor_read_options(const dv_cursor_options *given, dv_cursor_options *options,
                                  dv_error *err);
/* The active columns, as a list of *count_out that the caller frees, also after a failure; which
 * rows: first to *end_out - 1, INT64_MAX when their number is unknown; how many threads, at
 * least 1. */
dv_status dvi_cursor_read_columns(const dv_schema *schema, const dv_cursor_options *options,
                                  const dv_allocator *allocator, int32_t **columns_out,
                                  int32_t *count_out, dv_error *err);
void dvi_cursor_read_rows(const dv_view *view, const dv_cursor_options *options, int64_t *first_out,
                          int64_t *end_out);
/* The same of a view with so many rows. */
void dvi_cursor_limit_rows(const dv_cursor_options *options, int64_t rows, int64_t *first_out,
                           int64_t *end_out);
int32_t dvi_cursor_read_threads(const dv_cursor_options *options);

#endif
