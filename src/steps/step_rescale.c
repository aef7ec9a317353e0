/* SPDX-License-Identifier: MIT */
/* step_rescale.c: lpnorm and gcn, which scale each vector by its own values. */
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/tf_lpnorm.h"

static dv_status plan_lpnorm(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                             void *learned, dv_error *err)
{
    const dvi_lpnorm_options options = {.norm = (dvi_norm)dv_step_integer(b->step, "norm"),
                                        .subtracts_mean = dv_step_integer(b->step, "mean"),
                                        .scale = 1};
    (void)learned;
    return dvi_lpnorm_plan(made, arena, b->schema, b->sources[0], &options, err);
}

static dv_status plan_gcn(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b,
                          void *learned, dv_error *err)
{
    const dvi_lpnorm_options options = {.norm = dv_step_integer(b->step, "std") ? DVI_NORM_DEVIATION
                                                                                : DVI_NORM_L2,
                                        .subtracts_mean = dv_step_integer(b->step, "mean"),
                                        .scale = (float)dv_step_number(b->step, "scale")};
    (void)learned;
    return dvi_lpnorm_plan(made, arena, b->schema, b->sources[0], &options, err);
}

const dvi_step_class dvi_class_lpnorm = {.open = {.size = sizeof(dv_step_class), .version = 1},
                                         .plan = plan_lpnorm};
const dvi_step_class dvi_class_gcn = {.open = {.size = sizeof(dv_step_class), .version = 1},
                                      .plan = plan_gcn};
