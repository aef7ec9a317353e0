/* SPDX-License-Identifier: MIT */
/* ends_avx512.c: checks the ends of texts, and converts them from UTF-16 units to bytes. */
#include "base/compiler.h"
#include "simd/ends_tmpl.h"
#include <immintrin.h>

/* Sixteen ends without bit 31, and which of them are below the end before, or above it and NA. */
typedef struct ends16 {
    __m512i ends;
    __mmask16 wrong;
} ends16;

static inline ends16 check16(__m512i words, __m512i before16)
{
    const __m512i ends = _mm512_and_si512(words, _mm512_set1_epi32(INT32_MAX));
    const __m512i before = _mm512_alignr_epi32(ends, before16, 15);
    const __mmask16 is_below = _mm512_cmplt_epi32_mask(ends, before);
    const __mmask16 is_above = _mm512_cmpgt_epi32_mask(ends, before);
    return (ends16){ends, (__mmask16)(is_below | (is_above & _mm512_movepi32_mask(words)))};
}

size_t dvi_ends_check_avx512(int32_t *restrict dst, const void *ends, size_t n, int32_t first,
                             int32_t *last_out)
{
    if (n == 0) /* then there may be no ends */
        return dvi_ends_check_scalar(dst, ends, n, first, last_out);
    const uint8_t *p = ends;
    ends16 now = {_mm512_set1_epi32(first), 0};
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        __m512i words = _mm512_loadu_si512(p + 4 * i);
        DVI_OPAQUE_VECTOR(words); /* read once */
        const ends16 next = check16(words, now.ends);
        if (next.wrong != 0)
            break;
        now = next;
        if (dst)
            _mm512_storeu_si512(dst + i, words);
    }
    const __m128i last4 = _mm512_extracti32x4_epi32(now.ends, 3);
    return i + dvi_ends_check_scalar(dst ? dst + i : NULL, p + 4 * i, n - i,
                                     _mm_extract_epi32(last4, 3), last_out);
}

static void look(const uint8_t *p, uint64_t *starts_out, uint64_t *pairs_out)
{
    const __m512i x = _mm512_loadu_si512(p);
    *starts_out = _mm512_cmpgt_epi8_mask(x, _mm512_set1_epi8(-65));
    *pairs_out = _mm512_cmpge_epu8_mask(x, _mm512_set1_epi8(-16));
}

static const uint8_t counting[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};

static void list(uint8_t *dst, uint64_t word, size_t base)
{
    const __m512i positions =
        _mm512_add_epi8(_mm512_loadu_si512(counting), _mm512_set1_epi8((char)base));
    /* The bytes after the positions are unspecified.  The merging form is used, because Bochs 2.7,
     * on which tests run, treats a full mask as an empty one; the result is the same. */
    _mm512_storeu_si512(dst, _mm512_mask_compress_epi8(positions, word, positions));
}

size_t dvi_ends_map_avx512(int32_t *restrict dst, const void *text, size_t nbytes, const void *ends,
                           size_t n)
{
    return dvi_ends_map_windows(look, list, dst, text, nbytes, ends, n);
}
