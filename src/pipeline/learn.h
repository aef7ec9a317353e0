/* SPDX-License-Identifier: MIT */
/* learn.h: what steps learn from a column, and the columns that they make with it. */
#ifndef DVI_PIPELINE_LEARN_H
#define DVI_PIPELINE_LEARN_H

#include "pipeline/step.h"
#include "transform/mapper.h"
#include "transform/terms.h"

/* What a step has learnt from one of its columns. */
typedef struct dvi_learnt {
    dvi_terms *terms; /* of term and onehot; else NULL */
    dv_view *names;   /* of hashes; NULL: none */
} dvi_learnt;

/* Learn from a column of a view; what a step does not learn stays NULL. Statuses: dvi_fit. */
dv_status dvi_learn(dvi_learnt *learnt_out, const dvi_step *step, dv_view *view, int32_t column,
                    const dv_allocator *allocator, dv_error *err);
void dvi_learnt_free(dvi_learnt *learnt);

/* Does the step make each column of one column? The others are views of views. */
bool dvi_makes_columns(const dvi_step *step);

/* Plan the column that such a step makes of a column (mapper.h), with what it has learnt, which
 * must outlive the view. */
dv_status dvi_learnt_plan(dvi_new_column *column_out, dvi_arena *arena, const dvi_step *step,
                          const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                          dv_error *err);

#endif
