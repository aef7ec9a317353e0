/* SPDX-License-Identifier: MIT */
/* table_layout.h: gives each column of a table its width. */
#ifndef DVI_CLI_TABLE_LAYOUT_H
#define DVI_CLI_TABLE_LAYOUT_H

#include "cli/terminal/table.h"

#define DVI_TABLE_GAP 2 /* blanks between columns */

/* Give each column its natural width if the screen is wide enough; otherwise shrink the widest
 * first, never below what they need; otherwise leave columns out, optional ones first, then from
 * the right. */
void dvi_table_lay_out(dvi_table *table);

#endif
