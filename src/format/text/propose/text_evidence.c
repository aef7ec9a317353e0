/* SPDX-License-Identifier: MIT */
/* text_evidence.c: which types keep all of a field.
 *
 * A type keeps a field if nothing that a reader could miss is lost: no digit, no leading zero, no
 * plus sign, no unit of time that the text does not name. */
#include "format/text/propose/text_evidence.h"
#include "codec/date_order.h"
#include "codec/number.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include "codec/scalar.h"
#include <math.h>
#include <string.h>

#define SURE_DIGITS 15 /* every whole number with so many digits is exact in I8 and R8 */
#define TICKS_DIGITS 7 /* of a second */

static inline bool is_digit(char c)
{
    return (uint8_t)(c - '0') < 10;
}

static inline const char *skip_digits(const char *p, const char *end)
{
    while (p < end && is_digit(*p))
        p++;
    return p;
}

/* --- Numbers --- */

/* Does the R8 print as these digits, after the sign? */
static bool is_exact(double value, const char *digits, size_t n)
{
    uint64_t back = 0;
    const double size = fabs(value);
    return size < 0x1p64 && dvi_parse_u8(&back, digits, n, n) && (double)back == size &&
           (uint64_t)size == back;
}

static void add_whole(dvi_text_evidence *e, dv_text text, const char *digits, char point)
{
    const size_t n = (size_t)text.nbytes, count = (size_t)(text.data + n - digits);
    const bool is_negative = digits > text.data;
    double real;
    uint64_t big;
    if (is_negative && *digits == '0') { /* -0, which only reals have */
        e->kinds = DVI_TEXT_CAN_R8;
        return;
    }
    e->is_whole = true;
    if (dvi_parse_i8(&e->integer, text.data, n, n) && e->integer != INT64_MIN)
        e->kinds |= DVI_TEXT_CAN_I8;
    if (!is_negative && dvi_parse_u8(&big, text.data, n, n))
        e->kinds |= DVI_TEXT_CAN_U8;
    if (count <= SURE_DIGITS)
        e->kinds |= DVI_TEXT_CAN_R8;
    else if (e->kinds && dvi_parse_r8(&real, text.data, n, n, point) &&
             is_exact(real, digits, count))
        e->kinds |= DVI_TEXT_CAN_R8;
}

/* Has the R4 the same shortest digits as the R8? */
static bool is_short(dv_text text, double real, char point)
{
    float single;
    char of_r8[DVI_SCALAR_NBYTES], of_r4[DVI_SCALAR_NBYTES];
    const size_t n = (size_t)text.nbytes;
    if (!dvi_parse_r4(&single, text.data, n, n, point) || !isfinite(single))
        return false;
    const size_t n8 = dvi_scalar_printer(DV_KIND_R8)(of_r8, &real);
    const size_t n4 = dvi_scalar_printer(DV_KIND_R4)(of_r4, &single);
    return n8 == n4 && memcmp(of_r8, of_r4, n8) == 0;
}

/* The mantissa: digits with at most one point.  Returns its end; NULL: there is no digit. */
static const char *read_mantissa(const char *p, const char *end, char point, bool *is_zero_out,
                                 const char **point_out)
{
    int digits = 0;
    *is_zero_out = true;
    *point_out = NULL;
    for (; p < end && (is_digit(*p) || (*p == point && !*point_out)); p++) {
        if (*p == point)
            *point_out = p;
        digits += is_digit(*p);
        *is_zero_out &= *p == point || *p == '0';
    }
    return digits > 0 ? p : NULL;
}

/* A real that neither overflows nor becomes 0. */
static void add_real(dvi_text_evidence *e, dv_text text, const char *digits, char point)
{
    const char *end = text.data + text.nbytes, *mark;
    const size_t n = (size_t)text.nbytes;
    bool is_zero;
    double real;
    const char *after = read_mantissa(digits, end, point, &is_zero, &mark);
    if (!after || !dvi_parse_r8(&real, text.data, n, n, point))
        return;
    const bool is_out = isinf(real) || isnan(real) || (fpclassify(real) == FP_ZERO && !is_zero);
    if (is_out)
        return;
    if (!mark && after - digits > SURE_DIGITS && !is_exact(real, digits, (size_t)(after - digits)))
        return; /* long digits with blanks or an exponent after them */
    e->kinds |= DVI_TEXT_CAN_R8;
    e->is_grouped = mark && after - mark == 4 && after == end && mark > digits && *digits != '0' &&
                    mark - digits <= 3;
    e->is_clear =
        mark && (after - mark != 4 || mark == digits || *digits == '0' || mark - digits > 3);
}

bool dvi_text_evidence_is_plain(dvi_text_evidence *e, dv_text text, char point)
{
    const char *end = text.data + text.nbytes, *digits = text.data + (text.data[0] == '-');
    const char *mark = digits;
    uint64_t value = 0; /* wraps where there are too many digits */
    for (; mark < end && is_digit(*mark); mark++)
        value = 10 * value + (uint64_t)(*mark - '0');
    const bool is_negative = digits > text.data;
    const int64_t whole = mark - digits, all = end - digits;
    if (whole == 0 || all > SURE_DIGITS + 1 || (*digits == '0' && whole > 1))
        return false;
    if (mark == end && whole <= SURE_DIGITS && !(is_negative && *digits == '0')) {
        e->kinds = DVI_TEXT_CAN_I8 | DVI_TEXT_CAN_R8 | (is_negative ? 0U : DVI_TEXT_CAN_U8);
        e->is_whole = true;
        e->integer = is_negative ? -(int64_t)value : (int64_t)value;
        return true;
    }
    if (mark + 1 >= end || *mark != point || skip_digits(mark + 1, end) < end)
        return false;
    e->kinds = DVI_TEXT_CAN_R8;
    e->is_grouped = end - mark == 4 && *digits != '0' && whole <= 3;
    e->is_clear = !e->is_grouped;
    return true;
}

