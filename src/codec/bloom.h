/* SPDX-License-Identifier: MIT */
/* bloom.h: could this key be in the set?  The filters of simplebloom (datadings:2.4). */
#ifndef DVI_CODEC_BLOOM_H
#define DVI_CODEC_BLOOM_H

#include "codec/key_hash.h"
#include <stdbool.h>

#define DVI_BLOOM_MAGIC "SIMPBLOO"
#define DVI_BLOOM_HEADER_NBYTES 32

/* What a filter's header says, and what follows from it. */
typedef struct dvi_bloom {
    uint64_t elements; /* N: for how many keys it was made */
    double rate;       /* p: of wrong answers that these give */
    uint64_t bits;     /* m: a multiple of 8 after the header */
    uint64_t probes;   /* k: bits of each key */
} dvi_bloom;

/* The sizes of a filter, in double arithmetic and order of operations as the reference does it.
 * False: elements below 2, a rate outside (0, 1), or 2^63 bits and more. */
bool dvi_bloom_of(dvi_bloom *bloom_out, uint64_t elements, double rate);

/* The bytes of the file. */
static inline uint64_t dvi_bloom_nbytes(const dvi_bloom *bloom)
{
    return DVI_BLOOM_HEADER_NBYTES + bloom->bits / 8;
}

/* The 32 bytes that say so. */
void dvi_bloom_header(const dvi_bloom *bloom, uint8_t dst[DVI_BLOOM_HEADER_NBYTES]);

/* Add n keys to the bits, and ask for one: false is certain.  `bits` are the bytes after the
 * header, all of them. */
void dvi_bloom_add(const dvi_bloom *bloom, uint8_t *bits, const dvi_key_probe *keys, size_t n);
bool dvi_bloom_has(const dvi_bloom *bloom, const uint8_t *bits, dvi_key_probe key);

#endif
