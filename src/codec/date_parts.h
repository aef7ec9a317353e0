/* SPDX-License-Identifier: MIT */
/* date_parts.h: the parts of a date, and how each is taken from a text. */
#ifndef DVI_CODEC_DATE_PARTS_H
#define DVI_CODEC_DATE_PARTS_H

#include "codec/datetime.h"

#define DVI_TICKS_DIGITS 7 /* a second has 10^7 ticks */

/* The rest of a text.  What takes a part advances it only if the part is there. */
typedef struct dvi_date_input {
    const char *p, *end;
} dvi_date_input;

typedef struct dvi_date_parts {
    int year, month, day, hour, minute, second;
    int ticks;  /* fraction of the second */
    int offset; /* minutes */
    bool has_zone, is_utc;
} dvi_date_parts;

static inline bool dvi_date_take(dvi_date_input *s, char c)
{
    const bool is_there = s->p < s->end && *s->p == c;
    s->p += is_there;
    return is_there;
}

/* Up to `most` digits; returns their number. */
int dvi_date_take_digits(dvi_date_input *s, int *value_out, int most);

/* The word in any case; `word` has small letters. */
bool dvi_date_take_word(dvi_date_input *s, const char *word);

/* An English name in any case, whole or its first three letters: of a month, 1 to 12, 0: none; of a
 * weekday, 0 (Monday) to 6, -1: none. */
int dvi_date_take_month(dvi_date_input *s);
int dvi_date_take_weekday(dvi_date_input *s);

/* The digits of a fraction of a second, at least one, of which ticks hold all but zeros. */
bool dvi_date_take_fraction(dvi_date_input *s, int *ticks_out);

/* AM or PM in any case; turns an hour from 1 to 12 into the hour of the day. */
bool dvi_date_take_half(dvi_date_input *s, int *hour);

/* Z, UTC, GMT, +hh, +hhmm or +hh:mm. */
bool dvi_date_take_zone(dvi_date_input *s, dvi_date_parts *parts);

/* The value; false: there is no such day or time. */
bool dvi_date_value(dv_zoned *value_out, const dvi_date_parts *parts);

#endif
