/* SPDX-License-Identifier: MIT */
/* token.h: the position of a cursor as text (docs/resuming.md). */
#ifndef DVI_SCAN_TOKEN_H
#define DVI_SCAN_TOKEN_H

#include <dataview/cursor.h>

/* The requested rows of a cursor, first..end-1 (INT64_MAX: to the end of the view), and the number
 * of them that were delivered. */
typedef struct dvi_position {
    int64_t first, end, delivered;
} dvi_position;

/* The rows of the options, not limited to those of a view; nothing delivered. */
dvi_position dvi_position_of(const dv_cursor_options *options);

/* Write a token. DV_OK; an error of dvi_view_identity. */
dv_status dvi_token_write(dv_token *token_out, dv_view *view, const dvi_position *position,
                          dv_error *err);

/* Replace the token of the options by the rows that are left; *position_out is the position.
 * Options without a token stay as they are, with nothing delivered. DV_OK; DV_ERR_ARGUMENT: not a
 * token of this view and these options; errors of dvi_token_write. */
dv_status dvi_token_apply(dvi_position *position_out, dv_cursor_options *options, dv_view *view,
                          dv_error *err);

#endif
