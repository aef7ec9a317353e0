/* SPDX-License-Identifier: MIT */
/* tf_char_bag.h: columns of counts of grams of characters, straight from texts (semantics:7.19). */
#ifndef DVI_TRANSFORM_TF_CHAR_BAG_H
#define DVI_TRANSFORM_TF_CHAR_BAG_H

#include "transform/char_keys.h"
#include "transform/grams.h"
#include "transform/mapper.h"

/* Plan a column V<R4,n> of n columns of texts. `rules` and what it points to are in the arena;
 * `grams` must outlive the view. DV_OK; DV_ERR_ARGUMENT: another type; DV_ERR_MEMORY. */
dv_status dvi_char_bag_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            const int32_t *columns, int32_t n, const dvi_char_rules *rules,
                            const dvi_grams *grams, dv_error *err);

#endif
