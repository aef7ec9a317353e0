/* SPDX-License-Identifier: MIT */
/* convert_neon.c: converts numbers of one type to another; the compiler vectorizes all loops. */
#include "simd/convert_tmpl.h"

#define f4_or_na_of_i8(v) dvi_f4_or_na(v, (double)dvi_odd_i8(v))
#define f4_of_u8(v) ((float)(double)dvi_odd_u8(v))
#define f8_of_i8(v) ((double)(v))
#define f8_of_u8(v) ((double)(v))

DVI_CONVERSION_LIST(DVI_CONVERT, _, neon)
