/* SPDX-License-Identifier: MIT */
/* where.h: which rows pass? */
#ifndef DVI_CLI_WHERE_H
#define DVI_CLI_WHERE_H

#include "cli/args.h"
#include <dataview/view.h>

/* Is there a relation in what --where was given?  DVI_EXIT_DONE, or DVI_EXIT_USAGE when told what
 * is wrong. */
dvi_exit dvi_where_check(const char *word);

/* Let *view be the rows of which each --where of the options is true.  DVI_EXIT_DONE, or another
 * status when told what is wrong; *view is then as it was. */
dvi_exit dvi_where(dv_view **view, const dvi_args *args);

#endif
