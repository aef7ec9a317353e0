/* SPDX-License-Identifier: MIT */
/* row_order.h: puts the rows to write in random order. */
#ifndef DVI_CLI_ROW_ORDER_H
#define DVI_CLI_ROW_ORDER_H

#include "cli/verbs/writing.h"

/* Both use the seed of the command line, or the number of rows if there is none.  DVI_EXIT_DONE, or
 * another status after a message. */

/* Shuffle the selected rows as datadings does, and keep the first `most` of them; -1: all. */
dvi_exit dvi_row_order_shuffle(dvi_writing *w, int64_t most);
/* Mix the selected rows of all files; rows of one file keep their order. */
dvi_exit dvi_row_order_merge(dvi_writing *w);

#endif
