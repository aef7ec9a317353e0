/* SPDX-License-Identifier: MIT */
/* sparsify_avx512.c: finds the items of dense rows, 16 slots at a time. */
#include "base/load.h"
#include "simd/dispatch.h"
#include <immintrin.h>

/* Read the slots of `there` among sixteen at p, and write as many: first the items, which are not
 * 0.  Returns the mask of the items. */
static inline __mmask16 put_1(void *items, const uint8_t *p, __mmask16 there)
{
    const __m128i v = _mm_maskz_loadu_epi8(there, p);
    const __mmask16 mask = _mm_test_epi8_mask(v, v);
    _mm_mask_storeu_epi8(items, there, _mm_maskz_compress_epi8(mask, v));
    return mask;
}

static inline __mmask16 put_2(void *items, const uint8_t *p, __mmask16 there)
{
    const __m256i v = _mm256_maskz_loadu_epi16(there, p);
    const __mmask16 mask = _mm256_test_epi16_mask(v, v);
    _mm256_mask_storeu_epi16(items, there, _mm256_maskz_compress_epi16(mask, v));
    return mask;
}

static inline __mmask16 put_4(void *items, const uint8_t *p, __mmask16 there)
{
    const __m512i v = _mm512_maskz_loadu_epi32(there, p);
    const __mmask16 mask = _mm512_test_epi32_mask(v, v);
    _mm512_mask_storeu_epi32(items, there, _mm512_maskz_compress_epi32(mask, v));
    return mask;
}

static inline __mmask16 put_8(void *items, const uint8_t *p, __mmask16 there)
{
    const __m512i low = _mm512_maskz_loadu_epi64((__mmask8)there, p);
    const __m512i high = _mm512_maskz_loadu_epi64((__mmask8)(there >> 8), p + 64);
    const __mmask8 low_mask = _mm512_test_epi64_mask(low, low);
    const __mmask8 high_mask = _mm512_test_epi64_mask(high, high);
    const uint32_t count = (uint32_t)__builtin_popcount(low_mask);
    _mm512_mask_storeu_epi64(items, (__mmask8)there, _mm512_maskz_compress_epi64(low_mask, low));
    _mm512_mask_storeu_epi64((uint8_t *)items + 8 * count, (__mmask8)(there >> count),
                             _mm512_maskz_compress_epi64(high_mask, high));
    return (__mmask16)(low_mask | high_mask << 8);
}

#define DEFINE_SPARSIFY(W, T)                                                                      \
    size_t dvi_sparsify_##W##_avx512(int32_t *restrict counts, int32_t *restrict indices,          \
                                     T *restrict items, const void *restrict src, size_t stride,   \
                                     size_t width, size_t n)                                       \
    {                                                                                              \
        const __m512i lanes =                                                                      \
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);               \
        const uint8_t *const p = src;                                                              \
        size_t sum = 0;                                                                            \
        for (size_t i = 0; i < n; i++) {                                                           \
            const size_t before = sum;                                                             \
            for (size_t slot = 0; slot < width; slot += 16) {                                      \
                const uint32_t left = width - slot < 16 ? (uint32_t)(width - slot) : 16;           \
                const __mmask16 there = (__mmask16)_bzhi_u32(0xFFFF, left);                        \
                const __m512i slots = _mm512_add_epi32(lanes, _mm512_set1_epi32((int32_t)slot));   \
                const __mmask16 mask = put_##W(items + sum, p + W * (i * stride + slot), there);   \
                _mm512_mask_storeu_epi32(indices + sum, there,                                     \
                                         _mm512_maskz_compress_epi32(mask, slots));                \
                sum += (size_t)__builtin_popcount(mask);                                           \
            }                                                                                      \
            counts[i] = (int32_t)(sum - before);                                                   \
        }                                                                                          \
        return sum;                                                                                \
    }
DEFINE_SPARSIFY(1, uint8_t)
DEFINE_SPARSIFY(2, uint16_t)
DEFINE_SPARSIFY(4, uint32_t)
DEFINE_SPARSIFY(8, uint64_t)
