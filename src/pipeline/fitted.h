/* SPDX-License-Identifier: MIT */
/* fitted.h: what fitted pipelines are made of. */
#ifndef DVI_PIPELINE_FITTED_H
#define DVI_PIPELINE_FITTED_H

#include "pipeline/learn.h"
#include "pipeline/pipeline.h"

/* A column of the view that a pipeline was fitted on. */
typedef struct dvi_fitted_input {
    dv_text name, type; /* the type in the notation */
} dvi_fitted_input;

struct dv_fitted {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_arena arena; /* of `learnt` and `inputs` */
    dv_pipeline *pipeline;
    dvi_learnt **learnt;      /* of each step, one for each of its columns */
    dvi_fitted_input *inputs; /* the columns that steps name and no step before makes, in order */
    int32_t inputs_count;
    dv_fitted_info info;
};

/* One that has learnt nothing. It retains the pipeline. */
dv_status dvi_fitted_create(dv_fitted **fitted_out, dv_pipeline *pipeline,
                            const dv_allocator *allocator, dv_error *err);

/* Note the columns that the steps take of a view. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_fitted_note_inputs(dv_fitted *fitted, const dv_schema *schema, dv_error *err);

/* The column of the schema that a column of a step is made of. */
dv_status dvi_fitted_source(int32_t *column_out, const dvi_step_column *column,
                            const dv_schema *schema, dv_error *err);

/* Make the view that step i makes of a source. */
dv_status dvi_fitted_apply_step(dv_view **view_out, dv_fitted *fitted, int32_t i, dv_view *source,
                                const dv_allocator *allocator, dv_error *err);

/* Say in which step the error is. */
void dvi_fitted_within(const dv_fitted *fitted, int32_t i, dv_error *err);

#endif
