/* SPDX-License-Identifier: MIT */
/* dense.h: how does a column fill my matrix? */
#ifndef DATAVIEW_DENSE_H
#define DATAVIEW_DENSE_H

#include <dataview/batch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write a column of a batch into a matrix of the caller's, row by row: dst[i * stride + slot].
 *
 * column  R4 for _f4, R8 for _f8: scalars, which have one slot, or vectors of any length.  Any
 *         alignment.  NA stays NA: the bits of every item are copied as they are.
 * dst     where slot 0 of the column's row 0 goes, aligned to its item; may be NULL when there is
 *         nothing to write.  It holds (rows - 1) * stride + width items.
 * width   slots that are written of every row.  Those without an item, also behind the end of a
 *         shorter row, become 0.
 * stride  items from one row of the matrix to the next, >= width.  What lies between is not
 *         touched: so several columns fill one matrix side by side, each at its own first slot.
 *
 * err may be NULL.  The column is not changed, and nothing refers to dst after the call.
 * Any thread; threads may fill different parts of a matrix at the same time.
 * Cost: reads the column and writes rows x width items, no more; no allocation.  Output larger than
 * the cache goes past it where that is faster; the first of more than twice the cache in a process
 * finds out, which writes up to 256 MiB of it seven times.
 *
 * DV_OK            all rows are written
 * DV_ERR_ARGUMENT  nothing is written: no column (NULL), a column of other items (the message tells
 *                  its type), a row longer than width (it tells the row), stride < width, no dst,
 *                  or a column of the caller's own whose counts, indices or buffers are not sound
 *
 * Not yet: conversions.  (semantics.md 4)
 */
DV_API dv_status dv_column_dense_f4(const dv_column_view *column, float *dst, size_t width,
                                    size_t stride, dv_error *err);
DV_API dv_status dv_column_dense_f8(const dv_column_view *column, double *dst, size_t width,
                                    size_t stride, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
