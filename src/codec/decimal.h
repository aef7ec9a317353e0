/* SPDX-License-Identifier: MIT */
/* decimal.h: which IEEE number is closest to a decimal one? */
#ifndef DVI_CODEC_DECIMAL_H
#define DVI_CODEC_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

#define DVI_DECIMAL_DIGITS 19 /* always fit 64 bits */

/* digits * 10^exponent, or more, by less than 10^exponent, when it is cut: then `digits` are the
 * first 19 of a text that says them all.  No leading zero counts as a digit. */
typedef struct dvi_decimal {
    uint64_t digits;
    int64_t exponent;
    bool is_cut;
    const char *text, *end; /* when it is cut: from its first digit on; other bytes are skipped */
} dvi_decimal;

/* The bits of the closest number; of two as close, the even one; too large ones give infinity.
 * Exact, however many digits there are; no allocation. */
uint32_t dvi_decimal_to_r4(const dvi_decimal *d);
uint64_t dvi_decimal_to_r8(const dvi_decimal *d);

#endif
