/* SPDX-License-Identifier: MIT */
/* row_values.h: which rows have the same value of a column.
 *
 * A value is known by its hash of 64 bits, so values are not kept; two values with one hash count
 * as one. NA is a value; other values are the same as for dv_counts_create. */
#ifndef DVI_ORDER_ROW_VALUES_H
#define DVI_ORDER_ROW_VALUES_H

#include "base/arena.h"
#include <dataview/cursor.h>

/* Write the hash of the value in each of the n rows that a cursor with these options delivers;
 * their columns and ids are ignored.  DV_OK; DV_ERR_ARGUMENT: no such column, one without single
 * values, or another number of rows; DV_ERR_* as dv_cursor_next. */
dv_status dvi_row_values_read(uint64_t *hashes_out, int64_t n, dv_view *view, int32_t column,
                              const dv_cursor_options *cursor, uint64_t seed, dv_error *err);

/* List the hashes that differ, in ascending order, and how many rows have each; all three arrays
 * have room for n.  Returns how many there are. */
size_t dvi_row_values_list(uint64_t *distinct_out, uint64_t *sizes_out, const uint64_t *hashes,
                           size_t n);
/* The place of a hash in that list, which has it. */
size_t dvi_row_values_find(const uint64_t *distinct, size_t n, uint64_t hash);

/* List n rows by a number that each has, 0..numbers-1: those with number 0 first, ascending for
 * each number.  ends_out[i]: where the rows with number i end. */
void dvi_rows_by_number(int64_t *rows_out, int64_t *ends_out, int64_t numbers,
                        const uint64_t *number_of, int64_t n);

/* Rows by their value: a class for each, in the order of their first rows. */
typedef struct dvi_row_classes {
    int64_t n;           /* classes */
    const int64_t *ends; /* where the rows of each class end in `rows` */
    const int64_t *rows; /* ascending in each class */
} dvi_row_classes;

/* The rows of a class from *count_out on. */
const int64_t *dvi_row_class(const dvi_row_classes *classes, int64_t i, int64_t *count_out);

/* Read the classes of n rows, as dvi_row_values_read does, into memory of the arena; its allocator
 * gives scratch of 24 bytes a row.  DV_OK; DV_ERR_MEMORY; as dvi_row_values_read. */
dv_status dvi_row_classes_read(dvi_row_classes *classes_out, dvi_arena *arena, int64_t n,
                               dv_view *view, int32_t column, const dv_cursor_options *cursor,
                               dv_error *err);

#endif
