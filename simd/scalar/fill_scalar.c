/* SPDX-License-Identifier: MIT */
/* fill_scalar.c: level scalar has every kernel. */
#include "simd/dispatch.h"

void dvi_fill_scalar(dvi_kernel_table *table)
{
#define FILL(level, shape, name, D, S, contract) table->name = dvi_##name##_##level;
    DVI_KERNEL_LIST(FILL, scalar)
#undef FILL
}
