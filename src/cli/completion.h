/* SPDX-License-Identifier: MIT */
/* completion.h: how does a shell complete a command line? */
#ifndef DVI_CLI_COMPLETION_H
#define DVI_CLI_COMPLETION_H

#include "cli/out.h"

/* Write a script that tells it to: verbs, the options of each, their values, columns of the file
 * that is named on the line. */
void dvi_completion_bash(dvi_out *out);
void dvi_completion_zsh(dvi_out *out);

#endif
