/* SPDX-License-Identifier: MIT */
/* bloom.c: computes the sizes of a Bloom filter and the bits of its keys. */
#include "codec/bloom.h"
#include "base/compiler.h"
#include "base/load.h"
#include <math.h>

__extension__ typedef unsigned __int128 u128;

#define POSITIONS_MAX 256 /* of bits that are set together */

#define LN2 0.6931471805599453
#define LN2_SQUARED 0.4804530139182015

bool dvi_bloom_of(dvi_bloom *bloom_out, uint64_t elements, double rate)
{
    if (elements < 2 || !(rate > 0 && rate < 1))
        return false;
    const double n = (double)elements;
    const double wanted = n * log(rate) / -LN2_SQUARED;
    const double bits = 8 * ceil(wanted / 8);
    if (!(bits < 0x1p63))
        return false;
    /* From here on the number of bits is an integer, as in the reference. */
    const uint64_t m = (uint64_t)bits;
    *bloom_out = (dvi_bloom){elements, rate, m, (uint64_t)rint((double)m / n * LN2)};
    return true;
}

void dvi_bloom_header(const dvi_bloom *bloom, uint8_t dst[DVI_BLOOM_HEADER_NBYTES])
{
    uint64_t rate;
    memcpy(&rate, &bloom->rate, sizeof rate);
    memcpy(dst, DVI_BLOOM_MAGIC, 8);
    dvi_store_u64_be(dst + 8, dvi_bloom_nbytes(bloom));
    dvi_store_u64_be(dst + 16, bloom->elements);
    dvi_store_u64_be(dst + 24, rate);
}

/* Remainders by one divisor are computed from its inverse, since a key needs up to 32. The quotient
 * is at most one too small, because the inverse is less than 1 below 2^64 / bits. */
typedef struct divisor {
    uint64_t bits, inverse;
} divisor;

static uint64_t remainder_of(divisor d, uint64_t at)
{
    const uint64_t rest = at - (uint64_t)((u128)at * d.inverse >> 64) * d.bits;
    return rest < d.bits ? rest : rest - d.bits;
}

static void set_bits(uint8_t *bits, const uint64_t *positions, size_t n)
{
    for (size_t i = 0; i < n; i++)
        bits[positions[i] >> 3] |= (uint8_t)(1 << (positions[i] & 7));
}

/* Collect positions first and set their bits later: meanwhile the cache lines are fetched, which
 * halves the time. */
void dvi_bloom_add(const dvi_bloom *bloom, uint8_t *bits, const dvi_key_probe *keys, size_t n)
{
    const divisor d = {bloom->bits, UINT64_MAX / bloom->bits};
    uint64_t positions[POSITIONS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (uint64_t j = 0, at = keys[i].first; j < bloom->probes; j++, at += keys[i].step) {
            const uint64_t bit = remainder_of(d, at);
            DVI_FETCH(bits + (bit >> 3));
            positions[count++] = bit;
            if (count == POSITIONS_MAX) {
                set_bits(bits, positions, count);
                count = 0;
            }
        }
    set_bits(bits, positions, count);
}

bool dvi_bloom_has(const dvi_bloom *bloom, const uint8_t *bits, dvi_key_probe key)
{
    for (uint64_t j = 0, at = key.first; j < bloom->probes; j++, at += key.step) {
        const uint64_t bit = at % bloom->bits; /* the first one usually decides */
        if (!(bits[bit >> 3] >> (bit & 7) & 1))
            return false;
    }
    return true;
}
