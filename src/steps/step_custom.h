/* SPDX-License-Identifier: MIT */
/* step_custom.h: classes of callers as classes of the library. */
#ifndef DVI_STEPS_STEP_CUSTOM_H
#define DVI_STEPS_STEP_CUSTOM_H

#include "steps/step_class.h"

/* Is the kind of step complete and consistent? DV_OK; DV_ERR_ARGUMENT: what is missing. */
dv_status dvi_custom_check(const dv_transform_info *info, const dv_step_class *cls, dv_error *err);

/* The plan of a class that has `type` and `fill`. */
dv_status dvi_custom_plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *binding,
                          void *learned, dv_error *err);

#endif
