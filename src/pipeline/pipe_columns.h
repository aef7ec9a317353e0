/* SPDX-License-Identifier: MIT */
/* pipe_columns.h: finds the columns that patterns mean. */
#ifndef DVI_PIPELINE_PIPE_COLUMNS_H
#define DVI_PIPELINE_PIPE_COLUMNS_H

#include "pipeline/pipe_notation.h"
#include <dataview/schema.h>

#define DVI_MEANT_MAX (1 << 22) /* columns that the patterns of a step mean, at most */

/* Has the step a pattern? */
bool dvi_step_has_patterns(const dvi_step *step);

/* Could a pattern of the step mean a column of that name, whatever its type? */
bool dvi_step_may_mean(const dvi_step *step, dv_text name);

/* Put names in the place of patterns: those of the columns of the schema that are not hidden, in
 * its order, without those that the step names itself or that a pattern before means too. In a list
 * of sources, New:A,'B*', the same holds for the names in this list.
 *
 * columns_out  in the arena
 *
 * DV_OK
 * DV_ERR_ARGUMENT  a pattern means no column, or all of them more than DVI_MEANT_MAX
 * DV_ERR_MEMORY */
dv_status dvi_step_resolve(const dvi_step_column **columns_out, int32_t *n_out,
                           const dvi_step *step, const dv_schema *schema, dvi_arena *arena,
                           dv_error *err);

#endif
