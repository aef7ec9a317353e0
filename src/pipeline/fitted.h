/* SPDX-License-Identifier: MIT */
/* fitted.h: pipelines that have learnt from a view, and are applied to any view. */
#ifndef DVI_PIPELINE_FITTED_H
#define DVI_PIPELINE_FITTED_H

#include "pipeline/pipe_notation.h"
#include <dataview/view.h>

/* Steps, each with what it has learnt. Never changes: any thread may use it. Counted: views that it
 * made keep it. */
typedef struct dvi_fitted dvi_fitted;

/* Fit the steps one after the other: a step that learns reads what the steps before it make of the
 * view, with the columns that it needs.
 *
 * steps      taken, and empty afterwards
 * allocator  NULL: malloc
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, or of another type than the step takes: the message names step
 *                  and column
 * DV_ERR_LIMIT     terms of more than 1 GiB of text, and what tf_hash_names.h says
 * DV_ERR_MEMORY, and what reading the view returns */
dv_status dvi_fit(dvi_fitted **fitted_out, dvi_steps *steps, dv_view *view,
                  const dv_allocator *allocator, dv_error *err);

/* Make the view that the steps make of a source. Reads no row.
 * DV_OK; DV_ERR_ARGUMENT: as dvi_fit; DV_ERR_MEMORY. */
dv_status dvi_fitted_apply(dv_view **view_out, dvi_fitted *fitted, dv_view *source,
                           const dv_allocator *allocator, dv_error *err);

void dvi_fitted_retain(dvi_fitted *fitted);
void dvi_fitted_release(dvi_fitted **fitted); /* NULL is fine */

#endif
