/* SPDX-License-Identifier: MIT */
/* hash_scalar.c: hashes keys with BLAKE2s, one by one (RFC 7693 3). */
#include "simd/hash.h"

static uint32_t rotate(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static DVI_ALWAYS_INLINE void mix(uint32_t v[16], int a, int b, int c, int d, uint32_t x,
                                  uint32_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 12);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 8);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 7);
}

/* Unrolled, so that the offsets of the words are constants, which is a quarter faster. */
static DVI_ALWAYS_INLINE void take_block(uint32_t v[16], const uint8_t block[DVI_HASH_BLOCK])
{
#define WORD(i) dvi_load_u32(block + 4 * order[i])
#define ROUND(round)                                                                               \
    do {                                                                                           \
        const uint8_t *const order = dvi_hash_order[round];                                        \
        DVI_HASH_ROUND(mix, v, WORD);                                                              \
    } while (0)
    ROUND(0);
    ROUND(1);
    ROUND(2);
    ROUND(3);
    ROUND(4);
    ROUND(5);
    ROUND(6);
    ROUND(7);
    ROUND(8);
    ROUND(9);
#undef ROUND
#undef WORD
}

/* nbytes: the bytes of the key up to the end of this block. */
static DVI_ALWAYS_INLINE void compress(uint32_t h[8], const uint8_t block[DVI_HASH_BLOCK],
                                       uint64_t nbytes, bool is_last)
{
    uint32_t v[16];
    memcpy(v, h, 8 * sizeof *v);
    memcpy(v + 8, dvi_hash_start, 8 * sizeof *v);
    v[12] ^= (uint32_t)nbytes;
    v[13] ^= (uint32_t)(nbytes >> 32);
    v[14] ^= is_last ? UINT32_MAX : 0;
    take_block(v, block);
    for (int i = 0; i < 8; i++)
        h[i] ^= v[i] ^ v[8 + i];
}

void dvi_keys_hash_scalar(uint64_t *restrict dst, const dv_text *keys, size_t n, const void *salt)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = (const uint8_t *)keys[i].data;
        const size_t nbytes = dvi_hash_nbytes(keys[i]);
        uint8_t last[DVI_HASH_BLOCK] = {0};
        uint32_t h[8];
        size_t at = 0;
        dvi_hash_begin(h, salt);
        for (; nbytes - at > DVI_HASH_BLOCK; at += DVI_HASH_BLOCK)
            compress(h, p + at, at + DVI_HASH_BLOCK, false);
        if (nbytes > at)
            memcpy(last, p + at, nbytes - at);
        compress(h, last, nbytes, true);
        dst[2 * i] = dvi_hash_number(h[0], h[1]);
        dst[2 * i + 1] = dvi_hash_number(h[2], h[3]);
    }
}
