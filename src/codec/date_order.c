/* SPDX-License-Identifier: MIT */
/* date_order.c: reads dates whose day, month and year come in a known order. */
#include "codec/date_order.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include <stdio.h>
#include <string.h>

#define TICKS_DIGITS 7 /* a second has 10^7 ticks */

/* The parts of a text. */
typedef struct parts {
    int number[3], width[3]; /* between the separators */
    char separator;
    int hour, minute, second;
    char fraction[TICKS_DIGITS + 1];
    int offset; /* minutes */
    bool has_time, has_zone, is_utc;
} parts;

/* Take 1 to `most` digits at *p; returns how many. */
static int take_number(const char **p, const char *end, int most, int *number_out)
{
    int n = 0;
    *number_out = 0;
    while (n < most && *p < end && **p >= '0' && **p <= '9') {
        *number_out = 10 * *number_out + (*(*p)++ - '0');
        n++;
    }
    return n;
}

static bool take(const char **p, const char *end, char c)
{
    const bool is = *p < end && **p == c;
    *p += is;
    return is;
}

/* Take the word in any case; `word` is in small letters. */
static bool take_word(const char **p, const char *end, const char *word)
{
    const int64_t n = (int64_t)strlen(word);
    const bool is = end - *p >= n && dvi_text_is((dv_text){*p, n}, word);
    *p += is ? n : 0;
    return is;
}

static bool take_days(parts *d, const char **p, const char *end)
{
    d->width[0] = take_number(p, end, 4, &d->number[0]);
    d->separator = *p < end ? **p : '\0';
    if (d->width[0] == 0 || d->separator == '\0' || !strchr("-/.", d->separator))
        return false;
    for (int i = 1; i < 3; i++) {
        if (!take(p, end, d->separator))
            return false;
        d->width[i] = take_number(p, end, 4, &d->number[i]);
    }
    return d->width[1] > 0 && d->width[1] < 3 && d->width[2] > 0;
}

/* ss[.f] */
static bool take_second(parts *d, const char **p, const char *end)
{
    size_t n = 0;
    if (take_number(p, end, 2, &d->second) != 2)
        return false;
    if (!take(p, end, '.'))
        return true;
    for (; n < TICKS_DIGITS && *p < end && **p >= '0' && **p <= '9'; n++)
        d->fraction[n] = *(*p)++;
    return n > 0;
}

/* hh:mm[:ss[.f]], perhaps with AM or PM. */
static bool take_time(parts *d, const char **p, const char *end)
{
    const int width = take_number(p, end, 2, &d->hour);
    if (width == 0 || !take(p, end, ':') || take_number(p, end, 2, &d->minute) != 2)
        return false;
    if (take(p, end, ':') && !take_second(d, p, end))
        return false;
    const char *before = *p;
    take(p, end, ' ');
    const bool is_pm = take_word(p, end, "pm");
    if (!is_pm && !take_word(p, end, "am")) {
        *p = before;
        return width == 2;
    }
    if (d->hour < 1 || d->hour > 12)
        return false;
    d->hour = d->hour % 12 + (is_pm ? 12 : 0);
    return true;
}

/* Z, UTC, +hh, +hhmm or +hh:mm. */
static bool take_zone(parts *d, const char **p, const char *end)
{
    int hours, minutes = 0;
    take(p, end, ' ');
    d->has_zone = true;
    d->is_utc = take_word(p, end, "utc") || take_word(p, end, "z");
    if (d->is_utc)
        return true;
    const bool is_west = take(p, end, '-');
    if ((!is_west && !take(p, end, '+')) || take_number(p, end, 2, &hours) != 2)
        return false;
    const bool has_minutes = take(p, end, ':') || *p < end;
    if (has_minutes && take_number(p, end, 2, &minutes) != 2)
        return false;
    d->offset = (is_west ? -1 : 1) * (60 * hours + minutes);
    return minutes < 60;
}

static bool take_all(parts *d, const char *p, const char *end)
{
    if (!take_days(d, &p, end))
        return false;
    d->has_time = p < end;
    if (!d->has_time)
        return true;
    if (!take(&p, end, ' ') && !take(&p, end, 'T'))
        return false;
    return take_time(d, &p, end) && (p == end || take_zone(d, &p, end)) && p == end;
}

/* The value if the parts are in this order. */
static bool value_of(dv_zoned *value_out, const parts *d, dvi_date_order order)
{
    char text[64];
    const int year = order == DVI_DATE_YMD ? 0 : 2, month = order == DVI_DATE_MDY ? 0 : 1;
    const int day = 3 - year - month;
    if (d->width[year] != 4 || d->width[month] > 2 || d->width[day] > 2)
        return false;
    if (order == DVI_DATE_YMD && (d->width[1] != 2 || d->width[2] != 2 || d->separator == '.'))
        return false;
    const int n = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d%s%s%c%02d:%02d",
                           d->number[year], d->number[month], d->number[day], d->hour, d->minute,
                           d->second, *d->fraction ? "." : "", d->fraction,
                           d->offset < 0 ? '-' : '+', (d->offset < 0 ? -d->offset : d->offset) / 60,
                           (d->offset < 0 ? -d->offset : d->offset) % 60);
    return dvi_parse_dz(value_out, text, (size_t)n) && value_out->ticks != DV_TICKS_NA;
}

bool dvi_parse_date(dvi_date *date_out, const char *src, size_t n, dvi_date_order order)
{
    static const dvi_date_order orders[] = {DVI_DATE_YMD, DVI_DATE_DMY, DVI_DATE_MDY};
    parts d = {.separator = '\0'};
    *date_out = (dvi_date){.orders = 0};
    const bool is_whole = take_all(&d, src, src + n);
    date_out->is_like = d.width[2] > 0;
    if (!is_whole)
        return false;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        dv_zoned value;
        const bool may_be =
            order == DVI_DATE_ANY || order == orders[i] || orders[i] == DVI_DATE_YMD;
        if (!may_be || (orders[i] == DVI_DATE_MDY && d.separator == '.') ||
            !value_of(&value, &d, orders[i]))
            continue;
        if (date_out->orders == 0)
            date_out->value = value;
        date_out->is_ambiguous |= value.ticks != date_out->value.ticks; /* not 3/3/2023 */
        date_out->orders |= orders[i];
    }
    date_out->has_time = d.has_time;
    date_out->has_zone = d.has_zone;
    date_out->is_utc = d.is_utc;
    return date_out->orders != 0;
}

bool dvi_date_order_of(dvi_date_order *order_out, dv_text name)
{
    static const struct {
        const char *name;
        dvi_date_order order;
    } names[] = {{"dmy", DVI_DATE_DMY}, {"mdy", DVI_DATE_MDY}, {"ymd", DVI_DATE_YMD}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dvi_text_is(name, names[i].name)) {
            *order_out = names[i].order;
            return true;
        }
    return false;
}
