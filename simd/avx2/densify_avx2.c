/* SPDX-License-Identifier: MIT */
/* densify_avx2.c: makes a dense matrix of sparse rows: 8 indices, or half a line, at a time. */
#include "simd/densify_tmpl.h"
#include <immintrin.h>

static DVI_ALWAYS_INLINE void spread(uint32_t *dst, uint32_t value, size_t n)
{
    const __m256i copies = _mm256_set1_epi32((int)value);
    size_t i = 0;
    do {
        _mm256_storeu_si256((void *)(dst + i), copies);
        i += 8;
    } while (i < n);
}

static DVI_ALWAYS_INLINE void add(uint32_t *dst, const uint8_t *indices, size_t n, int shift)
{
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const __m256i index = _mm256_loadu_si256((const void *)(indices + 4 * i));
        const __m256i start = _mm256_loadu_si256((const void *)(dst + i));
        const __m256i sum = _mm256_add_epi32(start, _mm256_slli_epi32(index, shift));
        _mm256_storeu_si256((void *)(dst + i), sum);
    }
    for (; i < n; i++) /* the last 0..7 */
        dst[i] += dvi_load_u32(indices + 4 * i) << shift;
}

/* Indices increase, so those below the limit are the first ones of each 8. */
static DVI_ALWAYS_INLINE size_t below(const uint8_t *indices, size_t n, int32_t limit)
{
    const __m256i bound = _mm256_set1_epi32(limit);
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        const __m256i index = _mm256_loadu_si256((const void *)(indices + 4 * i));
        const __m256 is_below = _mm256_castsi256_ps(_mm256_cmpgt_epi32(bound, index));
        const uint32_t mask = (uint32_t)_mm256_movemask_ps(is_below);
        if (mask != 0xFF)
            return i + (size_t)__builtin_ctz(~mask);
    }
    while (i < n && dvi_load_i32(indices + 4 * i) < limit)
        i++;
    return i;
}

static DVI_ALWAYS_INLINE void repeat(uint8_t *dst, size_t nbytes)
{
    size_t words = nbytes / 4;
    __asm__ volatile("rep stosl" : "+D"(dst), "+c"(words) : "a"(0) : "memory");
    memset(dst, 0, nbytes % 4);
}

static DVI_ALWAYS_INLINE void stream(uint8_t *dst, const uint8_t *src, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i += 64) {
        const __m256i low = _mm256_loadu_si256((const void *)(src + i));
        const __m256i high = _mm256_loadu_si256((const void *)(src + i + 32));
        _mm256_stream_si256((void *)(dst + i), low);
        _mm256_stream_si256((void *)(dst + i + 32), high);
    }
}

static DVI_ALWAYS_INLINE void finish(void)
{
    _mm_sfence();
}

static const dvi_densify_level level = {spread, add, below, repeat, stream, finish};

DVI_DENSIFY_KERNELS(avx2)
