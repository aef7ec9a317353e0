/* SPDX-License-Identifier: MIT */
/* own_view.h: makes a view of data of your own.
 *
 * A class says how the view is read; dv_schema_create and dv_schema_add (schema.h) say which
 * columns it has; dv_view_create makes the view, which then is one like any other.
 * examples/own_view.c is a whole one. */
#ifndef DATAVIEW_OWN_VIEW_H
#define DATAVIEW_OWN_VIEW_H

#include <dataview/inspect.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a cursor is asked for, with names resolved and ranges clamped.  Lives as long as the cursor;
 * first_row and end_row change before `seek`. */
typedef struct dv_cursor_request {
    size_t size; /* of the library's struct, which may be larger than this one */
    const dv_schema *schema;
    const int32_t *columns; /* active columns, in order; a column may be there several times */
    int32_t columns_count;
    int64_t first_row, end_row; /* deliver these rows only; end_row INT64_MAX: to the end */
    int64_t batch_rows;         /* a wish: at most so many rows in a batch; 0: none */
    int32_t threads;            /* >= 1: may decode at the same time, the caller's included */
    bool zero_copy_only;        /* refuse with DV_ERR_COPY what must be copied */
    const dv_allocator *allocator;
    bool ids; /* row ids are wanted: see dv_batch_fill_ids */
} dv_cursor_request;

typedef struct dv_identity dv_identity;

/* How a view is read.  One static const struct per class.  Only kind, open_cursor and next are
 * needed; for each other member that is NULL the comment says what holds.
 *
 * self    what dv_view_create was given.  Members that take it are called from any thread, several
 *         at once
 * cursor  what open_cursor returned.  One thread at a time
 *
 * A member that fails returns a negative status and writes err (status.h); err may be NULL. */
typedef struct dv_view_class {
    size_t size;      /* sizeof(dv_view_class) */
    const char *kind; /* static text: dv_view_kind */

    int64_t (*rows)(void *self);     /* dv_view_rows.  NULL: unknown */
    bool (*can_shuffle)(void *self); /* dv_view_can_shuffle.  NULL: false */
    void (*close)(void *self);       /* once, after the last reference.  NULL: nothing to do */

    /* Open a cursor before request->first_row.  *cursor_out is not NULL after DV_OK. */
    dv_status (*open_cursor)(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err);
    /* Deliver the next rows, in order: dv_batch_start, then dv_batch_fill for each active column.
     * DV_OK; DV_END; an error, of which all but DV_ERR_MEMORY are final: after that one the call
     * is repeated, and delivers the rows that it would have delivered. */
    dv_status (*next)(void *cursor, dv_batch *batch, dv_error *err);
    void (*close_cursor)(void *cursor); /* NULL: nothing to do */

    /* Report whether all memory that batches point into can still be read.  Called before rows of
     * an earlier batch are handed out again (batch_rows).  NULL: it always can. */
    dv_status (*check)(void *self, dv_error *err);

    /* Add what is known of the data: dv_facts_set_version and so on.  NULL: the schema only. */
    dv_status (*inspect)(void *self, dv_facts *facts, dv_error *err);
    /* Check everything and report each defect (dv_verify).  NULL: every row is read. */
    dv_status (*verify)(void *self, const dv_verify_options *options, dv_error *err);

    /* As check, of what the last batch of this cursor points into.  NULL: check is called. */
    dv_status (*check_cursor)(void *cursor, dv_error *err);

    /* Go to the rows that first_row and end_row of the request say now.  Batches that were handed
     * out stay valid until the next one.  DV_OK, or an error.  NULL: the cursor is closed, and
     * another one opened. */
    dv_status (*seek)(void *cursor, dv_error *err);

    int64_t (*block_rows)(void *self); /* dv_view_block_rows.  NULL: 0 */

    /* Add to the digest all that rows, their values and their order depend on: of bytes those that
     * tell them from others (dv_identity_add), of each source dv_identity_add_view and the
     * parameters.  The library adds kind and columns.  Memory, threads and limits do not count.
     * NULL: the number of rows, with which dv_view_cache_disk (cache.h) refuses the view. */
    dv_status (*identify)(void *self, dv_identity *identity, dv_error *err);
} dv_view_class;

/* Make a view.
 *
 * self       passed to the members of the class; closed with the view
 * schema     taken: *schema is NULL after DV_OK, and the caller's after a failure
 * allocator  of the view, its cursors and batches; NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  *schema is NULL; or a class without kind, open_cursor or next, or whose size is
 *                  below that of these members or above that of the library's dv_view_class
 * DV_ERR_MEMORY
 *
 * After a failure *view_out is NULL, and close was not called. */
DV_API dv_status dv_view_create(dv_view **view_out, const dv_view_class *cls, void *self,
                                dv_schema **schema, const dv_allocator *allocator, dv_error *err);

/* --- Batches, in `next` ----------------------------------------------------------------------- */

/* Give the batch its rows: at least 1; first_row is the number of the first one in the view.
 * DV_OK; DV_ERR_ARGUMENT: rows is less than 1. */
DV_API dv_status dv_batch_start(dv_batch *batch, int64_t first_row, int64_t rows, dv_error *err);

/* Then give it active column k.  The struct, and what `items` points to, is copied; its buffers are
 * retained until the batch is released.
 * DV_OK; DV_ERR_ARGUMENT: k is outside or was filled, other rows than the batch's, another type
 * than the schema's, a layout that does not fit the type, or a buffer too small for the rows. */
DV_API dv_status dv_batch_fill(dv_batch *batch, int32_t k, const dv_column_view *view,
                               dv_error *err);

/* Where the request asks for ids, give each row its id.  A view does so for every batch or for
 * none; without, rows have the ids {number of the row, 0}.  The ids, one per row, are copied.
 * DV_OK; DV_ERR_ARGUMENT: called before dv_batch_start; DV_ERR_MEMORY: return it from `next`. */
DV_API dv_status dv_batch_fill_ids(dv_batch *batch, const dv_u128 *ids, dv_error *err);

/* --- Facts, in `inspect` ---------------------------------------------------------------------- */

/* Set or add facts; other members of dv_facts are written directly.  Texts are copied.
 * DV_OK; DV_ERR_ARGUMENT: no such column; DV_ERR_MEMORY. */
DV_API dv_status dv_facts_set_version(dv_facts *facts, const char *version, dv_error *err);
DV_API dv_status dv_facts_set_column(dv_facts *facts, int32_t column,
                                     const dv_column_facts *column_facts, dv_error *err);
DV_API dv_status dv_facts_warn(dv_facts *facts, const char *sentence, dv_error *err);
DV_API dv_status dv_facts_add_file(dv_facts *facts, const char *name, int64_t nbytes,
                                   dv_error *err);

/* --- The identity, in `identify` -------------------------------------------------------------- */

/* A dv_identity is a digest (XXH3, 128 bits) that tells a view from one with other rows, or with
 * the same rows in another order.  A token (dv_cursor_token) is valid for views of one identity, in
 * whatever process they are made. */

/* Add n bytes; src may be NULL when n is 0.  Let them be the same on every machine: little-endian,
 * no padding.  Each addition counts separately: "ab" and "c" are not "a" and "bc". */
DV_API void dv_identity_add(dv_identity *identity, const void *src, size_t n);
/* Add the identity of a view.
 * DV_OK; DV_ERR_MEMORY; what its `identify` returns: DV_ERR_IO; DV_ERR_ARGUMENT of a pipe, whose
 * bytes come once. */
DV_API dv_status dv_identity_add_view(dv_identity *identity, dv_view *view, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
