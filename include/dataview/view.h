/* SPDX-License-Identifier: MIT */
/* view.h: what is a table, and how does one make a table of one's own?  (semantics.md 5.1) */
#ifndef DATAVIEW_VIEW_H
#define DATAVIEW_VIEW_H

#include <dataview/batch.h>
#include <dataview/buffer.h>
#include <dataview/schema.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An immutable table.  Reference-counted; any thread, any number of cursors at once. */
typedef struct dv_view dv_view;

#define DV_ROWS_UNKNOWN INT64_C(-1)

DV_API void dv_view_retain(dv_view *view);
/* Sets the pointer to NULL; NULL is fine.  The last reference closes the view; cursors and retained
 * batches hold one each. */
DV_API void dv_view_release(dv_view **view);

/* Borrowed, lives as long as the view. */
DV_API const dv_schema *dv_view_schema(const dv_view *view);
/* How many rows there are, exactly and for good; DV_ROWS_UNKNOWN when that is not free to know. */
DV_API int64_t dv_view_rows(const dv_view *view);
/* May a cursor deliver another order when asked to shuffle? */
DV_API bool dv_view_can_shuffle(const dv_view *view);
/* How the rows lie that a cursor with first_row goes to.  1: each can be had by itself (datadings,
 * BTable, rows in memory).  More: in stored blocks of so many rows each but the last (.idv), and a
 * row costs a block.  0: a cursor walks there, over all rows before (text, rows that passed a
 * filter).  A view of several tables has the largest blocks of them.  A hint: no row depends on it.
 */
DV_API int64_t dv_view_block_rows(const dv_view *view);
/* Which format or kind of view: ".idv", or what the class says.  Static text. */
DV_API const char *dv_view_kind(const dv_view *view);

/* --- Making a view of one's own: examples/own_view.c ------------------------------------------ */

struct dvi_lane;

/* What a cursor was asked for, with names resolved and ranges clamped.  Lives as long as the
 * cursor. */
typedef struct dv_cursor_request {
    size_t size;
    const dv_schema *schema;
    const int32_t *columns; /* active columns, in order; may repeat one */
    int32_t columns_count;
    int64_t first_row, end_row; /* deliver just these rows; end_row INT64_MAX: to the end */
    int64_t batch_rows;         /* a wish: rows per batch at most; 0: none */
    int32_t threads;            /* >= 1: how many may decode, the caller's included */
    bool zero_copy_only;
    const dv_allocator *allocator;
    bool ids;              /* of the rows too: see dv_batch_fill_ids */
    struct dvi_lane *lane; /* the library's own: the cursor is a member of a set; NULL: it is not */
} dv_cursor_request;

struct dv_facts;          /* inspect.h */
struct dv_verify_options; /* inspect.h */
struct dv_csr_target;     /* the library's own */
struct dv_identity;       /* below */

/* What a view does.  One static const struct per class; size is sizeof(dv_view_class), and members
 * that are NULL have the answer named.  `self` is what dv_view_create was given, `cursor` what
 * open_cursor returned. */
typedef struct dv_view_class {
    size_t size;
    const char *kind;

    int64_t (*rows)(void *self);     /* NULL: unknown */
    bool (*can_shuffle)(void *self); /* NULL: false */
    void (*close)(void *self);       /* once, after the last reference; NULL: nothing to do */

    /* *cursor_out is not NULL after DV_OK. */
    dv_status (*open_cursor)(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err);
    /* DV_OK after dv_batch_start and a dv_batch_fill for each active column; DV_END; an error.
     * Rows come in order, from first_row on. */
    dv_status (*next)(void *cursor, dv_batch *batch, dv_error *err);
    void (*close_cursor)(void *cursor); /* NULL: nothing to do */

    /* Is all that batches point into still there?  Asked before rows of an earlier batch are handed
     * out again (batch_rows).  NULL: it cannot go away. */
    dv_status (*check)(void *self, dv_error *err);

    /* Add what is known of the file behind the view; NULL: nothing more than the schema. */
    dv_status (*inspect)(void *self, struct dv_facts *facts, dv_error *err);
    /* Check everything, reporting each defect; NULL: every row is read. */
    dv_status (*verify)(void *self, const struct dv_verify_options *options, dv_error *err);

    /* As check, of what the last batch of this cursor points into.  NULL: check is asked. */
    dv_status (*check_cursor)(void *cursor, dv_error *err);

    /* For the library's own formats: fill or measure the matrix of the request's only column
     * without the way through batches (csr.h).  DV_OK; DV_NOT_FOUND: by batches, please, which also
     * tell what is wrong; or an error that is final.  NULL: by batches. */
    dv_status (*fill_csr)(void *self, const dv_cursor_request *request,
                          struct dv_csr_target *target, dv_error *err);
    dv_status (*measure_csr)(void *self, const dv_cursor_request *request, bool all_slots,
                             int64_t *rows_out, int64_t *entries_out, dv_error *err);

    /* Go to other rows: the request has another first_row and end_row.  Batches handed out before
     * need not outlive the next one.  DV_OK, or an error.  NULL: the cursor is closed, and another
     * one opened. */
    dv_status (*seek)(void *cursor, dv_error *err);

    /* As dv_view_block_rows.  NULL: 0. */
    int64_t (*block_rows)(void *self);

    /* Add all that rows, their values and their order depend on: of a file dv_identity_add what
     * tells it from others, of what is made of other views its own parameters and
     * dv_identity_add_view of each of them.  Kind and columns are added by the library; memory,
     * threads and limits do not count.  Asked seldom, by any thread.  NULL: how many rows it has,
     * which dv_view_cache_disk (cache.h) does not content itself with.
     */
    dv_status (*identify)(void *self, struct dv_identity *identity, dv_error *err);

    /* For the library's own views, each of whose rows is made of one row of a source, in its order:
     * that source, and what becomes of row numbers.  NULL: there is none. */
    dv_view *(*row_source)(void *self, int *numbers_out);
    /* For the library's own views: is there work for threads in this cursor?  NULL: there is none.
     */
    int (*work)(void *self, const dv_cursor_request *request);
} dv_view_class;

/* Make a view.  Takes the schema: *schema is NULL after DV_OK.  self must be safe for any number of
 * threads.
 * DV_OK; DV_ERR_ARGUMENT: a class without open_cursor or next; DV_ERR_MEMORY (close is not called).
 */
DV_API dv_status dv_view_create(dv_view **view_out, const dv_view_class *cls, void *self,
                                dv_schema **schema, const dv_allocator *allocator, dv_error *err);

/* What tells a view from one that has other rows, or the same in another order: a token of a
 * position (cursor.h) is good for one view, in whatever process it is made again, and for no other.
 * It is a digest (XXH3, 128 bits) of what `identify` adds. */
typedef struct dv_identity dv_identity;

/* Add n bytes (src may be NULL when n is 0), the same on every machine: numbers little-endian, no
 * padding.  Each piece counts for itself: "ab" and "c" are not "a" and "bc". */
DV_API void dv_identity_add(dv_identity *identity, const void *src, size_t n);
/* Add the identity of another view.  DV_OK; DV_ERR_MEMORY; what its `identify` says: DV_ERR_IO,
 * DV_ERR_ARGUMENT for the bytes of a pipe, which come once. */
DV_API dv_status dv_identity_add_view(dv_identity *identity, dv_view *view, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
