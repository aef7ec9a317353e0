/* SPDX-License-Identifier: MIT */
/* text_table.h: delimited text as a table, and its rows as lines. */
#ifndef DVT_TEXT_TABLE_H
#define DVT_TEXT_TABLE_H

#include "support/lines.h"
#include <dataview/cursor.h>
#include <dataview/open.h>

/* The n bytes, which must stay, read with these options; NULL and *err: they do not open.  how: the
 * options beside, or NULL. */
dv_view *dvt_text_open(const char *options, const void *data, size_t n, const dv_open_options *how,
                       dv_error *err);

/* A line per row, to a cursor's end, with a blank between its values: texts as JSON, NA of others
 * as NA, vectors as [1,2] or, when they are sparse, {5 0:1 3:2}.  A call without memory is
 * repeated, up to 3 times in all. */
dv_status dvt_text_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                        dv_error *err);

#endif