static bool is_number(dvi_text_evidence *e, dv_text text, char point)
{
    const char *end = text.data + text.nbytes, *digits = text.data + (text.data[0] == '-');
    const bool starts = digits < end && (is_digit(*digits) || *digits == point);
    const bool is_padded = end - digits > 1 && digits[0] == '0' && is_digit(digits[1]);
    e->is_padded = is_padded && skip_digits(digits, end) == end;
    if (!starts || is_padded)
        return starts;
    if (skip_digits(digits, end) == end)
        add_whole(e, text, digits, point);
    else
        add_real(e, text, digits, point);
    return true;
}

/* --- Times --- */

/* So many digits: NULL if there are fewer. */
static const char *take_digits(const char *p, const char *end, int n)
{
    if (!p || end - p < n || skip_digits(p, p + n) != p + n)
        return NULL;
    return p + n;
}

static const char *take(const char *p, const char *end, const char *chars)
{
    return p && p < end && *p && strchr(chars, *p) ? p + 1 : NULL;
}

/* :mm:ss, and a fraction that ticks hold. */
static const char *take_minutes(const char *p, const char *end)
{
    p = take_digits(take(p, end, ":"), end, 2);
    if (!p || p == end || *p != ':')
        return p;
    p = take_digits(p + 1, end, 2);
    if (!p || p == end || *p != '.')
        return p;
    const char *after = skip_digits(p + 1, end);
    return after == p + 1 || after - p > 1 + TICKS_DIGITS ? NULL : after;
}

/* A date, perhaps with a time, in each order that it fits, or in a format. */
static void add_date(dvi_text_evidence *e, dv_text text, const dvi_date_rule *format)
{
    dvi_date date;
    if (!dvi_parse_date(&date, text.data, (size_t)text.nbytes, format))
        return;
    if (date.orders & DVI_DATE_YMD)
        e->kinds |= !date.has_zone ? DVI_TEXT_CAN_DT
                    : date.is_utc  ? DVI_TEXT_CAN_UTC | DVI_TEXT_CAN_DZ
                                   : DVI_TEXT_CAN_DZ;
    else if (!date.has_zone)
        e->kinds |= (date.orders & DVI_DATE_DMY ? DVI_TEXT_CAN_DMY : 0U) |
                    (date.orders & DVI_DATE_MDY ? DVI_TEXT_CAN_MDY : 0U);
}

void dvi_text_evidence_date(dvi_text_evidence *e, dv_text text)
{
    add_date(e, text, NULL);
}

/* [-][d.]hh:mm:ss[.f]: anything shorter may be a ratio, a score, minutes, or a time of day. */
static void add_span(dvi_text_evidence *e, dv_text text)
{
    const char *p = text.data, *const end = p + text.nbytes;
    int64_t ticks;
    p += *p == '-';
    const char *digits = p, *after = skip_digits(p, end);
    if (after > p && after < end && *after == '.') {
        digits = after + 1;
        after = skip_digits(digits, end);
    }
    const bool is_hour = after - digits == 2 || (after - digits == 1 && digits == p);
    if (!is_hour || 10 * (after - digits == 2 ? digits[0] - '0' : 0) + after[-1] - '0' > 23)
        return;
    const char *minutes = take_digits(take(after, end, ":"), end, 2);
    if (take(minutes, end, ":") && take_minutes(after, end) == end &&
        dvi_parse_ts(&ticks, text.data, (size_t)text.nbytes))
        e->kinds |= DVI_TEXT_CAN_TS;
}

/* --- Fields --- */

static dvi_text_evidence evidence_of(dv_text text, char point)
{
    dvi_text_evidence e = {.kinds = 0};
    if (dvi_text_evidence_is_plain(&e, text, point))
        return e;
    if ((text.nbytes == 4 && dvi_text_is(text, "true")) ||
        (text.nbytes == 5 && dvi_text_is(text, "false"))) {
        e.kinds = DVI_TEXT_CAN_BL;
    } else if (is_number(&e, text, point) && !e.kinds) {
        dvi_text_evidence_date(&e, text);
        add_span(&e, text);
    }
    return e;
}

dvi_text_evidence dvi_text_evidence_of(dv_text text, const dvi_text_options *options)
{
    dvi_text_evidence e = evidence_of(text, options->decimal);
    if (options->date.format.nbytes == 0)
        return e;
    e.kinds &= ~(unsigned)(DVI_TEXT_DATES | DVI_TEXT_ORDERS);
    add_date(&e, text, &options->date);
    return e;
}

bool dvi_text_evidence_fits_r4(dv_text text, char point)
{
    double real;
    const size_t n = (size_t)text.nbytes;
    return dvi_parse_r8(&real, text.data, n, n, point) && is_short(text, real, point);
}

static const char *const words[] = {"null", "NULL", "Null", "None", "#N/A", "<NA>", "."};
#define WORDS ((int)(sizeof words / sizeof *words))

int dvi_text_evidence_word(dv_text text)
{
    for (int i = 0; i < WORDS && text.nbytes <= 4; i++)
        if (strlen(words[i]) == (size_t)text.nbytes &&
            memcmp(words[i], text.data, (size_t)text.nbytes) == 0)
            return i;
    return -1;
}

const char *dvi_text_evidence_word_at(int i)
{
    return i < WORDS ? words[i] : NULL;
}
