/* SPDX-License-Identifier: MIT */
/* json_tree.c: parses JSON into a tree. */
#include "support/json_tree.h"
#include "base/utf8.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

typedef struct parser {
    const char *p, *end;
    dvi_arena *arena;
    int depth;
} parser;

static void *need(dvi_arena *arena, size_t nbytes)
{
    void *memory;
    if (dvi_arena_alloc(arena, &memory, nbytes, NULL) != DV_OK)
        abort();
    return memory;
}

static void skip_space(parser *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool take(parser *s, char c)
{
    skip_space(s);
    if (s->p == s->end || *s->p != c)
        return false;
    s->p++;
    return true;
}

static bool take_word(parser *s, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool take_digits(parser *s)
{
    const char *start = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > start;
}

static bool take_number(parser *s)
{
    take_word(s, "-");
    const char *start = s->p;
    if (!take_digits(s) || (*start == '0' && s->p > start + 1))
        return false;
    if (take_word(s, ".") && !take_digits(s))
        return false;
    if (!take_word(s, "e") && !take_word(s, "E"))
        return true;
    if (!take_word(s, "+"))
        take_word(s, "-");
    return take_digits(s);
}

static bool take_hex4(parser *s, uint32_t *unit_out)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++, s->p++) {
        const char *digits = "0123456789abcdefABCDEF";
        const char *at = s->p < s->end && *s->p ? strchr(digits, *s->p) : NULL;
        if (!at)
            return false;
        const uint32_t digit = (uint32_t)(at - digits);
        unit = unit << 4 | (digit < 16 ? digit : digit - 6);
    }
    *unit_out = unit;
    return true;
}

static size_t put_utf8(char *dst, uint32_t c)
{
    if (c < 0x80) {
        dst[0] = (char)c;
        return 1;
    }
    const size_t width = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = width - 1; i > 0; i--, c >>= 6)
        dst[i] = (char)(0x80 | (c & 0x3F));
    dst[0] = (char)((0xF00 >> width & 0xF0) | c);
    return width;
}

/* The character after "\u", both halves of a pair. */
static bool take_unicode(parser *s, uint32_t *c_out)
{
    uint32_t high, low;
    if (!take_hex4(s, &high) || (high >= 0xDC00 && high < 0xE000))
        return false;
    *c_out = high;
    if (high < 0xD800 || high >= 0xE000)
        return true;
    if (!take_word(s, "\\u") || !take_hex4(s, &low) || low < 0xDC00 || low >= 0xE000)
        return false;
    *c_out = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    return true;
}

/* The character of an escape; s->p is after the backslash.  0 bytes: no escape. */
static size_t take_escape(parser *s, char *dst)
{
    static const char names[] = "\"\\/bfnrt", stands_for[] = "\"\\/\b\f\n\r\t";
    if (take_word(s, "u")) {
        uint32_t c;
        return take_unicode(s, &c) ? put_utf8(dst, c) : 0;
    }
    const char *at = s->p < s->end && *s->p ? strchr(names, *s->p) : NULL;
    if (!at)
        return 0;
    *dst = stands_for[at - names];
    s->p++;
    return 1;
}

/* The bytes up to the closing quote; s->p is after the opening one. */
static bool take_string(parser *s, dv_text *text_out)
{
    const char *close = s->p;
    while (close < s->end && *close != '"')
        close += *close == '\\' && close + 1 < s->end ? 2 : 1;
    char *const text = need(s->arena, (size_t)(close - s->p) + 1); /* decoding never grows */
    char *dst = text;
    while (s->p < s->end && *s->p != '"') {
        size_t n;
        if (take_word(s, "\\")) {
            n = take_escape(s, dst);
        } else {
            n = (unsigned char)*s->p < 0x20 ? 0 : dvi_utf8_step(s->p, (size_t)(s->end - s->p));
            memcpy(dst, s->p, n);
            s->p += n;
        }
        if (n == 0)
            return false;
        dst += n;
    }
    *text_out = (dv_text){text, dst - text};
    return take_word(s, "\"");
}

