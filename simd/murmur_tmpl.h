/* SPDX-License-Identifier: MIT */
/* murmur_tmpl.h: hashes numbers and short texts to keys, for the vector levels: each lane has a
 * hash.
 *
 * A level defines, before it includes this file:
 *
 *   vec  LANES         a vector; the number of its lanes, unsigned numbers of 32 bits
 *   vec_load(p)  vec_store(p, v)  vec_set(x)  vec_add  vec_mul  vec_xor  vec_and  vec_or
 *   vec_rotate(v, bits)  vec_shift(v, bits)    each lane to the left; to the right
 *   vec_without(v, m)  v where no bit of m is set, 0 where all are
 *   vec_is_zero(v)     all bits of the lanes that are 0
 *   vec_above(v, most) all bits of the lanes that are above `most`
 *   vec_split(p, &low, &high)   the lower and the higher halves of LANES numbers of 64 bits
 *   vec_words(p, w)    the first, second, third and fourth words of LANES texts of 16 bytes
 *   vec_na_8(p, na)    all bits of the lanes whose numbers of 64 bits are NA */
#ifndef DVI_SIMD_MURMUR_TMPL_H
#define DVI_SIMD_MURMUR_TMPL_H

#include "simd/murmur_steps.h"

static DVI_ALWAYS_INLINE vec dvi_murmur_add_vec(vec hash, vec word)
{
    const vec first = vec_rotate(vec_mul(word, vec_set(DVI_MURMUR_FIRST)), 15);
    const vec sum = vec_rotate(vec_xor(hash, vec_mul(first, vec_set(DVI_MURMUR_SECOND))), 13);
    return vec_add(vec_mul(sum, vec_set(5)), vec_set(DVI_MURMUR_ADDED));
}

static DVI_ALWAYS_INLINE vec dvi_murmur_seed(const dvi_murmur *how, const void *slots, size_t i)
{
    if (!slots)
        return vec_set(how->seed);
    return dvi_murmur_add_vec(vec_set(how->seed), vec_load((const uint8_t *)slots + 4 * i));
}

/* Write the keys of hashes; 0 where all bits of `is_na` are set. */
static DVI_ALWAYS_INLINE void dvi_murmur_keys(uint32_t *dst, vec hash, vec is_na,
                                              const dvi_murmur *how)
{
    hash = vec_xor(hash, vec_set(how->nbytes));
    hash = vec_mul(vec_xor(hash, vec_shift(hash, 16)), vec_set(DVI_MURMUR_THIRD));
    hash = vec_mul(vec_xor(hash, vec_shift(hash, 13)), vec_set(DVI_MURMUR_FOURTH));
    hash = vec_xor(hash, vec_shift(hash, 16));
    const vec key = vec_add(vec_and(hash, vec_set(how->mask)), vec_set(1));
    vec_store(dst, vec_without(key, is_na));
}

static DVI_ALWAYS_INLINE vec dvi_murmur_select(vec v, vec other, vec is_other)
{
    return vec_or(vec_without(v, is_other), vec_and(other, is_other));
}

/* Hashes of texts whose words these are, before the end. */
static DVI_ALWAYS_INLINE vec dvi_murmur_words(const vec w[4], vec hash, vec length,
                                              const dvi_murmur *how)
{
    const vec has_1 = vec_above(length, vec_set(3)), has_2 = vec_above(length, vec_set(7)),
              has_3 = vec_above(length, vec_set(11));
    hash = dvi_murmur_select(hash, dvi_murmur_add_vec(hash, w[0]), has_1);
    hash = dvi_murmur_select(hash, dvi_murmur_add_vec(hash, w[1]), has_2);
    hash = dvi_murmur_select(hash, dvi_murmur_add_vec(hash, w[2]), has_3);
    vec rest = dvi_murmur_select(w[0], w[1], has_1);
    rest = dvi_murmur_select(rest, w[2], has_2);
    rest = dvi_murmur_select(rest, vec_and(w[3], vec_set(0xFFFFFF)), has_3);
    if (how->skips_zero) {
        const vec is_whole = vec_is_zero(vec_and(length, vec_set(3)));
        hash = dvi_murmur_select(dvi_murmur_add_vec(hash, rest), hash, is_whole);
        return dvi_murmur_add_vec(hash, length);
    }
    const vec first = vec_rotate(vec_mul(rest, vec_set(DVI_MURMUR_FIRST)), 15);
    return vec_xor(vec_xor(hash, vec_mul(first, vec_set(DVI_MURMUR_SECOND))), length);
}

