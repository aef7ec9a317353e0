/* SPDX-License-Identifier: MIT */
/* step_registry.h: all kinds of steps: those of the list, and those that callers have added. */
#ifndef DVI_STEPS_STEP_REGISTRY_H
#define DVI_STEPS_STEP_REGISTRY_H

#include "steps/step_class.h"

extern const dv_transform_info dvi_transforms[]; /* DVI_STEPS of them (step.c) */

/* The class of a kind of step. */
const dvi_step_class *dvi_class_of(const dv_transform_info *info);

/* Advice for a name that no step has, but that the component for pictures would add.
 *
 * NULL: the component has no such step */
const char *dvi_step_advice(dv_text name);

#endif
