/* SPDX-License-Identifier: MIT */
/* swap_avx2.c: numbers with their bytes the other way round. */
#include "simd/swap_tmpl.h"

DVI_SWAPS(avx2)
