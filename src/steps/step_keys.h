/* SPDX-License-Identifier: MIT */
/* step_keys.h: what the steps that make vectors of keys share. */
#ifndef DVI_STEPS_STEP_KEYS_H
#define DVI_STEPS_STEP_KEYS_H

#include "steps/step_class.h"

/* Make of the keys that have been planned what the option `kind` of onehot and onehothash says. */
dv_status dvi_step_plan_kind(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *binding,
                             dv_error *err);

#endif
