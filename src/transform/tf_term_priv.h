/* SPDX-License-Identifier: MIT */
/* tf_term_priv.h: what the files of the transform term share. */
#ifndef DVI_TRANSFORM_TF_TERM_PRIV_H
#define DVI_TRANSFORM_TF_TERM_PRIV_H

#include "transform/tf_term.h"

/* The params of a column. */
typedef struct dvi_term {
    const dvi_terms *terms;
    bool are_names_text;
    dvi_memory *kept; /* the key of each row; NULL: unknown */
    const dv_schema *source;
    int32_t column;       /* of the source */
    uint32_t default_key; /* of the default value; 0: it is no term */
    const dv_allocator *allocator;
} dvi_term;

/* How the column is made; NULL: it has no terms. */
const dvi_term *dvi_term_of(const dvi_mapped *mapped);

/* Add the metadata of the column: a dvi_maker's `describe`. */
dv_status dvi_term_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                            int32_t column, dv_error *err);

#endif
