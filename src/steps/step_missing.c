/* SPDX-License-Identifier: MIT */
/* step_missing.c: isna and dropnaslots, which find missing values. */
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/tf_dropnaslots.h"
#include "transform/tf_isna.h"

static dv_status plan_isna(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                           void *learned, dv_error *err)
{
    (void)learned;
    return dvi_isna_plan(made, arena, b->schema, b->sources[0], NULL, err);
}

static dv_status plan_dropnaslots(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                                  void *learned, dv_error *err)
{
    (void)learned;
    return dvi_dropnaslots_plan(made, arena, b->schema, b->sources[0], NULL, err);
}

const dvi_step_class dvi_class_isna = {.open = {.size = sizeof(dv_step_class), .version = 1},
                                       .keys = DVI_KEYS_UNREAD,
                                       .plan = plan_isna};
const dvi_step_class dvi_class_dropnaslots = {.open = {.size = sizeof(dv_step_class), .version = 1},
                                              .keys = DVI_KEYS_PASSED,
                                              .plan = plan_dropnaslots};
