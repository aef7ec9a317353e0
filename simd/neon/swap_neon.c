/* SPDX-License-Identifier: MIT */
/* swap_neon.c: numbers with their bytes the other way round. */
#include "simd/swap_walk.h"

DVI_SWAPS(neon)
