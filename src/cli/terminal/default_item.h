/* SPDX-License-Identifier: MIT */
/* default_item.h: the value of a vector's slot that stores no item. */
#ifndef DVI_CLI_DEFAULT_ITEM_H
#define DVI_CLI_DEFAULT_ITEM_H

#include <dataview/batch.h>

/* The default value of the items of a vector, as a column of one row that holds no reference. */
dv_column_view dvi_default_item(const dv_column_view *items);

#endif
