/* SPDX-License-Identifier: MIT */
/* gather_avx512.c: copies texts in another order, 64 bytes at a time. */
#include "simd/gather_tmpl.h"

DVI_GATHER_KERNELS(avx512, 64)
