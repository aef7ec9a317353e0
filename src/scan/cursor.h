/* SPDX-License-Identifier: MIT */
/* cursor.h: the batch cursor as the library uses it, and how options are read. */
#ifndef DVI_SCAN_CURSOR_H
#define DVI_SCAN_CURSOR_H

#include <dataview/cursor.h>
#include <dataview/own_view.h>

struct dvi_member; /* scan.h */
struct dvi_set;    /* set_cursor.h */
struct dvi_split;  /* splits.h */

/* --- Sinks ------------------------------------------------------------------------------------ */

/* Where the rows of a column go that is made row by row, if its reader copies them at once: no
 * batch holds them on the way.
 *
 * The reader gives a sink to the cursor (dvi_cursor_open_onto). The step that makes the column puts
 * its rows there and, in the batches, empty rows in their place. Steps and views that know nothing
 * of sinks deliver the rows in batches. So the reader looks at is_used after each batch. */

/* A row of a vector of R4: n items, whose slots rise. */
typedef struct dvi_sink_row {
    const uint32_t *slots;
    const float *items;
    int32_t n, length; /* items; slots of the row */
    bool is_dense;     /* the row has an item in every slot; those that are +0 may be left out */
} dvi_sink_row;

typedef struct dvi_vector_sink {
    /* The rows of the batch that comes next are here; unset by the reader when it has them. */
    bool is_used;
    int64_t rows; /* how many they are */
    dv_status (*add)(struct dvi_vector_sink *sink, const dvi_sink_row *row, dv_error *err);
} dvi_vector_sink;

/* Begin the rows of a batch. NULL: there is no sink. */
static inline void dvi_vector_sink_start(dvi_vector_sink *sink, int64_t rows)
{
    if (!sink)
        return;
    sink->is_used = true;
    sink->rows = rows;
}

/* --- Requests --------------------------------------------------------------------------------- */

/* A request as cursors make it; its size identifies it. */
typedef struct dvi_request {
    dv_cursor_request shown;
    struct dvi_member *member;
    dv_progress progress;          /* reports and stops for the cursor that was opened; see below */
    bool in_place;                 /* dvi_request_in_place */
    dvi_vector_sink *sink;         /* dvi_request_sink */
    const struct dvi_split *split; /* dvi_request_split */
} dvi_request;

/* The member of a cursor set to which the cursor belongs; NULL: none. */
struct dvi_member *dvi_request_member(const dv_cursor_request *shown);

/* The split that a cursor of a view with splits reads; NULL: all rows of the request. */
const struct dvi_split *dvi_request_split(const dv_cursor_request *shown);

/* Report progress to the caller of the cursor that was opened, from any cursor below it; in its
 * thread only. Nothing if a set reads ahead in threads of its own. DV_OK, DV_ERR_STOPPED. */
dv_status dvi_request_report(const dv_cursor_request *shown, dv_error *err);
/* For the options of a cursor below. */
dv_progress dvi_request_progress(const dv_cursor_request *shown);

/* How a cursor is opened; flags. */
enum {
    DVI_CURSOR_PLAIN = 1, /* never use a set, even if threads would gain */
    /* The layout of columns, ends of texts and lengths, counts and indices of vectors, may stay in
     * the mapped file, where it can change after it was checked: the caller checks what it uses.
     * Views that look at rows ignore this, and so does batch_rows. */
    DVI_CURSOR_IN_PLACE = 2,
};

/* As dv_cursor_open. member: the member of a set to which the cursor belongs, or NULL. */
dv_status dvi_cursor_open(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                          struct dvi_member *member, unsigned how, dv_error *err);

/* The same for a cursor of one column of vectors of R4, whose rows may go to the sink. They do not
 * with batch_rows, and if a set reads them. The sink must live as long as the cursor. NULL: none.
 */
dv_status dvi_cursor_open_onto(dv_cursor **cursor_out, dv_view *view,
                               const dv_cursor_options *options, struct dvi_member *member,
                               dvi_vector_sink *sink, unsigned how, dv_error *err);

