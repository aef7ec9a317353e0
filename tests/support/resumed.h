/* SPDX-License-Identifier: MIT */
/* resumed.h: does a walk that goes on at a token see what a whole walk sees there? */
#ifndef DVT_RESUMED_H
#define DVT_RESUMED_H

#include <dataview/cursor.h>

/* Walk over `first`, and keep a token behind each batch.  Then, some of them and some of a row
 * cursor: a cursor on `second`, which is the same view or was made in the same way, must tell the
 * rest: position, number, id and values of each row, and how it ends.  (Where the whole walk fails,
 * one that starts behind a row may not come by what is wrong, and tell more.)  The second cursor
 * has the options' rows and columns, and other batches and threads, as the seed says.
 *
 * NULL, or what differs: text that lives until the next call. */
const char *dvt_resume_difference(dv_view *first, dv_view *second, const dv_cursor_options *options,
                                  uint64_t seed);

#endif
