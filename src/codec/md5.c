/* SPDX-License-Identifier: MIT */
/* md5.c: MD5 (RFC 1321) in plain C, the build's default (DV_MD5). */
#include "codec/md5.h"
#include "base/alloc.h"
#include "base/check.h"
#include <stdint.h>
#include <string.h>

#define BLOCK_NBYTES ((size_t)64)
#define LENGTH_NBYTES ((size_t)8) /* of the number of bits at the end of the last block */

struct dvi_md5 {
    dv_allocator allocator;
    uint32_t state[4];
    uint64_t nbytes;             /* added so far */
    uint8_t block[BLOCK_NBYTES]; /* incomplete: its first nbytes % 64 bytes are set */
};

/* MD5 is one chain of dependent operations, so its speed depends on the length of the chain. In the
 * step that computes the next `a`, b is the newest value: each function below uses as few
 * operations after b as possible. G adds where RFC 1321 has `or`: the two operands share no bit. */
#define F(b, c, d) ((d) ^ ((b) & ((c) ^ (d))))
#define G(b, c, d) (((c) & ~(d)) + ((b) & (d)))
#define H(b, c, d) ((b) ^ ((c) ^ (d)))
#define I(b, c, d) ((c) ^ ((b) | ~(d)))

/* Terms that do not depend on b are added first. DVI_OPAQUE keeps the compiler from adding them
 * later: clang does so, which takes a quarter longer. */
#define STEP(f, a, b, c, d, k, shift, constant)                                                    \
    do {                                                                                           \
        (a) += word[k] + UINT32_C(constant);                                                       \
        DVI_OPAQUE(a);                                                                             \
        (a) += f(b, c, d);                                                                         \
        (a) = ((a) << (shift) | (a) >> (32 - (shift))) + (b);                                      \
    } while (0)

static void add_block(uint32_t state[4], const uint8_t *block)
{
    uint32_t word[BLOCK_NBYTES / sizeof(uint32_t)];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    memcpy(word, block, BLOCK_NBYTES);

    STEP(F, a, b, c, d, 0, 7, 0xd76aa478);
    STEP(F, d, a, b, c, 1, 12, 0xe8c7b756);
    STEP(F, c, d, a, b, 2, 17, 0x242070db);
    STEP(F, b, c, d, a, 3, 22, 0xc1bdceee);
    STEP(F, a, b, c, d, 4, 7, 0xf57c0faf);
    STEP(F, d, a, b, c, 5, 12, 0x4787c62a);
    STEP(F, c, d, a, b, 6, 17, 0xa8304613);
    STEP(F, b, c, d, a, 7, 22, 0xfd469501);
    STEP(F, a, b, c, d, 8, 7, 0x698098d8);
    STEP(F, d, a, b, c, 9, 12, 0x8b44f7af);
    STEP(F, c, d, a, b, 10, 17, 0xffff5bb1);
    STEP(F, b, c, d, a, 11, 22, 0x895cd7be);
    STEP(F, a, b, c, d, 12, 7, 0x6b901122);
    STEP(F, d, a, b, c, 13, 12, 0xfd987193);
    STEP(F, c, d, a, b, 14, 17, 0xa679438e);
    STEP(F, b, c, d, a, 15, 22, 0x49b40821);

    STEP(G, a, b, c, d, 1, 5, 0xf61e2562);
    STEP(G, d, a, b, c, 6, 9, 0xc040b340);
    STEP(G, c, d, a, b, 11, 14, 0x265e5a51);
    STEP(G, b, c, d, a, 0, 20, 0xe9b6c7aa);
    STEP(G, a, b, c, d, 5, 5, 0xd62f105d);
    STEP(G, d, a, b, c, 10, 9, 0x02441453);
    STEP(G, c, d, a, b, 15, 14, 0xd8a1e681);
    STEP(G, b, c, d, a, 4, 20, 0xe7d3fbc8);
    STEP(G, a, b, c, d, 9, 5, 0x21e1cde6);
    STEP(G, d, a, b, c, 14, 9, 0xc33707d6);
    STEP(G, c, d, a, b, 3, 14, 0xf4d50d87);
    STEP(G, b, c, d, a, 8, 20, 0x455a14ed);
    STEP(G, a, b, c, d, 13, 5, 0xa9e3e905);
    STEP(G, d, a, b, c, 2, 9, 0xfcefa3f8);
    STEP(G, c, d, a, b, 7, 14, 0x676f02d9);
    STEP(G, b, c, d, a, 12, 20, 0x8d2a4c8a);

    STEP(H, a, b, c, d, 5, 4, 0xfffa3942);
    STEP(H, d, a, b, c, 8, 11, 0x8771f681);
    STEP(H, c, d, a, b, 11, 16, 0x6d9d6122);
    STEP(H, b, c, d, a, 14, 23, 0xfde5380c);
    STEP(H, a, b, c, d, 1, 4, 0xa4beea44);
    STEP(H, d, a, b, c, 4, 11, 0x4bdecfa9);
    STEP(H, c, d, a, b, 7, 16, 0xf6bb4b60);
    STEP(H, b, c, d, a, 10, 23, 0xbebfbc70);
    STEP(H, a, b, c, d, 13, 4, 0x289b7ec6);
    STEP(H, d, a, b, c, 0, 11, 0xeaa127fa);
    STEP(H, c, d, a, b, 3, 16, 0xd4ef3085);
    STEP(H, b, c, d, a, 6, 23, 0x04881d05);
    STEP(H, a, b, c, d, 9, 4, 0xd9d4d039);
    STEP(H, d, a, b, c, 12, 11, 0xe6db99e5);
    STEP(H, c, d, a, b, 15, 16, 0x1fa27cf8);
    STEP(H, b, c, d, a, 2, 23, 0xc4ac5665);

    STEP(I, a, b, c, d, 0, 6, 0xf4292244);
    STEP(I, d, a, b, c, 7, 10, 0x432aff97);
    STEP(I, c, d, a, b, 14, 15, 0xab9423a7);
    STEP(I, b, c, d, a, 5, 21, 0xfc93a039);
    STEP(I, a, b, c, d, 12, 6, 0x655b59c3);
    STEP(I, d, a, b, c, 3, 10, 0x8f0ccc92);
    STEP(I, c, d, a, b, 10, 15, 0xffeff47d);
    STEP(I, b, c, d, a, 1, 21, 0x85845dd1);
    STEP(I, a, b, c, d, 8, 6, 0x6fa87e4f);
    STEP(I, d, a, b, c, 15, 10, 0xfe2ce6e0);
    STEP(I, c, d, a, b, 6, 15, 0xa3014314);
    STEP(I, b, c, d, a, 13, 21, 0x4e0811a1);
    STEP(I, a, b, c, d, 4, 6, 0xf7537e82);
    STEP(I, d, a, b, c, 11, 10, 0xbd3af235);
    STEP(I, c, d, a, b, 2, 15, 0x2ad7d2bb);
    STEP(I, b, c, d, a, 9, 21, 0xeb86d391);

    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

static void start(dvi_md5 *md5)
{
    static const uint32_t first[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    memcpy(md5->state, first, sizeof first);
    md5->nbytes = 0;
}

dv_status dvi_md5_create(dvi_md5 **md5_out, const dv_allocator *allocator, dv_error *err)
{
    void *memory;
    *md5_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &memory, sizeof **md5_out, err));
    dvi_md5 *md5 = memory;
    md5->allocator = dvi_allocator_of(allocator);
    start(md5);
    *md5_out = md5;
    return DV_OK;
}

