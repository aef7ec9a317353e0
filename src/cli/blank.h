/* SPDX-License-Identifier: MIT */
/* blank.h: what is in a slot of a vector that holds no item? */
#ifndef DVI_CLI_BLANK_H
#define DVI_CLI_BLANK_H

#include <dataview/batch.h>

/* The default value of the items of a vector, as a column of one row.  No reference. */
dv_column_view dvi_blank_item(const dv_column_view *items);

#endif
