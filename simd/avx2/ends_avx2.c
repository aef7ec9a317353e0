/* SPDX-License-Identifier: MIT */
/* ends_avx2.c: checks the ends of texts, and converts them from UTF-16 units to bytes. */
#include "base/compiler.h"
#include "simd/bit_positions.h"
#include "simd/ends_tmpl.h"
#include <immintrin.h>

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

/* Eight ends without bit 31.  Bit 31 of `wrong` is set for each that is below the end before, or
 * above it and NA.  Two ends without their bit 31 have a difference that does not overflow. */
typedef struct ends8 {
    __m256i ends, wrong;
} ends8;

static inline ends8 check8(__m256i words, __m256i before8)
{
    const __m256i ends = _mm256_and_si256(words, _mm256_set1_epi32(INT32_MAX));
    const __m256i before =
        _mm256_alignr_epi8(ends, _mm256_permute2x128_si256(before8, ends, 0x21), 12);
    const __m256i is_below = _mm256_sub_epi32(ends, before);
    const __m256i is_above = _mm256_sub_epi32(before, ends);
    return (ends8){ends, _mm256_or_si256(is_below, _mm256_and_si256(is_above, words))};
}

/* Load eight words once, and copy them if there is a dst. */
static inline __m256i take8(int32_t *dst, const uint8_t *p)
{
    __m256i words = load(p);
    DVI_OPAQUE_VECTOR(words);
    if (dst)
        _mm256_storeu_si256((void *)dst, words);
    return words;
}

static inline bool has_any(__m256i x)
{
    return _mm256_movemask_ps(_mm256_castsi256_ps(x)) != 0;
}

size_t dvi_ends_check_avx2(int32_t *restrict dst, const void *ends, size_t n, int32_t first,
                           int32_t *last_out)
{
    if (n == 0) /* then there may be no ends */
        return dvi_ends_check_scalar(dst, ends, n, first, last_out);
    const uint8_t *p = ends;
    __m256i before = _mm256_set1_epi32(first);
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        int32_t *to = dst ? dst + i : NULL;
        const ends8 a = check8(take8(to, p + 4 * i), before);
        const ends8 b = check8(take8(to ? to + 8 : NULL, p + 4 * i + 32), a.ends);
        if (has_any(_mm256_or_si256(a.wrong, b.wrong)))
            break;
        before = b.ends;
    }
    return i + dvi_ends_check_scalar(dst ? dst + i : NULL, p + 4 * i, n - i,
                                     _mm256_extract_epi32(before, 7), last_out);
}

static void look(const uint8_t *p, uint64_t *starts_out, uint64_t *pairs_out)
{
    const __m256i last_inner = _mm256_set1_epi8(-65), pair = _mm256_set1_epi8(-16);
    const __m256i a = load(p), b = load(p + 32);
    const int starts_a = _mm256_movemask_epi8(_mm256_cmpgt_epi8(a, last_inner));
    const int starts_b = _mm256_movemask_epi8(_mm256_cmpgt_epi8(b, last_inner));
    const int pairs_a = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(a, pair), a));
    const int pairs_b = _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(b, pair), b));
    *starts_out = (uint32_t)starts_a | (uint64_t)(uint32_t)starts_b << 32;
    *pairs_out = (uint32_t)pairs_a | (uint64_t)(uint32_t)pairs_b << 32;
}

static void list(uint8_t *dst, uint64_t word, size_t base)
{
    const uint64_t ones = 0x0101010101010101;
    for (size_t b = 0; b < 64; b += 8) {
        const uint64_t byte = word >> b & 255;
        dvi_store_u64(dst, dvi_bit_positions[byte] + ones * (base + b));
        dst += __builtin_popcountll(byte);
    }
}

size_t dvi_ends_map_avx2(int32_t *restrict dst, const void *text, size_t nbytes, const void *ends,
                         size_t n)
{
    return dvi_ends_map_windows(look, list, dst, text, nbytes, ends, n);
}
