/* SPDX-License-Identifier: MIT */
/* completion.h: writes shell completion scripts. */
#ifndef DVI_CLI_COMPLETION_H
#define DVI_CLI_COMPLETION_H

#include "cli/terminal/out.h"

/* The scripts complete verbs, the options of each, their values, and the columns of the file on the
 * command line. */
void dvi_completion_bash(dvi_out *out);
void dvi_completion_zsh(dvi_out *out);

#endif
