/* SPDX-License-Identifier: MIT */
/* dispatch.h: declares the kernels of every level, and the functions that fill the tables. */
#ifndef DVI_SIMD_DISPATCH_H
#define DVI_SIMD_DISPATCH_H

#include "simd/choice.h"
#include "simd/kernel.h"

/* Every kernel at every level; a level need not have all of them. */
#define DVI_KERNEL_PROTOTYPE(level, shape, name, D, S, contract)                                   \
    DVI_SHAPE_##shape(dvi_##name##_##level, D, S);
DVI_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, scalar)
DVI_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, avx2)
DVI_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, avx512)
DVI_KERNEL_LIST(DVI_KERNEL_PROTOTYPE, neon)
#undef DVI_KERNEL_PROTOTYPE

/* Put the kernels of a level into the table, in place of those of lower levels. */
void dvi_fill_scalar(dvi_kernel_table *table);
void dvi_fill_avx2(dvi_kernel_table *table);
void dvi_fill_avx512(dvi_kernel_table *table);
void dvi_fill_neon(dvi_kernel_table *table);

/* Put the kernels of avx2 that win on this make into a table of level avx512 (choice.h). */
void dvi_choose(dvi_kernel_table *table, const dvi_kernel_table *avx2, dvi_make make);

#endif
