/* SPDX-License-Identifier: MIT */
/* hash_tmpl.h: hashes several keys at a time, for the vector levels.
 *
 * BLAKE2s (RFC 7693) works on numbers of 32 bits, so each lane of a vector belongs to another key.
 * The next block of each key is used in place if it is complete; else it is copied into a slot and
 * padded with zeros.  Then the blocks are transposed into vectors, one for each word.  Keys of a
 * group that have ended are masked out.
 *
 * A level defines, before it includes this file:
 *
 *   vec  LANES         a vector; the number of its lanes, of 32 bits
 *   vec_load(p)  vec_store(p, v)  vec_set(x)  vec_add  vec_xor  vec_and
 *   vec_rotate_16(v), _12, _8, _7    each lane to the right */
#ifndef DVI_SIMD_HASH_TMPL_H
#define DVI_SIMD_HASH_TMPL_H

#include "simd/hash.h"
#include <string.h>

/* The next block of each key. */
typedef struct dvi_hash_blocks {
    _Alignas(64) uint32_t words[DVI_HASH_BLOCK / 4 * LANES];
    _Alignas(64) uint32_t low[LANES], high[LANES]; /* the number of bytes up to its end */
    uint32_t last[LANES], wanted[LANES];           /* all bits set: it is the last one; it exists */
    _Alignas(64) uint8_t slots[LANES][DVI_HASH_BLOCK];
    const void *data[LANES];
} dvi_hash_blocks;

static DVI_ALWAYS_INLINE void dvi_hash_mix(vec v[16], int a, int b, int c, int d, vec x, vec y)
{
    v[a] = vec_add(vec_add(v[a], v[b]), x);
    v[d] = vec_rotate_16(vec_xor(v[d], v[a]));
    v[c] = vec_add(v[c], v[d]);
    v[b] = vec_rotate_12(vec_xor(v[b], v[c]));
    v[a] = vec_add(vec_add(v[a], v[b]), y);
    v[d] = vec_rotate_8(vec_xor(v[d], v[a]));
    v[c] = vec_add(v[c], v[d]);
    v[b] = vec_rotate_7(vec_xor(v[b], v[c]));
}

static DVI_ALWAYS_INLINE void dvi_hash_compress(vec h[8], const dvi_hash_blocks *b)
{
    const vec wanted = vec_load(b->wanted);
    vec v[16];
    for (int i = 0; i < 8; i++) {
        v[i] = h[i];
        v[8 + i] = vec_set(dvi_hash_start[i]);
    }
    v[12] = vec_xor(v[12], vec_load(b->low));
    v[13] = vec_xor(v[13], vec_load(b->high));
    v[14] = vec_xor(v[14], vec_load(b->last));
#define WORD(i) vec_load(b->words + LANES * order[i])
    for (int round = 0; round < DVI_HASH_ROUNDS; round++) {
        const uint8_t *const order = dvi_hash_order[round];
        DVI_HASH_ROUND(dvi_hash_mix, v, WORD);
    }
#undef WORD
    for (int i = 0; i < 8; i++)
        h[i] = vec_xor(h[i], vec_and(vec_xor(v[i], v[8 + i]), wanted));
}

/* Copy up to 64 bytes in few steps, and pad with zeros. */
static DVI_ALWAYS_INLINE void dvi_hash_pad(uint8_t slot[DVI_HASH_BLOCK], const void *src, size_t n)
{
    const uint8_t *const p = src;
    memset(slot, 0, DVI_HASH_BLOCK);
#define ENDS(width) memcpy(slot, p, width), memcpy(slot + n - width, p + n - width, width)
    if (n >= 32)
        ENDS(32);
    else if (n >= 16)
        ENDS(16);
    else if (n >= 8)
        ENDS(8);
    else if (n >= 4)
        ENDS(4);
    else
        for (size_t i = 0; i < n; i++)
            slot[i] = p[i];
#undef ENDS
}

/* Set the block of lane k to the one at byte `at` of the key, if the key has one. */
static DVI_ALWAYS_INLINE void dvi_hash_next(dvi_hash_blocks *b, size_t k, dv_text key, size_t at)
{
    const size_t n = dvi_hash_nbytes(key);
    b->wanted[k] = at == 0 || at < n ? UINT32_MAX : 0;
    if (!b->wanted[k])
        return;
    const size_t left = n - at, here = left < DVI_HASH_BLOCK ? left : DVI_HASH_BLOCK;
    b->last[k] = left <= DVI_HASH_BLOCK ? UINT32_MAX : 0;
    b->low[k] = (uint32_t)(at + here);
    b->high[k] = (uint32_t)((uint64_t)(at + here) >> 32);
    b->data[k] = here == DVI_HASH_BLOCK ? key.data + at : (const void *)b->slots[k];
    if (here < DVI_HASH_BLOCK)
        dvi_hash_pad(b->slots[k], here > 0 ? key.data + at : NULL, here);
}

typedef void dvi_hash_transpose(uint32_t *restrict dst, size_t stride, const void *const *columns,
                                size_t width, size_t n);

/* Hash up to LANES keys. */
static DVI_ALWAYS_INLINE void dvi_hash_group(dvi_hash_transpose *transpose, uint64_t *restrict dst,
                                             const dv_text *keys, size_t n, const void *salt)
{
    static const dv_text none = {NULL, 0};
    dvi_hash_blocks blocks;
    uint32_t first[8], digest[4][LANES];
    size_t longest = 1;
    vec h[8];
    dvi_hash_begin(first, salt);
    for (int i = 0; i < 8; i++)
        h[i] = vec_set(first[i]);
    for (size_t k = 0; k < n; k++)
        longest = dvi_hash_nbytes(keys[k]) > longest ? dvi_hash_nbytes(keys[k]) : longest;
    for (size_t at = 0; at < longest; at += DVI_HASH_BLOCK) {
        for (size_t k = 0; k < LANES; k++)
            dvi_hash_next(&blocks, k, k < n ? keys[k] : none, at);
        transpose(blocks.words, LANES, blocks.data, LANES, DVI_HASH_BLOCK / 4);
        dvi_hash_compress(h, &blocks);
    }
    for (int i = 0; i < 4; i++)
        vec_store(digest[i], h[i]);
    for (size_t k = 0; k < n; k++) {
        dst[2 * k] = dvi_hash_number(digest[0][k], digest[1][k]);
        dst[2 * k + 1] = dvi_hash_number(digest[2][k], digest[3][k]);
    }
}

/* The kernel of a level.  Scalar hashes a single key. */
#define DVI_HASH_KERNEL(level)                                                                     \
    void dvi_keys_hash_##level(uint64_t *restrict dst, const dv_text *keys, size_t n,              \
                               const void *salt)                                                   \
    {                                                                                              \
        size_t i = 0;                                                                              \
        for (; n - i > LANES; i += LANES)                                                          \
            dvi_hash_group(dvi_transpose_4_##level, dst + 2 * i, keys + i, LANES, salt);           \
        if (n - i == 1)                                                                            \
            dvi_keys_hash_scalar(dst + 2 * i, keys + i, 1, salt);                                  \
        else if (n > i)                                                                            \
            dvi_hash_group(dvi_transpose_4_##level, dst + 2 * i, keys + i, n - i, salt);           \
    }

#endif
