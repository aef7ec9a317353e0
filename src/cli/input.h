/* SPDX-License-Identifier: MIT */
/* input.h: how does the file of a command line become a view? */
#ifndef DVI_CLI_INPUT_H
#define DVI_CLI_INPUT_H

#include "cli/args.h"

/* Open the file.  DVI_EXIT_DONE, or another status when told what is wrong. */
dvi_exit dvi_input_open(dv_view **view_out, const dvi_args *args);

#endif
