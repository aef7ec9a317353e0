/* SPDX-License-Identifier: MIT */
/* parse_date.c: parses dates with times of day and zones. */
#include "codec/date_parts.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/space.h"
#include "codec/word.h"

typedef dvi_date_input input;

/* The date and time of day read so far. */
typedef struct moment {
    int64_t days, ticks; /* of the day */
    int minutes;         /* zone */
    bool is_ymd;         /* the date starts with its year */
    bool has_strict_time;
} moment;

/* --- Tokens: the input advances only if the token is there ------------------------------------ */

/* One of two characters. */
static bool take_either(input *s, char a, char b)
{
    return dvi_date_take(s, a) || dvi_date_take(s, b);
}

static bool take_spaces(input *s)
{
    const char *start = s->p;
    s->p = dvi_space_skip(start, s->end);
    return s->p > start;
}

/* --- Dates ------------------------------------------------------------------------------------ */

static bool take_separator(input *s)
{
    return take_either(s, '-', '/') || dvi_date_take(s, '.');
}

/* A comma, white space, or both. */
static bool take_comma(input *s)
{
    const bool has_space = take_spaces(s);
    const bool has_comma = dvi_date_take(s, ',');
    take_spaces(s);
    return has_space || has_comma;
}

/* After `d`: Mon yyyy, with white space or a hyphen around the month. */
static bool read_month_year(input *s, moment *m, int day)
{
    int year;
    if (!take_spaces(s) && !dvi_date_take(s, '-'))
        return false;
    const int month = dvi_date_take_month(s);
    if (!take_spaces(s) && !dvi_date_take(s, '-'))
        return false;
    if (dvi_date_take_digits(s, &year, 4) != 4)
        return false;
    m->days = dvi_date_to_days(year, month, day);
    return m->days >= 0;
}

/* Mon d[,] yyyy */
static bool read_month_day_year(input *s, moment *m)
{
    int day, year;
    const int month = dvi_date_take_month(s);
    if (!take_spaces(s) || dvi_date_take_digits(s, &day, 2) == 0 || !take_comma(s) ||
        dvi_date_take_digits(s, &year, 4) != 4)
        return false;
    m->days = dvi_date_to_days(year, month, day);
    return m->days >= 0;
}

/* Whether the text ends after Y-M, which then means the first day of the month. Of the incomplete
 * dates that ML.NET accepts, this is the only common one, and a form of ISO 8601. */
static bool is_month_alone(const input *s)
{
    return dvi_space_skip(s->p, s->end) == s->end;
}

/* Y-M-D, where the year has 3 or 4 digits, Y-M, M-D-Y, or d Mon yyyy. */
static bool read_numbers(input *s, moment *m)
{
    int first, second, third;
    const int digits = dvi_date_take_digits(s, &first, 4);
    if (digits <= 2 && !(s->p + 1 < s->end && dvi_is_digit(s->p[1])))
        return read_month_year(s, m, first);
    m->is_ymd = digits > 2;
    const bool has_hyphen = s->p < s->end && *s->p == '-';
    if (!take_separator(s) || dvi_date_take_digits(s, &second, 2) == 0)
        return false;
    if (m->is_ymd && has_hyphen && is_month_alone(s)) {
        m->days = dvi_date_to_days(first, second, 1);
        return m->days >= 0;
    }
    if (!take_separator(s))
        return false;
    const int width = dvi_date_take_digits(s, &third, m->is_ymd ? 2 : 4);
    if (width == 0)
        return false;
    if (m->is_ymd) {
        m->days = dvi_date_to_days(first, second, third);
    } else {
        const int century = width > 2 ? 0 : third < 50 ? 2000 : 1900;
        m->days = dvi_date_to_days(century + third, first, second);
    }
    return m->days >= 0;
}

static bool read_date(input *s, moment *m)
{
    const bool is_number = s->p < s->end && dvi_is_digit(*s->p);
    if (is_number)
        return read_numbers(s, m);
    const int weekday = dvi_date_take_weekday(s);
    if (weekday < 0)
        return read_month_day_year(s, m);
    int day;
    if (!take_comma(s))
        return false;
    const bool has_date = dvi_date_take_digits(s, &day, 2) > 0 ? read_month_year(s, m, day)
                                                               : read_month_day_year(s, m);
    return has_date && m->days % 7 == weekday;
}

/* --- Times of day ----------------------------------------------------------------------------- */

/* Any number of digits, summed and rounded to ticks as in ML.NET. */
static bool take_fraction(input *s, int64_t *ticks_out)
{
    double sum = 0, weight = 0.1;
    const char *start = s->p;
    for (int digit; s->p < s->end && (digit = dvi_digit_of(s->p)) >= 0; s->p++) {
        sum += digit * weight;
        weight *= 0.1;
    }
    const double ticks = sum * 1e7;
    const int64_t whole = (int64_t)ticks;
    const double rest = ticks - (double)whole;
    *ticks_out = whole + (rest > 0.5 || (rest == 0.5 && whole % 2 == 1));
    return s->p > start;
}

