/* SPDX-License-Identifier: MIT */
/* input.h: how do the files of a command line become a view? */
#ifndef DVI_CLI_INPUT_H
#define DVI_CLI_INPUT_H

#include "cli/args.h"

/* Open all files, args->paths, as one view, in the order and of it the shard that was asked for,
 * with the types that --convert asks for, and the rows that --where leaves. DVI_EXIT_DONE, or
 * another status when told what is wrong. */
dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args);

/* What they are called together: the path of one; the directory or pattern; or "3 files". */
#define DVI_TITLE_CAP 32
const char *dvi_input_title(const dvi_args *args, char buffer[DVI_TITLE_CAP]);

/* How long all files are together, as the system says; -1 when it does not. */
int64_t dvi_input_nbytes(const dvi_args *args);

#endif
