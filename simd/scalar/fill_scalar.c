/* SPDX-License-Identifier: MIT */
/* fill_scalar.c: level scalar has every kernel. */
#include "simd/dispatch.h"

void dvi_fill_scalar(dv_kernels *table)
{
#define FILL(level, shape, name, D, S, contract) table->name = dvi_##name##_##level;
    DV_KERNEL_LIST(FILL, scalar)
#undef FILL
}
