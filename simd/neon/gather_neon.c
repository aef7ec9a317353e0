/* SPDX-License-Identifier: MIT */
/* gather_neon.c: rows in another order, 32 bytes of text at a time. */
#include "simd/gather_tmpl.h"

DVI_GATHER_KERNELS(neon, 32)
