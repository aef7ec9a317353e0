/* SPDX-License-Identifier: MIT */
/* option_string.c: parses strings of options. */
#include "codec/option_string.h"
#include "base/check.h"
#include "codec/space.h"
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Whether a backslash at this offset escapes the next character. */
static bool is_escape(dv_text text, int64_t at)
{
    return text.data[at] == '\\' && at + 1 < text.nbytes &&
           memchr("\"{}# \\", text.data[at + 1], 6) != NULL;
}

bool dvi_text_is(dv_text text, const char *word)
{
    int64_t i = 0;
    for (; i < text.nbytes && word[i]; i++) {
        const char c = text.data[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word[i])
            return false;
    }
    return i == text.nbytes && !word[i];
}

dv_text dvi_text_trim(dv_text text)
{
    const char *end = text.data + text.nbytes;
    const char *start = dvi_space_skip(text.data, end), *last = start;
    for (const char *p = start; p < end;) {
        const size_t step = dvi_space_step(p, end);
        p += step > 0 ? step : 1;
        last = step > 0 ? last : p;
    }
    return (dv_text){start, last - start};
}

bool dvi_text_next_field(dv_text *field_out, dv_text text, char delimiter, int64_t *at)
{
    if (*at > text.nbytes)
        return false;
    const char *from = text.data + *at;
    const int64_t left = text.nbytes - *at;
    const char *end = left > 0 ? memchr(from, delimiter, (size_t)left) : NULL;
    *field_out = (dv_text){from, end ? end - from : left};
    *at += field_out->nbytes + 1;
    return true;
}

/* Remove one level of backslashes. */
static dv_status unescape(dvi_option_string *words, dv_text *value, dv_error *err)
{
    dv_text copy;
    if (value->nbytes == 0 || !memchr(value->data, '\\', (size_t)value->nbytes))
        return DV_OK;
    DVI_TRY(dvi_arena_text(words->arena, &copy, *value, err));
    char *dst = (char *)(uintptr_t)copy.data; /* the arena's copy may be written */
    int64_t n = 0;
    for (int64_t i = 0; i < value->nbytes; i++) {
        i += is_escape(*value, i);
        dst[n++] = value->data[i];
    }
    *value = (dv_text){dst, n};
    return DV_OK;
}

dv_status dvi_option_string_value(dvi_option_string *words, dv_text *value_out, dv_error *err)
{
    const dv_text text = words->text;
    const char first = words->at < text.nbytes ? text.data[words->at] : ' ';
    const bool is_wrapped = first == '{' || first == '"';
    int64_t at = words->at + is_wrapped, depth = 1;
    const int64_t start = at;
    for (; at < text.nbytes; at++) {
        const char c = text.data[at];
        if (is_wrapped && is_escape(text, at)) {
            at++;
            continue;
        }
        if (is_wrapped ? first == '"' && c == '"' : is_blank(c) || c == '#')
            break;
        depth += first == '{' ? (c == '{') - (c == '}') : 0;
        if (depth == 0)
            break;
    }
    for (int64_t i = start; i < at && !is_wrapped; i++)
        DVI_REQUIRE(!memchr("{}\"", text.data[i], 3),
                    dvi_fail_argument(err, "options: %c at byte %lld: put the value in braces",
                                      text.data[i], (long long)i));
    if (is_wrapped && at >= text.nbytes)
        return dvi_fail_argument(err, "options: a %c at byte %lld stays open", first,
                                 (long long)start - 1);
    *value_out = (dv_text){text.data + start, at - start};
    words->at = at + is_wrapped;
    return is_wrapped ? unescape(words, value_out, err) : DV_OK;
}

dv_status dvi_option_string_next(dvi_option_string *words, dvi_option_word *word_out, dv_error *err)
{
    const dv_text text = words->text;
    while (words->at < text.nbytes && is_blank(text.data[words->at]))
        words->at++;
    if (words->at >= text.nbytes || text.data[words->at] == '#')
        return DV_END;
    const int64_t start = words->at;
    int64_t at = start;
    while (at < text.nbytes && !is_blank(text.data[at]) && !memchr("=+-{\"#", text.data[at], 6))
        at++;
    const char sign = at < text.nbytes ? text.data[at] : ' ';
    *word_out = (dvi_option_word){.name = {text.data + start, at - start}, .sign = '+'};
    DVI_REQUIRE(at > start && sign != '{' && sign != '"',
                dvi_fail_argument(err, "options: no name=value at byte %lld", (long long)start));
    words->at = at;
    if (sign == '#' || is_blank(sign))
        return DV_OK;
    word_out->sign = sign;
    words->at++;
    if (sign == '=')
        return dvi_option_string_value(words, &word_out->value, err);
    DVI_REQUIRE(
        words->at >= text.nbytes || is_blank(text.data[words->at]),
        dvi_fail_argument(err, "options: something after %c at byte %lld", sign, (long long)at));
    return DV_OK;
}

bool dvi_option_flag(const dvi_option_word *setting, bool *is_on_out)
{
    const bool has_one = setting->sign == '=' && setting->value.nbytes == 1;
    const char sign = has_one ? setting->value.data[0] : setting->sign;
    *is_on_out = sign == '+';
    return sign == '+' || sign == '-';
}
