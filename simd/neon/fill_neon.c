/* SPDX-License-Identifier: MIT */
/* fill_neon.c: which kernels does level neon have? */
#include "simd/dispatch.h"

void dvi_fill_neon(dv_kernels *table)
{
    (void)table;
}
