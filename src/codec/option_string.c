/* SPDX-License-Identifier: MIT */
/* option_string.c: parses strings of options. */
#include "codec/option_string.h"
#include "base/check.h"
#include "codec/space.h"
#include <string.h>

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
    const char *start = dvi_space_skip(text.data, end);
    for (size_t step; start < end && (step = dvi_space_step_back(start, end)) > 0;)
        end -= step;
    return (dv_text){start, start < end ? end - start : 0};
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

bool dvi_text_split_type(dv_text text, dv_text *name_out, dv_text *type_out)
{
    int64_t colon = text.nbytes - 1;
    while (colon > 0 && text.data[colon] != ':')
        colon--;
    if (colon <= 0)
        return false;
    *name_out = (dv_text){text.data, colon};
    *type_out = (dv_text){text.data + colon + 1, text.nbytes - colon - 1};
    return true;
}

/* --- Tokens (semantics:6.3) --------------------------------------------------------------------
 */

static bool is_special(char c)
{
    return c == '"' || c == '{' || c == '}' || c == '#';
}

/* The number of bytes of the white space at this offset; 0: none. */
static size_t blank_at(dv_text text, int64_t at)
{
    return dvi_space_step(text.data + at, text.data + text.nbytes);
}

/* What is read of a token: never more bytes than the token has. */
typedef struct content {
    char *data; /* NULL: they are only counted */
    int64_t n;
} content;

static void put(content *c, char byte)
{
    if (c->data)
        c->data[c->n] = byte;
    c->n++;
}

/* Read a run of backslashes, and the special character that the last of them makes literal.
 * is_reduced: the others count in pairs before a special character.  Returns the end. */
static int64_t read_slashes(content *c, dv_text text, int64_t at, bool is_reduced)
{
    int64_t end = at;
    while (end < text.nbytes && text.data[end] == '\\')
        end++;
    const int64_t n = end - at;
    const bool escapes = end < text.nbytes && is_special(text.data[end]);
    for (int64_t i = escapes && is_reduced ? n - n / 2 : 0; i < n; i++)
        put(c, '\\');
    if (escapes && n % 2)
        put(c, text.data[end++]);
    return end;
}

/* The end of what stays open, as a negative number. */
static int64_t open_at(int64_t at)
{
    return -1 - at;
}

/* Read "..."; is_reduced: without the quotes.  Returns the end, or open_at(of the quote). */
static int64_t read_quoted(content *c, dv_text text, int64_t at, bool is_reduced)
{
    const int64_t start = at;
    if (!is_reduced)
        put(c, '"');
    for (at++; at < text.nbytes && text.data[at] != '\n' && text.data[at] != '\r';) {
        const char byte = text.data[at];
        if (byte == '\\') {
            at = read_slashes(c, text, at, is_reduced);
            continue;
        }
        if (byte != '"' || !is_reduced)
            put(c, byte);
        at++;
        if (byte == '"')
            return at;
    }
    return open_at(start);
}

/* Read what is between { and its }.  Groups and quotes inside stay as they are.  Returns the end
 * behind }, or open_at(of the brace or a quote). */
static int64_t read_group(content *c, dv_text text, int64_t at)
{
    const int64_t start = at;
    int64_t depth = 1;
    for (at++; at >= 0 && at < text.nbytes;) {
        const char byte = text.data[at];
        if (byte == '"') {
            at = read_quoted(c, text, at, false);
        } else if (byte == '\\') {
            at = read_slashes(c, text, at, depth == 1);
        } else {
            depth += (byte == '{') - (byte == '}');
            at++;
            if (depth == 0)
                return at;
            put(c, byte);
        }
    }
    return at < 0 ? at : open_at(start);
}

/* Read to a blank, a brace or a comment.  Returns the end, or open_at(of a quote). */
static int64_t read_bare(content *c, dv_text text, int64_t at)
{
    while (at >= 0 && at < text.nbytes && !blank_at(text, at)) {
        const char byte = text.data[at];
        if (byte == '"') {
            at = read_quoted(c, text, at, true);
        } else if (byte == '\\') {
            at = read_slashes(c, text, at, true);
        } else if (is_special(byte)) {
            break;
        } else {
            put(c, byte);
            at++;
        }
    }
    return at;
}

static int64_t read_value(content *c, dv_text text, int64_t at)
{
    const bool is_group = at < text.nbytes && text.data[at] == '{';
    return (is_group ? read_group : read_bare)(c, text, at);
}

