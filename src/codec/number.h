/* SPDX-License-Identifier: MIT */
/* number.h: prints numbers (semantics:4.4). */
#ifndef DVI_CODEC_NUMBER_H
#define DVI_CODEC_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Enough for the longest number and the bytes written after it; no NUL is written. */
#define DVI_NUMBER_NBYTES 48

/* Print into dst, of DVI_NUMBER_NBYTES bytes, and return the length. The locale has no effect.
 *
 * A real gets the fewest digits that read back as the same bits; of several such texts, the
 * closest: 1, 0.1, 1E-05, 3.4028235E+38, -0. Also NaN, Infinity, -Infinity. */
size_t dvi_number_print_i8(char *dst, int64_t value);
size_t dvi_number_print_u8(char *dst, uint64_t value);
size_t dvi_number_print_r4(char *dst, float value);
size_t dvi_number_print_r8(char *dst, double value);

/* The same with 7 digits without zeros at the end, as printed by %.7G and ML.NET's transform
 * Convert. */
size_t dvi_number_print_r4_g7(char *dst, float value);

/* The same with 17 digits without zeros at the end, as printed by %.17G and ML.NET's text saver:
 * 0.10000000000000001. */
size_t dvi_number_print_r8_g17(char *dst, double value);

#endif
