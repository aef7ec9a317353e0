/* SPDX-License-Identifier: MIT */
/* fill_scalar.c: puts the kernels of level scalar, which has all, into a table. */
#include "simd/dispatch.h"

void dvi_fill_scalar(dvi_kernel_table *table)
{
#define FILL(level, shape, name, D, S, contract) table->name = dvi_##name##_##level;
    DVI_KERNEL_LIST(FILL, scalar)
#undef FILL
}
