/* SPDX-License-Identifier: MIT */
/* na_avx512.c: finds, counts, marks and replaces NA.  A mask has a bit for each item of a vector
 * that is NA. */
#include "simd/na.h"
#include <immintrin.h>

typedef struct rule {
    __m512i mask, low, most;
} rule;

/* W, type of an item, its bits, the signed type, type of a mask of the items of a vector */
#define WIDTHS(X)                                                                                  \
    X(1, uint8_t, 8, char, __mmask64)                                                              \
    X(2, uint16_t, 16, int16_t, __mmask32)                                                         \
    X(4, uint32_t, 32, int32_t, __mmask16)                                                         \
    X(8, uint64_t, 64, int64_t, __mmask8)

#define DEFINE_RULE(W, T, bits, number, M)                                                         \
    static inline rule rule_##W(const dvi_na *na)                                                  \
    {                                                                                              \
        return (rule){_mm512_set1_epi##bits((number)na->mask),                                     \
                      _mm512_set1_epi##bits((number)na->low),                                      \
                      _mm512_set1_epi##bits((number)na->most)};                                    \
    }                                                                                              \
    static inline M is_na_##W(M there, __m512i v, const rule *r)                                   \
    {                                                                                              \
        const __m512i above = _mm512_sub_epi##bits(_mm512_and_si512(v, r->mask), r->low);          \
        return _mm512_mask_cmpgt_epu##bits##_mask(there, above, r->most);                          \
    }                                                                                              \
    /* The mask of the first n <= 64 / W items; and a load of the items of a mask. */              \
    static inline M there_##W(size_t n)                                                            \
    {                                                                                              \
        return (M)_bzhi_u64(UINT64_MAX, (uint32_t)n);                                              \
    }                                                                                              \
    static inline __m512i load_##W(M there, const uint8_t *p)                                      \
    {                                                                                              \
        return _mm512_maskz_loadu_epi##bits(there, p);                                             \
    }
WIDTHS(DEFINE_RULE)

/* A bit for each of 64 items that is NA: of W vectors, loaded without masks, which are slow. */
#define DEFINE_BITS(W, T, bits, number, M)                                                         \
    static inline uint64_t bits_##W(const uint8_t *p, const rule *r)                               \
    {                                                                                              \
        const M all = there_##W(64 / W);                                                           \
        uint64_t found = 0;                                                                        \
        for (size_t k = 0; k < W; k++)                                                             \
            found |= (uint64_t)is_na_##W(all, _mm512_loadu_si512(p + 64 * k), r) << (64 / W * k);  \
        return found;                                                                              \
    }
WIDTHS(DEFINE_BITS)

/* Four vectors at a time, then one by one; the last one may be partial. */
#define DEFINE_COUNT(W, T, bits, number, M)                                                        \
    size_t dvi_na_count_##W##_avx512(const void *src, size_t n, const dvi_na *na)                  \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const uint8_t *p = src;                                                                    \
        const M all = there_##W(64 / W);                                                           \
        size_t i = 0, count = 0;                                                                   \
        for (; n - i >= 256 / W; i += 256 / W, p += 256)                                           \
            for (size_t k = 0; k < 4; k++)                                                         \
                count += (size_t)__builtin_popcountll(                                             \
                    is_na_##W(all, _mm512_loadu_si512(p + 64 * k), &r));                           \
        for (; i < n; i += 64 / W, p += 64) {                                                      \
            const M there = there_##W(n - i < 64 / W ? n - i : 64 / W);                            \
            count += (size_t)__builtin_popcountll(is_na_##W(there, load_##W(there, p), &r));       \
        }                                                                                          \
        return count;                                                                              \
    }
WIDTHS(DEFINE_COUNT)

#define DEFINE_FIRST(W, T, bits, number, M)                                                        \
    size_t dvi_na_first_##W##_avx512(const void *src, size_t n, const dvi_na *na)                  \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const uint8_t *p = src;                                                                    \
        const M all = there_##W(64 / W);                                                           \
        size_t i = 0;                                                                              \
        for (; n - i >= 256 / W; i += 256 / W, p += 256) {                                         \
            M found = 0;                                                                           \
            for (size_t k = 0; k < 4; k++)                                                         \
                found |= is_na_##W(all, _mm512_loadu_si512(p + 64 * k), &r);                       \
            if (found)                                                                             \
                break; /* the next loop finds it */                                                \
        }                                                                                          \
        for (; i < n; i += 64 / W, p += 64) {                                                      \
            const M there = there_##W(n - i < 64 / W ? n - i : 64 / W);                            \
            const M found = is_na_##W(there, load_##W(there, p), &r);                              \
            if (found)                                                                             \
                return i + _tzcnt_u64(found);                                                      \
        }                                                                                          \
        return n;                                                                                  \
    }
WIDTHS(DEFINE_FIRST)

#define DEFINE_MASK(W, T, bits, number, M)                                                         \
    size_t dvi_na_mask_##W##_avx512(uint8_t *restrict dst, const void *restrict src, size_t n,     \
                                    const dvi_na *na, int na_bit)                                  \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const uint64_t flip = na_bit ? 0 : UINT64_MAX;                                             \
        const uint8_t *p = src;                                                                    \
        size_t i = 0, count = 0;                                                                   \
        for (; n - i >= 64; i += 64, p += 64 * W) {                                                \
            const uint64_t found = bits_##W(p, &r), marked = found ^ flip;                         \
            count += (size_t)__builtin_popcountll(found);                                          \
            memcpy(dst + i / 8, &marked, 8);                                                       \
        }                                                                                          \
        for (; i < n; i += 64 / W, p += 64) {                                                      \
            const size_t left = n - i < 64 / W ? n - i : 64 / W;                                   \
            const M there = there_##W(left);                                                       \
            const M found = is_na_##W(there, load_##W(there, p), &r);                              \
            const M marked = (M)(na_bit ? found : there ^ found);                                  \
            count += (size_t)__builtin_popcountll(found);                                          \
            if (left == 64 / W)                                                                    \
                memcpy(dst + i / 8, &marked, 8 / W);                                               \
            else                                                                                   \
                memcpy(dst + i / 8, &marked, (left + 7) / 8);                                      \
        }                                                                                          \
        return count;                                                                              \
    }
WIDTHS(DEFINE_MASK)

#define DEFINE_REPLACE(W, T, bits, number, M)                                                      \
    void dvi_na_replace_##W##_avx512(T *restrict dst, const void *restrict src, size_t n,          \
                                     const dvi_na *na, T value)                                    \
    {                                                                                              \
        const rule r = rule_##W(na);                                                               \
        const __m512i values = _mm512_set1_epi##bits((number)value);                               \
        const uint8_t *p = src;                                                                    \
        for (size_t i = 0; i < n; i += 64 / W, p += 64) {                                          \
            const M there = there_##W(n - i < 64 / W ? n - i : 64 / W);                            \
            const __m512i v = load_##W(there, p);                                                  \
            _mm512_mask_storeu_epi##bits(                                                          \
                dst + i, there, _mm512_mask_mov_epi##bits(v, is_na_##W(there, v, &r), values));    \
        }                                                                                          \
    }
WIDTHS(DEFINE_REPLACE)
