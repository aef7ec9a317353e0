/* SPDX-License-Identifier: MIT */
/* own_view.h: makes a view of data of your own.
 *
 * A class has the functions that read the view; a schema (dv_schema_create, dv_schema_add in
 * schema.h) has its columns; dv_view_create makes the view, which is then used like any other.
 * examples/own_view.c is a complete program; examples/own_source.c is one whose rows several
 * threads read. */
#ifndef DATAVIEW_OWN_VIEW_H
#define DATAVIEW_OWN_VIEW_H

#include <dataview/inspect.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The request of a cursor, with names resolved and ranges clamped.  Valid as long as the cursor;
 * first_row and end_row change before `seek` is called. */
typedef struct dv_cursor_request {
    size_t size; /* of the library's struct, which may be larger */
    const dv_schema *schema;
    const int32_t *columns; /* active columns, in order; a column may be given more than once */
    int32_t columns_count;
    int64_t first_row, end_row; /* deliver these rows only; end_row INT64_MAX: to the end */
    int64_t batch_rows;         /* a hint: the most rows of a batch; 0: any number */
    int32_t threads;            /* >= 1: that may decode at the same time, the caller's included */
    bool zero_copy_only;        /* return DV_ERR_COPY instead of copying */
    const dv_allocator *allocator;
    bool ids;      /* row ids are wanted: see dv_batch_fill_ids */
    int64_t epoch; /* dv_cursor_options; pass it on to cursors of other views */
    int64_t
        split; /* for `read` of a class with `splits`: whose rows first_row..end_row-1 are wanted */
} dv_cursor_request;

typedef struct dv_identity dv_identity;

/* The functions by which a view is read; usually one static const struct per class.  Only kind
 * and one way of reading are required: open_cursor and next; read, rows and block_rows; or read and
 * splits.  The comment of each other member says what NULL means.  A class with `read` is read by
 * as many threads as a cursor asks for; one with open_cursor by one thread, unless steps above it,
 * or the class itself, use more.
 *
 * self    the pointer given to dv_view_create.  Members that take it are called from any thread,
 *         and from several at the same time
 * cursor  the pointer that open_cursor returned.  One thread at a time
 *
 * A member that fails returns a negative status and writes err, which may be NULL, with
 * dv_error_set (status.h). */
typedef struct dv_view_class {
    size_t size;      /* sizeof(dv_view_class) */
    const char *kind; /* static text: dv_view_kind */

    int64_t (*rows)(void *self);     /* dv_view_rows.  NULL: unknown */
    bool (*can_shuffle)(void *self); /* dv_view_can_shuffle.  NULL: false */
    void (*close)(void *self);       /* once, after the last reference.  Views that it releases are
                                        closed after it returns.  NULL: nothing to do */

    /* Open a cursor before request->first_row.  *cursor_out is not NULL after DV_OK. */
    dv_status (*open_cursor)(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err);
    /* Deliver the next rows, in order: call dv_batch_start, then dv_batch_fill for each active
     * column.  DV_OK; DV_END; an error, after which it is not called again. */
    dv_status (*next)(void *cursor, dv_batch *batch, dv_error *err);
    void (*close_cursor)(void *cursor); /* NULL: nothing to do */

    /* Check whether all memory to which batches point can still be read.  Called before rows of an
     * earlier batch are delivered again (batch_rows).  NULL: it always can. */
    dv_status (*check)(void *self, dv_error *err);

    /* Add facts (dv_inspect): dv_facts_set_version and so on.  NULL: only those of the schema. */
    dv_status (*inspect)(void *self, dv_facts *facts, dv_error *err);
    /* Check everything and report each defect (dv_verify).  NULL: every row is read. */
    dv_status (*verify)(void *self, const dv_verify_options *options, dv_error *err);

    /* As check, for the memory to which the last batch of this cursor points.  NULL: check is
     * called. */
    dv_status (*check_cursor)(void *cursor, dv_error *err);

    /* Move to the rows first_row..end_row-1 of the request, which have changed.  The last batch
     * stays valid until the next one.  DV_OK, or an error.  NULL: the cursor is closed, and another
     * one is opened. */
    dv_status (*seek)(void *cursor, dv_error *err);

    int64_t (*block_rows)(void *self); /* dv_view_block_rows.  NULL: 0 */

    /* Add to the digest everything on which rows, values and order depend: bytes that distinguish
     * the data (dv_identity_add), each source (dv_identity_add_view), and parameters, but not
     * memory, threads or limits.  The library adds kind and columns.  NULL: the number of rows;
     * dv_view_cache_disk (cache.h) then refuses the view. */
    dv_status (*identify)(void *self, dv_identity *identity, dv_error *err);

    /* In place of open_cursor, next, close_cursor and seek: fill the batch (dv_batch_start,
     * dv_batch_fill) with rows of the request, from first_row on: at least one, none from end_row
     * on.  The library asks for the others later.  The same request always gives the same rows.
     * Called from any thread, and by several at the same time, each with a scratch of its own.
     *
     * Without `splits`, rows and block_rows are required, and first_row..end_row-1 lie in one
     * block: rows n * block_rows to (n + 1) * block_rows - 1.  With 1 each row can be read by
     * itself, and dv_view_take reads no others.
     *
     * With `splits`, first_row counts from the first row of split request->split; the rows before
     * it were read just before, with the same scratch.  end_row is INT64_MAX.  DV_END: the split
     * has no more rows.
     *
     * DV_OK; DV_END; an error, after which the scratch is closed.  DV_END in a block is an error.
     */
    dv_status (*read)(void *self, const dv_cursor_request *request, void *scratch, dv_batch *batch,
                      dv_error *err);
    /* Make the scratch that a thread keeps from one call of `read` to the next: for requests that
     * differ in first_row, end_row and split alone.  NULL: it is NULL. */
    dv_status (*open_scratch)(void *self, const dv_cursor_request *request, void **scratch_out,
                              dv_error *err);
    void (*close_scratch)(void *scratch); /* NULL: nothing to do */
    /* How many splits the rows are divided into; the rows of split 0 come first.  How many rows
     * each has, only `read` tells.  Always the same number.  A cursor that starts at a later row
     * than the first reads with one thread.  NULL: rows are divided into blocks. */
    int64_t (*splits)(void *self);
} dv_view_class;

