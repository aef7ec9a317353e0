/* SPDX-License-Identifier: MIT */
/* pipe_args.h: --pipe and --fit-on: a pipeline that is fitted and applied. */
#ifndef DVI_CLI_PIPE_ARGS_H
#define DVI_CLI_PIPE_ARGS_H

#include "cli/args/args.h"
#include <dataview/pipeline.h>

/* Set --pipe, or the pipeline of the verb pipe, from a text or @FILE, which has steps or is saved.
 * DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_pipe_args_set(dvi_args *args, const char *option, const char *text);
/* The words that the verb pipe does, ending with NULL. */
extern const char *const dvi_pipe_actions[];

/* Set what the verb pipe does; take the words after it: files, and then the steps, or for list the
 * name of a step. */
dvi_exit dvi_pipe_args_action(dvi_args *args, const char *word);
dvi_exit dvi_pipe_args_take(dvi_args *args);

/* Check that --fit-on has a pipeline. */
dvi_exit dvi_pipe_args_check(const dvi_args *args);

/* Fit the pipeline on the rows of a view after --convert and --where, or on those of the file of
 * --fit-on; one that was saved is opened; without --pipe there is nothing to fit, and *fitted_out
 * is NULL.  A command that opens several tables fits once, on the first. */
dvi_exit dvi_pipe_fit(dv_fitted **fitted_out, dv_view *view, const dvi_args *args);
/* Let the steps see these rows as a part: what they have seen, which the caller releases. */
dvi_exit dvi_pipe_part(dv_view **part_out, dv_view *view, const dvi_args *args);
/* Tell what fitting takes of --rows: an item for each step, which the caller frees. */
dvi_exit dvi_pipe_needs(dv_fit_need **needs_out, dv_view *view, const dvi_args *args);
/* Replace *view by what the pipeline makes of it. */
dvi_exit dvi_pipe_apply(dv_view **view, dv_fitted *fitted);

/* Open the pipeline of the command line, or the second one of pipe diff: steps, or a saved one,
 * whose *fitted_out is not NULL. */
dvi_exit dvi_pipe_open(dv_pipeline **pipeline_out, dv_fitted **fitted_out, const dvi_args *args,
                       bool is_second);

/* Forget what was fitted. */
void dvi_pipe_close(void);

#endif