void dvi_md5_free(dvi_md5 **md5)
{
    if (!*md5)
        return;
    const dv_allocator allocator = (*md5)->allocator;
    dvi_free(&allocator, *md5, sizeof **md5);
    *md5 = NULL;
}

void dvi_md5_add(dvi_md5 *md5, const void *src, size_t n)
{
    const uint8_t *bytes = src;
    const size_t waiting = md5->nbytes % BLOCK_NBYTES;
    if (n == 0)
        return;
    md5->nbytes += n;
    if (waiting > 0) {
        const size_t room = BLOCK_NBYTES - waiting;
        const size_t taken = n < room ? n : room;
        memcpy(md5->block + waiting, bytes, taken);
        if (taken < room)
            return;
        add_block(md5->state, md5->block);
        bytes += taken;
        n -= taken;
    }
    for (; n >= BLOCK_NBYTES; bytes += BLOCK_NBYTES, n -= BLOCK_NBYTES)
        add_block(md5->state, bytes);
    memcpy(md5->block, bytes, n);
}

/* Add the bit 1, zeros, and the number of bits, which ends a block. */
static void pad(dvi_md5 *md5)
{
    static const uint8_t padding[BLOCK_NBYTES] = {0x80};
    const uint64_t nbits = md5->nbytes * 8; /* modulo 2^64, as in RFC 1321 */
    const size_t waiting = md5->nbytes % BLOCK_NBYTES;
    const size_t end = BLOCK_NBYTES - LENGTH_NBYTES;
    dvi_md5_add(md5, padding, waiting < end ? end - waiting : BLOCK_NBYTES + end - waiting);
    dvi_md5_add(md5, &nbits, sizeof nbits);
}

dvi_md5_text dvi_md5_end(dvi_md5 *md5)
{
    uint8_t digest[16];
    pad(md5);
    memcpy(digest, md5->state, sizeof digest);
    start(md5);
    return dvi_md5_text_of(digest);
}
