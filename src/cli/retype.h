/* SPDX-License-Identifier: MIT */
/* retype.h: which columns shall have another type? */
#ifndef DVI_CLI_RETYPE_H
#define DVI_CLI_RETYPE_H

#include "cli/args.h"
#include <dataview/view.h>

/* Is there a name and a type in what --convert was given?  DVI_EXIT_DONE, or DVI_EXIT_USAGE when
 * told what is wrong. */
dvi_exit dvi_retype_check(const char *word);

/* Let *view be one in which each --convert of the options holds.  DVI_EXIT_DONE, or another status
 * when told what is wrong; *view is then as it was. */
dvi_exit dvi_retype(dv_view **view, const dvi_args *args);

#endif
