/* SPDX-License-Identifier: MIT */
/* pipe_json.h: what `dataview pipe` tells, as JSON documents. */
#ifndef DVI_CLI_PIPE_JSON_H
#define DVI_CLI_PIPE_JSON_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/pipeline.h>

/* The steps that there are, with their options; only: one of them, or NULL. */
dvi_exit dvi_pipe_json_list(const dv_transform_info *only, dvi_out *out);
/* The columns that a pipeline makes, and what its steps take; needs NULL: nobody asks. */
dvi_exit dvi_pipe_json_check(dv_fitted *fitted, const dv_view *made, const dv_fit_need *needs,
                             dvi_out *out);
/* The steps of a pipeline, and every row of the tables that they have learned. */
dvi_exit dvi_pipe_json_fitted(dv_fitted *fitted, const dvi_args *args, dvi_out *out);

#endif
