/* SPDX-License-Identifier: MIT */
/* text_value.c: parses a field as a value of a type. */
#include "format/text/read/text_value.h"
#include "base/utf8.h"
#include "simd/na.h"
#include "codec/datetime.h"
#include "codec/option_string.h"
#include "codec/parse.h"
#include "codec/scalar.h"
#include "codec/space.h"
#include <string.h>

#define SURE_DIGITS 15     /* R8 holds every whole number of this length */
#define INFINITY_NBYTES 9  /* -Infinity */
#define NO_NUMBER_NBYTES 8 /* -1.#QNAN */

static bool is_real(const dv_type *item)
{
    return item->kind == DV_KIND_R4 || item->kind == DV_KIND_R8;
}

dvi_text_value dvi_text_na(const dv_type *item)
{
    return (dvi_text_value){.bits = {dvi_na_bits(item)}, .text = {NULL, -1}};
}

dvi_text_value dvi_text_default(const dv_type *item, const dvi_text_reading *reading)
{
    if (reading->missing_real_nan && is_real(item))
        return dvi_text_na(item);
    return (dvi_text_value){.text = {"", 0}};
}

bool dvi_text_has_word(dv_text words, dv_text text)
{
    const char *p = words.data, *const end = words.data + words.nbytes;
    while (p < end) {
        const char *word = p;
        while (p < end && dvi_space_step(p, end) == 0)
            p++;
        if (p - word == text.nbytes && memcmp(word, text.data, (size_t)text.nbytes) == 0)
            return true;
        p = dvi_space_skip(p, end);
    }
    return false;
}

int dvi_text_infinity(dv_text text)
{
    if (text.nbytes > INFINITY_NBYTES)
        return 0;
    const int sign = text.nbytes > 0 && text.data[0] == '-' ? -1 : 1;
    if (text.nbytes > 0 && (text.data[0] == '-' || text.data[0] == '+'))
        text = (dv_text){text.data + 1, text.nbytes - 1};
    return dvi_text_is(text, "inf") || dvi_text_is(text, "infinity") ? sign : 0;
}

bool dvi_text_is_no_number(dv_text text)
{
    static const char *const words[] = {
        "-nan",    "#na",      "\\n",    "null",    "none",    "#n/a",     "<na>",   "#n/a n/a",
        "1.#qnan", "-1.#qnan", "1.#ind", "-1.#ind", "1,#qnan", "-1,#qnan", "1,#ind", "-1,#ind"};
    for (size_t i = 0; i < sizeof words / sizeof *words && text.nbytes <= NO_NUMBER_NBYTES; i++)
        if (dvi_text_is(text, words[i]))
            return true;
    return false;
}

/* Is the whole number of n digits one that an R8 holds? */
static bool is_exact(const char *digits, size_t n)
{
    uint64_t whole;
    return dvi_parse_u8(&whole, digits, n, n) && (double)whole < 0x1p64 &&
           (uint64_t)(double)whole == whole;
}

bool dvi_text_loses_digits(const char *text, size_t n, dv_kind kind)
{
    size_t digits = 0;
    const bool is_signed = n > 0 && (*text == '-' || *text == '+');
    text += is_signed;
    n -= is_signed;
    while (digits < n && text[digits] >= '0' && text[digits] <= '9')
        digits++;
    if (digits > 1 && *text == '0')
        return true;
    return kind == DV_KIND_R8 && digits == n && n > SURE_DIGITS && !is_exact(text, n);
}

bool dvi_text_is_missing(const dv_type *item, dv_text text, const dvi_text_reading *reading)
{
    if (reading->missing.nbytes > 0 && dvi_text_has_word(reading->missing, text))
        return true;
    return reading->novalue.nbytes > 0 && item->kind != DV_KIND_TX &&
           dvi_text_has_word(reading->novalue, text);
}

bool dvi_text_has_na(const dv_type *item)
{
    static const bool lacks[DV_KIND_UG + 1] = {[DV_KIND_U1] = true,
                                               [DV_KIND_U2] = true,
                                               [DV_KIND_U4] = true,
                                               [DV_KIND_U8] = true,
                                               [DV_KIND_UG] = true};
    return item->is_key || item->kind > DV_KIND_UG || !lacks[item->kind];
}

/* NA, which a strict reader does not accept where the type has none. */
static dvi_text_verdict read_na(dvi_text_value *value_out, const dv_type *item,
                                const dvi_text_reading *reading)
{
    *value_out = dvi_text_na(item);
    return (reading->strict || reading->csv) && !dvi_text_has_na(item) ? DVI_TEXT_BAD
                                                                       : DVI_TEXT_GOOD;
}

static bool parse(dvi_text_value *value, const dv_type *item, dv_text text, char decimal)
{
    *value = (dvi_text_value){.text = text};
    return item->kind == DV_KIND_TX ||
           dvi_scalar_parse_into(value->bits, item, text.data, (size_t)text.nbytes, decimal);
}

static bool is_number(const dv_type *item)
{
    return item->kind >= DV_KIND_I1 && item->kind <= DV_KIND_R8 && !item->is_key;
}

/* By the rules of CSV: no digit may be lost, and what programs print for NaN and infinity counts.
 */
