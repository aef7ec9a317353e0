/* SPDX-License-Identifier: MIT */
/* value_bytes.h: the bytes by which two values of a column are the same. */
#ifndef DVI_VIEW_VALUE_BYTES_H
#define DVI_VIEW_VALUE_BYTES_H

#include <dataview/value.h>

#define DVI_VALUE_BYTES 10 /* of DZ; other values are in their batch */

/* The bytes of a value that is neither NA nor a vector.  0 and -0 are one value; DZ of one instant
 * in two zones are two.  The result points to `own` or into the batch. */
dv_text dvi_value_bytes(const dv_value *value, char own[DVI_VALUE_BYTES]);

#endif
