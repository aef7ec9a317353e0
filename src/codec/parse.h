/* SPDX-License-Identifier: MIT */
/* parse.h: parses values from text (semantics:4.3). */
#ifndef DVI_CODEC_PARSE_H
#define DVI_CODEC_PARSE_H

#include <dataview/type.h>

/* Each function parses all n bytes at src, reads no byte after them unless it is given `room`, and
 * sets the value. It returns
 * whether the text is good; loaders count bad texts. A bad text gives NA, or 0 of unsigned numbers
 * and row ids; an empty text gives the default. The caller handles TX that is NA. No allocation, no
 * locale, no failure. NaN is stored as DV_R4_NA_BITS and DV_R8_NA_BITS. */

/* Whether a text is a token for a missing value: ?, NA, N/A, NaN in any case. The parsers below
 * accept them as a good NA; for unsigned numbers and row ids, which have no NA, as a bad 0. */
bool dvi_parse_is_missing(const char *src, size_t n);

/* Here `room` bytes may be read, room >= n: with 8 or more, numbers of up to 8 digits are parsed in
 * half the time. */
bool dvi_parse_i1(int8_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_i2(int16_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_i4(int32_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_i8(int64_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_u1(uint8_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_u2(uint16_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_u4(uint32_t *value_out, const char *src, size_t n, size_t room);
bool dvi_parse_u8(uint64_t *value_out, const char *src, size_t n, size_t room);

bool dvi_parse_ug(dv_u128 *value_out, const char *src, size_t n);
bool dvi_parse_bl(int8_t *value_out, const char *src, size_t n);

/* Set the representation of a value of the key type: 1 is key->key_min; 0 is NA. */
bool dvi_parse_key(uint64_t *representation_out, const char *src, size_t n, const dv_type *key);

/* Correctly rounded for any number of digits, in a thread that rounds to nearest. point: '.' or
 * ',', the only decimal point accepted. Here `room` bytes may be read, room >= n: with 8 or more,
 * short numbers are parsed in a third less time. */
bool dvi_parse_r4(float *value_out, const char *src, size_t n, size_t room, char point);
bool dvi_parse_r8(double *value_out, const char *src, size_t n, size_t room, char point);

/* The forms of semantics:4.3. Other forms that ML.NET guesses, and those that depend on the current
 * date, are bad. DT is UTC; DZ keeps clock and zone. */
bool dvi_parse_ts(int64_t *ticks_out, const char *src, size_t n);
bool dvi_parse_dt(int64_t *ticks_out, const char *src, size_t n);
bool dvi_parse_dz(dv_zoned *value_out, const char *src, size_t n);

#endif
