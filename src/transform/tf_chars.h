/* SPDX-License-Identifier: MIT */
/* tf_chars.h: columns of the UTF-16 units of texts, as keys (semantics:7.17; ML.NET:
 * TokenizingCharacters). */
#ifndef DVI_TRANSFORM_TF_CHARS_H
#define DVI_TRANSFORM_TF_CHARS_H

#include "transform/mapper.h"

#define DVI_CHARS_COUNT 65535 /* of the keys: a unit is its own key */

/* The units that stand for the start of a row, its end, and the border between texts. */
enum { DVI_CHARS_START = 2, DVI_CHARS_END = 3, DVI_CHARS_BORDER = 31 };

/* Plan a column V<U2[0-65534],*> of one of texts or vectors of texts. A border stands before each
 * text that has units, other than item 0 of a vector. With markers, a row begins with a start and
 * ends with an end, unless it is a text, not a vector, and empty.
 *
 * DV_OK; DV_ERR_ARGUMENT: another type; DV_ERR_MEMORY. */
dv_status dvi_chars_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         int32_t column, bool has_markers, dv_error *err);

/* Add KeyValues, the texts of all units, to a column: they are made when they are read. */
dv_status dvi_chars_add_key_values(dv_schema *schema, int32_t column, const dv_allocator *allocator,
                                   dv_error *err);

/* Write the text of key `unit`, at least 1; returns its bytes. */
#define DVI_CHARS_NAME_NBYTES 8 /* the most, with the NUL: "\uD800" */
int dvi_chars_name(char dst[DVI_CHARS_NAME_NBYTES], uint32_t unit);

/* Make a batch of one row, V<TX,65535>: the texts of all units, of which the first is that of 1.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_chars_names(const dv_batch **batch_out, const dv_allocator *allocator, dv_error *err);

/* Write the units of a text; dst has room for one per byte. Returns how many they are. */
size_t dvi_chars_write(uint16_t *dst, dv_text text);

#endif
