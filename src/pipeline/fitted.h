/* SPDX-License-Identifier: MIT */
/* fitted.h: what fitted pipelines are made of. */
#ifndef DVI_PIPELINE_FITTED_H
#define DVI_PIPELINE_FITTED_H

#include "pipeline/pipeline.h"
#include "steps/step_class.h"

/* The tables of a column of a step, which are numbered from `first`. */
typedef struct dvi_tables_of {
    int32_t first, step, column;
} dvi_tables_of;

struct dv_fitted {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_arena arena; /* of `learned` and `inputs` */
    dv_pipeline *pipeline;
    dv_view *again;          /* one reference: of its rows keys are kept; NULL: none are */
    void ***learned;         /* of each step, one for each of its columns; NULL: nothing */
    dv_fitted_input *inputs; /* the columns that steps name and no step before makes, in order */
    int32_t inputs_count;
    dvi_tables_of *tables; /* in order, without columns that have none; arena */
    int32_t tables_count;
    dv_fitted_info info;
    int32_t put_in;   /* while it is fitted: steps that the caller has not written */
    dv_text left_out; /* steps of a model, in the arena; empty: none */
};

/* One that has learned nothing. It retains the pipeline. room: steps that the caller may add. */
dv_status dvi_fitted_create(dv_fitted **fitted_out, dv_pipeline *pipeline, int32_t room,
                            const dv_allocator *allocator, dv_error *err);

/* Note the columns that the steps take of a view. DV_OK; DV_ERR_MEMORY. */
dv_status dvi_fitted_note_inputs(dv_fitted *fitted, const dv_schema *schema, dv_error *err);

/* Find the columns of a schema of which column k of a step is made; with `learns`, those too from
 * which it only learns. The list is in the arena. */
dv_status dvi_step_bind(dv_step_binding *binding, const dvi_step *step, int32_t k,
                        const dv_schema *schema, bool learns, dvi_arena *arena, dv_error *err);

/* Number the tables, once everything has been learned.  DV_OK; DV_ERR_MEMORY. */
dv_status dvi_fitted_seal(dv_fitted *fitted, dv_error *err);

/* Make the view that step i makes of a source. reads_again: its rows are those from which the step
 * has learned, if it has. */
dv_status dvi_fitted_apply_step(dv_view **view_out, dv_fitted *fitted, int32_t i, dv_view *source,
                                bool reads_again, const dv_allocator *allocator, dv_error *err);

/* Say of which column the error is, unless it says so. */
void dvi_fitted_within_column(dv_text name, dv_error *err);
/* Say in which step the error is. */
void dvi_fitted_within(const dv_fitted *fitted, int32_t i, dv_error *err);

#endif
