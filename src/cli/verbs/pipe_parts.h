/* SPDX-License-Identifier: MIT */
/* pipe_parts.h: pipe part and pipe merge. */
#ifndef DVI_CLI_PIPE_PARTS_H
#define DVI_CLI_PIPE_PARTS_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/pipeline.h>

/* Save what the steps see of the rows of a view. */
dvi_exit dvi_pipe_parts_make(dv_view *view, const dvi_args *args, dvi_out *out);
/* Fit on all parts, which the files of the command line are. */
dvi_exit dvi_pipe_parts_merge(dv_fitted **fitted_out, const dvi_args *args);

#endif
