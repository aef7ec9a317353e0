/* SPDX-License-Identifier: MIT */
/* step_plan.h: the columns that steps make of columns. */
#ifndef DVI_PIPELINE_STEP_PLAN_H
#define DVI_PIPELINE_STEP_PLAN_H

#include "pipeline/learn.h"
#include "transform/mapper.h"
#include "transform/tf_hash.h"

/* Does the step make each column of one column? The others are views of views (step_view.h). */
bool dvi_step_makes_columns(const dvi_step *step);

/* Plan the column that such a step makes of a column (mapper.h), with what it has learnt, which
 * must outlive the view. */
dv_status dvi_step_plan(dvi_new_column *column_out, dvi_arena *arena, const dvi_step *step,
                        const dvi_learnt *learnt, const dv_schema *source, int32_t column,
                        dv_error *err);

/* The options of hash and onehothash. */
dvi_hash_options dvi_step_hash(const dvi_step *step, dv_view *names);

#endif
