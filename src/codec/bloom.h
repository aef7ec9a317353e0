/* SPDX-License-Identifier: MIT */
/* bloom.h: the Bloom filters of simplebloom (datadings:2.4). */
#ifndef DVI_CODEC_BLOOM_H
#define DVI_CODEC_BLOOM_H

#include "codec/key_hash.h"
#include <stdbool.h>

#define DVI_BLOOM_MAGIC "SIMPBLOO"
#define DVI_BLOOM_HEADER_NBYTES 32

/* The fields of a filter's header, and the values computed from them. */
typedef struct dvi_bloom {
    uint64_t elements; /* N: the number of keys for which it was made */
    double rate;       /* p: of false positives with that many keys */
    uint64_t bits;     /* m: a multiple of 8 after the header */
    uint64_t probes;   /* k: bits of each key */
} dvi_bloom;

/* Compute the sizes of a filter, in double arithmetic with the reference's order of operations.
 * false: fewer than 2 elements, a rate outside (0, 1), or 2^63 bits or more. */
bool dvi_bloom_of(dvi_bloom *bloom_out, uint64_t elements, double rate);

/* The length of the file. */
static inline uint64_t dvi_bloom_nbytes(const dvi_bloom *bloom)
{
    return DVI_BLOOM_HEADER_NBYTES + bloom->bits / 8;
}

/* Write the header of the file. */
void dvi_bloom_header(const dvi_bloom *bloom, uint8_t dst[DVI_BLOOM_HEADER_NBYTES]);

/* Add n keys to the filter; look up a key: if the result is false, it was not added. `bits` are all
 * bytes after the header. */
void dvi_bloom_add(const dvi_bloom *bloom, uint8_t *bits, const dvi_key_probe *keys, size_t n);
bool dvi_bloom_has(const dvi_bloom *bloom, const uint8_t *bits, dvi_key_probe key);

#endif