/* The sink for the rows of the only column; NULL: none. */
dvi_vector_sink *dvi_request_sink(const dv_cursor_request *shown);

/* Was the cursor opened with DVI_CURSOR_IN_PLACE? */
bool dvi_request_in_place(const dv_cursor_request *shown);

/* The active columns, resolved; alive as long as the cursor. */
const int32_t *dvi_cursor_columns(const dv_cursor *cursor, int32_t *count_out);

/* Check that everything into which the last batch points can still be read. */
dv_status dvi_cursor_check(const dv_cursor *cursor, dv_error *err);

/* free_scratch of tasks (base/tasks.h) whose scratch is a dv_cursor *. */
void dvi_cursor_close_scratch(void *ctx, void *scratch);

/* Move to rows first_row..end_row-1, as if the cursor had been opened with them. The last batch
 * stays valid until the next one. DV_OK; an error of open_cursor, after which the call may be
 * repeated. */
dv_status dvi_cursor_seek(dv_cursor *cursor, int64_t first_row, int64_t end_row, dv_error *err);

/* Pass the next rows, at most `rows`, as if they had been delivered, but without reading them: for
 * views that know their number of rows. *passed_out: how many; 0 also if a batch is still owed, or
 * no rows are left. DV_OK; an error of open_cursor, which is final. */
dv_status dvi_cursor_pass(dv_cursor *cursor, int64_t rows, int64_t *passed_out, dv_error *err);

/* The number of rows delivered, including those before the token; and the token of that position.
 */
int64_t dvi_cursor_position(const dv_cursor *cursor);
dv_status dvi_cursor_token_at(const dv_cursor *cursor, int64_t delivered, dv_token *token_out,
                              dv_error *err);

/* Replace the source of a cursor that has delivered nothing. After a failure the cursor can only be
 * closed. */
dv_status dvi_cursor_move_onto(dv_cursor *cursor, const dv_view_class *cls, void *self,
                               dv_error *err);

/* Copy the position from which the tokens of another cursor count. */
void dvi_cursor_copy_position(dv_cursor *cursor, const dv_cursor *of);

dv_view *dvi_cursor_view(const dv_cursor *cursor);
/* The set that reads for it; NULL: there is none. */
const struct dvi_set *dvi_cursor_set(const dv_cursor *cursor);
const dv_cursor_request *dvi_cursor_request(const dv_cursor *cursor);

/* Make the cursor the owner of its member: it is the member's cursor itself. And get that member;
 * NULL: it is not a member. */
void dvi_cursor_own_member(dv_cursor *cursor);
struct dvi_member *dvi_cursor_member(const dv_cursor *cursor);

/* Copy and check options; NULL: the defaults. DV_OK, DV_ERR_ARGUMENT. */
dv_status dvi_cursor_read_options(const dv_cursor_options *given, dv_cursor_options *options,
                                  dv_error *err);
/* Read options: the active columns, as a list of *count_out that the caller frees, also after a
 * failure; the rows, *first_out to *end_out - 1 (INT64_MAX if their number is unknown); the
 * threads, at least 1. */
dv_status dvi_cursor_read_columns(const dv_schema *schema, const dv_cursor_options *options,
                                  const dv_allocator *allocator, int32_t **columns_out,
                                  int32_t *count_out, dv_error *err);
void dvi_cursor_read_rows(const dv_view *view, const dv_cursor_options *options, int64_t *first_out,
                          int64_t *end_out);
/* The rows of a view with this number of rows. */
void dvi_cursor_limit_rows(const dv_cursor_options *options, int64_t rows, int64_t *first_out,
                           int64_t *end_out);
int32_t dvi_cursor_read_threads(const dv_cursor_options *options);
/* Options that ask for what a request asks for, of all rows, in one thread. */
dv_cursor_options dvi_cursor_options_of(const dv_cursor_request *request);

#endif
