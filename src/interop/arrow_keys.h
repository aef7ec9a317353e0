/* SPDX-License-Identifier: MIT */
/* arrow_keys.h: the values of a key column: the entries of the dictionaries of all its arrays. */
#ifndef DVI_INTEROP_ARROW_KEYS_H
#define DVI_INTEROP_ARROW_KEYS_H

#include "view/growing_column.h"
#include "interop/arrow_piece.h"

/* Entry k-1 is the value of key k. */
typedef struct dvi_arrow_keys {
    dvi_growing_column entries;
    bool is_started; /* the first dictionary has been added */
} dvi_arrow_keys;

/* Find the keys of the entries of dictionary k of an array, and keep them in the array. The entries
 * of the first dictionary are added as they are; unknown ones of later dictionaries are added if
 * may_grow.
 *
 * DV_OK; DV_ERR_UNSUPPORTED: an unknown entry, and not may_grow, entries of DZ that differ, or 2^31
 * entries; DV_ERR_LIMIT, DV_ERR_MEMORY. */
dv_status dvi_arrow_keys_add(dvi_arrow_keys *keys, dvi_arrow_held *held,
                             const dvi_arrow_column *column, bool may_grow, dv_error *err);

/* The entries as a vector; its items are at *items_out. counts: int32 -1. */
void dvi_arrow_keys_vector(const dvi_arrow_keys *keys, const dv_type *item, const dv_buffer *counts,
                           dvi_column *vector_out);

void dvi_arrow_keys_free(dvi_arrow_keys *keys);

#endif