/* :m[:s[.f]], with two digits each, or up to two unless is_strict. */
static bool read_minutes(input *s, moment *m, int hour, bool is_strict)
{
    const int least = is_strict ? 2 : 1;
    int minute, second = 0;
    int64_t fraction = 0;
    if (!dvi_date_take(s, ':') || dvi_date_take_digits(s, &minute, 2) < least)
        return false;
    if (dvi_date_take(s, ':')) {
        if (dvi_date_take_digits(s, &second, 2) < least)
            return false;
        if (take_either(s, '.', ',') && !take_fraction(s, &fraction))
            return false;
    }
    m->ticks = hour * DVI_TICKS_PER_HOUR + minute * DVI_TICKS_PER_MINUTE +
               second * DVI_TICKS_PER_SECOND + fraction;
    return hour <= 23 && minute <= 59 && second <= 59;
}

/* After T: HH:mm[:ss[.f]] */
static bool read_strict_time(input *s, moment *m)
{
    int hour;
    m->has_strict_time = true;
    take_spaces(s);
    return dvi_date_take_digits(s, &hour, 2) == 2 && read_minutes(s, m, hour, true);
}

/* AM or PM, 'a' or 'p'; 0: neither. */
static char take_half(input *s)
{
    input ahead = *s;
    take_spaces(&ahead);
    if (ahead.end - ahead.p < 2 || dvi_to_lower(ahead.p[1]) != 'm')
        return 0;
    const char half = dvi_to_lower(*ahead.p);
    ahead.p += 2;
    if ((half != 'a' && half != 'p') || (ahead.p < ahead.end && dvi_is_letter(*ahead.p)))
        return 0;
    *s = ahead;
    return half;
}

/* H:m[:s[.f]] [AM|PM], or an hour with AM or PM. */
static bool read_loose_time(input *s, moment *m)
{
    int hour;
    dvi_date_take_digits(s, &hour, 2);
    const bool is_alone = !(s->p < s->end && *s->p == ':');
    if (is_alone)
        m->ticks = hour * DVI_TICKS_PER_HOUR;
    else if (!read_minutes(s, m, hour, false))
        return false;
    const char half = take_half(s);
    if ((is_alone && !half) || hour > (half == 'a' ? 12 : 23))
        return false;
    if (half == 'a' && hour == 12)
        m->ticks -= 12 * DVI_TICKS_PER_HOUR;
    if (half == 'p' && hour < 12)
        m->ticks += 12 * DVI_TICKS_PER_HOUR;
    return true;
}

/* A time of day, if there is one. */
static bool read_time(input *s, moment *m)
{
    const char *start = s->p;
    const bool has_space = take_spaces(s);
    if (m->is_ymd && take_either(s, 'T', 't'))
        return read_strict_time(s, m);
    if (has_space && s->p < s->end && dvi_is_digit(*s->p))
        return read_loose_time(s, m);
    s->p = start;
    return true;
}

/* --- Zones ------------------------------------------------------------------------------------ */

/* After the sign: h, hh, h:m, hh:mm or hhmm; returns minutes, or -1. */
static int read_offset(input *s)
{
    int hours, minutes = 0;
    const int digits = dvi_date_take_digits(s, &hours, 4);
    if (digits == 4) {
        minutes = hours % 100;
        hours /= 100;
    } else if (digits == 0 || digits == 3 ||
               (dvi_date_take(s, ':') && dvi_date_take_digits(s, &minutes, 2) == 0)) {
        return -1;
    }
    const int offset = 60 * hours + minutes;
    return minutes <= 59 && offset <= DV_MINUTES_MAX ? offset : -1;
}

/* A zone, if there is one. */
static bool read_zone(input *s, moment *m)
{
    take_spaces(s);
    if (take_either(s, 'Z', 'z'))
        return true;
    if (!m->has_strict_time && s->end - s->p >= 3 && dvi_is_word(s->p, 3, "gmt")) {
        s->p += 3;
        return true;
    }
    const bool is_negative = dvi_date_take(s, '-');
    if (!is_negative && !dvi_date_take(s, '+'))
        return true;
    const int offset = read_offset(s);
    m->minutes = is_negative ? -offset : offset;
    return offset >= 0;
}

/* Whether only white space and then NULs follow. */
static bool is_done(input *s)
{
    take_spaces(s);
    while (dvi_date_take(s, '\0'))
        ;
    return s->p == s->end;
}

static bool read_moment(dv_zoned *value_out, const char *src, size_t n)
{
    input s = {src, src + n};
    moment m = {0};
    take_spaces(&s);
    if (!read_date(&s, &m) || !read_time(&s, &m) || !read_zone(&s, &m) || !is_done(&s))
        return false;
    const dv_zoned value = {m.days * DVI_TICKS_PER_DAY + m.ticks, (int16_t)m.minutes};
    if (dvi_zoned_is_na(value))
        return false;
    *value_out = value;
    return true;
}

bool dvi_parse_dz(dv_zoned *value_out, const char *src, size_t n)
{
    *value_out = (dv_zoned){n == 0 ? 0 : DV_TICKS_NA, 0};
    return n == 0 || read_moment(value_out, src, n) || dvi_parse_is_missing(src, n);
}

bool dvi_parse_dt(int64_t *ticks_out, const char *src, size_t n)
{
    dv_zoned value;
    const bool is_good = dvi_parse_dz(&value, src, n);
    const bool is_na = value.ticks == DV_TICKS_NA;
    *ticks_out = is_na ? DV_TICKS_NA : value.ticks - value.minutes * DVI_TICKS_PER_MINUTE;
    return is_good;
}
