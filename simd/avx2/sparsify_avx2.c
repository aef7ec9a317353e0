/* SPDX-License-Identifier: MIT */
/* sparsify_avx2.c: finds the items of dense rows, eight slots at a time. */
#include "simd/avx2/masks_avx2.h"
#include "simd/bit_positions.h"
#include "simd/sparsify_tmpl.h"

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

/* --- Masks of the items that are not 0 -------------------------------------------------------- */

#define DEFINE_ZEROS(W, bits)                                                                      \
    static inline __m256i zeros_##W(const uint8_t *p)                                              \
    {                                                                                              \
        return _mm256_cmpeq_epi##bits(load(p), _mm256_setzero_si256());                            \
    }
DEFINE_ZEROS(1, 8)
DEFINE_ZEROS(2, 16)
DEFINE_ZEROS(4, 32)
DEFINE_ZEROS(8, 64)

static inline uint32_t masks_1(const uint8_t *p)
{
    return ~dvi_bits_1(zeros_1(p));
}

static inline uint32_t masks_2(const uint8_t *p)
{
    return ~dvi_bits_2(zeros_2(p), zeros_2(p + 32));
}

static inline uint32_t masks_4(const uint8_t *p)
{
    return ~dvi_bits_4(zeros_4(p), zeros_4(p + 32), zeros_4(p + 64), zeros_4(p + 96));
}

static inline __m256i words_8(const uint8_t *p)
{
    return dvi_words_8(zeros_8(p), zeros_8(p + 32));
}

static inline uint32_t masks_8(const uint8_t *p)
{
    return ~dvi_bits_4(words_8(p), words_8(p + 64), words_8(p + 128), words_8(p + 192));
}

static inline uint32_t mask_1(const uint8_t *p)
{
    const __m128i eight = _mm_loadl_epi64((const void *)p);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(eight, _mm_setzero_si128())) ^ 0xFFFF;
}

static inline uint32_t mask_2(const uint8_t *p)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i is_zero = _mm_cmpeq_epi16(_mm_loadu_si128((const void *)p), zero);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(is_zero, zero)) ^ 0xFF;
}

static inline uint32_t mask_4(const uint8_t *p)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(zeros_4(p))) ^ 0xFF;
}

static inline uint32_t mask_8(const uint8_t *p)
{
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(words_8(p))) ^ 0xFF;
}

/* --- Writing the items of a mask -------------------------------------------------------------- */

static inline __m128i lanes_of(uint32_t mask)
{
    return _mm_loadl_epi64((const void *)&dvi_bit_positions[mask]);
}

static inline size_t put_indices(int32_t *indices, __m128i lanes, size_t slot, uint32_t mask)
{
    const __m256i first = _mm256_set1_epi32((int32_t)slot);
    _mm256_storeu_si256((void *)indices, _mm256_add_epi32(_mm256_cvtepu8_epi32(lanes), first));
    return (size_t)__builtin_popcount(mask);
}

static inline size_t put_1(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const __m128i lanes = lanes_of(mask);
    const __m128i eight = _mm_loadl_epi64((const void *)p);
    _mm_storel_epi64(items, _mm_shuffle_epi8(eight, lanes));
    return put_indices(indices, lanes, slot, mask);
}

static inline size_t put_2(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const __m128i lanes = lanes_of(mask);
    const __m128i twice = _mm_unpacklo_epi8(lanes, lanes); /* each lane twice: for its two bytes */
    const __m128i bytes = _mm_add_epi8(_mm_add_epi8(twice, twice), _mm_set1_epi16(0x0100));
    _mm_storeu_si128(items, _mm_shuffle_epi8(_mm_loadu_si128((const void *)p), bytes));
    return put_indices(indices, lanes, slot, mask);
}

static inline size_t put_4(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    const __m128i lanes = lanes_of(mask);
    _mm256_storeu_si256(items, _mm256_permutevar8x32_epi32(load(p), _mm256_cvtepu8_epi32(lanes)));
    return put_indices(indices, lanes, slot, mask);
}

/* Write four items, each of two words of 32 bits, by the mask of their words. */
static inline void put_four(void *items, const uint8_t *p, uint32_t mask)
{
    static const uint8_t words_of[16] = {0x00, 0x03, 0x0C, 0x0F, 0x30, 0x33, 0x3C, 0x3F,
                                         0xC0, 0xC3, 0xCC, 0xCF, 0xF0, 0xF3, 0xFC, 0xFF};
    const __m256i words = _mm256_cvtepu8_epi32(lanes_of(words_of[mask]));
    _mm256_storeu_si256(items, _mm256_permutevar8x32_epi32(load(p), words));
}

static inline size_t put_8(int32_t *indices, void *items, const uint8_t *p, size_t slot,
                           uint32_t mask)
{
    put_four(items, p, mask & 15);
    put_four((uint8_t *)items + 8 * (size_t)__builtin_popcount(mask & 15), p + 32, mask >> 4);
    return put_indices(indices, lanes_of(mask), slot, mask);
}

DVI_SPARSIFY(1, uint8_t, avx2, 8)
DVI_SPARSIFY(2, uint16_t, avx2, 8)
DVI_SPARSIFY(4, uint32_t, avx2, 8)
DVI_SPARSIFY(8, uint64_t, avx2, 8)
