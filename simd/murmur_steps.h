/* SPDX-License-Identifier: MIT */
/* murmur_steps.h: the steps of MurmurHash3 of 32 bits (semantics:7.5). */
#ifndef DVI_SIMD_MURMUR_STEPS_H
#define DVI_SIMD_MURMUR_STEPS_H

#include "base/compiler.h"
#include "simd/dispatch.h"

#define DVI_MURMUR_FIRST UINT32_C(0xCC9E2D51) /* the factors of a word */
#define DVI_MURMUR_SECOND UINT32_C(0x1B873593)
#define DVI_MURMUR_ADDED UINT32_C(0xE6546B64) /* by each word */
#define DVI_MURMUR_THIRD UINT32_C(0x85EBCA6B) /* the factors of the end */
#define DVI_MURMUR_FOURTH UINT32_C(0xC2B2AE35)

static DVI_ALWAYS_INLINE uint32_t dvi_murmur_rotate(uint32_t word, int bits)
{
    return word << bits | word >> (32 - bits);
}

static DVI_ALWAYS_INLINE uint32_t dvi_murmur_scramble(uint32_t word)
{
    return dvi_murmur_rotate(word * DVI_MURMUR_FIRST, 15) * DVI_MURMUR_SECOND;
}

/* Add a word to a hash. */
static DVI_ALWAYS_INLINE uint32_t dvi_murmur_add(uint32_t hash, uint32_t word)
{
    return dvi_murmur_rotate(hash ^ dvi_murmur_scramble(word), 13) * 5 + DVI_MURMUR_ADDED;
}

static DVI_ALWAYS_INLINE uint32_t dvi_murmur_end(uint32_t hash)
{
    hash = (hash ^ hash >> 16) * DVI_MURMUR_THIRD;
    hash = (hash ^ hash >> 13) * DVI_MURMUR_FOURTH;
    return hash ^ hash >> 16;
}

#endif
