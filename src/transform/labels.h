/* SPDX-License-Identifier: MIT */
/* labels.h: labels of rows as small numbers (semantics:7.18). */
#ifndef DVI_TRANSFORM_LABELS_H
#define DVI_TRANSFORM_LABELS_H

#include <dataview/value.h>

#define DVI_LABELS_MOST (1 << 20)

/* The number of labels of a column: of keys their count, of numbers and BL 2. DV_ERR_ARGUMENT:
 * another type, keys of an unknown count, or more than DVI_LABELS_MOST. */
dv_status dvi_labels_count(int32_t *labels_out, const dv_type *type, dv_error *err);

/* The label of a value: of a key its number less 1; of others 1 above 0, else 0. -1: it is NA. */
int32_t dvi_label_of(const dv_value *value);

#endif
