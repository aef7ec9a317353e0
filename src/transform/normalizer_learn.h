/* SPDX-License-Identifier: MIT */
/* normalizer_learn.h: learns from the rows of a column how to normalize it. */
#ifndef DVI_TRANSFORM_NORMALIZER_LEARN_H
#define DVI_TRANSFORM_NORMALIZER_LEARN_H

#include "transform/normalizer.h"

/* In the order of the words of the option `mode`. */
typedef enum dvi_normalizer_mode {
    DVI_NORMALIZE_MINMAX,
    DVI_NORMALIZE_MEANVAR,
    DVI_NORMALIZE_LOGMEANVAR,
    DVI_NORMALIZE_BIN,
    DVI_NORMALIZE_SUPBIN,
    DVI_NORMALIZE_ROBUST
} dvi_normalizer_mode;

typedef struct dvi_normalizer_how {
    dvi_normalizer_mode mode;
    bool fixes_zero, is_cdf, is_sample, centers;
    int64_t bins, least; /* bins of a slot at most; rows of a bin that is cut */
    float share;         /* robust: of the range, that is scaled to 1 */
    int64_t rows;        /* to learn from, at most */
} dvi_normalizer_how;

/* The table that is learned. */
const dvi_learned_columns *dvi_normalizer_table(const dvi_normalizer_how *how);

typedef struct dvi_normalizer_learner dvi_normalizer_learner;

/* A learner for values of that type; label: of the labels, for DVI_NORMALIZE_SUPBIN.
 * DV_ERR_ARGUMENT: a type that does not suit, too many slots; DV_ERR_MEMORY. */
dv_status dvi_normalizer_learn(dvi_normalizer_learner **learner_out, const dv_type *type,
                               const dv_type *label, const dvi_normalizer_how *how,
                               const dv_allocator *allocator, dv_error *err);
void dvi_normalizer_learner_free(void *learner); /* NULL is fine */

/* Take the next rows, in their order. sources: the values, then the labels, if it needs them.
 * DV_ERR_ARGUMENT: too many distinct values. */
dv_status dvi_normalizer_see(dvi_normalizer_learner *learner, const dv_column_view *const *sources,
                             dv_error *err);
bool dvi_normalizer_is_full(const void *learner);
/* Make a table of the rows that it has seen, and take the table of a learner of later rows: not for
 * moments, whose sums depend on the order. Statuses: tally_state.h. */
dv_status dvi_normalizer_show(dv_view **table_out, dvi_normalizer_learner *learner,
                              const dv_allocator *allocator, dv_error *err);
dv_status dvi_normalizer_add(dvi_normalizer_learner *learner, dv_view *table, dv_error *err);
dv_status dvi_normalizer_finish(dvi_normalizer_learner *learner, dvi_learned_table **table_out,
                                dv_error *err);

#endif
