/* SPDX-License-Identifier: MIT */
/* na_avx2.c: finds, counts, marks and replaces NA.  Items of a vector that are NA have all bits
 * set. */
#include "simd/avx2/masks_avx2.h"
#include "simd/na.h"

#define STEP 128      /* bytes: four vectors */
#define STEPS_MAX 127 /* each adds up to 2 to a byte */

/* The members are shifted so that signed comparisons order unsigned numbers. */
typedef struct rule {
    __m256i mask, low, most;
} rule;

static inline __m256i load(const uint8_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}

/* is_na_W: set all bits of the items of 32 bytes that are NA. */
#define DEFINE_RULE(W, bits, set, number)                                                          \
    static rule rule_##W(const dvi_na *na)                                                         \
    {                                                                                              \
        const uint64_t least = UINT64_C(1) << (bits - 1);                                          \
        return (rule){set((number)na->mask), set((number)(na->low + least)),                       \
                      set((number)(na->most ^ least))};                                            \
    }                                                                                              \
    static inline __m256i is_na_##W(__m256i v, const rule *r)                                      \
    {                                                                                              \
        const __m256i above = _mm256_sub_epi##bits(_mm256_and_si256(v, r->mask), r->low);          \
        return _mm256_cmpgt_epi##bits(above, r->most);                                             \
    }
DEFINE_RULE(1, 8, _mm256_set1_epi8, char)
DEFINE_RULE(2, 16, _mm256_set1_epi16, int16_t)
DEFINE_RULE(4, 32, _mm256_set1_epi32, int32_t)
DEFINE_RULE(8, 64, _mm256_set1_epi64x, int64_t)

/* bits_W: return a bit for each of 32 items, the lowest first. */
static inline uint32_t bits_1(const uint8_t *p, const rule *r)
{
    return dvi_bits_1(is_na_1(load(p), r));
}

static inline uint32_t bits_2(const uint8_t *p, const rule *r)
{
    return dvi_bits_2(is_na_2(load(p), r), is_na_2(load(p + 32), r));
}

static inline uint32_t bits_4(const uint8_t *p, const rule *r)
{
    return dvi_bits_4(is_na_4(load(p), r), is_na_4(load(p + 32), r), is_na_4(load(p + 64), r),
                      is_na_4(load(p + 96), r));
}

static inline __m256i words_8(const uint8_t *p, const rule *r)
{
    return dvi_words_8(is_na_8(load(p), r), is_na_8(load(p + 32), r));
}

static inline uint32_t bits_8(const uint8_t *p, const rule *r)
{
    return dvi_bits_4(words_8(p, r), words_8(p + 64, r), words_8(p + 128, r), words_8(p + 192, r));
}

static inline size_t sum_of(__m256i sums)
{
    const __m128i two =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (size_t)(_mm_cvtsi128_si64(two) + _mm_extract_epi64(two, 1));
}

/* Each byte of an item counts it, so the sum is W times the count. */
#define DEFINE_COUNT(W, T)                                                                         \
    size_t dvi_na_count_##W##_avx2(const void *src, size_t n, const dvi_na *na)                    \
    {                                                                                              \
        const __m256i zero = _mm256_setzero_si256();                                               \
        const rule r = rule_##W(na);                                                               \
        const uint8_t *p = src;                                                                    \
        __m256i sums = zero;                                                                       \
        size_t steps = n / (STEP / W);                                                             \
        while (steps > 0) {                                                                        \
            const uint8_t *const stop = p + STEP * (steps < STEPS_MAX ? steps : STEPS_MAX);        \
            steps -= (size_t)(stop - p) / STEP;                                                    \
            __m256i a = zero, b = zero;                                                            \
            for (; p < stop; p += STEP) {                                                          \
                a = _mm256_sub_epi8(a, is_na_##W(load(p), &r));                                    \
                b = _mm256_sub_epi8(b, is_na_##W(load(p + 32), &r));                               \
                a = _mm256_sub_epi8(a, is_na_##W(load(p + 64), &r));                               \
                b = _mm256_sub_epi8(b, is_na_##W(load(p + 96), &r));                               \
            }                                                                                      \
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(a, zero));                               \
            sums = _mm256_add_epi64(sums, _mm256_sad_epu8(b, zero));                               \
        }                                                                                          \
        return sum_of(sums) / W + dvi_na_count_##W##_scalar(p, n % (STEP / W), na);                \
    }
DVI_NA_WIDTHS(DEFINE_COUNT)

#define DEFINE_FIRST(W, T)                                                                         \
    size_t dvi_na_first_##W##_avx2(const void *src, size_t n, const dvi_na *na)                    \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= STEP / W; i += STEP / W, p += STEP) {                                      \
            const __m256i a =                                                                      \
                _mm256_or_si256(is_na_##W(load(p), &r), is_na_##W(load(p + 32), &r));              \
            const __m256i b =                                                                      \
                _mm256_or_si256(is_na_##W(load(p + 64), &r), is_na_##W(load(p + 96), &r));         \
            if (_mm256_movemask_epi8(_mm256_or_si256(a, b)) != 0)                                  \
                break; /* scalar finds it */                                                       \
        }                                                                                          \
        return i + dvi_na_first_##W##_scalar(p, n - i, na);                                        \
    }
DVI_NA_WIDTHS(DEFINE_FIRST)

#define DEFINE_MASK(W, T)                                                                          \
    size_t dvi_na_mask_##W##_avx2(uint8_t *restrict dst, const void *restrict src, size_t n,       \
                                  const dvi_na *na, int na_bit)                                    \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const uint32_t flip = na_bit ? 0 : UINT32_MAX;                                             \
        const uint8_t *p = src;                                                                    \
        size_t i = 0, count = 0;                                                                   \
        for (; n - i >= 32; i += 32) {                                                             \
            const uint32_t bits = bits_##W(p + W * i, &r);                                         \
            count += (size_t)__builtin_popcount(bits);                                             \
            dvi_store_u32(dst + i / 8, bits ^ flip);                                               \
        }                                                                                          \
        return count + dvi_na_mask_##W##_scalar(dst + i / 8, p + W * i, n - i, na, na_bit);        \
    }
DVI_NA_WIDTHS(DEFINE_MASK)

#define DEFINE_REPLACE(W, T, set, number)                                                          \
    void dvi_na_replace_##W##_avx2(T *restrict dst, const void *restrict src, size_t n,            \
                                   const dvi_na *na, T value)                                      \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const __m256i values = set((number)value);                                                 \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= 32 / W; i += 32 / W) {                                                     \
            const __m256i v = load(p + W * i);                                                     \
            _mm256_storeu_si256((void *)(dst + i),                                                 \
                                _mm256_blendv_epi8(v, values, is_na_##W(v, &r)));                  \
        }                                                                                          \
        dvi_na_replace_##W##_scalar(dst + i, p + W * i, n - i, na, value);                         \
    }
DEFINE_REPLACE(1, uint8_t, _mm256_set1_epi8, char)
DEFINE_REPLACE(2, uint16_t, _mm256_set1_epi16, int16_t)
DEFINE_REPLACE(4, uint32_t, _mm256_set1_epi32, int32_t)
DEFINE_REPLACE(8, uint64_t, _mm256_set1_epi64x, int64_t)