/* The kernels of a level.  Scalar hashes the last ones. */
#define DVI_MURMUR_KERNELS(level)                                                                  \
    void dvi_murmur_u4_##level(uint32_t *restrict dst, const void *src, size_t n,                  \
                               const void *slots, const dvi_murmur *how)                           \
    {                                                                                              \
        const vec is_real = vec_set(how->is_real ? UINT32_MAX : 0);                                \
        const vec mask = vec_set((uint32_t)how->na.mask), most = vec_set((uint32_t)how->na.most);  \
        const vec least = vec_set(0 - (uint32_t)how->na.low);                                      \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= LANES; i += LANES) {                                                       \
            const vec item = vec_load(p + 4 * i);                                                  \
            const vec is_zero = vec_and(vec_is_zero(vec_add(item, item)), is_real);                \
            const vec is_na = vec_above(vec_add(vec_and(item, mask), least), most);                \
            const vec seed = dvi_murmur_seed(how, slots, i);                                       \
            dvi_murmur_keys(dst + i, dvi_murmur_add_vec(seed, vec_without(item, is_zero)), is_na,  \
                            how);                                                                  \
        }                                                                                          \
        const uint8_t *const rest = slots ? (const uint8_t *)slots + 4 * i : NULL;                 \
        dvi_murmur_u4_scalar(dst + i, p + 4 * i, n - i, rest, how);                                \
    }                                                                                              \
    void dvi_murmur_u8_##level(uint32_t *restrict dst, const void *src, size_t n,                  \
                               const void *slots, const dvi_murmur *how)                           \
    {                                                                                              \
        const vec is_real = vec_set(how->is_real ? UINT32_MAX : 0);                                \
        const vec skips = vec_set(how->skips_zero ? UINT32_MAX : 0);                               \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= LANES; i += LANES) {                                                       \
            vec low, high;                                                                         \
            vec_split(p + 8 * i, &low, &high);                                                     \
            const vec is_zero = vec_is_zero(vec_or(low, vec_add(high, high)));                     \
            high = vec_without(high, vec_and(is_zero, is_real));                                   \
            const vec hash = dvi_murmur_add_vec(dvi_murmur_seed(how, slots, i), low);              \
            const vec is_skipped = vec_and(vec_is_zero(high), skips);                              \
            const vec both = dvi_murmur_select(dvi_murmur_add_vec(hash, high), hash, is_skipped);  \
            dvi_murmur_keys(dst + i, both, vec_na_8(p + 8 * i, &how->na), how);                    \
        }                                                                                          \
        const uint8_t *const rest = slots ? (const uint8_t *)slots + 4 * i : NULL;                 \
        dvi_murmur_u8_scalar(dst + i, p + 8 * i, n - i, rest, how);                                \
    }                                                                                              \
    void dvi_murmur_text_##level(uint32_t *restrict dst, const void *src, size_t n,                \
                                 const void *slots, const dvi_murmur *how)                         \
    {                                                                                              \
        const uint8_t *p = src;                                                                    \
        size_t i = 0;                                                                              \
        for (; n - i >= LANES; i += LANES) {                                                       \
            vec w[4];                                                                              \
            vec_words(p + 16 * i, w);                                                              \
            const vec length = vec_shift(w[3], 24);                                                \
            const vec seed = dvi_murmur_seed(how, slots, i);                                       \
            dvi_murmur_keys(dst + i, dvi_murmur_words(w, seed, length, how), vec_is_zero(length),  \
                            how);                                                                  \
        }                                                                                          \
        const uint8_t *const rest = slots ? (const uint8_t *)slots + 4 * i : NULL;                 \
        dvi_murmur_text_scalar(dst + i, p + 16 * i, n - i, rest, how);                             \
    }

#endif
