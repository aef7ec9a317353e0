/* SPDX-License-Identifier: MIT */
/* split_groups.h: keeps rows with the same value of a column in one part. */
#ifndef DVI_CLI_SPLIT_GROUPS_H
#define DVI_CLI_SPLIT_GROUPS_H

#include "cli/verbs/split_shares.h"
#include "cli/verbs/writing.h"

/* Put the selected rows of w into the order of the parts, each value of the column of --group in
 * one part (dv_order_groups).  rows_out has room for all parts, and gets the rows of each.
 * DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_split_groups(dvi_writing *w, const dvi_shares *shares, int64_t *rows_out);

#endif
