/* SPDX-License-Identifier: MIT */
/* split_classes.h: shares the rows of each class out among the parts. */
#ifndef DVI_CLI_SPLIT_CLASSES_H
#define DVI_CLI_SPLIT_CLASSES_H

#include "cli/verbs/split_shares.h"
#include "cli/verbs/writing.h"

#define DVI_CLASSES_MOST 65536

/* Put the selected rows of w into the order of the parts, each class in each part with its share;
 * within a part, rows keep their order.  The class of a row is its value in the column of
 * --stratify; NA is a class too.  rows_out has room for all parts, and gets the rows of each.
 * DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_split_classes(dvi_writing *w, const dvi_shares *shares, int64_t *rows_out);

#endif
