/* SPDX-License-Identifier: MIT */
/* row_order.h: in which order are rows written? */
#ifndef DVI_CLI_ROW_ORDER_H
#define DVI_CLI_ROW_ORDER_H

#include "cli/writing.h"

/* Both take the seed of the command line; if there is none, the number of rows.  DVI_EXIT_DONE, or
 * another status when told what is wrong. */

/* Write the selected rows shuffled, as datadings does; of these the first `most`, -1: all. */
dvi_exit dvi_row_order_shuffle(dvi_writing *w, int64_t most);
/* Write the selected rows, those of each file in their order, mixed with those of the others. */
dvi_exit dvi_row_order_merge(dvi_writing *w);

#endif
