/* SPDX-License-Identifier: MIT */
/* default_item.c: one row of zeros in the layout of the items. */
#include "cli/terminal/default_item.h"

dv_column_view dvi_default_item(const dv_column_view *items)
{
    static const uint64_t zeros[8];
    const dv_buffer buffer = {.data = zeros, .nbytes = sizeof zeros, .is_aligned = true};
    dv_column_view view = {.type = items->type, .layout = items->layout, .rows = 1};
    if (items->layout == DV_LAYOUT_ZONED)
        view.as.zoned = (dv_zoned_layout){buffer, buffer};
    else if (items->layout == DV_LAYOUT_FIXED)
        view.as.fixed.values = buffer;
    else
        view.as.text.ends = buffer;
    return view;
}
