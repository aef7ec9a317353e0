/* SPDX-License-Identifier: MIT */
/* again.h: reads on after DV_ERR_MEMORY as a user does, with a cursor that is opened at the token.
 */
#ifndef DVT_AGAIN_H
#define DVT_AGAIN_H

#include <dataview/cursor.h>
#include <dataview/row.h>

/* Open a cursor.  A call that fails for lack of memory is repeated, 100 times at most, and counted.
 */
dv_status dvt_open_again(dv_cursor **cursor_out, dv_view *view, const dv_cursor_options *options,
                         int *failures, dv_error *err);

/* Move to the next batch.  After DV_ERR_MEMORY, which must be final, a cursor that is opened at the
 * token of this one takes its place, and the failure is counted.  DV_ERR_MEMORY: the view has no
 * token, or there were 100 failures. */
dv_status dvt_next_again(dv_cursor **cursor, dv_view *view, const dv_cursor_options *options,
                         const dv_batch **batch_out, int *failures, dv_error *err);

/* The same of a row cursor; a move that failed is not made. */
dv_status dvt_row_again(dv_row_cursor **cursor, dv_view *view, const dv_cursor_options *options,
                        dv_error *err);

#endif
