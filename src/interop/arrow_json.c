/* SPDX-License-Identifier: MIT */
/* arrow_json.c: reads JSON: the parts of it that metadata has. */
#include "interop/arrow_json.h"
#include <string.h>

#define DEPTH_MAX 64

dvi_json dvi_json_of(dv_text text)
{
    const char *data = text.nbytes > 0 ? text.data : "";
    return (dvi_json){data, data + (text.nbytes > 0 ? text.nbytes : 0), text.nbytes <= 0};
}

static void fail(dvi_json *json)
{
    json->is_wrong = true;
    json->at = json->end;
}

void dvi_json_space(dvi_json *json)
{
    while (json->at < json->end && (*json->at == ' ' || (*json->at >= '\t' && *json->at <= '\r')))
        json->at++;
}

bool dvi_json_take(dvi_json *json, char c)
{
    dvi_json_space(json);
    const bool is_next = json->at < json->end && *json->at == c;
    json->at += is_next;
    return is_next;
}

bool dvi_json_take_word(dvi_json *json, const char *word)
{
    const size_t n = strlen(word);
    dvi_json_space(json);
    const bool is_next = (size_t)(json->end - json->at) >= n && memcmp(json->at, word, n) == 0;
    json->at += is_next ? n : 0;
    return is_next;
}

void dvi_json_require(dvi_json *json, char c)
{
    if (!dvi_json_take(json, c))
        fail(json);
}

dv_text dvi_json_integer(dvi_json *json)
{
    dvi_json_space(json);
    const char *start = json->at;
    if (json->at < json->end && *json->at == '-')
        json->at++;
    const char *digits = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9')
        json->at++;
    if (json->at == digits)
        fail(json);
    return (dv_text){start, json->is_wrong ? 0 : json->at - start};
}

/* --- Strings ---------------------------------------------------------------------------------- */

/* Four digits of hex; -1: they are not there. */
static int32_t take_code(dvi_json *json)
{
    int32_t code = 0;
    if (json->end - json->at < 4)
        return -1;
    for (int i = 0; i < 4; i++) {
        const char c = *json->at++;
        const int32_t digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
        if (digit < 0)
            return -1;
        code = 16 * code + digit;
    }
    return code;
}

/* The character after \u, of which a pair of surrogates has two. */
static int32_t take_escaped(dvi_json *json)
{
    const int32_t high = take_code(json);
    if (high < 0xD800 || high > 0xDFFF)
        return high;
    if (high > 0xDBFF || json->end - json->at < 2 || json->at[0] != '\\' || json->at[1] != 'u')
        return -1;
    json->at += 2;
    const int32_t low = take_code(json);
    return low >= 0xDC00 && low <= 0xDFFF ? 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00) : -1;
}

static size_t put_utf8(char dst[4], uint32_t code)
{
    const size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t lead[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = n; i-- > 1; code >>= 6)
        dst[i] = (char)(0x80 | (code & 0x3F));
    dst[0] = (char)(lead[n] | code);
    return n;
}

/* What an escape stands for; 0: it is none. */
static size_t take_escape(dvi_json *json, char dst[4])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const char c = json->at < json->end ? *json->at++ : '\0';
    const char *known = c ? strchr(from, c) : NULL;
    if (known) {
        *dst = to[known - from];
        return 1;
    }
    const int32_t code = c == 'u' ? take_escaped(json) : -1;
    return code < 0 ? 0 : put_utf8(dst, (uint32_t)code);
}

size_t dvi_json_string(dvi_json *json, char *dst)
{
    size_t n = 0;
    dvi_json_require(json, '"');
    while (json->at < json->end && *json->at != '"') {
        char escaped[4] = {*json->at++};
        const size_t width = escaped[0] == '\\' ? take_escape(json, escaped) : 1;
        if (width == 0)
            fail(json);
        if (dst)
            memcpy(dst + n, escaped, width);
        n += width;
    }
    dvi_json_require(json, '"');
    return json->is_wrong ? 0 : n;
}

dv_text dvi_json_word(dvi_json *json)
{
    dvi_json_require(json, '"');
    const char *start = json->at;
    while (json->at < json->end && *json->at != '"' && *json->at != '\\')
        json->at++;
    const int64_t n = json->at - start;
    dvi_json_require(json, '"');
    return (dv_text){start, json->is_wrong ? 0 : n};
}

/* --- Values ----------------------------------------------------------------------------------- */

/* Brackets are counted, not matched: what is passed over is not used. */
void dvi_json_skip(dvi_json *json)
{
    int depth = 0;
    do {
        dvi_json_space(json);
        const char c = json->at < json->end ? *json->at : '\0';
        if (c == '\0' || depth > DEPTH_MAX) {
            fail(json);
        } else if (c == '"') {
            dvi_json_string(json, NULL);
        } else {
            depth += c == '[' || c == '{';
            depth -= c == ']' || c == '}';
            json->at++;
            while (depth == 0 && json->at < json->end && *json->at != ',' && *json->at != '}' &&
                   *json->at != ']')
                json->at++;
        }
    } while (depth > 0 && !json->is_wrong);
}

bool dvi_json_is_done(dvi_json *json)
{
    dvi_json_space(json);
    return !json->is_wrong && json->at == json->end;
}

/* --- Lists of numbers --------------------------------------------------------------------------
 */

int32_t dvi_json_integers(dvi_json *json, int32_t *numbers, int32_t cap)
{
    int32_t n = 0;
    dvi_json_require(json, '[');
    do {
        const dv_text digits = dvi_json_integer(json);
        int64_t number = 0;
        for (int64_t i = 0; i < digits.nbytes && number <= INT32_MAX; i++)
            number = digits.data[i] == '-' ? INT64_MAX / 16 : 10 * number + (digits.data[i] - '0');
        if (json->is_wrong || n == cap || number > INT32_MAX) {
            fail(json);
            return 0;
        }
        numbers[n++] = (int32_t)number;
    } while (dvi_json_take(json, ','));
    dvi_json_require(json, ']');
    return json->is_wrong ? 0 : n;
}
