/* SPDX-License-Identifier: MIT */
/* utf8_avx2.c: validates UTF-8 and counts UTF-16 units. */
#include "simd/utf8_tmpl.h"
#include <immintrin.h>

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

static inline __m256i load_table(const uint8_t table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)table));
}

static inline __m256i high_half(__m256i x)
{
    return _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15));
}

/* Return not 0 in each of the 32 bytes at p in which an error ends.  x_high: the high halves of the
 * bytes. */
static inline __m256i find_errors(const uint8_t *p, __m256i x_high)
{
    const __m256i before = load(p - 1);
    const __m256i low = _mm256_and_si256(before, _mm256_set1_epi8(15));
    const __m256i a = _mm256_shuffle_epi8(load_table(dvi_utf8_first_high), high_half(before));
    const __m256i b = _mm256_shuffle_epi8(load_table(dvi_utf8_first_low), low);
    const __m256i c = _mm256_shuffle_epi8(load_table(dvi_utf8_second_high), x_high);
    const __m256i pairs = _mm256_and_si256(_mm256_and_si256(a, b), c);

    /* The third byte of at least three, and the fourth of four: bit 7, as in IN_A_ROW. */
    const __m256i third = _mm256_subs_epu8(load(p - 2), _mm256_set1_epi8(DVI_UTF8_BELOW_3));
    const __m256i fourth = _mm256_subs_epu8(load(p - 3), _mm256_set1_epi8(DVI_UTF8_BELOW_4));
    const __m256i required =
        _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8(-128));
    return _mm256_xor_si256(required, pairs);
}

static size_t sum_of_bytes(__m256i x)
{
    const __m256i by_8 = _mm256_sad_epu8(x, _mm256_setzero_si256());
    const __m128i by_16 =
        _mm_add_epi64(_mm256_castsi256_si128(by_8), _mm256_extracti128_si256(by_8, 1));
    return (size_t)_mm_cvtsi128_si64(_mm_add_epi64(by_16, _mm_unpackhi_epi64(by_16, by_16)));
}

static bool check(const uint8_t *p, size_t nbytes, size_t *units_inout)
{
    const __m256i unit_count = load_table(dvi_utf8_unit_count);
    __m256i wrong = _mm256_setzero_si256(), units = wrong;
    for (size_t i = 0; i < nbytes; i += 32) {
        const __m256i x_high = high_half(load(p + i));
        wrong = _mm256_or_si256(wrong, find_errors(p + i, x_high));
        units = _mm256_add_epi8(units, _mm256_shuffle_epi8(unit_count, x_high));
    }
    *units_inout += sum_of_bytes(units);
    return _mm256_testz_si256(wrong, wrong);
}

static inline bool is_ascii(__m256i x)
{
    return _mm256_movemask_epi8(x) == 0;
}

static size_t skip_ascii(const uint8_t *p, size_t n)
{
    size_t i = 0;
    for (; n - i >= 128; i += 128) {
        const __m256i a = _mm256_or_si256(load(p + i), load(p + i + 32));
        const __m256i b = _mm256_or_si256(load(p + i + 64), load(p + i + 96));
        if (!is_ascii(_mm256_or_si256(a, b)))
            return is_ascii(a) ? i + 64 : i;
    }
    return i;
}

size_t dvi_utf8_units_avx2(const void *text, size_t n, size_t *units_out)
{
    return dvi_utf8_validate(check, skip_ascii, text, n, units_out);
}
