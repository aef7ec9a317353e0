/* SPDX-License-Identifier: MIT */
/* tf_hash.h: columns of hashes, as keys (semantics:7.5, semantics:7.6, semantics:7.7). */
#ifndef DVI_TRANSFORM_TF_HASH_H
#define DVI_TRANSFORM_TF_HASH_H

#include "codec/murmur.h"
#include "transform/mapper.h"
#include <dataview/view.h>

#define DVI_HASH_BITS 31       /* the most, and what ML.NET takes unless it is told otherwise */
#define DVI_HASH_NAMED_BITS 30 /* the most with names: a vector has fewer than 2^31 slots */

/* How values become keys. */
typedef struct dvi_hash_options {
    int32_t bits; /* of a key: 1 to DVI_HASH_BITS; there are 2^bits keys */
    uint32_t seed;
    bool is_ordered;  /* the slot of a value is hashed, too; 0 for a scalar */
    bool is_combined; /* a vector becomes one key; not with is_ordered, version 2 only */
    dvi_murmur_version version;
    dv_view *names; /* the names of keys, as dvi_hash_names_table makes them; NULL: none */
} dvi_hash_options;

/* Plan a column of keys made from one of numbers, keys, texts or BL, or of vectors of these. NA,
 * empty text too, becomes key 0; of keys only 0 does. `names` is read now, and retained by the
 * schema of the new column.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  another type; options outside their range; names with more bits than
 *                  DVI_HASH_NAMED_BITS
 * DV_ERR_CORRUPT   `names` is no such table; or another failure to read it
 * DV_ERR_LIMIT     names of more than 1 GiB
 * DV_ERR_MEMORY */
dv_status dvi_hash_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const dvi_hash_options *options, dv_error *err);

#endif
