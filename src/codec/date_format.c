/* SPDX-License-Identifier: MIT */
/* date_format.c: reads dates in a format of strftime. */
#include "codec/date_format.h"
#include "codec/digits.h"
#include <string.h>

#define CENTURY_TURN 69 /* years of two digits from here on are 19xx */

/* A part of a format: what % stands for, or one character. */
typedef struct part {
    char sign;      /* after %; '\0': a character, */
    char character; /* this one */
} part;

/* The parts that one sign abbreviates; NULL: it is a single part. */
static const char *expanded(char sign)
{
    return sign == 'F' ? "%Y-%m-%d" : sign == 'T' ? "%H:%M:%S" : sign == 'R' ? "%H:%M" : NULL;
}

/* Take the next part of a format at *p, which is not at its end. */
static part take_part(const char **p, const char *end)
{
    const char c = *(*p)++;
    if (c != '%' || *p == end)
        return (part){.character = c};
    *p += **p == '-' && end - *p > 1;
    const char sign = *(*p)++;
    return sign == '%' ? (part){.character = '%'} : (part){.sign = sign};
}

static bool is_number(char sign)
{
    return sign != '\0' && strchr("YymdHIMSf", sign) != NULL;
}

/* --- Checking --------------------------------------------------------------------------------- */

/* Count the parts of a format by their signs; false: a sign is unknown. */
static bool count(int counts[128], dv_text format)
{
    const char *p = format.data, *const end = p + format.nbytes;
    while (p < end) {
        const part next = take_part(&p, end);
        const char *const parts = expanded(next.sign);
        if (parts && !count(counts, (dv_text){parts, (int64_t)strlen(parts)}))
            return false;
        if (parts || next.sign == '\0')
            continue;
        if (!strchr("YymbBdaAHIMSfpzZ", next.sign))
            return false;
        counts[(int)next.sign]++;
    }
    return format.nbytes > 0 && end[-1] != '%';
}

bool dvi_date_format_is_good(dv_text format)
{
    int n[128] = {0};
    if (!memchr(format.data, '%', (size_t)format.nbytes) || !count(n, format))
        return false;
    const int hours = n['H'] + n['I'];
    return n['Y'] + n['y'] == 1 && n['m'] + n['b'] + n['B'] == 1 && n['d'] == 1 &&
           n['a'] + n['A'] <= 1 && hours <= 1 && n['I'] == n['p'] && n['M'] <= hours &&
           n['S'] <= n['M'] && n['f'] <= n['S'] && n['z'] + n['Z'] <= 1;
}

bool dvi_date_format_may_be_iso(dv_text format)
{
    const char *p = format.data, *const end = p + format.nbytes;
    while (p < end) {
        const part next = take_part(&p, end);
        if (next.sign != '\0' && strchr("mbBdF", next.sign))
            return next.sign != 'd' || !memchr(format.data, 'Y', (size_t)(p - format.data));
    }
    return true;
}

/* --- Reading ---------------------------------------------------------------------------------- */

/* The state of reading a text. */
typedef struct reading {
    dvi_date_input text;
    dvi_date_parts *parts;
    int weekday;     /* -1: none */
    int half;        /* 12: the hour is in the afternoon; -1: AM and PM are not named */
    char last, next; /* signs of the parts before and after this one */
} reading;

/* A number of at most two digits; of two if digits are next to it. */
static bool take_number(reading *r, int *number_out)
{
    const bool is_fixed = is_number(r->last) || is_number(r->next);
    return dvi_date_take_digits(&r->text, number_out, 2) >= (is_fixed ? 2 : 1);
}

static bool take_short_year(reading *r, int *year_out)
{
    if (dvi_date_take_digits(&r->text, year_out, 2) != 2)
        return false;
    *year_out += *year_out < CENTURY_TURN ? 2000 : 1900;
    return true;
}

static bool take_half(reading *r)
{
    r->half = dvi_date_take_word(&r->text, "pm") ? 12 : 0;
    return r->half == 12 || dvi_date_take_word(&r->text, "am");
}

static bool take_name(reading *r, char sign)
{
    if (sign == 'b' || sign == 'B') {
        r->parts->month = dvi_date_take_month(&r->text);
        return r->parts->month > 0;
    }
    r->weekday = dvi_date_take_weekday(&r->text);
    return r->weekday >= 0;
}

static bool take_sign(reading *r, char sign)
{
    dvi_date_parts *d = r->parts;
    switch (sign) {
    case 'Y':
        return dvi_date_take_digits(&r->text, &d->year, 4) == 4;
    case 'y':
        return take_short_year(r, &d->year);
    case 'm':
        return take_number(r, &d->month);
    case 'd':
        return take_number(r, &d->day);
    case 'H':
    case 'I':
        return take_number(r, &d->hour);
    case 'M':
        return take_number(r, &d->minute);
    case 'S':
        return take_number(r, &d->second);
    case 'f':
        return dvi_date_take_fraction(&r->text, &d->ticks);
    case 'p':
        return take_half(r);
    case 'z':
    case 'Z':
        return dvi_date_take_zone(&r->text, d);
    default:
        return take_name(r, sign);
    }
}

static bool take_spaces(reading *r)
{
    const char *start = r->text.p;
    while (dvi_date_take(&r->text, ' '))
        ;
    return r->text.p > start;
}

static char sign_at(const char *p, const char *end)
{
    if (p == end)
        return '\0';
    const char sign = take_part(&p, end).sign;
    const char *const parts = expanded(sign);
    return parts ? parts[1] : sign;
}

static bool take_parts(reading *r, dv_text format, char after)
{
    const char *p = format.data, *const end = p + format.nbytes;
    while (p < end) {
        const part now = take_part(&p, end);
        const char *const parts = expanded(now.sign);
        r->next = p < end ? sign_at(p, end) : after;
        if (parts && !take_parts(r, (dv_text){parts, (int64_t)strlen(parts)}, r->next))
            return false;
        if (parts)
            continue;
        const bool is_there = now.sign != '\0'       ? take_sign(r, now.sign)
                              : now.character == ' ' ? take_spaces(r)
                                                     : dvi_date_take(&r->text, now.character);
        if (!is_there)
            return false;
        r->last = now.sign;
    }
    return true;
}

bool dvi_date_format_read(dv_zoned *value_out, dvi_date_parts *parts_out, dvi_date_input text,
                          dv_text format)
{
    reading r = {.text = text, .parts = parts_out, .weekday = -1, .half = -1};
    if (!take_parts(&r, format, '\0') || r.text.p != r.text.end)
        return false;
    if (r.half >= 0) {
        if (parts_out->hour < 1 || parts_out->hour > 12)
            return false;
        parts_out->hour = parts_out->hour % 12 + r.half;
    }
    if (!dvi_date_value(value_out, parts_out))
        return false;
    return r.weekday < 0 ||
           dvi_date_to_days(parts_out->year, parts_out->month, parts_out->day) % 7 == r.weekday;
}
