/* SPDX-License-Identifier: MIT */
/* date_order.c: reads dates whose day, month and year come in a known order. */
#include "codec/date_order.h"
#include "codec/date_format.h"
#include "codec/date_parts.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include <string.h>

/* The numbers of a date, in the order of the text. */
typedef struct numbers {
    int number[3], width[3];
    char separator;
} numbers;

static bool take_numbers(numbers *d, dvi_date_input *s)
{
    d->width[0] = dvi_date_take_digits(s, &d->number[0], 4);
    d->separator = s->p < s->end ? *s->p : '\0';
    if (d->width[0] == 0 || d->separator == '\0' || !strchr("-/.", d->separator))
        return false;
    for (int i = 1; i < 3; i++) {
        if (!dvi_date_take(s, d->separator))
            return false;
        d->width[i] = dvi_date_take_digits(s, &d->number[i], 4);
    }
    return d->width[1] > 0 && d->width[1] < 3 && d->width[2] > 0;
}

/* hh:mm[:ss[.f]], perhaps with AM or PM. */
static bool take_time(dvi_date_parts *d, dvi_date_input *s)
{
    const int width = dvi_date_take_digits(s, &d->hour, 2);
    if (width == 0 || !dvi_date_take(s, ':') || dvi_date_take_digits(s, &d->minute, 2) != 2)
        return false;
    if (dvi_date_take(s, ':') && (dvi_date_take_digits(s, &d->second, 2) != 2 ||
                                  (dvi_date_take(s, '.') && !dvi_date_take_fraction(s, &d->ticks))))
        return false;
    dvi_date_input ahead = *s;
    dvi_date_take(&ahead, ' ');
    if (!dvi_date_take_half(&ahead, &d->hour))
        return width == 2;
    *s = ahead;
    return true;
}

static bool take_all(numbers *n, dvi_date_parts *d, dvi_date_input s)
{
    if (!take_numbers(n, &s))
        return false;
    if (s.p == s.end)
        return true;
    if ((!dvi_date_take(&s, ' ') && !dvi_date_take(&s, 'T')) || !take_time(d, &s))
        return false;
    if (s.p == s.end)
        return true;
    dvi_date_take(&s, ' ');
    return dvi_date_take_zone(&s, d) && s.p == s.end;
}

/* The value if the numbers are in this order. */
static bool value_of(dv_zoned *value_out, dvi_date_parts *d, const numbers *n, dvi_date_order order)
{
    const int year = order == DVI_DATE_YMD ? 0 : 2, month = order == DVI_DATE_MDY ? 0 : 1;
    const int day = 3 - year - month;
    if (n->width[year] != 4 || n->width[month] > 2 || n->width[day] > 2)
        return false;
    if (order == DVI_DATE_YMD && (n->width[1] != 2 || n->width[2] != 2 || n->separator == '.'))
        return false;
    d->year = n->number[year];
    d->month = n->number[month];
    d->day = n->number[day];
    return dvi_date_value(value_out, d);
}

static void try_orders(dvi_date *date, dvi_date_parts *d, const numbers *n, dvi_date_order order)
{
    static const dvi_date_order orders[] = {DVI_DATE_YMD, DVI_DATE_DMY, DVI_DATE_MDY};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        dv_zoned value;
        const bool may_be =
            order == DVI_DATE_ANY || order == orders[i] || orders[i] == DVI_DATE_YMD;
        if (!may_be || (orders[i] == DVI_DATE_MDY && n->separator == '.') ||
            !value_of(&value, d, n, orders[i]))
            continue;
        if (date->orders == 0)
            date->value = value;
        date->is_ambiguous |= value.ticks != date->value.ticks; /* not 3/3/2023 */
        date->orders |= orders[i];
    }
}

static bool read_format(dvi_date *date, const dvi_date_input *s, dv_text format)
{
    dvi_date_parts d = {.year = 0};
    if (!dvi_date_format_read(&date->value, &d, *s, format))
        return false;
    date->orders = DVI_DATE_YMD;
    date->is_like = date->has_format = true;
    date->has_zone = d.has_zone;
    date->is_utc = d.is_utc;
    return true;
}

bool dvi_parse_date(dvi_date *date_out, const char *src, size_t n, const dvi_date_rule *rule)
{
    const dvi_date_input s = {src, src + n};
    const bool has_format = rule && rule->format.nbytes > 0;
    dvi_date_parts d = {.year = 0};
    numbers text = {.separator = '\0'};
    *date_out = (dvi_date){.orders = 0};
    if (has_format && read_format(date_out, &s, rule->format))
        return true;
    const bool is_whole = take_all(&text, &d, s);
    date_out->is_like = text.width[2] > 0 && (has_format || text.width[0] < 3);
    if (!is_whole || (has_format && !dvi_date_format_may_be_iso(rule->format)))
        return false;
    try_orders(date_out, &d, &text, rule ? rule->order : DVI_DATE_ANY);
    date_out->has_zone = d.has_zone;
    date_out->is_utc = d.is_utc;
    return date_out->orders != 0;
}

/* Without the word UTC at its end, which semantics:4.3 does not know. */
static dv_text without_utc(dv_text text)
{
    const char *end = text.data + text.nbytes;
    const bool is_utc =
        text.nbytes > 4 && end[-4] == ' ' && dvi_text_is((dv_text){end - 3, 3}, "utc");
    return is_utc ? (dv_text){text.data, text.nbytes - 4} : text;
}

bool dvi_date_read(dv_zoned *value_out, dv_text text, const dvi_date_rule *rule)
{
    dvi_date date;
    const dv_text trimmed = dvi_text_trim(text);
    const bool is_date = dvi_parse_date(&date, trimmed.data, (size_t)trimmed.nbytes, rule);
    if (!is_date && !date.is_like) {
        text = without_utc(text);
        return dvi_parse_dz(value_out, text.data, (size_t)text.nbytes);
    }
    *value_out = (dv_zoned){DV_TICKS_NA, 0};
    if (is_date && !date.is_ambiguous)
        *value_out = date.value;
    return is_date && !date.is_ambiguous;
}

bool dvi_date_needs_rule(dv_text text, const dvi_date_rule *rule)
{
    dvi_date date;
    dv_zoned value;
    text = dvi_text_trim(text);
    return !dvi_date_read(&value, text, rule) &&
           (dvi_parse_date(&date, text.data, (size_t)text.nbytes, NULL) || date.is_like);
}

bool dvi_date_rule_read(dvi_date_rule *rule_out, dv_text value)
{
    static const struct {
        const char *name;
        dvi_date_order order;
    } names[] = {{"dmy", DVI_DATE_DMY}, {"mdy", DVI_DATE_MDY}, {"ymd", DVI_DATE_YMD}};
    *rule_out = (dvi_date_rule){.order = DVI_DATE_ANY};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (dvi_text_is(value, names[i].name))
            rule_out->order = names[i].order;
    if (rule_out->order != DVI_DATE_ANY)
        return true;
    *rule_out = (dvi_date_rule){DVI_DATE_YMD, value};
    return dvi_date_format_is_good(value);
}

bool dvi_date_rule_equal(const dvi_date_rule *a, const dvi_date_rule *b)
{
    const bool has_format = a->format.nbytes > 0;
    return a->order == b->order && has_format == (b->format.nbytes > 0) &&
           (!has_format || dv_text_equal(a->format, b->format));
}
