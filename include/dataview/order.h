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

/* Orders that look random and depend on the seed alone, on every machine.  Any thread.  The first
 * two are datadings': draws of the Mersenne Twister as CPython makes them. */

/* Shuffle n numbers, n >= 0, as CPython's random.shuffle does after random.seed(seed).  With the
 * numbers 0 to n-1 and the seed n this is the order of datadings' Shuffler, and so of
 * datadings-shuffle.  (datadings:5.3) */
DV_API void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed);

/* Merge tables that are concatenated, as dv_view_concat does it: the rows of a table keep their
 * order, and each next row comes from a table that has rows left, drawn in proportion to counts[i],
 * its rows at the beginning.  (datadings:6, merge)
 *
 * rows       room for as many numbers as there are rows; 0 is the first row of table 0
 * counts     rows of each of the n >= 0 tables: none negative, their sum within int64_t
 * allocator  NULL: malloc.  For 24 bytes a table, freed before the call returns
 *
 * DV_OK; DV_ERR_MEMORY
 */
DV_API dv_status dv_order_merge(int64_t *rows, const int64_t *counts, int32_t n, uint64_t seed,
                                const dv_allocator *allocator, dv_error *err);

/* The order of an epoch, for data of your own: the numbers of the rows that dv_view_epoch would
 * deliver to this worker, of rows that can be read by number.  (docs/shuffling.md)
 *
 * numbers_out  the first n of them, or all if there are fewer
 * count_out    how many there are: rows of the shard after `start`
 * rows         >= 0: of the whole table
 * options      NULL: as INIT.  block_rows 0: 1024
 * allocator    NULL: malloc.  For the memory of a cursor of that view, freed before the call
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
