/* SPDX-License-Identifier: MIT */
/* step_view.h: steps that are views of views. */
#ifndef DVI_PIPELINE_STEP_VIEW_H
#define DVI_PIPELINE_STEP_VIEW_H

#include "pipeline/learn.h"

/* Make the view of a step that does not make columns of columns (step_plan.h). learnt: of each of
 * its columns.
 * DV_OK; DV_ERR_ARGUMENT; DV_ERR_MEMORY: as the functions of transform.h. */
dv_status dvi_step_view(dv_view **view_out, const dvi_step *step, const dvi_learnt *learnt,
                        dv_view *source, const dv_allocator *allocator, dv_error *err);

/* Do all rows of the source stay as they are, and all its columns, so that the step only adds some?
 */
bool dvi_step_keeps_columns(const dvi_step *step);

#endif
