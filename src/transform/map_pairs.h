/* SPDX-License-Identifier: MIT */
/* map_pairs.h: a map that is written as texts, as a table. */
#ifndef DVI_TRANSFORM_MAP_PAIRS_H
#define DVI_TRANSFORM_MAP_PAIRS_H

#include <dataview/view.h>

typedef struct dvi_map_pairs {
    dv_type key_type, value_type; /* neither vectors nor BY nor extensions */
    const dv_text *keys, *values; /* n of each; read while the table is made */
    int64_t n;
} dvi_map_pairs;

/* A table in memory of the columns Key and Value.
 * DV_OK; DV_ERR_ARGUMENT: a text is no value of its type; DV_ERR_MEMORY. */
dv_status dvi_map_pairs_table(dv_view **table_out, const dvi_map_pairs *pairs,
                              const dv_allocator *allocator, dv_error *err);

#endif