static dvt_json *take_value(parser *s);

static bool take_members(parser *s, dvt_json *into, char close)
{
    dvt_json **end = &into->first;
    if (take(s, close))
        return true;
    do {
        dv_text key = {NULL, 0};
        if (close == '}' && !(take(s, '"') && take_string(s, &key) && take(s, ':')))
            return false;
        if (!(*end = take_value(s)))
            return false;
        (*end)->key = key;
        end = &(*end)->next;
        into->count++;
    } while (take(s, ','));
    return take(s, close);
}

static bool take_content(parser *s, dvt_json *value)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int kind = DVT_JSON_NULL; kind <= DVT_JSON_TRUE; kind++)
        if (take_word(s, words[kind])) {
            value->kind = (dvt_json_kind)kind;
            return true;
        }
    if (take_word(s, "\"")) {
        value->kind = DVT_JSON_STRING;
        return take_string(s, &value->text);
    }
    if (take_word(s, "[")) {
        value->kind = DVT_JSON_ARRAY;
        return take_members(s, value, ']');
    }
    if (take_word(s, "{")) {
        value->kind = DVT_JSON_OBJECT;
        return take_members(s, value, '}');
    }
    value->kind = DVT_JSON_NUMBER;
    return take_number(s);
}

/* NULL: no value here. */
static dvt_json *take_value(parser *s)
{
    skip_space(s);
    const char *start = s->p;
    dvt_json *value = need(s->arena, sizeof *value);
    if (s->depth == DEPTH_MAX)
        return NULL;
    s->depth++;
    const bool is_value = take_content(s, value);
    s->depth--;
    value->source = (dv_text){start, s->p - start};
    return is_value ? value : NULL;
}

const dvt_json *dvt_json_parse(dvi_arena *arena, dv_text text)
{
    parser s = {text.data, text.data + text.nbytes, arena, 0};
    const dvt_json *value = take_value(&s);
    skip_space(&s);
    return s.p == s.end ? value : NULL;
}

static bool same_text(dv_text a, dv_text b)
{
    return a.nbytes == b.nbytes && (a.nbytes == 0 || memcmp(a.data, b.data, (size_t)a.nbytes) == 0);
}

static bool is_text(dv_text a, const char *text)
{
    return same_text(a, (dv_text){text, (int64_t)strlen(text)});
}

const dvt_json *dvt_json_member(const dvt_json *object, const char *key)
{
    const dvt_json *found = NULL;
    if (object->kind == DVT_JSON_OBJECT)
        for (const dvt_json *m = object->first; m; m = m->next)
            found = is_text(m->key, key) ? m : found;
    return found;
}

const dvt_json *dvt_json_item(const dvt_json *array, int64_t i)
{
    if (array->kind != DVT_JSON_ARRAY || i < 0 || i >= array->count)
        return NULL;
    const dvt_json *item = array->first;
    while (i-- > 0)
        item = item->next;
    return item;
}

bool dvt_json_is_text(const dvt_json *value, const char *text)
{
    return value && value->kind == DVT_JSON_STRING && is_text(value->text, text);
}

bool dvt_json_same(const dvt_json *a, const dvt_json *b)
{
    if (a->kind != b->kind || a->count != b->count || !same_text(a->key, b->key))
        return false;
    if (a->kind == DVT_JSON_STRING)
        return same_text(a->text, b->text);
    if (a->kind == DVT_JSON_NUMBER)
        return same_text(a->source, b->source);
    for (a = a->first, b = b->first; a; a = a->next, b = b->next)
        if (!dvt_json_same(a, b))
            return false;
    return true;
}

int64_t dvt_json_int(const dvt_json *number)
{
    char *end;
    const int64_t value = strtoll(number->source.data, &end, 10);
    if (number->kind != DVT_JSON_NUMBER || end != number->source.data + number->source.nbytes)
        abort();
    return value;
}
