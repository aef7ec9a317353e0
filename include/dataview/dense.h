/* SPDX-License-Identifier: MIT */
/* dense.h: how do columns fill my matrix?  (semantics:4.1, semantics:4.2)
 *
 * The matrix is the caller's: rows of floats (f4) or doubles (f8), `stride` items from one row to
 * the next.  Columns lie side by side in it, each in its own slots; what is after the last one of
 * a row is not touched.
 *
 * A column holds numbers (I1..I8, U1..U8, R4, R8), BL, TS or DT (both are ticks then), one in a row
 * or a vector of them, dense or sparse, at any address.  Items of another type than the matrix'
 * are rounded once, to nearest, ties to even; those of its own type keep all bits.  Slots without
 * an item, also after the end of a shorter vector, become 0.  Text, keys, UG and DZ are refused:
 * transform.h converts what can be converted; but see dv_batch_dense_i8.
 *
 * Any thread; threads may fill different parts of a matrix at the same time.  Nothing is allocated,
 * nothing refers to dst after a call.  Cost: one pass over the columns and one over the matrix, no
 * more: rows go through the first caches in tiles.  Output larger than the last cache goes past it
 * where that is faster; of vectors, the first of more than twice the cache in a process finds out,
 * which writes up to 256 MiB of it seven times. */
#ifndef DATAVIEW_DENSE_H
#define DATAVIEW_DENSE_H

#include <dataview/cursor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of NA. */
typedef enum dv_dense_na {
    DV_DENSE_NA_KEEP,   /* NaN */
    DV_DENSE_NA_VALUE,  /* na_value */
    DV_DENSE_NA_REFUSED /* the call fails, and tells where it is */
} dv_dense_na;

/* Which columns, and how.  Start from DV_DENSE_OPTIONS_INIT: all of the batch, NA kept. */
typedef struct dv_dense_options {
    size_t size; /* of this struct: set by the INIT */

    const int32_t *columns; /* of the batch (dv_batch_column), from left to right; NULL: all */
    int32_t columns_count;  /* of columns and widths; -1: all of the batch, in its order */
    const size_t *widths;   /* slots of each; 0: as the type says.  NULL: all 0.  Needed for vectors
                               whose size varies; may be more than there are */
    dv_dense_na na;
    double na_value; /* of f4 rounded, and not beyond the largest float, but for infinity */
} dv_dense_options;

#define DV_DENSE_OPTIONS_INIT                                                                      \
    {                                                                                              \
        sizeof(dv_dense_options), NULL, -1, NULL, DV_DENSE_NA_KEEP, 0                              \
    }

/* Write columns of a batch into a matrix, row by row: column k of the options in slots
 * w(0) + ... + w(k-1) and on, where w(k) is its width.
 *
 * dst      where slot 0 of the batch's row 0 goes, aligned to its item; may be NULL when there is
 *          nothing to write.  It holds (rows - 1) * stride + width items.
 * stride   items, >= the sum of the widths.
 * options  NULL: DV_DENSE_OPTIONS_INIT.
 *
 * DV_OK            all rows are written
 *
 * DV_ERR_ARGUMENT  nothing is written: no such column, a type without numbers (the message tells
 *                  it), a width that is missing or less than a row has slots (it tells the row),
 *                  stride too small, no dst, an na_value that an item cannot hold, options of
 *                  unknown size, or a column of the caller's own whose counts, indices or buffers
 *                  are not sound
 *
 * DV_ERR_LIMIT     DV_DENSE_NA_REFUSED, and there is one: err->rule is "na", the option; the
 *                  message names column, row and slot.  Any part of the matrix may then have been
 *                  written
 */
DV_API dv_status dv_batch_dense_f4(const dv_batch *batch, float *dst, size_t stride,
                                   const dv_dense_options *options, dv_error *err);
DV_API dv_status dv_batch_dense_f8(const dv_batch *batch, double *dst, size_t stride,
                                   const dv_dense_options *options, dv_error *err);

/* The same in whole numbers of 8 bytes, as labels are: of I1..I8, U1..U8, BL, TS and DT, and of
 * scalars of keys, which begin with 0 here.  Reals and vectors of keys are refused.
 *
 * NA, and what is over 2^63-1, is INT64_MIN, or as the options say; na_value must be a whole number
 * then: else DV_ERR_ARGUMENT. */
DV_API dv_status dv_batch_dense_i8(const dv_batch *batch, int64_t *dst, size_t stride,
                                   const dv_dense_options *options, dv_error *err);

/* How many slots would each row of the matrix have, for batches of a cursor that is opened with
 * these options?  Reads nothing.
 *
 * items    DV_KIND_R4, DV_KIND_R8 or DV_KIND_I8: which of the functions above will fill the matrix.
 *          Columns that it refuses are refused here, in the same words
 * cursor   NULL: every column that is not hidden.  options: as above
 *
 * DV_OK; DV_ERR_ARGUMENT: as above, another kind of items, or what dv_cursor_open says;
 * DV_ERR_MEMORY. */
DV_API dv_status dv_dense_width(size_t *width_out, const dv_schema *schema, dv_kind items,
                                const dv_cursor_options *cursor, const dv_dense_options *options,
                                dv_error *err);

/* The same for one column of any batch, NA kept: dst[i * stride + slot].
 *
 * dst     where slot 0 of the column's row 0 goes
 * width   slots that are written of every row, at least as many as it has; a scalar has one
 *
 * DV_OK, DV_ERR_ARGUMENT: as above */
DV_API dv_status dv_column_dense_f4(const dv_column_view *column, float *dst, size_t width,
                                    size_t stride, dv_error *err);
DV_API dv_status dv_column_dense_f8(const dv_column_view *column, double *dst, size_t width,
                                    size_t stride, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
