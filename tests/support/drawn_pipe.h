/* SPDX-License-Identifier: MIT */
/* drawn_pipe.h: draws steps of pipelines from the list of all kinds of steps. */
#ifndef DVT_DRAWN_PIPE_H
#define DVT_DRAWN_PIPE_H

#include "support/lines.h"
#include <dataview/pipeline.h>

/* Append a step of that kind for a view with that schema: columns and options by their kinds, so
 * that a new kind of step or option needs nothing here.  Often the step does not suit the columns.
 * Sizes are small: the view that it makes is not much larger than the source. */
void dvt_draw_step(dvt_lines *text, const dv_transform_info *info, const dv_schema *schema,
                   uint64_t *state);

/* Whether steps of that kind come from a model.zip alone: nothing here fits a predictor. */
bool dvt_step_is_of_models(const dv_transform_info *info);

#endif
