/* SPDX-License-Identifier: MIT */
/* rows_ahead.h: announces rows that come next, in whatever order, where reading is slow. */
#ifndef DVI_GATHER_ROWS_AHEAD_H
#define DVI_GATHER_ROWS_AHEAD_H

#include <dataview/own_view.h>

#define DVI_ROWS_AHEAD_MOST 64 /* rows, of different blocks, that are announced together */

typedef struct dvi_rows_ahead dvi_rows_ahead;

/* For the columns of the request, which outlives it, as does the source.  NULL: reading is not
 * slow, or values are computed.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_rows_ahead_create(dvi_rows_ahead **ahead_out, dv_view *source,
                                const dv_cursor_request *request, dv_error *err);
void dvi_rows_ahead_free(dvi_rows_ahead **ahead); /* sets NULL; NULL is fine */

/* A row, or its block, is about to be read: whether those after it should be announced now.  ahead
 * NULL: false. */
bool dvi_rows_ahead_are_due(dvi_rows_ahead *ahead);
/* Announce n rows, at most DVI_ROWS_AHEAD_MOST, which will be read in this order; their numbers
 * change. */
void dvi_rows_ahead_announce(dvi_rows_ahead *ahead, int64_t *rows, int64_t n);

#endif
