/* SPDX-License-Identifier: MIT */
/* table_layout.h: how wide is each column of a table? */
#ifndef DVI_CLI_TABLE_LAYOUT_H
#define DVI_CLI_TABLE_LAYOUT_H

#include "cli/table.h"

#define DVI_TABLE_GAP 2 /* blanks between columns */

/* Give each column its width: what it asks for when the screen is wide enough; else the widest give
 * way first, never below what they need; else columns are left out, the optional ones first, then
 * from the right. */
void dvi_table_lay_out(dvi_table *table);

#endif
