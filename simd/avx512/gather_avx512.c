/* SPDX-License-Identifier: MIT */
/* gather_avx512.c: rows in another order, 64 bytes of text at a time. */
#include "simd/gather_tmpl.h"

DVI_GATHER_KERNELS(avx512, 64)
