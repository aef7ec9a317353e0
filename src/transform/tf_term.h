/* SPDX-License-Identifier: MIT */
/* tf_term.h: columns whose values are replaced by the numbers of their terms, as keys
 * (semantics:7.2). */
#ifndef DVI_TRANSFORM_TF_TERM_H
#define DVI_TRANSFORM_TF_TERM_H

#include "transform/mapper.h"
#include "transform/terms.h"

typedef struct dvi_term_options {
    const dvi_terms *terms; /* of the type of the column or its items; outlives the view */
    bool are_names_text;    /* KeyValues are the texts of the terms, not the terms */
    /* uint32 of each row of the source: its key; outlives the view. NULL: unknown, as those of
     * vectors always are */
    dvi_memory *kept;
} dvi_term_options;

/* Plan a column of keys U4 made from one of values or vectors. What is no term becomes key 0. No
 * term at all: the count of the keys is 1, and they have no KeyValues. options: a dvi_term_options.
 *
 * DV_OK; DV_ERR_ARGUMENT: the terms are of another type; DV_ERR_MEMORY. */
dv_status dvi_term_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                        int32_t column, const void *options, dv_error *err);

#endif
