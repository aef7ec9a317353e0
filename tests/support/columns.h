/* SPDX-License-Identifier: MIT */
/* columns.h: column views from bytes written as hex, blanks skipped: "FFFFFFFF 01000000".
 *
 * All bytes are at an odd address, with nothing after them. */
#ifndef DVT_COLUMNS_H
#define DVT_COLUMNS_H

#include <dataview/value.h>

dv_buffer dvt_column_bytes(const char *hex);
void dvt_column_bytes_free(const dv_buffer *bytes);

/* As many rows as the bytes hold. */
dv_column_view dvt_column_fixed(dv_type type, const char *hex);
/* TX or BY; utf8 is borrowed; ends: int32 each, bit 31 is NA. */
dv_column_view dvt_column_text(dv_kind kind, const char *utf8, int32_t first, const char *ends);
dv_column_view dvt_column_zoned(const char *ticks, const char *minutes);
/* items are borrowed; every row has `size` slots, unless lengths are added. */
dv_column_view dvt_column_vector(const dv_column_view *items, int32_t size, const char *counts,
                                 const char *indices);

/* One row that is this scalar, which is borrowed and needs no freeing.  Not TX. */
dv_column_view dvt_column_scalar(const dv_type *type, const dv_scalar *scalar);

/* Free the bytes of one of the above, not those of its items. */
void dvt_column_free(dv_column_view *view);

#endif
