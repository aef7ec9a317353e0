/* SPDX-License-Identifier: MIT */
/* na_neon.c: finds, counts, marks and replaces NA.  Items of a vector that are NA have all bits
 * set. */
#include "simd/na.h"
#include <arm_neon.h>

#define STEP 64       /* bytes: four vectors */
#define STEPS_MAX 127 /* each adds up to 2 to a byte */

/* W, type of an item, its bits, type of a vector */
#define WIDTHS(X)                                                                                  \
    X(1, uint8_t, 8, uint8x16_t)                                                                   \
    X(2, uint16_t, 16, uint16x8_t)                                                                 \
    X(4, uint32_t, 32, uint32x4_t)                                                                 \
    X(8, uint64_t, 64, uint64x2_t)

/* For macros: the compiler does not define it. */
#define vreinterpretq_u8_u8(v) (v)

/* is_na_W: set all bits of the items that are NA.  bytes_W: as is_na_W, for the vector at p. */
#define DEFINE_RULE(W, T, bits, V)                                                                 \
    typedef struct rule_##W {                                                                      \
        V mask, low, most;                                                                         \
    } rule_##W;                                                                                    \
    static inline rule_##W rule_of_##W(const dvi_na *na)                                           \
    {                                                                                              \
        return (rule_##W){vdupq_n_u##bits((T)na->mask), vdupq_n_u##bits((T)na->low),               \
                          vdupq_n_u##bits((T)na->most)};                                           \
    }                                                                                              \
    static inline V load_##W(const uint8_t *p)                                                     \
    {                                                                                              \
        const uint8x16_t bytes = vld1q_u8(p);                                                      \
        V v;                                                                                       \
        memcpy(&v, &bytes, sizeof v);                                                              \
        return v;                                                                                  \
    }                                                                                              \
    static inline V is_na_##W(V v, const rule_##W *r)                                              \
    {                                                                                              \
        return vcgtq_u##bits(vsubq_u##bits(vandq_u##bits(v, r->mask), r->low), r->most);           \
    }                                                                                              \
    static inline uint8x16_t bytes_##W(const uint8_t *p, const rule_##W *r)                        \
    {                                                                                              \
        return vreinterpretq_u8_u##bits(is_na_##W(load_##W(p), r));                                \
    }
WIDTHS(DEFINE_RULE)

/* flags_W: return a byte for each of 16 items. */
static inline uint8x16_t flags_1(const uint8_t *p, const rule_1 *r)
{
    return bytes_1(p, r);
}

static inline uint8x16_t flags_2(const uint8_t *p, const rule_2 *r)
{
    return vuzp1q_u8(bytes_2(p, r), bytes_2(p + 16, r));
}

static inline uint8x16_t flags_of_words(uint32x4_t a, uint32x4_t b, uint32x4_t c, uint32x4_t d)
{
    const uint16x8_t low = vuzp1q_u16(vreinterpretq_u16_u32(a), vreinterpretq_u16_u32(b));
    const uint16x8_t high = vuzp1q_u16(vreinterpretq_u16_u32(c), vreinterpretq_u16_u32(d));
    return vuzp1q_u8(vreinterpretq_u8_u16(low), vreinterpretq_u8_u16(high));
}

static inline uint8x16_t flags_4(const uint8_t *p, const rule_4 *r)
{
    return flags_of_words(is_na_4(load_4(p), r), is_na_4(load_4(p + 16), r),
                          is_na_4(load_4(p + 32), r), is_na_4(load_4(p + 48), r));
}

static inline uint32x4_t words_8(const uint8_t *p, const rule_8 *r)
{
    return vuzp1q_u32(vreinterpretq_u32_u64(is_na_8(load_8(p), r)),
                      vreinterpretq_u32_u64(is_na_8(load_8(p + 16), r)));
}

static inline uint8x16_t flags_8(const uint8_t *p, const rule_8 *r)
{
    return flags_of_words(words_8(p, r), words_8(p + 32, r), words_8(p + 64, r),
                          words_8(p + 96, r));
}

static inline uint16_t bits_of(uint8x16_t flags)
{
    static const uint8_t bit_of[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t bits = vandq_u8(flags, vld1q_u8(bit_of));
    return (uint16_t)(vaddv_u8(vget_low_u8(bits)) | vaddv_u8(vget_high_u8(bits)) << 8);
}

/* Each byte of an item counts it, so the sum is W times the count. */
#define DEFINE_COUNT(W, T, bits, V)                                                                \
    size_t dvi_na_count_##W##_neon(const void *src, size_t n, const dvi_na *na)                    \
    {                                                                                              \
        const rule_##W r = rule_of_##W(na);                                                        \
        const uint8_t *p = src;                                                                    \
        size_t steps = n / (STEP / W), sum = 0;                                                    \
        while (steps > 0) {                                                                        \
            const uint8_t *const stop = p + STEP * (steps < STEPS_MAX ? steps : STEPS_MAX);        \
            steps -= (size_t)(stop - p) / STEP;                                                    \
            uint8x16_t a = vdupq_n_u8(0), b = a;                                                   \
            for (; p < stop; p += STEP) {                                                          \
                a = vsubq_u8(a, bytes_##W(p, &r));                                                 \
                b = vsubq_u8(b, bytes_##W(p + 16, &r));                                            \
                a = vsubq_u8(a, bytes_##W(p + 32, &r));                                            \
                b = vsubq_u8(b, bytes_##W(p + 48, &r));                                            \
            }                                                                                      \
            sum += (size_t)vaddlvq_u8(a) + vaddlvq_u8(b);                                          \
        }                                                                                          \
        return sum / W + dvi_na_count_##W##_scalar(p, n % (STEP / W), na);                         \
    }
WIDTHS(DEFINE_COUNT)

#define DEFINE_FIRST(W, T, bits, V)                                                                \
    size_t dvi_na_first_##W##_neon(const void *src, size_t n, const dvi_na *na)                    \
    {                                                                                              \
        const rule_##W r = rule_of_##W(na);                                                        \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= STEP / W; i += STEP / W, p += STEP) {                                      \
            const uint8x16_t a = vorrq_u8(bytes_##W(p, &r), bytes_##W(p + 16, &r));                \
            const uint8x16_t b = vorrq_u8(bytes_##W(p + 32, &r), bytes_##W(p + 48, &r));           \
            if (vmaxvq_u32(vreinterpretq_u32_u8(vorrq_u8(a, b))) != 0)                             \
                break; /* scalar finds it */                                                       \
        }                                                                                          \
        return i + dvi_na_first_##W##_scalar(p, n - i, na);                                        \
    }
WIDTHS(DEFINE_FIRST)

#define DEFINE_MASK(W, T, bits, V)                                                                 \
    size_t dvi_na_mask_##W##_neon(uint8_t *restrict dst, const void *restrict src, size_t n,       \
                                  const dvi_na *na, int na_bit)                                    \
    {                                                                                              \
        const rule_##W r = rule_of_##W(na);                                                        \
        const uint16_t flip = na_bit ? 0 : UINT16_MAX;                                             \
        const uint8_t *p = src;                                                                    \
        size_t i = 0, count = 0;                                                                   \
        for (; n - i >= 16; i += 16) {                                                             \
            const uint16_t found = bits_of(flags_##W(p + W * i, &r));                              \
            count += (size_t)__builtin_popcount(found);                                            \
            dvi_store_u16(dst + i / 8, (uint16_t)(found ^ flip));                                  \
        }                                                                                          \
        return count + dvi_na_mask_##W##_scalar(dst + i / 8, p + W * i, n - i, na, na_bit);        \
    }
WIDTHS(DEFINE_MASK)

#define DEFINE_REPLACE(W, T, bits, V)                                                              \
    void dvi_na_replace_##W##_neon(T *restrict dst, const void *restrict src, size_t n,            \
                                   const dvi_na *na, T value)                                      \
    {                                                                                              \
        const rule_##W r = rule_of_##W(na);                                                        \
        const V values = vdupq_n_u##bits(value);                                                   \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= 16 / W; i += 16 / W) {                                                     \
            const V v = load_##W(p + W * i);                                                       \
            vst1q_u##bits(dst + i, vbslq_u##bits(is_na_##W(v, &r), values, v));                    \
        }                                                                                          \
        dvi_na_replace_##W##_scalar(dst + i, p + W * i, n - i, na, value);                         \
    }
WIDTHS(DEFINE_REPLACE)
