/* SPDX-License-Identifier: MIT */
/* find_avx2.c: finds the bytes of a set. */
#include "simd/bit_positions.h"
#include "simd/find_tmpl.h"
#include <immintrin.h>

static inline __m256i load_table(const uint8_t table[16])
{
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)table));
}

static inline uint32_t look_32(const uint8_t *p, __m256i members)
{
    const __m256i x = _mm256_loadu_si256((const void *)p), half = _mm256_set1_epi8(15);
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(x, 4), half);
    const __m256i bit = _mm256_shuffle_epi8(load_table(dvi_find_bits), upper);
    const __m256i is = _mm256_and_si256(_mm256_shuffle_epi8(members, x), bit);
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(is, _mm256_setzero_si256()));
}

static inline uint64_t look(const uint8_t *p, const dvi_ascii_set *set)
{
    const __m256i members = load_table(set->members);
    return look_32(p, members) | (uint64_t)look_32(p + 32, members) << 32;
}

/* No branch depends on the bits: for every 8 bits, their positions are looked up and 8 numbers are
 * written; the next ones overwrite the excess. */
static inline size_t list(uint32_t *dst, uint64_t bits, uint32_t base)
{
    size_t n = 0;
    for (uint32_t at = 0; at < DVI_FIND_BLOCK; at += 8) {
        const uint32_t byte = bits >> at & 255;
        const __m128i positions = _mm_loadl_epi64((const void *)&dvi_bit_positions[byte]);
        const __m256i from = _mm256_set1_epi32((int)(base + at));
        const __m256i found = _mm256_add_epi32(_mm256_cvtepu8_epi32(positions), from);
        _mm256_storeu_si256((void *)(dst + n), found);
        n += (size_t)__builtin_popcount(byte);
    }
    return n;
}

size_t dvi_bytes_find_avx2(uint32_t *restrict dst, size_t room, const void *restrict src, size_t n,
                           const dvi_ascii_set *set)
{
    return dvi_find_bytes(look, list, dst, room, src, n, set);
}
