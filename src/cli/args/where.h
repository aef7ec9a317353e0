/* SPDX-License-Identifier: MIT */
/* where.h: --where, which filters rows. */
#ifndef DVI_CLI_WHERE_H
#define DVI_CLI_WHERE_H

#include "cli/args/args.h"
#include <dataview/view.h>

/* Check that a value of --where is a test.  DVI_EXIT_DONE, or DVI_EXIT_USAGE after a message. */
dvi_exit dvi_where_check(const char *word);

/* Replace *view by the rows that pass all tests.  DVI_EXIT_DONE, or another status after a message,
 * with *view unchanged. */
dvi_exit dvi_where(dv_view **view, const dvi_args *args);

#endif
