/* SPDX-License-Identifier: MIT */
/* arrow_exact.h: metadata of columns as metadata of Arrow fields, and back. */
#ifndef DVI_INTEROP_ARROW_EXACT_H
#define DVI_INTEROP_ARROW_EXACT_H

#include "interop/arrow_intake.h"

/* Read a value in the exact form with its type, {"type":"R4","value":"r4:3f800000"}, and add it to
 * a column. counts: int32 -1. DV_OK; DV_NOT_FOUND: the text is none; DV_ERR_ARGUMENT: such metadata
 * is there already; DV_ERR_MEMORY. */
dv_status dvi_arrow_exact_add(dv_schema *schema, int32_t column, dv_text kind, dv_text text,
                              const dv_buffer *counts, dv_error *err);

/* Add the metadata dataview.meta.KIND of a field. DV_OK; DV_ERR_CORRUPT, DV_ERR_MEMORY. */
dv_status dvi_arrow_add_metadata(dv_schema *schema, int32_t column, const dvi_arrow_column *from,
                                 const dv_buffer *counts, dv_error *err);

/* Read n bytes from 2n lower-case hexadecimal digits: the last byte first if they are a number.
 * Without dst they are only checked. False: they are something else. */
bool dvi_exact_hex(uint8_t *dst, size_t n, dv_text text, bool is_number);

#endif
