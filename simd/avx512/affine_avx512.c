/* SPDX-License-Identifier: MIT */
/* affine_avx512.c: scales reals. */
#include "simd/affine_tmpl.h"

DVI_AFFINES(avx512)
