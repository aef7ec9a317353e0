/* SPDX-License-Identifier: MIT */
/* reference_hash.h: the expected hash of a key, by libb2, the reference implementation of BLAKE2s,
 * which the library does not use (datadings:2.3, datadings:2.4). */
#ifndef DVT_REFERENCE_HASH_H
#define DVT_REFERENCE_HASH_H

#include "codec/key_hash.h"

/* The first 8 bytes of the salted digest, big-endian: what `.key_hashes` holds. */
uint64_t dvt_key_hash(const dvi_key_salt *salt, dv_text key);

/* The first 16 bytes of the digest without salt, big-endian: what a filter probes by. */
dvi_key_probe dvt_key_probe_of(dv_text key);

#endif
