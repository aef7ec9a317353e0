/* SPDX-License-Identifier: MIT */
/* key_hash.h: under which number does a set of samples know a key?  (datadings:2.3, datadings:2.4)
 *
 * BLAKE2s with a digest of 32 bytes, of which the first are taken; the salt is that of its
 * parameter block.  Keys are any bytes.  No allocation, no failure, any thread. */
#ifndef DVI_CODEC_KEY_HASH_H
#define DVI_CODEC_KEY_HASH_H

#include <dataview/type.h>

/* As `.key_hashes` starts with it. */
typedef struct dvi_key_salt {
    uint8_t bytes[8];
} dvi_key_salt;

#define DVI_KEY_SALTS 1000 /* that a writer tries */

/* The salt that a writer tries as number t, from 0 on. */
dvi_key_salt dvi_key_salt_of(int32_t t);

/* The first 16 bytes of a digest, big-endian.  Without salt: what a filter probes by; with one,
 * `first` is what `.key_hashes` holds. */
typedef struct dvi_key_probe {
    uint64_t first, step;
} dvi_key_probe;

/* Those of n keys; salt NULL: none.  A key that is NA is as empty.  For each of some hundred keys
 * it takes a quarter of the time that it takes for one. */
void dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys, size_t n);

#endif
