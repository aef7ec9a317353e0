/* SPDX-License-Identifier: MIT */
/* gather_neon.c: copies texts in another order, 32 bytes at a time. */
#include "simd/gather_tmpl.h"

DVI_GATHER_KERNELS(neon, 32)
