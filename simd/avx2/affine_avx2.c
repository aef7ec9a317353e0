/* SPDX-License-Identifier: MIT */
/* affine_avx2.c: scales reals. */
#include "simd/affine_tmpl.h"

DVI_AFFINES(avx2)
