/* SPDX-License-Identifier: MIT */
/* datadings_number.h: does a column's type say this number, exactly?  (datadings:12)
 *
 * Nothing is changed on the way: what the type cannot say does not fit, and what is at dst then is
 * anything.  width: of the type, whose kind has a fixed one. */
#ifndef DVI_DATADINGS_NUMBER_H
#define DVI_DATADINGS_NUMBER_H

#include "codec/nd_items.h"

/* The number, or bool, that a token is; false: it does not fit, or is neither. */
bool dvi_datadings_store(void *dst, const dv_type *type, size_t width, const dvi_msgpack *token);
/* A scalar of numpy: of the column's own kind its bytes, or its number. */
bool dvi_datadings_store_nd(void *dst, const dv_type *type, size_t width, const dvi_nd_map *nd);
/* What stands for a value that is missing: NA, or 0 where there is none. */
void dvi_datadings_store_missing(void *dst, const dv_type *type, size_t width);

#endif