/* Make a view of a class.  Any thread.
 *
 * cls        copied, except the text `kind`
 * self       passed to the members of the class, last to `close`
 * schema     taken: *schema is NULL after DV_OK, and still the caller's after a failure
 * allocator  for the view, its cursors and batches; NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  *schema is NULL; or a class without kind, with neither open_cursor and next nor
 *                  read, or with both; with read, but neither splits nor rows and block_rows; with
 *                  splits and block_rows; or whose size is not that of a dv_view_class
 * DV_ERR_MEMORY
 *
 * After a failure *view_out is NULL, and `close` has not been called. */
DV_API dv_status dv_view_create(dv_view **view_out, const dv_view_class *cls, void *self,
                                dv_schema **schema, const dv_allocator *allocator, dv_error *err);

/* --- Batches, in `next` ----------------------------------------------------------------------- */

/* Set the number of rows of the batch, at least 1, and the number of the first one in the view.
 * DV_OK; DV_ERR_ARGUMENT: rows is less than 1. */
DV_API dv_status dv_batch_start(dv_batch *batch, int64_t first_row, int64_t rows, dv_error *err);

/* Set active column k of the batch, after dv_batch_start.  The struct and the one that `items`
 * points to are copied; their buffers are retained until the batch is released.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  k is outside or filled already; another number of rows than the batch's, another
 *                  type than the schema's, a layout that does not fit the type, or a buffer that is
 *                  too small */
DV_API dv_status dv_batch_fill(dv_batch *batch, int32_t k, const dv_column_view *view,
                               dv_error *err);

/* Set the ids of the rows, one per row, if the request has `ids` (semantics:5.4).  They are copied.
 * A view sets them in every batch or in none; if it does not, row n has the id {n, 0}.
 * DV_OK; DV_ERR_ARGUMENT: called before dv_batch_start; DV_ERR_MEMORY: return it from `next`. */
DV_API dv_status dv_batch_fill_ids(dv_batch *batch, const dv_u128 *ids, dv_error *err);

/* --- Facts, in `inspect` ---------------------------------------------------------------------- */

/* Set or add facts (inspect.h).  Texts are copied.  Write the other members of dv_facts directly.
 * DV_OK; DV_ERR_ARGUMENT: no such column; DV_ERR_MEMORY. */
DV_API dv_status dv_facts_set_version(dv_facts *facts, const char *version, dv_error *err);
DV_API dv_status dv_facts_set_column(dv_facts *facts, int32_t column,
                                     const dv_column_facts *column_facts, dv_error *err);
DV_API dv_status dv_facts_warn(dv_facts *facts, const char *sentence, dv_error *err);
DV_API dv_status dv_facts_add_file(dv_facts *facts, const char *name, int64_t nbytes,
                                   dv_error *err);

/* --- The identity, in `identify` -------------------------------------------------------------- */

/* A dv_identity is the digest that becomes the identity of the view (dv_view_identity).  A token
 * (dv_cursor_token) is valid for views of the same identity, in any process. */

/* Add n bytes; src may be NULL if n is 0.  They should be the same on every machine: little-endian,
 * without padding.  Calls are delimited: "ab" and "c" differ from "a" and "bc". */
DV_API void dv_identity_add(dv_identity *identity, const void *src, size_t n);
/* Add the identity of a view.
 * DV_OK; DV_ERR_MEMORY; what its `identify` returns, such as DV_ERR_IO, or DV_ERR_ARGUMENT for a
 * pipe, which has no identity. */
DV_API dv_status dv_identity_add_view(dv_identity *identity, dv_view *view, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
