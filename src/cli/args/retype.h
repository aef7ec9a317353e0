/* SPDX-License-Identifier: MIT */
/* retype.h: --convert, which gives columns another type. */
#ifndef DVI_CLI_RETYPE_H
#define DVI_CLI_RETYPE_H

#include "cli/args/args.h"
#include <dataview/view.h>

/* Check that a value of --convert has a name and a type.  DVI_EXIT_DONE, or DVI_EXIT_USAGE after a
 * message. */
dvi_exit dvi_retype_check(const char *word);

/* Replace *view by one with all conversions applied.  DVI_EXIT_DONE, or another status after a
 * message, with *view unchanged. */
dvi_exit dvi_retype(dv_view **view, const dvi_args *args);

#endif
