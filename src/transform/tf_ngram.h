/* SPDX-License-Identifier: MIT */
/* tf_ngram.h: columns of counts of grams (semantics:7.9; ML.NET: NgramExtracting). */
#ifndef DVI_TRANSFORM_TF_NGRAM_H
#define DVI_TRANSFORM_TF_NGRAM_H

#include "transform/bag.h"
#include "transform/grams.h"
#include "transform/mapper.h"

/* Plan a column V<R4,n>, with a slot for each of the grams, of one of vectors of keys. `grams` must
 * outlive the view. The names of the slots are the texts of the keys.
 *
 * DV_OK; DV_ERR_ARGUMENT: another type; DV_ERR_MEMORY. */
dv_status dvi_ngram_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         int32_t column, const dvi_grams *grams, dv_error *err);

/* The grams of a column that dvi_ngram_plan has planned. */
const dvi_grams *dvi_ngram_of(const dvi_mapped *mapped);

/* Count the grams of a row of n keys in a bag, which begins anew. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_ngram_count(const dvi_grams *grams, dvi_bag *bag, const uint32_t *keys, int32_t n,
                          const dv_allocator *allocator, dv_error *err);
dvi_bag_weights dvi_ngram_weights(const dvi_grams *grams);
dv_type dvi_ngram_type(const dvi_grams *grams);

#endif
