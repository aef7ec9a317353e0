/* SPDX-License-Identifier: MIT */
/* dense.h: fills dense matrices from columns (semantics:4.1, semantics:4.2).
 *
 * The matrix belongs to the caller: rows of items, with `stride` items from one row to the next.
 * Items are I1 to I8, U1 to U8, R4, R8, or R2 and B2 (bfloat16), reals of two bytes.  Columns are
 * written side by side, each into its own slots; items of a row after the last slot are not
 * touched.
 *
 * A column has numbers (I1..I8, U1..U8, R4, R8), BL, or ticks (TS, DT): scalars or vectors, dense
 * or sparse, at any address; for a matrix of integers also keys, whose first value becomes 0.
 * Items of the same type as the matrix keep all bits.  A matrix of reals has others rounded once,
 * to nearest, ties to even.  A matrix of integers has whole numbers alone.  A number that an item
 * cannot hold is refused, with its position: too large for an integer, not whole, or finite and
 * beyond the largest R2 or B2.  Slots of a row without an item become 0, those of keys NA.  Slots
 * after the end of a shorter row become 0 or `fill`.  Text, UG and DZ are refused; dv_view_convert
 * (transform.h) converts what can be converted.
 *
 * Any thread; threads may fill different rows of a matrix at the same time.  Nothing is allocated,
 * and nothing refers to dst after a call.  Cost: one pass over the columns and one over the matrix,
 * in tiles that fit the first cache.  Output larger than the last cache is written past it if that
 * is faster.  For vectors, the first such output of a process of more than twice the cache measures
 * this, and writes up to 256 MiB of it seven times. */
#ifndef DATAVIEW_DENSE_H
#define DATAVIEW_DENSE_H

#include <dataview/cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The treatment of NA. */
typedef enum dv_dense_na {
    DV_DENSE_NA_KEEP,  /* NaN; for I1 to I8 the least number; U1 to U8 have no NA: it is refused */
    DV_DENSE_NA_VALUE, /* na_value */
    DV_DENSE_NA_REFUSED, /* nothing: the call fails, and reports its position */
    DV_DENSE_NA_MASK     /* 1, and 0 for all else: a mask, of U1 */
} dv_dense_na;

/* The treatment of a row that has more slots than its column has in the matrix. */
typedef enum dv_dense_cut {
    DV_DENSE_CUT_REFUSED, /* the call fails, and names the row */
    DV_DENSE_CUT_END,     /* its last slots are left out, whatever they hold */
    DV_DENSE_CUT_START    /* its first slots are left out */
} dv_dense_cut;

/* Start from DV_DENSE_OPTIONS_INIT: all columns of the batch, NA kept, shorter rows followed by 0,
 * longer ones refused. */
typedef struct dv_dense_options {
    size_t size; /* set by the INIT */

    const int32_t *columns; /* numbers of dv_batch_column, from left to right; NULL: all */
    int32_t columns_count;  /* of `columns` and `widths`; -1: all of the batch, in its order */
    const size_t *widths;   /* slots of each column; 0: the size of its type.  NULL: all 0.
                               Required for vectors whose size varies; may exceed the size */
    dv_dense_na na;
    double na_value; /* rounded to reals, where it must not exceed the largest unless it is
                        infinite; for integers a whole number that they hold, below 2^63 */

    double fill; /* for slots after the end of a shorter row, or before it; as na_value.  A mask
                    has 0 there, and fill is not read */
    bool left;   /* every row ends at the last slot of its column: shorter ones are filled on the
                    left */
    dv_dense_cut cut;
} dv_dense_options;

#define DV_DENSE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_dense_options), NULL, -1, NULL, DV_DENSE_NA_KEEP, 0, 0, false,                   \
            DV_DENSE_CUT_REFUSED                                                                   \
    }

/* Write columns of a batch into a matrix.  Column k of the options begins at slot
 * w(0) + ... + w(k-1) of each row, where w(i) is the width of column i.
 *
 * dst      room for (rows - 1) * stride + w(0) + w(1) + ... items, aligned to them; the first is
 *          slot 0 of row 0.  May be NULL if nothing is written
 * stride   items, >= the sum of the widths
 * options  NULL: DV_DENSE_OPTIONS_INIT
 *
 * items    DV_KIND_R4, DV_KIND_U1, ...: of the matrix
 *
 * DV_OK            all rows are written
 * DV_ERR_ARGUMENT  nothing is written: no such column; a type without numbers, or reals as keys,
 *                  which the message names; a width that is missing, or smaller than a row, which
 *                  the message names, unless `cut` says what to leave out; a stride that is too
 *                  small; no dst; an na_value or fill that an item cannot hold; items of another
 *                  kind; options of unknown size; a column of the caller with unsound counts,
 *                  indices or buffers
 * DV_ERR_LIMIT     an NA that is refused: err->rule is "na", the option; or a number that an item
 *                  of the matrix cannot hold: it is "range".  The message names column, row and
 *                  slot of the first one, in the order of rows.  Any part of the matrix may have
 *                  been written
 */
