/* SPDX-License-Identifier: MIT */
/* fit_pass.h: one pass over the rows of a view, from which any number of steps learn. */
#ifndef DVI_PIPELINE_FIT_PASS_H
#define DVI_PIPELINE_FIT_PASS_H

#include "steps/step_class.h"

/* What is learned in a pass, and where to put it. The columns of `binding` are of the view that is
 * read. */
typedef struct dvi_fit_task {
    dv_step_binding binding;
    int32_t step; /* its number */
    void **learned;
    dvi_memory *keys;     /* where the keys of rows are kept; NULL: they are not */
    int32_t *slots;       /* of the cursor, one for each source; set by the pass */
    int32_t first_source; /* of the task among those of all tasks; set by the pass */
    bool is_again;        /* its learners could not be merged; set by the pass */
} dvi_fit_task;

/* Takes the learner of a task after the last row; then nothing is learned. */
typedef struct dvi_fit_keep {
    void *ctx;
    dv_status (*take)(void *ctx, const dvi_fit_task *task, void *learner, dv_error *err);
} dvi_fit_keep;

/* The threads that read. */
int32_t dvi_fit_threads(const dv_fit_options *options);

/* Read the columns of the tasks, at least one, until all have learned. A failure of one step names
 * it. rows_out: the rows that were read. Statuses: dv_fit.
 *
 * If a step learns from rows in their order, one thread learns, and the others only read. If the
 * learners of a step cannot be merged, another one then reads all rows again. The tasks change
 * their places. keep: NULL, or learners give it what they have seen, and nothing is learned. */
dv_status dvi_fit_pass(dvi_fit_task *tasks, int32_t n, dv_view *view, const dv_fit_options *options,
                       const dvi_fit_keep *keep, const dv_allocator *allocator, int64_t *rows_out,
                       dv_error *err);

#endif
