/* SPDX-License-Identifier: MIT */
/* row_epoch.h: which rows of which epoch were asked for, --shuffle and --shard? */
#ifndef DVI_CLI_ROW_EPOCH_H
#define DVI_CLI_ROW_EPOCH_H

#include "cli/args.h"
#include <dataview/view.h>

/* What --shuffle may be, ending with NULL. */
extern const char *const dvi_shuffle_names[];

/* These return DVI_EXIT_DONE, or another status when told what is wrong. */

/* Read the value of one of the options of an epoch. */
dvi_exit dvi_row_epoch_set(dvi_args *args, dvi_option_id id, const char *text);
/* Do the options go together, and with the verb? */
dvi_exit dvi_row_epoch_check(const dvi_args *args);
/* Let *view be the rows that they ask for: itself, when they ask for nothing.  Where rows are
 * reached only one after the other, those of a shuffle but a pool's are read into memory. */
dvi_exit dvi_row_epoch(dv_view **view, const dvi_args *args);

#endif
