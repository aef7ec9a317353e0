/* SPDX-License-Identifier: MIT */
/* resumed.h: checks that a cursor opened with a token delivers what the first cursor delivers from
 * there on. */
#ifndef DVT_RESUMED_H
#define DVT_RESUMED_H

#include <dataview/cursor.h>

/* Read `first`, and keep a token after each batch. Then, for some of them and for some of a row
 * cursor, a cursor on `second`, which is the same view or was made in the same way, must deliver
 * the rest: position, number, id and values of each row, and the final status. (If the first cursor
 * fails, one that starts later may not meet the error and may deliver more; if both exceed a limit,
 * it may deliver fewer, since the rows of the failed batch are lost.) The second cursor has
 * the rows and columns of the options, and other batches and threads, drawn from the seed. Returns
 * NULL, or the difference as text that is valid until the next call. */
const char *dvt_resume_difference(dv_view *first, dv_view *second, const dv_cursor_options *options,
                                  uint64_t seed);

#endif
