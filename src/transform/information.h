/* SPDX-License-Identifier: MIT */
/* information.h: the mutual information of slots and labels (semantics:7.19; ML.NET:
 * MutualInformationFeatureSelection). */
#ifndef DVI_TRANSFORM_INFORMATION_H
#define DVI_TRANSFORM_INFORMATION_H

#include "transform/learned_table.h"
#include <dataview/batch.h>

/* What is learned: Score, a row for each slot. */
extern const dvi_learned_columns dvi_scores;

typedef struct dvi_information dvi_information;

/* A learner for slots and labels of these types, which puts reals and I4 into at most so many bins.
 * DV_ERR_ARGUMENT: other types than BL, I4, R4, R8 and keys, labels that are vectors, or too many
 * slots. DV_ERR_MEMORY. */
dv_status dvi_information_create(dvi_information **learner_out, const dv_type *type,
                                 const dv_type *label, int64_t bins, const dv_allocator *allocator,
                                 dv_error *err);
void dvi_information_free(void *learner);
/* Take rows: the slots, then the labels. */
dv_status dvi_information_see(dvi_information *learner, const dv_column_view *const *sources,
                              dv_error *err);
dv_status dvi_information_finish(dvi_information *learner, dvi_learned_table **table_out,
                                 dv_error *err);

#endif
