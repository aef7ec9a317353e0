/* SPDX-License-Identifier: MIT */
/* utf8_avx512.c: validates UTF-8 and counts UTF-16 units. */
#include "simd/utf8_tmpl.h"
#include <immintrin.h>

static inline __m512i load(const uint8_t *p)
{
    return _mm512_loadu_si512(p);
}

static inline __m512i load_table(const uint8_t table[16])
{
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const void *)table));
}

static inline __m512i high_half(__m512i x)
{
    return _mm512_and_si512(_mm512_srli_epi16(x, 4), _mm512_set1_epi8(15));
}

/* Return not 0 in each of the 64 bytes at p in which an error ends.  x_high: the high halves of the
 * bytes. */
static inline __m512i find_errors(const uint8_t *p, __m512i x_high)
{
    const __m512i before = load(p - 1);
    const __m512i low = _mm512_and_si512(before, _mm512_set1_epi8(15));
    const __m512i a = _mm512_shuffle_epi8(load_table(dvi_utf8_first_high), high_half(before));
    const __m512i b = _mm512_shuffle_epi8(load_table(dvi_utf8_first_low), low);
    const __m512i c = _mm512_shuffle_epi8(load_table(dvi_utf8_second_high), x_high);
    const __m512i pairs = _mm512_ternarylogic_epi32(a, b, c, 0x80); /* a & b & c */

    const __m512i third = _mm512_subs_epu8(load(p - 2), _mm512_set1_epi8(DVI_UTF8_BELOW_3));
    const __m512i fourth = _mm512_subs_epu8(load(p - 3), _mm512_set1_epi8(DVI_UTF8_BELOW_4));
    const __m512i in_a_row = _mm512_set1_epi8((char)DVI_UTF8_IN_A_ROW);
    const __m512i required = _mm512_ternarylogic_epi32(third, fourth, in_a_row, 0xA8); /* (|) & */
    return _mm512_xor_si512(required, pairs);
}

static bool check(const uint8_t *p, size_t nbytes, size_t *units_inout)
{
    const __m512i unit_count = load_table(dvi_utf8_unit_count), none = _mm512_setzero_si512();
    __m512i wrong = none, units = none;
    for (size_t i = 0; i < nbytes; i += 64) {
        const __m512i x_high = high_half(load(p + i));
        wrong = _mm512_or_si512(wrong, find_errors(p + i, x_high));
        units = _mm512_add_epi8(units, _mm512_shuffle_epi8(unit_count, x_high));
    }
    *units_inout += (size_t)_mm512_reduce_add_epi64(_mm512_sad_epu8(units, none));
    return _mm512_test_epi64_mask(wrong, wrong) == 0;
}

static inline bool is_ascii(__m512i x)
{
    return _mm512_movepi8_mask(x) == 0;
}

static size_t skip_ascii(const uint8_t *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 256; i += 256) {
        const __m512i a = _mm512_or_si512(load(p + i), load(p + i + 64));
        const __m512i b = _mm512_or_si512(load(p + i + 128), load(p + i + 192));
        if (!is_ascii(_mm512_or_si512(a, b)))
            return is_ascii(a) ? i + 128 : i;
    }
    return i;
}

size_t dvi_utf8_units_avx512(const void *text, size_t n, size_t *units_out)
{
    return dvi_utf8_validate(check, skip_ascii, text, n, units_out);
}
