/* SPDX-License-Identifier: MIT */
/* date_parts.c: takes the parts of dates from texts. */
#include "codec/date_parts.h"
#include "codec/digits.h"
#include "codec/option_string.h"
#include "codec/word.h"
#include <string.h>

int dvi_date_take_digits(dvi_date_input *s, int *value_out, int most)
{
    int n = 0, value = 0;
    for (int digit; n < most && s->p < s->end && (digit = dvi_digit_of(s->p)) >= 0; n++, s->p++)
        value = 10 * value + digit;
    *value_out = value;
    return n;
}

bool dvi_date_take_word(dvi_date_input *s, const char *word)
{
    const int64_t n = (int64_t)strlen(word);
    const bool is_there = s->end - s->p >= n && dvi_text_is((dv_text){s->p, n}, word);
    s->p += is_there ? n : 0;
    return is_there;
}

/* Letters that are one of the words or its first three letters; returns the word's index, -1: none.
 */
static int take_name(dvi_date_input *s, const char *const *words, int count)
{
    size_t n = 0;
    while (s->p + n < s->end && dvi_is_letter(s->p[n]))
        n++;
    for (int i = 0; i < count; i++) {
        const char start[] = {words[i][0], words[i][1], words[i][2], '\0'};
        if (dvi_is_word(s->p, n, words[i]) || dvi_is_word(s->p, n, start)) {
            s->p += n;
            return i;
        }
    }
    return -1;
}

int dvi_date_take_month(dvi_date_input *s)
{
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    return take_name(s, months, 12) + 1;
}

int dvi_date_take_weekday(dvi_date_input *s)
{
    static const char *const weekdays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                           "friday", "saturday", "sunday"};
    return take_name(s, weekdays, 7);
}

bool dvi_date_take_fraction(dvi_date_input *s, int *ticks_out)
{
    int zeros;
    int n = dvi_date_take_digits(s, ticks_out, DVI_TICKS_DIGITS);
    const bool has_digits = n > 0;
    for (; n < DVI_TICKS_DIGITS; n++)
        *ticks_out *= 10;
    while (dvi_date_take_digits(s, &zeros, 1) > 0)
        if (zeros != 0)
            return false;
    return has_digits;
}

bool dvi_date_take_half(dvi_date_input *s, int *hour)
{
    const bool is_pm = dvi_date_take_word(s, "pm");
    if ((!is_pm && !dvi_date_take_word(s, "am")) || *hour < 1 || *hour > 12)
        return false;
    *hour = *hour % 12 + (is_pm ? 12 : 0);
    return true;
}

bool dvi_date_take_zone(dvi_date_input *s, dvi_date_parts *parts)
{
    int hours, minutes = 0;
    parts->has_zone = true;
    parts->is_utc =
        dvi_date_take_word(s, "utc") || dvi_date_take_word(s, "gmt") || dvi_date_take_word(s, "z");
    if (parts->is_utc)
        return true;
    const bool is_west = dvi_date_take(s, '-');
    if ((!is_west && !dvi_date_take(s, '+')) || dvi_date_take_digits(s, &hours, 2) != 2)
        return false;
    const bool has_minutes = dvi_date_take(s, ':') || (s->p < s->end && dvi_digit_of(s->p) >= 0);
    if (has_minutes && dvi_date_take_digits(s, &minutes, 2) != 2)
        return false;
    parts->offset = (is_west ? -1 : 1) * (60 * hours + minutes);
    return minutes < 60;
}

bool dvi_date_value(dv_zoned *value_out, const dvi_date_parts *d)
{
    const int64_t days = dvi_date_to_days(d->year, d->month, d->day);
    if (days < 0 || d->hour > 23 || d->minute > 59 || d->second > 59)
        return false;
    *value_out = (dv_zoned){days * DVI_TICKS_PER_DAY + d->hour * DVI_TICKS_PER_HOUR +
                                d->minute * DVI_TICKS_PER_MINUTE +
                                d->second * DVI_TICKS_PER_SECOND + d->ticks,
                            (int16_t)d->offset};
    return !dvi_zoned_is_na(*value_out);
}
