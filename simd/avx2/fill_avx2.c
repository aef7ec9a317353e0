/* SPDX-License-Identifier: MIT */
/* fill_avx2.c: which kernels does level avx2 have? */
#include "simd/dispatch.h"

void dvi_fill_avx2(dv_kernels *table)
{
    (void)table;
}
