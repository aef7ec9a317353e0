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

/* Identifies the values that the keys of an input stood for when the pipeline was fitted. */
typedef struct dvi_fitted_keys {
    int32_t count;  /* 0: the keys have no values, or no step depends on their numbers */
    dv_u128 digest; /* dvp:PM8 */
} dvi_fitted_keys;

struct dv_fitted {
    atomic_size_t refs;
    dv_allocator allocator;
    dvi_arena arena; /* of `learned`, `inputs` and `keys` */
    dv_pipeline *pipeline;
    dv_view *again;          /* one reference: of its rows keys are kept; NULL: none are */
    void ***learned;         /* by step and column; NULL: nothing */
    dv_fitted_input *inputs; /* the columns that steps name and no step before makes, in order */
    int32_t inputs_count;
    dvi_fitted_keys *keys; /* one for each input */
    dvi_tables_of *tables; /* in order, without columns that have none; arena */
    int32_t tables_count;
    dv_fitted_info info;
    int32_t put_in;   /* while it is fitted: steps that the caller has not written */
    dv_text left_out; /* steps of a model, in the arena; empty: none */
};

/* One that has learned nothing. It retains the pipeline. room: steps that the caller may add. */
dv_status dvi_fitted_create(dv_fitted **fitted_out, dv_pipeline *pipeline, int32_t room,
                            const dv_allocator *allocator, dv_error *err);

/* Note the columns that the steps take of a view; with notes_keys, also what their keys stand for.
 * DV_OK; DV_ERR_MEMORY; statuses of dv_schema_metadata_value. */
dv_status dvi_fitted_note_inputs(dv_fitted *fitted, const dv_schema *schema, bool notes_keys,
                                 dv_error *err);

/* Digest what the keys of a column stand for. keys_out->count is 0 if not each has a value.
 * Statuses: dv_schema_metadata_value. */
dv_status dvi_fitted_note_keys(dvi_fitted_keys *keys_out, const dv_schema *schema, int32_t column,
                               const dv_allocator *allocator, dv_error *err);
/* Check that the keys of a table stand for the values that were noted, and then perhaps for more.
 * DV_OK; DV_ERR_ARGUMENT; statuses of dv_schema_metadata_value. */
dv_status dvi_fitted_check_keys(const dv_fitted *fitted, const dv_schema *schema, dv_error *err);
/* Say how a table is made whose keys stand for the same values. */
void dvi_fitted_advise_keys(dv_text column, dv_error *err);

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

/* Add the name of the column to an error that names none. */
void dvi_fitted_within_column(dv_text name, dv_error *err);
/* Say in which step the error is. */
void dvi_fitted_within(const dv_fitted *fitted, int32_t i, dv_error *err);

#endif
