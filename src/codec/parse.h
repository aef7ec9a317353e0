/* SPDX-License-Identifier: MIT */
/* parse.h: which value does a text say?  (semantics:4.3) */
#ifndef DVI_CODEC_PARSE_H
#define DVI_CODEC_PARSE_H

#include <dataview/type.h>

/* Each reads all n bytes at src, and nothing after them, and writes the value, or NA (of unsigned
 * numbers and row ids: 0) where there is none.  Empty text is the default.  The result tells
 * whether the text was good; a loader counts those that were not.  TX that is NA is the caller's
 * affair. No allocation, no locale, no failure; NaN is written as DV_R4_NA_BITS and DV_R8_NA_BITS.
 */

/* Is it one of the tokens that stand for a missing value: ?, NA, N/A, NaN in any case?  The parsers
 * below know them: good NA; of unsigned numbers and row ids, which have no NA, a bad 0. */
bool dvi_parse_is_missing(const char *src, size_t n);

bool dvi_parse_i1(int8_t *value_out, const char *src, size_t n);
bool dvi_parse_i2(int16_t *value_out, const char *src, size_t n);
bool dvi_parse_i4(int32_t *value_out, const char *src, size_t n);
bool dvi_parse_i8(int64_t *value_out, const char *src, size_t n);
bool dvi_parse_u1(uint8_t *value_out, const char *src, size_t n);
bool dvi_parse_u2(uint16_t *value_out, const char *src, size_t n);
bool dvi_parse_u4(uint32_t *value_out, const char *src, size_t n);
bool dvi_parse_u8(uint64_t *value_out, const char *src, size_t n);
bool dvi_parse_ug(dv_u128 *value_out, const char *src, size_t n);
bool dvi_parse_bl(int8_t *value_out, const char *src, size_t n);

/* The representation (1 is key->key_min; 0 is NA) of a value of the key type. */
bool dvi_parse_key(uint64_t *representation_out, const char *src, size_t n, const dv_type *key);

/* Correctly rounded, however many digits there are, in a thread that rounds to nearest.  point: '.'
 * or ',', the only one allowed.  Here `room` bytes may be read, n or more: with 8 and more, short
 * numbers are read a third faster. */
bool dvi_parse_r4(float *value_out, const char *src, size_t n, size_t room, char point);
bool dvi_parse_r8(double *value_out, const char *src, size_t n, size_t room, char point);

/* The forms of semantics:4.3; others that ML.NET guesses at, and those that need today's date,
 * are refused.  DT is UTC; DZ keeps clock and zone. */
bool dvi_parse_ts(int64_t *ticks_out, const char *src, size_t n);
bool dvi_parse_dt(int64_t *ticks_out, const char *src, size_t n);
bool dvi_parse_dz(dv_zoned *value_out, const char *src, size_t n);

#endif
