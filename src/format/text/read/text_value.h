/* SPDX-License-Identifier: MIT */
/* text_value.h: which value of a type is a field?  (semantics:4.3, semantics:6.4) */
#ifndef DVI_FORMAT_TEXT_VALUE_H
#define DVI_FORMAT_TEXT_VALUE_H

#include "format/text/read/text_fields.h"

/* A value on its way into a column. */
typedef struct dvi_text_value {
    uint64_t bits[2]; /* the value, or of DZ the ticks and the minutes, lowest bytes first */
    dv_text text;     /* of TX; NA */
} dvi_text_value;

/* What options say of values. */
typedef struct dvi_text_reading {
    char decimal;
    bool blank_is_na, missing_real_nan;
    bool trims; /* white space around texts: names in a header */
} dvi_text_reading;

typedef enum dvi_text_verdict {
    DVI_TEXT_NOTHING, /* the default, which is not recorded */
    DVI_TEXT_GOOD,
    DVI_TEXT_BAD /* NA or the default, because the text says no value */
} dvi_text_verdict;

dvi_text_verdict dvi_text_read_value(dvi_text_value *value_out, const dv_type *item,
                                     const dvi_text_field *field, const dvi_text_reading *reading);

/* The value of a slot without a field. */
dvi_text_value dvi_text_default(const dv_type *item, const dvi_text_reading *reading);

/* Copy text into dst, which has room for 3 bytes for each of its own: each part that is no UTF-8
 * becomes U+FFFD (as long as it could begin a character, it is one part).  Returns the bytes
 * written; adds the parts to *ill_formed. */
size_t dvi_text_copy(uint8_t *dst, dv_text text, int64_t *ill_formed);

#endif
