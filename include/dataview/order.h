/* SPDX-License-Identifier: MIT */
/* order.h: in which order may rows be taken?  Row numbers for dv_view_take (transform.h). */
#ifndef DATAVIEW_ORDER_H
#define DATAVIEW_ORDER_H

#include <dataview/buffer.h>
#include <dataview/epoch.h>
#include <dataview/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Orders that look random and are told by the seed alone, on every machine.  Any thread.  The first
 * two are datadings': draws of the Mersenne Twister as CPython makes them. */

/* Shuffle n numbers, n >= 0, as CPython's random.shuffle does after random.seed(seed).  With the
 * numbers 0 to n-1 and the seed n this is the order of datadings' Shuffler, and so of
 * datadings-shuffle.  (datadings:5.3) */
DV_API void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed);

/* Merge tables that lie end to end, as dv_view_concat lays them: of table i rows stay in their
 * order, and each next row is one of a table that has rows left, chosen in proportion to counts[i],
 * to how many rows it had at first.  (datadings:6, merge)
 *
 * rows       room for as many numbers as there are rows, 0 being the first row of table 0
 * counts     rows of each of the n >= 0 tables, none negative, their sum within int64_t
 * allocator  NULL: malloc.  For 24 bytes a table, which are given back
 *
 * DV_OK; DV_ERR_MEMORY
 */
DV_API dv_status dv_order_merge(int64_t *rows, const int64_t *counts, int32_t n, uint64_t seed,
                                const dv_allocator *allocator, dv_error *err);

/* The order of an epoch, for data of one's own: the numbers of the rows that dv_view_epoch would
 * deliver to this worker, of rows that can be had by themselves.  (docs/shuffling.md)
 *
 * numbers_out  the first n of them, or all where there are fewer
 * count_out    how many there are: rows of the shard behind `start`
 * rows         >= 0, of the whole
 * options      NULL: as INIT.  block_rows 0: 1024
 * allocator    NULL: malloc.  For the memory of a cursor of that view, which is given back
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