dv_status dvi_option_string_value(dvi_option_string *words, dv_text *value_out, dv_error *err)
{
    const dv_text text = words->text;
    const int64_t start = words->at;
    const bool is_group = start < text.nbytes && text.data[start] == '{';
    content counted = {NULL, 0};
    const int64_t end = read_value(&counted, text, start);
    if (end < 0)
        return dvi_fail_argument(err, "options: a %c at byte %lld stays open",
                                 text.data[open_at(end)], (long long)open_at(end));
    DVI_REQUIRE(is_group || end >= text.nbytes || !memchr("{}", text.data[end], 2),
                dvi_fail_argument(err, "options: %c at byte %lld: put the value in braces",
                                  text.data[end], (long long)end));
    words->at = end;
    *value_out = (dv_text){text.data + start + is_group, end - start - 2 * is_group};
    if (counted.n == value_out->nbytes)
        return DV_OK; /* as it is: reading only leaves bytes out */
    DVI_TRY(dvi_arena_text(words->arena, value_out, *value_out, err));
    content copy = {(char *)(uintptr_t)value_out->data, 0}; /* the arena's copy may be written */
    read_value(&copy, text, start);
    value_out->nbytes = copy.n;
    return DV_OK;
}

dv_status dvi_option_string_next(dvi_option_string *words, dvi_option_word *word_out, dv_error *err)
{
    const dv_text text = words->text;
    const char *end = text.data + text.nbytes;
    if (words->at < text.nbytes)
        words->at = dvi_space_skip(text.data + words->at, end) - text.data;
    if (words->at >= text.nbytes || text.data[words->at] == '#')
        return DV_END;
    const int64_t start = words->at;
    int64_t at = start;
    while (at < text.nbytes && !blank_at(text, at) && !memchr("=+-{\"#", text.data[at], 6))
        at++;
    const char sign = at < text.nbytes && !blank_at(text, at) ? text.data[at] : ' ';
    *word_out = (dvi_option_word){.name = {text.data + start, at - start}, .sign = '+'};
    DVI_REQUIRE(at > start && sign != '{' && sign != '"',
                dvi_fail_argument(err, "options: no name=value at byte %lld", (long long)start));
    words->at = at;
    if (sign == '#' || sign == ' ')
        return DV_OK;
    word_out->sign = sign;
    words->at++;
    word_out->in_braces = words->at < text.nbytes && text.data[words->at] == '{';
    if (sign == '=')
        return dvi_option_string_value(words, &word_out->value, err);
    DVI_REQUIRE(
        words->at >= text.nbytes || blank_at(text, words->at),
        dvi_fail_argument(err, "options: something after %c at byte %lld", sign, (long long)at));
    return DV_OK;
}

/* --- Quoting (semantics:6.3) -------------------------------------------------------------------
 */

bool dvi_option_string_is_bare(dv_text value)
{
    for (int64_t i = 0; i < value.nbytes; i++)
        if (is_special(value.data[i]) || value.data[i] == '=' || blank_at(value, i))
            return false;
    return value.nbytes > 0;
}

/* Whether {value} reads as the value. */
static bool is_read_as_it_is(dv_text braced)
{
    content counted = {NULL, 0};
    return read_group(&counted, braced, 0) == braced.nbytes && counted.n == braced.nbytes - 2;
}

/* Append the value so that each special character is literal. */
static void put_escaped(content *c, dv_text value)
{
    for (int64_t i = 0; i < value.nbytes;) {
        int64_t slashes = 0;
        while (i < value.nbytes && value.data[i] == '\\') {
            slashes++;
            i++;
        }
        const bool is_last = i == value.nbytes, escapes = !is_last && is_special(value.data[i]);
        for (int64_t n = escapes || is_last ? 2 * slashes + escapes : slashes; n > 0; n--)
            put(c, '\\');
        if (!is_last)
            put(c, value.data[i++]);
    }
}

dv_status dvi_option_string_quote(dv_text *quoted_out, dv_text value, dvi_arena *arena,
                                  dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(arena, &made, 2 * (size_t)value.nbytes + 2, err));
    content quoted = {made, 1};
    quoted.data[0] = '{';
    for (int64_t i = 0; i < value.nbytes; i++)
        put(&quoted, value.data[i]);
    put(&quoted, '}');
    if (!is_read_as_it_is((dv_text){quoted.data, quoted.n})) {
        quoted.n = 1;
        put_escaped(&quoted, value);
        put(&quoted, '}');
    }
    *quoted_out = (dv_text){quoted.data, quoted.n};
    return DV_OK;
}

/* --- Flags -------------------------------------------------------------------------------------
 */

bool dvi_option_flag(const dvi_option_word *setting, bool *is_on_out)
{
    const bool has_one = setting->sign == '=' && setting->value.nbytes == 1;
    const char sign = has_one ? setting->value.data[0] : setting->sign;
    *is_on_out = sign == '+';
    return sign == '+' || sign == '-';
}
