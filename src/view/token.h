/* SPDX-License-Identifier: MIT */
/* token.h: where does a cursor stand, as text?  (docs/resuming.md) */
#ifndef DVI_VIEW_TOKEN_H
#define DVI_VIEW_TOKEN_H

#include <dataview/cursor.h>

/* The rows that a cursor was asked for, first..end-1 (INT64_MAX: to the end, wherever that is), and
 * how many of them were delivered. */
typedef struct dvi_token_place {
    int64_t first, end, delivered;
} dvi_token_place;

/* What options ask for, not clamped to the rows of a view; nothing delivered. */
dvi_token_place dvi_token_place_of(const dv_cursor_options *options);

/* DV_OK; DV_ERR_*: what the view has instead of an identity (dvi_view_identity). */
dv_status dvi_token_write(dv_token *token_out, dv_view *view, const dvi_token_place *place,
                          dv_error *err);

/* Let the options ask for what their token says is left, and have no token any more; *place_out is
 * where that is.  Without a token they stay as they are, and nothing is delivered.
 * DV_OK; DV_ERR_ARGUMENT: no token of this view and these options; as dvi_token_write. */
dv_status dvi_token_apply(dvi_token_place *place_out, dv_cursor_options *options, dv_view *view,
                          dv_error *err);

#endif
