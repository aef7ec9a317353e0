/* SPDX-License-Identifier: MIT */
/* utf8_neon.c: validates UTF-8 and counts UTF-16 units. */
#include "simd/utf8_tmpl.h"
#include <arm_neon.h>

/* Return not 0 in each of the 16 bytes at p in which an error ends.  high: the high halves of the
 * bytes. */
static inline uint8x16_t find_errors(const uint8_t *p, uint8x16_t high)
{
    const uint8x16_t before = vld1q_u8(p - 1);
    const uint8x16_t before_low = vandq_u8(before, vdupq_n_u8(15));
    const uint8x16_t a = vqtbl1q_u8(vld1q_u8(dvi_utf8_first_high), vshrq_n_u8(before, 4));
    const uint8x16_t b = vqtbl1q_u8(vld1q_u8(dvi_utf8_first_low), before_low);
    const uint8x16_t c = vqtbl1q_u8(vld1q_u8(dvi_utf8_second_high), high);
    const uint8x16_t pairs = vandq_u8(vandq_u8(a, b), c);

    /* The third byte of at least three, and the fourth of four. */
    const uint8x16_t third = vcgeq_u8(vld1q_u8(p - 2), vdupq_n_u8(0xE0));
    const uint8x16_t fourth = vcgeq_u8(vld1q_u8(p - 3), vdupq_n_u8(0xF0));
    const uint8x16_t required = vandq_u8(vorrq_u8(third, fourth), vdupq_n_u8(DVI_UTF8_IN_A_ROW));
    return veorq_u8(required, pairs);
}

static bool check(const uint8_t *p, size_t nbytes, size_t *units_inout)
{
    const uint8x16_t unit_count = vld1q_u8(dvi_utf8_unit_count);
    uint8x16_t wrong = vdupq_n_u8(0), units = wrong;
    for (size_t i = 0; i < nbytes; i += 16) {
        const uint8x16_t high = vshrq_n_u8(vld1q_u8(p + i), 4);
        wrong = vorrq_u8(wrong, find_errors(p + i, high));
        units = vaddq_u8(units, vqtbl1q_u8(unit_count, high));
    }
    *units_inout += vaddlvq_u8(units);
    return vmaxvq_u8(wrong) == 0;
}

static size_t skip_ascii(const uint8_t *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        const uint8x16_t low = vorrq_u8(vld1q_u8(p + i), vld1q_u8(p + i + 16));
        const uint8x16_t high = vorrq_u8(vld1q_u8(p + i + 32), vld1q_u8(p + i + 48));
        if (vmaxvq_u8(vorrq_u8(low, high)) >= 0x80)
            break;
    }
    return i;
}

size_t dvi_utf8_units_neon(const void *text, size_t n, size_t *units_out)
{
    return dvi_utf8_validate(check, skip_ascii, text, n, units_out);
}
