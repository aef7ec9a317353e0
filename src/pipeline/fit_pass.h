/* SPDX-License-Identifier: MIT */
/* fit_pass.h: one pass over the rows of a view, from which any number of steps learn. */
#ifndef DVI_PIPELINE_FIT_PASS_H
#define DVI_PIPELINE_FIT_PASS_H

#include "pipeline/learn.h"

/* What is learnt in a pass, and where to put it. `lesson.column` is of the view that is read. */
typedef struct dvi_fit_task {
    dvi_lesson lesson;
    int32_t step; /* its number */
    dvi_learnt *learnt;
    int32_t slot; /* of the cursor; set by the pass */
} dvi_fit_task;

/* Read the columns of the tasks, at least one, until all have learnt. A failure of one step names
 * it. rows_out: the rows that were read. Statuses: dv_fit. */
dv_status dvi_fit_pass(dvi_fit_task *tasks, int32_t n, dv_view *view, const dv_fit_options *options,
                       const dv_allocator *allocator, int64_t *rows_out, dv_error *err);

#endif
