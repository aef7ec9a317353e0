/* SPDX-License-Identifier: MIT */
/* key_positions.h: which value each key stands for, for the steps that take keys
 * (semantics:7.3). */
#ifndef DVI_TRANSFORM_KEY_POSITIONS_H
#define DVI_TRANSFORM_KEY_POSITIONS_H

#include <dataview/batch.h>

/* Of a key that stands for no value. */
#define DVI_NO_POSITION UINT32_MAX

/* Write the positions of n keys, `keys` (a column of scalars) from row `first` on: the key less 1;
 * DVI_NO_POSITION for key 0 and for keys above `count`. */
void dvi_key_positions(uint32_t *dst, const dv_column_view *keys, int64_t first, size_t n,
                       uint32_t count);

/* Check that a type is of keys, or of vectors of keys, that have 1 to 2^31-1 values. If not,
 * DV_ERR_ARGUMENT. */
dv_status dvi_key_check(const dv_type *type, dv_error *err);

#endif
