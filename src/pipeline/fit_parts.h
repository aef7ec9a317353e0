/* SPDX-License-Identifier: MIT */
/* fit_parts.h: fits in parts: learners keep the state that they have after some rows, and a merge
 * gives the states of all parts to one learner. */
#ifndef DVI_PIPELINE_FIT_PARTS_H
#define DVI_PIPELINE_FIT_PARTS_H

#include "pipeline/fit_pass.h"
#include "pipeline/fitted.h"

/* One of `take` and `give` is NULL. */
typedef struct dvi_fit_parts {
    void *ctx;
    /* Take the state of a learner after the rows of a part. */
    dv_status (*take)(void *ctx, const dvi_fit_task *task, void *learner, dv_error *err);
    /* Give a learner the states of all parts. */
    dv_status (*give)(void *ctx, const dvi_fit_task *task, void *learner, dv_error *err);
    int64_t rows;  /* the part has, or all parts have */
    bool is_taken; /* the rows of the part have been read: the fit ends there */
} dvi_fit_parts;

/* Fit in parts. With `take`, *fitted_out is NULL; with `give`, the view has no rows. Statuses:
 * dv_fit; DV_ERR_ARGUMENT: a step that has to see all rows itself. */
dv_status dvi_fit_in_parts(dv_fitted **fitted_out, dvi_fit_parts *parts, dv_pipeline *pipeline,
                           dv_view *view, const dv_fit_options *options,
                           const dv_allocator *allocator, dv_error *err);

/* In the place of a pass. end: the first step that was not taken. DV_ERR_STOPPED, with
 * parts->is_taken: nothing was learned, since a part was taken. */
dv_status dvi_fit_parts_learn(dvi_fit_parts *parts, const dv_fitted *fitted, int32_t end,
                              dvi_fit_task *tasks, int32_t n, dv_view *view,
                              const dv_fit_options *options, dv_error *err);

#endif
