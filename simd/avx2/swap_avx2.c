/* SPDX-License-Identifier: MIT */
/* swap_avx2.c: reverses the bytes of numbers. */
#include "simd/swap_tmpl.h"

DVI_SWAPS(avx2)
