/* SPDX-License-Identifier: MIT */
/* pipe_diff.h: compares two pipelines: their steps, and what these have learned. */
#ifndef DVI_CLI_PIPE_DIFF_H
#define DVI_CLI_PIPE_DIFF_H

#include "cli/args/args.h"
#include "cli/terminal/out.h"
#include <dataview/pipeline.h>

/* A pipeline, and what it has learned; fitted is NULL if it is only steps. */
typedef struct dvi_pipe_side {
    dv_pipeline *pipeline;
    dv_fitted *fitted;
} dvi_pipe_side;

/* List what differs.  DVI_EXIT_DONE: nothing; DVI_EXIT_DATA: something; another after a message. */
dvi_exit dvi_pipe_diff(const dvi_pipe_side sides[2], const dvi_args *args, dvi_out *out);

#endif