DV_API dv_status dv_batch_dense(const dv_batch *batch, dv_kind items, void *dst, size_t stride,
                                const dv_dense_options *options, dv_error *err);

/* Compute the sum of the widths, in slots, for batches of a cursor with the given options.  Reads
 * no row.
 *
 * items    as for dv_batch_dense.  Columns that it refuses are refused here, with the same message
 * cursor   NULL: every column that is not hidden
 * options  NULL: DV_DENSE_OPTIONS_INIT
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_batch_dense and dv_cursor_open
 * DV_ERR_MEMORY */
DV_API dv_status dv_dense_width(size_t *width_out, const dv_schema *schema, dv_kind items,
                                const dv_cursor_options *cursor, const dv_dense_options *options,
                                dv_error *err);

/* Write the rows of a view, or those that the options of a cursor ask for, into a matrix: row i of
 * the matrix is row i of that cursor.
 *
 * dst      room for (rows_room - 1) * stride + the width (dv_dense_width) items, aligned to them.
 *          May be NULL if nothing is written
 * stride   items, >= the width
 * cursor   columns, rows, `token`, `threads`, `zero_copy_only` and `progress` are as for
 *          dv_cursor_open; NULL: every column that is not hidden, all rows.  `batch_rows` and `ids`
 *          change nothing.  `columns` of `options` counts within the columns of `cursor`
 * options  NULL: DV_DENSE_OPTIONS_INIT
 * rows_out the rows of the matrix; 0 after a failure, but see DV_ERR_LIMIT.  May be NULL
 *
 * Where the number of rows is known and rows are reached by number (dv_view_block_rows is not 0),
 * `threads` threads fill parts of the matrix, the caller's among them.  Elsewhere one cursor with
 * that many threads reads the rows in order.  Matrix and error do not depend on the threads: an
 * error is always about the first row at fault.  `progress` is called in the caller's thread.
 *
 * Any thread.  Memory: that of one cursor for each thread; nothing grows with the matrix.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  as dv_batch_dense, dv_dense_width and dv_cursor_open; a negative rows_room; a
 *                  custom view that delivers a different number of rows than it reported
 * DV_ERR_LIMIT     an NA or a number, as for dv_batch_dense, with its row in the matrix.  Or there
 *                  are more rows than rows_room: err->rule is "rows_room".  If their number is
 *                  known, nothing is written, and *rows_out is that number; else *rows_out is how
 *                  many have been read, and there may be more (count them with a cursor of no
 *                  columns).  Or as dv_cursor_next
 * DV_ERR_STOPPED   `progress` returned false
 * DV_ERR_MEMORY
 * DV_ERR_*         as dv_cursor_next
 *
 * After a failure any part of the matrix may have been written, unless said otherwise. */
DV_API dv_status dv_view_dense(dv_view *view, dv_kind items, void *dst, int64_t rows_room,
                               size_t stride, const dv_cursor_options *cursor,
                               const dv_dense_options *options, int64_t *rows_out, dv_error *err);

/* Write one column view, of any batch, with NA kept: dst[row * stride + slot].
 *
 * dst     room for (rows - 1) * stride + width items, aligned to them
 * width   slots that are written in each row, at least as many as each row has; a scalar has one
 * stride  items, >= width
 *
 * DV_OK; DV_ERR_ARGUMENT, DV_ERR_LIMIT as dv_batch_dense */
DV_API dv_status dv_column_dense(const dv_column_view *column, dv_kind items, void *dst,
                                 size_t width, size_t stride, dv_error *err);

/* --- Rows of varying length ------------------------------------------------------------------- */

/* Write the number of slots of each row of a column; a scalar has one.  The width of a matrix for
 * these rows is the largest of them, and a mask of the slots that are filled follows from them.
 *
 * lengths_out  room for column->rows numbers
 *
 * Any thread.  Reads no item.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no column; a column of the caller with a negative length, or too few of them */
DV_API dv_status dv_column_lengths(const dv_column_view *column, int64_t *lengths_out,
                                   dv_error *err);

/* Write the slots of all rows of one column of a batch end to end: those of row i begin at the sum
 * of the lengths (dv_column_lengths) of the rows before it.
 *
 * column   of the batch
 * items    as for dv_batch_dense
 * dst      `room` items, aligned to them; may be NULL if the rows have no slots
 * options  `na` and `na_value` are used; NULL: DV_DENSE_OPTIONS_INIT
 *
 * Any thread; allocates nothing.
 *
 * DV_OK            all rows are written
 * DV_ERR_ARGUMENT  as dv_batch_dense; or the rows have more slots than there is room for
 * DV_ERR_LIMIT     as dv_batch_dense */
DV_API dv_status dv_batch_ragged(const dv_batch *batch, int32_t column, dv_kind items, void *dst,
                                 size_t room, const dv_dense_options *options, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
