/* SPDX-License-Identifier: MIT */
/* fill_avx512.c: which kernels does level avx512 have? */
#include "simd/dispatch.h"

void dvi_fill_avx512(dv_kernels *table)
{
    (void)table;
}
