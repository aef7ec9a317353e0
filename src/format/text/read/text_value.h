/* SPDX-License-Identifier: MIT */
/* text_value.h: parses a field as a value of a type. (semantics:4.3, semantics:6.4) */
#ifndef DVI_FORMAT_TEXT_VALUE_H
#define DVI_FORMAT_TEXT_VALUE_H

#include "format/text/read/text_fields.h"

/* A parsed value. */
typedef struct dvi_text_value {
    uint64_t bits[2]; /* the value; of DZ ticks and minutes; lowest bytes first */
    dv_text text;     /* of TX; may be NA */
} dvi_text_value;

/* The options for values. */
typedef struct dvi_text_reading {
    char decimal;
    bool blank_is_na, missing_real_nan;
    bool has_defaults, strict, refuses, counts, csv; /* see text_options.h */
    dv_text missing, novalue;
    dvi_dress dress;    /* how numbers may be dressed */
    dvi_date_rule date; /* how dates are read */
    bool zeros;         /* leading zeros may be lost */
    bool trims;         /* trim white space around texts, as in names of a header */
    int32_t absent;     /* values that missing_real_nan fills in a line, at most */
} dvi_text_reading;

typedef enum dvi_text_verdict {
    DVI_TEXT_NOTHING, /* the default, which is not recorded */
    DVI_TEXT_GOOD,
    DVI_TEXT_BAD /* NA or the default, because the text is not a value */
} dvi_text_verdict;

dvi_text_verdict dvi_text_read_value(dvi_text_value *value_out, const dv_type *item,
                                     const dvi_text_field *field, const dvi_text_reading *reading);

/* Is the text one of the words, which are separated by white space? */
bool dvi_text_has_word(dv_text words, dv_text text);

/* Whether the text is one of the words that the options name as missing for this type. */
bool dvi_text_is_missing(const dv_type *item, dv_text text, const dvi_text_reading *reading);

/* Does the number lose digits that the text has: leading zeros, or digits of a whole number that R8
 * does not hold? */
bool dvi_text_loses_digits(const char *text, size_t n, dv_kind kind);

/* 1 or -1: the text is infinity as programs print it: inf, -inf, Infinity; 0: it is not. */
int dvi_text_infinity(dv_text text);

/* Is it NA among numbers, as programs print it: -nan, #NA, 1.#QNAN, \N, null? */
bool dvi_text_is_no_number(dv_text text);

/* May numbers be dressed? */
static inline bool dvi_text_undresses(const dvi_dress *dress)
{
    return dress->thousands.nbytes > 0 || dress->affixes.nbytes > 0 || dress->parentheses;
}

/* Has the type NA?  Unsigned numbers and row ids have none. */
bool dvi_text_has_na(const dv_type *item);

/* NA of the type, or its default if it has none. */
dvi_text_value dvi_text_na(const dv_type *item);

/* The value of a slot without a field. */
dvi_text_value dvi_text_default(const dv_type *item, const dvi_text_reading *reading);

/* Copy text into dst, which has room for three times its bytes. Each ill-formed sequence becomes
 * U+FFFD; bytes that could begin a character are one sequence. Returns the bytes written; adds the
 * number of sequences to *ill_formed. */
size_t dvi_text_copy(uint8_t *dst, dv_text text, int64_t *ill_formed);

/* A header field as a name: UTF-8 on one line, without white space around it.  dst has room for
 * three times its bytes, and holds the name. */
dv_text dvi_text_name(uint8_t *dst, dv_text field);

#endif
