/* SPDX-License-Identifier: MIT */
/* dispatch.h: the kernels of every level, and how a level puts its own into a table. */
#ifndef DVI_SIMD_DISPATCH_H
#define DVI_SIMD_DISPATCH_H

#include <dataview/kernel.h>

/* Every kernel at every level; a level need not have all of them. */
#define DVI_KERNEL_PROTOTYPE(level, shape, name, D, S, contract)                                   \
    DV_SHAPE_##shape(dvi_##name##_##level, D, S);
DV_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, scalar)
DV_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, avx2)
DV_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, avx512)
DV_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, neon)
#undef DVI_KERNEL_PROTOTYPE

/* Put all kernels that a level has into the table, over those of lower levels. */
void dvi_fill_scalar(dv_kernels *table);
void dvi_fill_avx2(dv_kernels *table);
void dvi_fill_avx512(dv_kernels *table);
void dvi_fill_neon(dv_kernels *table);

/* Short for calls: dvi_kernels()->utf8_units(...). */
#define dvi_kernels dv_kernels_best

#endif
