/* SPDX-License-Identifier: MIT */
/* limit_args.h: the option --limit, which sets a limit of dv_open_options by name. */
#ifndef DVI_CLI_LIMIT_ARGS_H
#define DVI_CLI_LIMIT_ARGS_H

#include "cli/terminal/say.h"
#include <dataview/open.h>

/* Read "NAME=N", with a suffix K, M or G as for bytes.  DVI_EXIT_DONE, or a usage error after a
 * message. */
dvi_exit dvi_limit_set(dv_open_options *open, const char *text);

#endif
