/* SPDX-License-Identifier: MIT */
/* fit_widen.h: lets steps that take reals take integers (semantics:7.12, 7.13, 7.15). */
#ifndef DVI_PIPELINE_FIT_WIDEN_H
#define DVI_PIPELINE_FIT_WIDEN_H

#include "steps/step_class.h"

#define DVI_WIDENED_MAX 2 /* steps that are put before one: to R4, and to R8 */

/* Could the step need this? */
bool dvi_step_may_widen(const dvi_step *step);

/* Widen the integers that a step takes, by the types of the schema. A step that makes columns of
 * one each gets steps `convert` before it, and reads what these make; `combine` gets its type.
 *
 * before_out  DVI_WIDENED_MAX steps at least, of which *n_out are set
 * step        without patterns; is changed
 *
 * DV_OK; DV_ERR_MEMORY. A column that is missing, or of another type, is left to the step. */
dv_status dvi_step_widen(dvi_step *before_out, int32_t *n_out, dvi_step *step,
                         const dv_schema *schema, dvi_arena *arena, dv_error *err);

#endif
