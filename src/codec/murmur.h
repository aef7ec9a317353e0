/* SPDX-License-Identifier: MIT */
/* murmur.h: 32-bit hashes of values, as ML.NET's hashing steps make them (semantics:7.5,
 * semantics:7.6, semantics:7.7). */
#ifndef DVI_CODEC_MURMUR_H
#define DVI_CODEC_MURMUR_H

#include <dataview/type.h>

/* The seed of every step, unless it is given another one. */
#define DVI_MURMUR_SEED 314489979u

/* Which releases of ML.NET give the same hash. */
typedef enum dvi_murmur_version {
    DVI_MURMUR_1 = 1, /* up to 1.4 */
    DVI_MURMUR_2 = 2  /* from 1.5 on */
} dvi_murmur_version;

/* Add a word to a hash; finish one, in version 2 of so many bytes. */
uint32_t dvi_murmur_round(uint32_t hash, uint32_t word);
uint32_t dvi_murmur_finish(uint32_t hash);
uint32_t dvi_murmur_finish_of(uint32_t hash, uint32_t nbytes);

/* The hash of a value that is not NA. seed: of an ordered hash dvi_murmur_round(seed, slot).
 *
 * u4    I1 to I4 (sign-extended), U1 to U4, BL, and keys of up to 32 bits
 * u8    I8, U8, keys of 64 bits
 * r4    -0 as +0; r8 likewise
 * text  UTF-8; bytes that are no character are read as U+FFFD. The caller takes blanks off */
uint32_t dvi_murmur_u4(uint32_t seed, uint32_t value, dvi_murmur_version version);
uint32_t dvi_murmur_u8(uint32_t seed, uint64_t value, dvi_murmur_version version);
uint32_t dvi_murmur_ug(uint32_t seed, dv_u128 value, dvi_murmur_version version);
uint32_t dvi_murmur_r4(uint32_t seed, float value, dvi_murmur_version version);
uint32_t dvi_murmur_r8(uint32_t seed, double value, dvi_murmur_version version);
uint32_t dvi_murmur_text(uint32_t seed, dv_text text, dvi_murmur_version version);

#endif
