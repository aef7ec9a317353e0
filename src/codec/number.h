/* SPDX-License-Identifier: MIT */
/* number.h: how does a number read as text?  (semantics:4.4) */
#ifndef DVI_CODEC_NUMBER_H
#define DVI_CODEC_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* What the longest number needs, with room for what is written after it; no NUL is. */
#define DVI_NUMBER_NBYTES 48

/* Print into dst, of DVI_NUMBER_NBYTES bytes, and return the length.  The locale plays no part.
 *
 * Reals get the fewest digits that read back as the same bits, and of these the closest: 1, 0.1,
 * 1E-05, 3.4028235E+38, -0.  Also NaN, Infinity, -Infinity. */
size_t dvi_number_print_i8(char *dst, int64_t value);
size_t dvi_number_print_u8(char *dst, uint64_t value);
size_t dvi_number_print_r4(char *dst, float value);
size_t dvi_number_print_r8(char *dst, double value);

/* The same with 7 digits, less zeros at the end, as %.7G prints and ML.NET's transform Convert. */
size_t dvi_number_print_r4_g7(char *dst, float value);

/* The same with 17 digits, less zeros at the end, as %.17G prints and ML.NET's text saver writes:
 * 0.10000000000000001. */
size_t dvi_number_print_r8_g17(char *dst, double value);

#endif
