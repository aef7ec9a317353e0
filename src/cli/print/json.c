/* SPDX-License-Identifier: MIT */
/* json.c: appends members and values to a JSON document. */
#include "cli/print/json.h"
#include "cli/terminal/clip.h"
#include "cli/terminal/glyph.h"
#include "cli/terminal/notation.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_LEAST ((size_t)4 << 10)

/* Zeroed memory: the memory sanitizer does not see what jansson writes. */
static void *allocate(size_t nbytes)
{
    return calloc(1, nbytes);
}

/* Make room for nbytes more. */
static bool make_room(dvi_json *json, size_t nbytes)
{
    if (json->is_failed || nbytes <= json->cap - json->nbytes)
        return !json->is_failed;
    size_t cap = json->cap ? json->cap : TEXT_LEAST;
    while (nbytes > cap - json->nbytes && cap <= SIZE_MAX / 2)
        cap *= 2;
    char *text = nbytes <= cap - json->nbytes ? realloc(json->text, cap) : NULL;
    json->is_failed = text == NULL;
    if (!text)
        return false;
    memset(text + json->cap, 0, cap - json->cap); /* as above */
    json->text = text;
    json->cap = cap;
    return true;
}

static bool put(void *ctx, const char *data, size_t nbytes)
{
    dvi_json *json = ctx;
    if (!make_room(json, nbytes))
        return false;
    memcpy(json->text + json->nbytes, data, nbytes);
    json->nbytes += nbytes;
    json->needs_comma = true;
    return true;
}

static void put_comma(dvi_json *json)
{
    if (json->needs_comma)
        put(json, ",", 1);
}

dv_sink dvi_json_member(dvi_json *json, dv_text name)
{
    const dv_sink sink = {put, json};
    put_comma(json);
    dv_text_write_json(name, &sink);
    put(json, ":", 1);
    return sink;
}

void dvi_json_open(dvi_json *json, dv_text name, char bracket)
{
    if (name.nbytes >= 0) {
        dvi_json_member(json, name);
    } else {
        put_comma(json);
        put(json, "\n", 1);
    }
    put(json, &bracket, 1);
    json->needs_comma = false;
}

void dvi_json_close(dvi_json *json, char bracket)
{
    put(json, &bracket, 1);
}

/* jansson writes the value, and returns the room that it takes. */
static void put_value(dvi_json *json, const json_t *value)
{
    const size_t flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(6);
    const size_t room = json->cap - json->nbytes;
    size_t n = json_dumpb(value, json->text + json->nbytes, room, flags);
    if (n > room && make_room(json, n))
        n = json_dumpb(value, json->text + json->nbytes, n, flags);
    json->is_failed |= n == 0;
    json->nbytes += json->is_failed ? 0 : n;
    json->needs_comma = true;
}

void dvi_json_put(dvi_json *json, const char *name, json_t *value)
{
    json->is_failed |= value == NULL;
    if (name)
        dvi_json_member(json, dv_text_of(name));
    else
        put_comma(json);
    if (!json->is_failed)
        put_value(json, value);
    json_decref(value);
}

void dvi_json_begin(dvi_json *json, const char *verb, const dvi_args *args)
{
    json_set_alloc_funcs(allocate, free);
    *json = (dvi_json){0};
    put(json, "{", 1);
    json->needs_comma = false;
    dvi_json_put(json, "verb", dvi_json_cstr(verb));
    if (!args)
        return;
    dvi_json_open(json, dv_text_of("files"), '[');
    for (int i = 0; i < args->paths.count; i++)
        dvi_json_put(json, NULL, dvi_json_cstr(args->paths.word[i]));
    dvi_json_close(json, ']');
}

/* Write it with unsafe characters (glyph.h) as \u escapes; they occur in strings only. */
static bool write_escaped(dvi_out *out, const char *text, size_t nbytes)
{
    size_t from = 0;
    for (size_t i = 0; i < nbytes;) {
        char escape[DVI_ESCAPE_CAP];
        uint32_t code;
        if ((unsigned char)text[i] < 0x7F) {
            i++;
            continue;
        }
        const dvi_glyph glyph = dvi_glyph_first(text + i, nbytes - i, escape);
        if (glyph.data == escape && dvi_utf8_decode(text + i, nbytes - i, &code)) {
            dvi_out_write(out, text + from, i - from);
            dvi_out_print(out, "\\u%04x", (unsigned)code);
            from = i + glyph.source_nbytes;
        }
        i += glyph.source_nbytes;
    }
    return dvi_out_write(out, text + from, nbytes - from);
}

dvi_exit dvi_json_end(dvi_json *json, dvi_out *out)
{
    put(json, "}\n", 2);
    const dvi_exit status = json->is_failed ? dvi_say_memory() : DVI_EXIT_DONE;
    if (!status)
        write_escaped(out, json->text, json->nbytes);
    dvi_json_free(json);
    return status;
}

void dvi_json_free(dvi_json *json)
{
    free(json->text);
    *json = (dvi_json){0};
}

json_t *dvi_json_count(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static bool is_well_formed(dv_text text)
{
    uint32_t code;
    size_t n;
    for (size_t i = 0, nbytes = (size_t)text.nbytes; i < nbytes; i += n)
        if ((n = dvi_utf8_decode(text.data + i, nbytes - i, &code)) == 0)
            return false;
    return true;
}

json_t *dvi_json_text(dv_text text)
{
    json_t *string = NULL;
    if (text.nbytes < 0)
        return json_null();
    if (is_well_formed(text))
        return json_stringn(text.data, (size_t)text.nbytes);
    dvi_clip clip = {.most = DVI_CLIP_UNLIMITED}; /* a path can hold any bytes */
    if (dvi_clip_write(&clip, text.data, (size_t)text.nbytes))
        string = json_stringn(clip.text, clip.nbytes);
    dvi_clip_free(&clip);
    return string;
}

json_t *dvi_json_cstr(const char *text)
{
    return dvi_json_text(dv_text_of(text));
}

json_t *dvi_json_type(const dv_type *type)
{
    char *notation = dvi_notation(type);
    json_t *string = notation ? json_string(notation) : NULL;
    free(notation);
    return string;
}

json_t *dvi_json_rate(double n, double seconds)
{
    const double rate = n / seconds;
    return isfinite(rate) && rate < 0x1p62 ? json_integer((json_int_t)(rate + 0.5)) : json_null();
}

json_t *dvi_json_real(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *dvi_json_ns(double seconds)
{
    return json_integer((json_int_t)(1e9 * seconds + 0.5));
}