static dvi_text_verdict read_number(dvi_text_value *value_out, const dv_type *item, dv_text text,
                                    const dvi_text_reading *reading)
{
    char plain[DVI_DRESSED_NBYTES];
    if (dvi_text_undresses(&reading->dress)) {
        const size_t used = dvi_undress(plain, text, &reading->dress);
        text = used > 0 ? (dv_text){plain, (int64_t)used} : text;
    }
    const size_t n = (size_t)text.nbytes;
    const int infinity = is_real(item) ? dvi_text_infinity(text) : 0;
    const bool is_good = parse(value_out, item, text, reading->decimal);
    value_out->text = (dv_text){"", 0}; /* it may be `plain` */
    const bool is_cut =
        is_good && !reading->zeros && dvi_text_loses_digits(text.data, n, item->kind);
    if (is_cut)
        *value_out = dvi_text_na(item);
    if (is_good)
        return is_cut ? DVI_TEXT_BAD : DVI_TEXT_GOOD;
    if (dvi_text_is_no_number(text))
        return read_na(value_out, item, reading);
    return infinity != 0 &&
                   parse(value_out, item, dv_text_of(infinity > 0 ? "Infinity" : "-Infinity"),
                         reading->decimal)
               ? DVI_TEXT_GOOD
               : DVI_TEXT_BAD;
}

/* By the rules of CSV, dates are in the order or format that is known, or that their numbers show.
 */
static dvi_text_verdict read_date(dvi_text_value *value_out, const dv_type *item, dv_text text,
                                  const dvi_text_reading *reading)
{
    dv_zoned value;
    const bool is_good = dvi_date_read(&value, text, &reading->date);
    int64_t ticks = value.ticks;
    if (item->kind == DV_KIND_DT && ticks != DV_TICKS_NA)
        ticks = dvi_zoned_utc(value);
    *value_out = (dvi_text_value){.text = text};
    memcpy(&value_out->bits[0], &ticks, sizeof ticks);
    if (item->kind == DV_KIND_DZ)
        memcpy(&value_out->bits[1], &value.minutes, sizeof value.minutes);
    return is_good ? DVI_TEXT_GOOD : DVI_TEXT_BAD;
}

static bool is_white(dv_text text)
{
    const char *end = text.data + text.nbytes;
    return dvi_space_skip(text.data, end) == end;
}

dvi_text_verdict dvi_text_read_value(dvi_text_value *value_out, const dv_type *item,
                                     const dvi_text_field *field, const dvi_text_reading *reading)
{
    const bool is_na =
        (field->mark == DVI_TEXT_BLANK || (field->mark == DVI_TEXT_BROKEN && !reading->csv)) &&
        reading->blank_is_na;
    const bool is_missing = reading->missing_real_nan && is_real(item) && is_white(field->text);
    const bool is_nothing =
        !reading->has_defaults && item->kind != DV_KIND_TX && is_white(field->text);
    const bool trims = reading->trims || (reading->csv && item->kind != DV_KIND_TX);
    const dv_text text = trims ? dvi_text_trim(field->text) : field->text;
    if (is_na || is_missing || is_nothing || dvi_text_is_missing(item, text, reading))
        return read_na(value_out, item, reading);
    if (field->text.nbytes == 0) {
        *value_out = dvi_text_default(item, reading);
        return reading->missing_real_nan ? DVI_TEXT_GOOD : DVI_TEXT_NOTHING;
    }
    if (reading->csv && is_number(item))
        return read_number(value_out, item, text, reading);
    if (reading->csv && (item->kind == DV_KIND_DT || item->kind == DV_KIND_DZ))
        return read_date(value_out, item, text, reading);
    return parse(value_out, item, text, reading->decimal) ? DVI_TEXT_GOOD : DVI_TEXT_BAD;
}

/* --- Text --- */

/* The length of the ill-formed sequence at p: the bytes that could begin a character, at least
 * one. */
static size_t ill_formed_nbytes(const char *p, size_t n)
{
    char bytes[4] = {0};
    size_t i = 1;
    for (; i < n && i < 3; i++) {
        /* try whether bytes after the first i + 1 could complete a character */
        memset(bytes, '\x80', sizeof bytes);
        memcpy(bytes, p, i + 1);
        if (dvi_utf8_step(bytes, sizeof bytes) <= i + 1)
            break;
    }
    return i;
}

size_t dvi_text_copy(uint8_t *dst, dv_text text, int64_t *ill_formed)
{
    const char *p = text.data;
    size_t left = (size_t)(text.nbytes > 0 ? text.nbytes : 0), used = 0, units;
    while (left > 0) {
        const size_t good = dvi_kernels()->utf8_units(p, left, &units);
        memcpy(dst + used, p, good);
        used += good;
        if (good == left)
            break;
        const size_t bad = ill_formed_nbytes(p + good, left - good);
        memcpy(dst + used, "\xEF\xBF\xBD", 3);
        used += 3;
        ++*ill_formed;
        p += good + bad;
        left -= good + bad;
    }
    return used;
}

dv_text dvi_text_name(uint8_t *dst, dv_text field)
{
    int64_t ill_formed = 0;
    const size_t n = dvi_text_copy(dst, field, &ill_formed);
    for (size_t i = 0; i < n; i++)
        if (dst[i] < ' ' || dst[i] == 0x7F)
            dst[i] = ' ';
    return dvi_text_trim((dv_text){(const char *)dst, (int64_t)n});
}
