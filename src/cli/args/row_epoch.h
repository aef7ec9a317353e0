/* SPDX-License-Identifier: MIT */
/* row_epoch.h: --shuffle, --shard and the options that go with them. */
#ifndef DVI_CLI_ROW_EPOCH_H
#define DVI_CLI_ROW_EPOCH_H

#include "cli/args/args.h"
#include <dataview/view.h>

/* The values of --shuffle, ending with NULL. */
extern const char *const dvi_shuffle_names[];

/* Whether --shuffle stands alone before this word, which may be NULL. */
bool dvi_row_epoch_is_bare(const char *next);

/* These return DVI_EXIT_DONE, or another status after a message. */

/* Set one of these options. */
dvi_exit dvi_row_epoch_set(dvi_args *args, dvi_option_id id, const char *text);
/* Check that the options fit each other and the verb. */
dvi_exit dvi_row_epoch_check(const dvi_args *args);
/* Replace *view by the epoch that the options ask for, if any.  If its rows can only be read in
 * order, a shuffle other than pool reads them into memory first. */
dvi_exit dvi_row_epoch(dv_view **view, const dvi_args *args);

#endif
