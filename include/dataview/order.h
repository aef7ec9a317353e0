/* SPDX-License-Identifier: MIT */
/* order.h: orders of rows, as row numbers for dv_view_take (transform.h). */
#ifndef DATAVIEW_ORDER_H
#define DATAVIEW_ORDER_H

#include <dataview/buffer.h>
#include <dataview/cursor.h>
#include <dataview/epoch.h>
#include <dataview/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pseudo-random orders, which depend only on the seed and are the same on every machine.  The first
 * three are those of datadings, drawn from the Mersenne Twister as CPython does.  Any thread. */

/* Shuffle n numbers, n >= 0, as CPython's random.shuffle does after random.seed(seed).  With the
 * numbers 0 to n-1 and the seed n this is the order of datadings' Shuffler, and so of
 * datadings-shuffle.  (datadings:5.3) */
DV_API void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed);

/* The order of datadings' QuasiShuffler: chunks of rows are read in random order into a buffer,
 * from which rows are drawn.  (datadings:5.3)
 *
 * rows         receives the n >= 0 row numbers
 * buffer_rows  rows of the buffer, at least 1; rounded up to whole chunks.  The package: a
 *              hundredth of n, rounded up
 * chunk_rows   rows of a chunk, at least 1.  The package: 16
 * seed         of pass e of the package: its seed + e * n, where its default seed is n times the
 *              rounded buffer_rows times chunk_rows
 * allocator    NULL: malloc.  For 8 bytes a chunk and a row of the buffer, freed before the call
 *              returns
 *
 * The other orders of the package need none of their own: Range is dv_view_slice, Repeater is
 * dv_view_concat of the view with itself, and to cycle without end is what epochs are for
 * (dv_view_epoch, feed.h).
 *
 * DV_OK; DV_ERR_ARGUMENT: n, buffer_rows or chunk_rows out of range; DV_ERR_MEMORY */
DV_API dv_status dv_order_quasi(int64_t *rows, int64_t n, int64_t buffer_rows, int64_t chunk_rows,
                                uint64_t seed, const dv_allocator *allocator, dv_error *err);

/* Merge tables that dv_view_concat has concatenated: the rows of a table keep their order, and each
 * next row comes from a table that has rows left, drawn in proportion to its initial number of
 * rows, counts[i].  (datadings:6, merge)
 *
 * rows       receives the row numbers, as many as the sum of counts; 0 is the first row of table 0
 * counts     rows of each of the n >= 0 tables: none negative, their sum within int64_t
 * allocator  NULL: malloc.  For 24 bytes a table, freed before the call returns
 *
 * DV_OK; DV_ERR_MEMORY
 */
DV_API dv_status dv_order_merge(int64_t *rows, const int64_t *counts, int32_t n, uint64_t seed,
                                const dv_allocator *allocator, dv_error *err);

/* Divide rows among parts, such as training and test rows, so that all rows with the same value of
 * a column are in one part.  NA is a value; other values are the same as for dv_counts_create.
 *
 * Values are placed one after the other, each in the part that lacks most rows of its share.  Those
 * with more rows come first, where powers of two are compared: values with 4 to 7 rows come before
 * those with 2 or 3.  Among these, seed and value decide by a hash.  So the sizes of the parts
 * differ from their shares by no more than values placed late have rows, and a part is empty only
 * if there are fewer values than parts.  The result is the same on every machine.
 *
 * rows       receives the n row numbers: those of part 0, then those of part 1, and so on, in each
 *            part in ascending order.  0 is the first row that the cursor delivers
 * counts     receives the number of rows of each part
 * n          rows that the cursor delivers
 * column     of single values, not an extension type
 * cursor     rows, threads and batch_rows, as for dv_cursor_open; its columns are ignored.  NULL:
 *            DV_CURSOR_OPTIONS_INIT
 * shares     of each of the parts >= 1: positive; their sum, the whole, is at most 2^62
 *
 * Memory, from the view's allocator, until the call returns: 24 bytes a row.  Any thread.
 *
 * DV_OK; DV_ERR_ARGUMENT: column, n or a share out of range, or as dv_cursor_open; DV_ERR_MEMORY;
 * DV_ERR_* as dv_cursor_next
 */
DV_API dv_status dv_order_groups(int64_t *rows, int64_t *counts, int64_t n, dv_view *view,
                                 int32_t column, const dv_cursor_options *cursor,
                                 const int64_t *shares, int32_t parts, uint64_t seed,
                                 dv_error *err);

/* Divide rows among folds of equal size, for cross-validation: the sizes differ by one at most.
 * (docs/shuffling.md; scikit-learn: KFold, StratifiedKFold.)  For folds that keep the rows of a
 * value together use dv_order_groups with equal shares.
 *
 * rows     receives the n row numbers: those of fold 0, then those of fold 1, and so on, in each
 *          fold in ascending order
 * counts   receives the number of rows of each fold
 * n        >= 0 rows; with a view those that the cursor delivers
 * view     NULL: no values are read, and column and cursor are ignored
 * column   each value comes in every fold as often as in the others, or once more.  As for
 *          dv_order_groups
 * cursor   as for dv_order_groups
 * folds    2 to n
 * shuffle  folds are drawn, by the seed; else each takes consecutive rows, of each value
 *
 * Memory, from the view's allocator or from malloc, until the call returns: 8 bytes a row; with a
 * view 40, and 8 for each value.  Any thread.
 *
 * DV_OK; DV_ERR_ARGUMENT: n or folds out of range, or as for dv_order_groups; DV_ERR_MEMORY;
 * DV_ERR_* as dv_cursor_next
 */
DV_API dv_status dv_order_folds(int64_t *rows, int64_t *counts, int64_t n, dv_view *view,
                                int32_t column, const dv_cursor_options *cursor, int32_t folds,
                                bool shuffle, uint64_t seed, dv_error *err);

/* Compute the order of an epoch for data of your own: the row numbers that dv_view_epoch would
 * deliver to this worker from a table whose rows can be read by number.  (docs/shuffling.md)
 *
 * numbers_out  receives the first n row numbers, or all if there are fewer
 * count_out    the number of rows of the shard after `start`
 * rows         >= 0: rows of the whole table
 * options      NULL: DV_EPOCH_OPTIONS_INIT.  block_rows 0: 1024
 * allocator    NULL: malloc.  Takes the memory of a cursor of that view, freed before the call
 *              returns
 *
 * DV_OK; DV_ERR_ARGUMENT, DV_ERR_LIMIT as dv_view_epoch, or rows < 0; DV_ERR_MEMORY
 */
DV_API dv_status dv_order_epoch(int64_t *numbers_out, int64_t n, int64_t *count_out, int64_t rows,
                                const dv_epoch_options *options, const dv_allocator *allocator,
                                dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
