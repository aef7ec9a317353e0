/* SPDX-License-Identifier: MIT */
/* murmur_scalar.c: hashes numbers and short texts to keys, one by one. */
#include "simd/murmur_steps.h"
#include "simd/na.h"

static uint32_t seed_of(const dvi_murmur *how, const void *slots, size_t i)
{
    if (!slots)
        return how->seed;
    return dvi_murmur_add(how->seed, dvi_load_u32((const uint8_t *)slots + 4 * i));
}

static uint32_t key_of(const dvi_murmur *how, uint32_t hash)
{
    return (dvi_murmur_end(hash ^ how->nbytes) & how->mask) + 1;
}

void dvi_murmur_u4_scalar(uint32_t *restrict dst, const void *src, size_t n, const void *slots,
                          const dvi_murmur *how)
{
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++) {
        const uint32_t item = dvi_load_u32(p + 4 * i);
        const uint32_t word = how->is_real && item << 1 == 0 ? 0 : item;
        const uint32_t hash = dvi_murmur_add(seed_of(how, slots, i), word);
        dst[i] = dvi_is_na_4(item, &how->na) ? 0 : key_of(how, hash);
    }
}

void dvi_murmur_u8_scalar(uint32_t *restrict dst, const void *src, size_t n, const void *slots,
                          const dvi_murmur *how)
{
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++) {
        const uint64_t item = dvi_load_u64(p + 8 * i);
        const uint64_t word = how->is_real && item << 1 == 0 ? 0 : item;
        const uint32_t high = (uint32_t)(word >> 32);
        uint32_t hash = dvi_murmur_add(seed_of(how, slots, i), (uint32_t)word);
        if (high != 0 || !how->skips_zero)
            hash = dvi_murmur_add(hash, high);
        dst[i] = dvi_is_na_8(item, &how->na) ? 0 : key_of(how, hash);
    }
}

/* Whole words are added; what is left of the next one, 0 if nothing is, goes into the end. */
void dvi_murmur_text_scalar(uint32_t *restrict dst, const void *src, size_t n, const void *slots,
                            const dvi_murmur *how)
{
    const uint8_t *p = src;
    for (size_t i = 0; i < n; i++) {
        const uint32_t length = p[16 * i + 15], whole = length / 4 < 3 ? length / 4 : 3;
        uint32_t hash = seed_of(how, slots, i);
        for (uint32_t k = 0; k < whole; k++)
            hash = dvi_murmur_add(hash, dvi_load_u32(p + 16 * i + 4 * k));
        uint32_t rest = dvi_load_u32(p + 16 * i + 4 * whole);
        if (whole == 3)
            rest &= 0xFFFFFF;
        if (!how->skips_zero)
            hash ^= dvi_murmur_scramble(rest) ^ length;
        else
            hash = dvi_murmur_add(length % 4 != 0 ? dvi_murmur_add(hash, rest) : hash, length);
        dst[i] = length == 0 ? 0 : key_of(how, hash);
    }
}
