/* SPDX-License-Identifier: MIT */
/* hashed.h: a view with a column of hashes, and what each key is to be by semantics:7.6. */
#ifndef DVT_HASHED_H
#define DVT_HASHED_H

#include "transform/tf_hash.h"
#include <dataview/value.h>

/* Add a column "hash" of the keys of that column. */
dv_status dvt_hash_view(dv_view **view_out, dv_view *source, int32_t column,
                        const dvi_hash_options *options, const dv_allocator *allocator,
                        dv_error *err);

/* Options of version 2 with the usual seed. */
dvi_hash_options dvt_hash_options(int32_t bits);

/* Whether values of this type are hashed. */
bool dvt_is_hashed(const dv_type *type);

/* The key of slot `slot` of a vector; item NULL: it has none.  Of a scalar: slot 0, itself. */
uint32_t dvt_hash_of(const dv_type *item_type, const dv_value *item, int32_t slot,
                     const dvi_hash_options *options);
/* The key of a whole vector. */
uint32_t dvt_hash_of_all(const dv_value *vector, const dvi_hash_options *options);

#endif
