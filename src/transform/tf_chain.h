/* SPDX-License-Identifier: MIT */
/* tf_chain.h: a column that one step makes of the column that another step makes; what comes in
 * between is no column of the view. */
#ifndef DVI_TRANSFORM_TF_CHAIN_H
#define DVI_TRANSFORM_TF_CHAIN_H

#include "transform/mapper.h"

/* Plan the column that a step makes of a column of the source, with the step's own options.
 * column_out gets type and `mapped`; the caller sets name and `hides`. What the column needs is in
 * the arena, which must outlive the view; so must the source. */
typedef dv_status dvi_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                           int32_t column, const void *options, dv_error *err);

/* Plan the column that `outer` makes of the column `inner`, which has been planned with the same
 * arena and source; its name may be empty. A chain may be the inner column of another chain.
 * DV_ERR_MEMORY, and what `outer` returns. */
dv_status dvi_chain_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         const dvi_new_column *inner, dvi_plan *outer, const void *options,
                         dv_error *err);

#endif
