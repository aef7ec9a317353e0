/* SPDX-License-Identifier: MIT */
/* cursor.h: what a row cursor must know of the batch cursor under it. */
#ifndef DVI_VIEW_CURSOR_H
#define DVI_VIEW_CURSOR_H

#include <dataview/cursor.h>

/* The active columns, resolved; alive as long as the cursor. */
const int32_t *dvi_cursor_columns(const dv_cursor *cursor, int32_t *count_out);

/* Is what the last batch points into still there? */
dv_status dvi_cursor_check(const dv_cursor *cursor, dv_error *err);

#endif
