/* SPDX-License-Identifier: MIT */
/* order.h: orders of rows, as row numbers for dv_view_take (transform.h). */
#ifndef DATAVIEW_ORDER_H
#define DATAVIEW_ORDER_H

#include <dataview/buffer.h>
#include <dataview/epoch.h>
#include <dataview/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Pseudo-random orders, which depend only on the seed and are the same on every machine.  The first
 * two are those of datadings, drawn from the Mersenne Twister as CPython does.  Any thread. */

/* Shuffle n numbers, n >= 0, as CPython's random.shuffle does after random.seed(seed).  With the
 * numbers 0 to n-1 and the seed n this is the order of datadings' Shuffler, and so of
 * datadings-shuffle.  (datadings:5.3) */
DV_API void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed);

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
