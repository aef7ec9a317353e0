/* SPDX-License-Identifier: MIT */
/* row_lengths.h: the length of each row of a column: slots of vectors, bytes of text, or an integer
 * that is a length. */
#ifndef DVI_ORDER_ROW_LENGTHS_H
#define DVI_ORDER_ROW_LENGTHS_H

#include <dataview/cursor.h>

/* A vector of more slots than this, and than this times its stored items, claims them. */
#define DVI_CLAIMED_SLOTS (1 << 20)
#define DVI_CLAIMED_FACTOR 1024

/* Read the lengths of n rows that a cursor with these options delivers; its columns and ids are
 * ignored.  is_document: refuse vectors that claim slots, so that work in proportion to slots is
 * safe.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; one without lengths; a length that is NA, negative, or above
 *                  2^32-1; a different number of rows
 * DV_ERR_LIMIT     a document claims slots
 * DV_ERR_*         as dv_cursor_next */
dv_status dvi_row_lengths_read(uint32_t *lengths_out, int64_t n, dv_view *view, int32_t column,
                               const dv_cursor_options *cursor, bool is_document, dv_error *err);

#endif
