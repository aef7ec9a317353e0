/* SPDX-License-Identifier: MIT */
/* key_hash.h: the hashes of keys of a set of samples (datadings:2.3, datadings:2.4).
 *
 * BLAKE2s with a digest of 32 bytes, of which the first are used; the salt is that of its parameter
 * block. Keys are any bytes. No allocation, no failure, any thread. */
#ifndef DVI_CODEC_KEY_HASH_H
#define DVI_CODEC_KEY_HASH_H

#include <dataview/type.h>

/* The salt with which `.key_hashes` starts. */
typedef struct dvi_key_salt {
    uint8_t bytes[8];
} dvi_key_salt;

#define DVI_KEY_SALTS 1000 /* the most that a writer tries */

/* Salt number t, from 0 on, that a writer tries. */
dvi_key_salt dvi_key_salt_of(int32_t t);

/* The first 16 bytes of a digest, big-endian. Without a salt they give the probes of a filter; with
 * one, `first` is the hash in `.key_hashes`. */
typedef struct dvi_key_probe {
    uint64_t first, step;
} dvi_key_probe;

/* Hash n keys; salt NULL: none. NA is hashed as the empty key. Hundreds of keys in one call take a
 * quarter of the time of single calls. */
void dvi_key_probes(dvi_key_probe *dst, const dvi_key_salt *salt, const dv_text *keys, size_t n);

#endif
