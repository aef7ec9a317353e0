/* SPDX-License-Identifier: MIT */
/* murmur.c: 32-bit hashes of values, as ML.NET's hashing steps make them. */
#include "codec/murmur.h"
#include "base/load.h"
#include "base/utf8.h"
#include "simd/murmur_steps.h"
#include <string.h>

uint32_t dvi_murmur_round(uint32_t hash, uint32_t word)
{
    return dvi_murmur_add(hash, word);
}

uint32_t dvi_murmur_finish(uint32_t hash)
{
    return dvi_murmur_end(hash);
}

uint32_t dvi_murmur_finish_of(uint32_t hash, uint32_t nbytes)
{
    return dvi_murmur_finish(hash ^ nbytes);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

uint32_t dvi_murmur_u4(uint32_t seed, uint32_t value, dvi_murmur_version version)
{
    const uint32_t hash = dvi_murmur_round(seed, value);
    return version == DVI_MURMUR_1 ? dvi_murmur_finish(hash) : dvi_murmur_finish_of(hash, 4);
}

/* Add a 64-bit number; version 1 leaves out a high word of 0. */
static uint32_t add_u8(uint32_t hash, uint64_t value, dvi_murmur_version version)
{
    const uint32_t high = (uint32_t)(value >> 32);
    hash = dvi_murmur_round(hash, (uint32_t)value);
    return high == 0 && version == DVI_MURMUR_1 ? hash : dvi_murmur_round(hash, high);
}

uint32_t dvi_murmur_u8(uint32_t seed, uint64_t value, dvi_murmur_version version)
{
    const uint32_t hash = add_u8(seed, value, version);
    return version == DVI_MURMUR_1 ? dvi_murmur_finish(hash) : dvi_murmur_finish_of(hash, 8);
}

/* Version 2 hashes the low word alone, as ML.NET does. */
uint32_t dvi_murmur_ug(uint32_t seed, dv_u128 value, dvi_murmur_version version)
{
    if (version == DVI_MURMUR_2)
        return dvi_murmur_finish_of(dvi_murmur_round(seed, (uint32_t)value.lo), 16);
    const uint32_t hash = add_u8(seed, value.lo, version);
    return dvi_murmur_finish(value.hi == 0 ? hash : add_u8(hash, value.hi, version));
}

uint32_t dvi_murmur_r4(uint32_t seed, float value, dvi_murmur_version version)
{
    uint32_t bits = 0;
    if (value != 0)
        memcpy(&bits, &value, sizeof bits);
    return dvi_murmur_u4(seed, bits, version);
}

uint32_t dvi_murmur_r8(uint32_t seed, double value, dvi_murmur_version version)
{
    uint64_t bits = 0;
    if (value != 0)
        memcpy(&bits, &value, sizeof bits);
    return dvi_murmur_u8(seed, bits, version);
}

/* --- Text ------------------------------------------------------------------------------------- */

#define NOT_ASCII 0x80808080u

/* A hash of text in progress: bytes that make no word yet, and how many went before them. */
typedef struct hashing {
    uint32_t hash;
    uint64_t pending;
    int bits; /* of `pending`, below 32 between units */
    uint32_t nbytes;
    dvi_murmur_version version;
} hashing;

/* Add a unit of UTF-16 as one to three bytes: of a unit beyond ASCII the last byte comes first. To
 * get the first one first, version 2 swaps bytes of all that is pending, which is right only if
 * nothing else is. */
static void add_unit(hashing *t, uint64_t unit)
{
    if (unit < 0x80) {
        t->pending |= unit << t->bits;
        t->bits += 8;
    } else if (unit < 0x800) {
        t->pending |= (0xC080 | (unit & 0x3F) | (unit << 2 & 0x1F00)) << t->bits;
        t->bits += 16;
        if (t->version == DVI_MURMUR_2)
            t->pending = (t->pending & 0xFF) << 8 | t->pending >> 8;
    } else {
        t->pending |= (0xE08080 | (unit & 0x3F) | (unit << 2 & 0x3F00) | (unit << 4 & 0xF0000))
                      << t->bits;
        t->bits += 24;
        if (t->version == DVI_MURMUR_2)
            t->pending =
                (t->pending & 0xFF) << 16 | (t->pending >> 8 & 0xFF) << 8 | t->pending >> 16;
    }
    if (t->bits < 32)
        return;
    t->hash = dvi_murmur_round(t->hash, (uint32_t)t->pending);
    t->pending >>= 32;
    t->bits -= 32;
    t->nbytes += 4;
}

static void add_code(hashing *t, uint32_t code)
{
    if (code < 0x10000) {
        add_unit(t, code);
        return;
    }
    add_unit(t, 0xD800 + ((code - 0x10000) >> 10));
    add_unit(t, 0xDC00 + ((code - 0x10000) & 0x3FF));
}

/* Add ASCII text, four characters at a time, and return how many: a word of them is what four calls
 * of add_unit make of it. */
static size_t add_ascii(hashing *t, const char *text, size_t n)
{
    size_t i = 0;
    for (uint32_t word; n - i >= sizeof word; i += sizeof word) {
        word = (uint32_t)dvi_load_i32(text + i);
        if (word & NOT_ASCII)
            break;
        t->pending |= (uint64_t)word << t->bits;
        t->hash = dvi_murmur_round(t->hash, (uint32_t)t->pending);
        t->pending >>= 32;
        t->nbytes += sizeof word;
    }
    return i;
}

/* Version 1 hashes the length as a last word; version 2 ends as MurmurHash3 does. */
static uint32_t finish_text(const hashing *t)
{
    const uint32_t nbytes = t->nbytes + (uint32_t)t->bits / 8, rest = nbytes & 3;
    uint32_t hash = t->hash;
    if (t->version == DVI_MURMUR_1) {
        if (t->bits > 0)
            hash = dvi_murmur_round(hash, (uint32_t)t->pending);
        return dvi_murmur_finish(dvi_murmur_round(hash, nbytes));
    }
    if (rest > 0)
        hash ^= dvi_murmur_scramble((uint32_t)t->pending & ((1u << 8 * rest) - 1));
    return dvi_murmur_finish_of(hash, nbytes);
}

/* Hash text character by character. */
static DVI_NOINLINE uint32_t hash_units(uint32_t seed, const char *text, size_t n,
                                        dvi_murmur_version version)
{
    hashing t = {.hash = seed, .version = version};
    for (size_t i = 0; i < n;) {
        i += add_ascii(&t, text + i, n - i);
        if (i == n)
            break;
        const size_t width = dvi_utf8_step(text + i, n - i);
        add_code(&t, width > 0 ? dvi_utf8_code(text + i, width) : 0xFFFD);
        i += width > 0 ? width : 1;
    }
    return finish_text(&t);
}

/* The last bytes of n that make no word of four; 0 if there are none. */
static uint32_t rest_of(const char *text, size_t n)
{
    uint32_t rest = 0;
    if (n >= sizeof rest)
        return (uint32_t)((uint64_t)dvi_load_u32(text + n - 4) >> (32 - 8 * (n & 3)));
    for (size_t i = 0; i < n; i++)
        rest |= (uint32_t)(uint8_t)text[i] << 8 * i;
    return rest;
}

/* Hash ASCII text; false: it is not ASCII. */
static bool hash_ascii(uint32_t *hash_out, uint32_t seed, const char *text, size_t n,
                       dvi_murmur_version version)
{
    const uint32_t rest = rest_of(text, n);
    uint32_t hash = seed;
    for (size_t i = 0; n - i >= 4; i += 4) {
        const uint32_t word = dvi_load_u32(text + i);
        if (word & NOT_ASCII)
            return false;
        hash = dvi_murmur_add(hash, word);
    }
    if (version == DVI_MURMUR_1) {
        hash = n & 3 ? dvi_murmur_add(hash, rest) : hash;
        *hash_out = dvi_murmur_end(dvi_murmur_add(hash, (uint32_t)n));
    } else {
        *hash_out = dvi_murmur_end(hash ^ dvi_murmur_scramble(rest) ^ (uint32_t)n);
    }
    return !(rest & NOT_ASCII);
}

uint32_t dvi_murmur_text(uint32_t seed, dv_text text, dvi_murmur_version version)
{
    const size_t n = text.nbytes > 0 ? (size_t)text.nbytes : 0;
    uint32_t hash;
    if (hash_ascii(&hash, seed, text.data, n, version))
        return hash;
    return hash_units(seed, text.data, n, version);
}
