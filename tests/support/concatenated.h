/* SPDX-License-Identifier: MIT */
/* concatenated.h: reads several views as one, with the library's concatenation and without it. */
#ifndef DVT_APPENDED_H
#define DVT_APPENDED_H

#include "support/lines.h"
#include <dataview/cursor.h>
#include <dataview/open.h>

#define DVT_APPENDED_MAX 8

/* Views whose columns are the same.  Each reference is the set's. */
typedef struct dvt_set {
    dv_view *view[DVT_APPENDED_MAX];
    int32_t n;
} dvt_set;

/* Golden files by name, "rows-1 rows-2-raw" for golden/idv/rows-1.idv and so on. */
dvt_set dvt_set_open(const char *names, const dv_open_options *options);
void dvt_set_release(dvt_set *set);

/* A line per row of a cursor: its number, its id ("-" without), and its values in exact form.  A
 * batch whose position or row numbers do not follow those before ends the program. */
dv_status dvt_put_numbered(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                           dv_error *err);

/* The expected lines for rows first..end-1 of all views of the set: made by reading each view alone
 * and combining the ids by hand. */
void dvt_put_truth(dvt_lines *lines, const dvt_set *set, int64_t first, int64_t end, bool ids);

#endif
