/* SPDX-License-Identifier: MIT */
/* plan.h: how a cursor would read the rows of a view (docs/threads.md). */
#ifndef DATAVIEW_PLAN_H
#define DATAVIEW_PLAN_H

#include <dataview/cursor.h>
#include <dataview/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Write what a cursor with these options would do, a line for each fact:
 *
 * source    the view at the base of the chain, and its number of rows
 * columns   that are read there
 * steps     from the base up, and the conditions of filters.  Each is computed in the thread that
 *           reads its rows
 * order     of the rows at the base
 * divided   what a thread reads at a time
 * threads   and how they share the work
 * memory    that batches ahead of the cursor may take
 * cached    what stays with the view for later cursors
 *
 * The text is for people: its wording may change.  The plan reads no row; but a cache that is
 * filled on demand (cache.h) begins when a cursor is opened, and so does one here.  options: as
 * dv_cursor_open.
 *
 * DV_OK
 * DV_ERR_*        as dv_cursor_open
 * DV_ERR_STOPPED  the sink returned false
 */
DV_API dv_status dv_cursor_plan(dv_view *view, const dv_cursor_options *options,
                                const dv_sink *sink, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
