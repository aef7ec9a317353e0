/* SPDX-License-Identifier: MIT */
/* convert.h: finds the kernel that converts values of one kind to another (semantics:4). */
#ifndef DVI_SIMD_CONVERT_H
#define DVI_SIMD_CONVERT_H

#include <dataview/type.h>

/* Convert n values.  src may have any alignment; dst is aligned to its values. */
typedef void dvi_convert(void *dst, const void *src, size_t n);

/* Return the kernel that converts values of one kind to another.  NULL: no kernel exists, as for
 * equal kinds.  DT is read as ticks, and converts to I8 only. */
dvi_convert *dvi_convert_find(dv_kind from, dv_kind to);

#endif
