/* SPDX-License-Identifier: MIT */
/* datadings_number.h: stores numbers in columns of fixed width, exactly or not at all
 * (datadings:12).
 *
 * width: of the type. If a number does not fit, the bytes at dst are undefined. */
#ifndef DVI_DATADINGS_NUMBER_H
#define DVI_DATADINGS_NUMBER_H

#include "codec/nd_items.h"

/* Store the number or bool of a token; false: it does not fit, or the token is neither. */
bool dvi_datadings_store(void *dst, const dv_type *type, size_t width, const dvi_msgpack *token);
/* Store a scalar of numpy: its bytes if it has the kind of the column, else its number. */
bool dvi_datadings_store_nd(void *dst, const dv_type *type, size_t width, const dvi_nd_map *nd);
/* Store the value that represents a missing one: NA, or 0 for types without NA. */
void dvi_datadings_store_missing(void *dst, const dv_type *type, size_t width);

#endif
