/* SPDX-License-Identifier: MIT */
/* parse_timespan.c: parses spans of time. */
#include "codec/datetime.h"
#include "codec/digits.h"
#include "codec/parse.h"
#include "codec/space.h"

enum { DAYS_MAX = 10675199 };

/* d, [d.]h:m[:s[.f]] or d:h:m[:s[.f]] */
typedef struct span {
    uint64_t days;
    bool has_days; /* before a point */
    uint64_t fields[4];
    int count;         /* of the fields, which are separated by colons */
    uint64_t fraction; /* ticks */
    bool has_fraction;
} span;

/* Read one or more digits. A number too large for any field is not read exactly. */
static const char *read_field(uint64_t *value_out, const char *p, const char *end)
{
    uint64_t value = 0;
    const char *q = p;
    for (; q < end && dvi_is_digit(*q); q++)
        value = value > DAYS_MAX ? value : 10 * value + (uint64_t)(*q - '0');
    *value_out = value;
    return q > p ? q : NULL;
}

/* Seven digits are ticks. More are allowed only if the first is zero; they are rounded half up. */
static const char *read_fraction(uint64_t *ticks_out, const char *p, const char *end)
{
    uint64_t ticks = 0;
    const char *q = p;
    for (; q < end && dvi_is_digit(*q); q++)
        if (q - p < 7)
            ticks = 10 * ticks + (uint64_t)(*q - '0');
    if (q == p || (q - p > 7 && *p != '0'))
        return NULL;
    for (int64_t digits = q - p; digits < 7; digits++)
        ticks *= 10;
    *ticks_out = ticks + (q - p > 7 && p[7] >= '5');
    return q;
}

/* Read all of [p, end). */
static bool read_span(span *s, const char *p, const char *end)
{
    *s = (span){0};
    p = read_field(&s->fields[s->count++], p, end);
    if (p && p < end && *p == '.') {
        s->has_days = true;
        s->days = s->fields[0];
        s->count = 0;
        p = read_field(&s->fields[s->count++], p + 1, end);
    }
    while (p && p < end && *p == ':' && s->count < 4)
        p = read_field(&s->fields[s->count++], p + 1, end);
    if (p && p < end && *p == '.' && s->count > 2) {
        s->has_fraction = true;
        p = read_fraction(&s->fraction, p + 1, end);
    }
    return p == end;
}

/* The sum of days, h, m, s and fraction; false: one is out of range. */
static bool add_up(uint64_t *ticks_out, uint64_t days, const uint64_t field[3], uint64_t fraction)
{
    if (days > DAYS_MAX || field[0] > 23 || field[1] > 59 || field[2] > 59)
        return false;
    const uint64_t seconds = 3600 * field[0] + 60 * field[1] + field[2];
    *ticks_out =
        days * (uint64_t)DVI_TICKS_PER_DAY + seconds * (uint64_t)DVI_TICKS_PER_SECOND + fraction;
    return true;
}

/* The number of fields determines their meaning. Three fields without a fraction that are not a
 * valid h:m:s are read as d:h:m. */
static bool span_ticks(uint64_t *ticks_out, const span *s)
{
    const uint64_t *field = s->fields;
    const uint64_t none[3] = {0};
    switch (s->count) {
    case 1:
        return !s->has_days && add_up(ticks_out, field[0], none, 0);
    case 2:
    case 3:
        return add_up(ticks_out, s->days, field, s->fraction) ||
               (s->count == 3 && !s->has_days && !s->has_fraction &&
                add_up(ticks_out, field[0], (const uint64_t[]){field[1], field[2], 0}, 0));
    default:
        return !s->has_days && add_up(ticks_out, field[0], field + 1, s->fraction);
    }
}

bool dvi_parse_ts(int64_t *ticks_out, const char *src, size_t n)
{
    *ticks_out = n == 0 ? 0 : DV_TICKS_NA;
    if (n == 0 || dvi_parse_is_missing(src, n))
        return true;
    const char *end = src + n;
    const char *p = dvi_space_skip(src, end);
    const bool is_negative = p < end && *p == '-';
    p += is_negative;
    const char *after = p;
    while (after < end && dvi_space_step(after, end) == 0)
        after++;

    span s;
    uint64_t size;
    if (dvi_space_skip(after, end) != end || !read_span(&s, p, after) || !span_ticks(&size, &s) ||
        size > (uint64_t)INT64_MAX + is_negative)
        return false;
    *ticks_out = (int64_t)(is_negative ? -size : size);
    return true;
}
