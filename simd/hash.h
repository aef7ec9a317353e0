/* SPDX-License-Identifier: MIT */
/* hash.h: constants and parameters of BLAKE2s (RFC 7693) for keys of datadings (datadings:2.3). */
#ifndef DVI_SIMD_HASH_H
#define DVI_SIMD_HASH_H

#include "base/compiler.h"
#include "base/load.h"
#include "simd/dispatch.h"

#define DVI_HASH_BLOCK 64
#define DVI_HASH_ROUNDS 10

static const uint32_t dvi_hash_start[8] = {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
                                           0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19};

/* The order in which each round uses the words of a block. */
static const uint8_t dvi_hash_order[DVI_HASH_ROUNDS][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/* Columns, then diagonals; word(i) is word order[i] of the block. */
#define DVI_HASH_ROUND(mix, v, word)                                                               \
    do {                                                                                           \
        mix(v, 0, 4, 8, 12, word(0), word(1));                                                     \
        mix(v, 1, 5, 9, 13, word(2), word(3));                                                     \
        mix(v, 2, 6, 10, 14, word(4), word(5));                                                    \
        mix(v, 3, 7, 11, 15, word(6), word(7));                                                    \
        mix(v, 0, 5, 10, 15, word(8), word(9));                                                    \
        mix(v, 1, 6, 11, 12, word(10), word(11));                                                  \
        mix(v, 2, 7, 8, 13, word(12), word(13));                                                   \
        mix(v, 3, 4, 9, 14, word(14), word(15));                                                   \
    } while (0)

/* Set the initial state: digests of 32 bytes, one leaf, no secret; salt: 8 bytes, or NULL. */
static DVI_ALWAYS_INLINE void dvi_hash_begin(uint32_t h[8], const void *salt)
{
    memcpy(h, dvi_hash_start, sizeof dvi_hash_start);
    h[0] ^= 0x01010020;
    if (salt) {
        h[4] ^= dvi_load_u32(salt);
        h[5] ^= dvi_load_u32((const uint8_t *)salt + 4);
    }
}

/* NA is hashed as an empty key. */
static DVI_ALWAYS_INLINE size_t dvi_hash_nbytes(dv_text key)
{
    return key.nbytes > 0 ? (size_t)key.nbytes : 0;
}

/* Return the bytes of two words of a digest as one big-endian number. */
static DVI_ALWAYS_INLINE uint64_t dvi_hash_number(uint32_t first, uint32_t second)
{
    uint8_t bytes[8];
    dvi_store_u32(bytes, first);
    dvi_store_u32(bytes + 4, second);
    return dvi_load_u64_be(bytes);
}

#endif
