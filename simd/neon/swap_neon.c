/* SPDX-License-Identifier: MIT */
/* swap_neon.c: reverses the bytes of numbers. */
#include "simd/swap_tmpl.h"

DVI_SWAPS(neon)
