/* SPDX-License-Identifier: MIT */
/* items.h: makes items of a matrix from items of columns.
 *
 * An item goes by way of R4, R8 or I8 (`via`), where NA is known and may be replaced: all integers
 * by way of I8, R2 and B2 by way of R4.  Some are converted directly, where
 * the matrix has all their numbers. */
#ifndef DVI_MATRIX_ITEMS_H
#define DVI_MATRIX_ITEMS_H

#include "simd/kernel.h"
#include <dataview/type.h>

/* Convert n items at any address, n <= DVI_ITEMS_MOST.  Returns how many come before the first that
 * the result cannot hold. */
typedef size_t dvi_items_map(void *dst, const void *src, size_t n);

#define DVI_ITEMS_MOST 512

/* The kind by way of which the items of a matrix are made; DV_KIND_NONE: no matrix has such. */
dv_kind dvi_items_via(dv_kind items);

/* Find the map from items of a type to `via`; *map_out NULL: they are of that kind.  false: their
 * type has no numbers for such a matrix. */
bool dvi_items_to_via(dvi_items_map **map_out, const dv_type *from, dv_kind items);

/* The map straight from items of a type into a matrix; NULL: they go by way of `via`. */
dvi_items_map *dvi_items_direct(const dv_type *from, dv_kind items);

/* The map from `via` to the items of a matrix, whose NA becomes theirs; NULL: they are the same. To
 * integers without NA it must not be called with NA. */
dvi_items_map *dvi_items_from_via(dv_kind items);

/* A matrix of integers: the numbers that its items hold, without NA.  I8 at most. */
void dvi_items_range(dv_kind items, int64_t *least_out, int64_t *most_out);

/* Write 1 for each of n items of `width` bytes, 1, 2, 4 or 8, that is NA, and 0 for the others; n
 * <= DVI_ITEMS_MOST. */
void dvi_items_mask(uint8_t *dst, const void *src, size_t width, const dvi_na *rule, size_t n);

/* The nearest float, of a last bit of 1 if it is not the same number: rounding it again to fewer
 * bits is rounding once. */
float dvi_items_odd(double value);

#endif
