/* SPDX-License-Identifier: MIT */
/* mersenne.c: MT19937, seeded by a key as init_by_array does. */
#include "base/mersenne.h"

#define WORDS DVI_MERSENNE_WORDS
#define FAR 397 /* the distance to the third word from which a new one is made */

static uint32_t mix(const uint32_t *word, int i, uint32_t factor)
{
    const uint32_t before = word[i - 1];
    return word[i] ^ ((before ^ before >> 30) * factor);
}

/* The index after i. At the end of the array the last word is copied to word 0. */
static int advance(uint32_t *word, int i)
{
    if (i + 1 < WORDS)
        return i + 1;
    word[0] = word[WORDS - 1];
    return 1;
}

void dvi_mersenne_seed(dvi_mersenne *m, uint64_t seed)
{
    const uint32_t key[] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t keys = key[1] ? 2 : 1;
    uint32_t *word = m->word;
    int i = 1;
    word[0] = 19650218;
    for (uint32_t k = 1; k < WORDS; k++)
        word[k] = (word[k - 1] ^ word[k - 1] >> 30) * 1812433253u + k;
    for (uint32_t k = 0; k < WORDS; k++, i = advance(word, i))
        word[i] = mix(word, i, 1664525) + key[k % keys] + k % keys;
    for (int k = 1; k < WORDS; k++, i = advance(word, i))
        word[i] = mix(word, i, 1566083941) - (uint32_t)i;
    word[0] = 0x80000000u;
    m->used = WORDS;
}

static void renew(uint32_t *word)
{
    for (int i = 0; i < WORDS; i++) {
        const uint32_t y = (word[i] & 0x80000000u) | (word[(i + 1) % WORDS] & 0x7FFFFFFFu);
        word[i] = word[(i + FAR) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908B0DFu : 0);
    }
}

static uint32_t draw(dvi_mersenne *m)
{
    if (m->used == WORDS) {
        renew(m->word);
        m->used = 0;
    }
    uint32_t y = m->word[m->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9D2C5680u;
    y ^= y << 15 & 0xEFC60000u;
    return y ^ y >> 18;
}

/* Draw 1 to 64 bits; of more than 32, the low word is drawn first. */
static uint64_t draw_bits(dvi_mersenne *m, int bits)
{
    if (bits <= 32)
        return draw(m) >> (32 - bits);
    const uint64_t low = draw(m);
    return low | (uint64_t)(draw(m) >> (64 - bits)) << 32;
}

uint64_t dvi_mersenne_below(dvi_mersenne *m, uint64_t n)
{
    const int bits = 64 - __builtin_clzll(n);
    uint64_t value;
    do
        value = draw_bits(m, bits);
    while (value >= n);
    return value;
}
