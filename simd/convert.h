/* SPDX-License-Identifier: MIT */
/* convert.h: the kernels that convert values of fixed width, by kind.  (semantics:4) */
#ifndef DVI_SIMD_CONVERT_H
#define DVI_SIMD_CONVERT_H

#include <dataview/type.h>

/* Convert n values at src, at any address, to dst, which is aligned to its values. */
typedef void dvi_convert(void *dst, const void *src, size_t n);

/* The kernel that converts values of one kind to another; NULL: there is none, as for equal kinds.
 * DT is read as ticks and gives I8 only. */
dvi_convert *dvi_convert_find(dv_kind from, dv_kind to);

#endif
