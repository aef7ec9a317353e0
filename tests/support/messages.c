/* SPDX-License-Identifier: MIT */
/* messages.c: msgpack messages from a notation. */
#include "support/messages.h"
#include "base/load.h"
#include "support/page.h"
#include "support/produce.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MUST(condition) dvt_must(condition, #condition, __FILE__, __LINE__)

static void put(dvt_lines *out, const void *bytes, size_t n)
{
    dvt_lines_add(out, bytes, n);
}

static void put_byte(dvt_lines *out, unsigned byte)
{
    const uint8_t b = (uint8_t)byte;
    put(out, &b, 1);
}

/* width bytes, the highest first */
static void put_number(dvt_lines *out, uint64_t value, int width)
{
    while (width-- > 0)
        put_byte(out, (unsigned)(value >> 8 * width & 0xFF));
}

/* The head of what has a length: forms of 0 bits in the first byte, then of 1, 2 and 4 bytes; 0:
 * there is no such form. */
static void put_head(dvt_lines *out, size_t n, unsigned fix, size_t fix_most, unsigned one,
                     unsigned two)
{
    const bool is_one = one && n < 256, is_two = n < 65536;
    if (fix && n <= fix_most) {
        put_byte(out, fix | (unsigned)n);
        return;
    }
    put_byte(out, is_one ? one : is_two ? two : two + 1);
    put_number(out, n, is_one ? 1 : is_two ? 2 : 4);
}

static void put_str(dvt_lines *out, const char *text, size_t n)
{
    put_head(out, n, 0xA0, 31, 0xD9, 0xDA);
    put(out, text, n);
}

static void put_bin(dvt_lines *out, const void *data, size_t n)
{
    put_head(out, n, 0, 0, 0xC4, 0xC5);
    put(out, data, n);
}

static void put_integer(dvt_lines *out, const char *text)
{
    const bool is_negative = *text == '-';
    const uint64_t u = strtoull(text + is_negative, NULL, 10);
    const int64_t i = is_negative ? (int64_t)-u : 0;
    if (is_negative && i >= -32)
        put_byte(out, (unsigned)(i & 0xFF));
    else if (!is_negative && u < 128)
        put_byte(out, (unsigned)u);
    else {
        static const int widths[] = {1, 2, 4, 8};
        int k = 0;
        while (k < 3 &&
               (is_negative ? i < -(INT64_C(1) << (8 * widths[k] - 1)) : u >> 8 * widths[k] != 0))
            k++;
        put_byte(out, (is_negative ? 0xD0U : 0xCCU) + (unsigned)k);
        put_number(out, is_negative ? (uint64_t)i : u, widths[k]);
    }
}

static void put_real(dvt_lines *out, const char *text, bool is_short)
{
    const double value = strtod(text, NULL);
    const float narrow = (float)value;
    uint64_t bits;
    uint32_t narrow_bits;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    put_byte(out, is_short ? 0xCA : 0xCB);
    put_number(out, is_short ? narrow_bits : bits, is_short ? 4 : 8);
}

/* --- The notation ----------------------------------------------------------------------------- */

static const char *skip(const char *p)
{
    while (*p == ' ' || *p == '\n' || *p == ',')
        p++;
    return p;
}

/* Bytes as hex; what follows them. */
static const char *read_hex(dvt_lines *out, const char *p)
{
    unsigned byte;
    while (isxdigit((unsigned char)p[0]) && isxdigit((unsigned char)p[1])) {
        MUST(sscanf(p, "%2x", &byte) == 1);
        put_byte(out, byte);
        p += 2;
    }
    return p;
}

static const char *read_value(dvt_lines *out, const char *p);

static const char *read_number(dvt_lines *out, const char *p)
{
    const size_t n = strspn(p, "-0123456789.e+");
    const bool is_short = p[n] == 'f';
    if (is_short || memchr(p, '.', n) || memchr(p, 'e', n))
        put_real(out, p, is_short);
    else
        put_integer(out, p);
    MUST(n > 0);
    return p + n + is_short;
}

/* @TYPE[SHAPE]#HEX */
static const char *read_numpy(dvt_lines *out, const char *p)
{
    const size_t type = strcspn(p, "[#");
    /* a unit of time has brackets too: @<M8[ms][2]#... */
    size_t n = type;
    if ((p[1] == 'M' || p[1] == 'm') && p[n] == '[')
        n = (size_t)(strchr(p, ']') - p) + 1;
    const char *rest = p + n;
    const bool is_array = *rest == '[';
    dvt_lines shape = {0}, data = {0};
    if (is_array)
        rest = read_value(&shape, rest);
    MUST(*rest == '#');
    rest = read_hex(&data, rest + 1);
    put_byte(out, is_array ? 0x85 : 0x83);
    put_bin(out, "nd", 2);
    put_byte(out, is_array ? 0xC3 : 0xC2);
    put_bin(out, "type", 4);
    put_str(out, p, n);
    if (is_array) {
        put_bin(out, "kind", 4);
        put_bin(out, "", 0);
        put_bin(out, "shape", 5);
        put(out, shape.data, shape.nbytes);
    }
    put_bin(out, "data", 4);
    put_bin(out, data.data ? data.data : "", data.nbytes);
    dvt_lines_free(&shape);
    dvt_lines_free(&data);
    return rest;
}

static const char *read_complex(dvt_lines *out, const char *p)
{
    const size_t n = strcspn(p, "~");
    put_byte(out, 0x82);
    put_bin(out, "complex", 7);
    put_byte(out, 0xC3);
    put_bin(out, "data", 4);
    put_str(out, p, n);
    return p + n + 1;
}

/* Up to the closing bracket; a map's keys may be words. */
static const char *read_container(dvt_lines *out, const char *p, char end)
{
    dvt_lines inside = {0};
    size_t n = 0;
    for (p = skip(p); *p != end; p = skip(p), n++) {
        const size_t word = strcspn(p, ":,\"{[#!@ ");
        const bool is_word = isalpha((unsigned char)*p) && p[word] == ':';
        if (end == '}') {
            if (is_word)
                put_str(&inside, p, word);
            p = is_word ? p + word : read_value(&inside, p);
            MUST(*p == ':');
            p++;
        }
        p = read_value(&inside, skip(p));
    }
    put_head(out, n, end == '}' ? 0x80 : 0x90, 15, 0, end == '}' ? 0xDE : 0xDC);
    put(out, inside.data ? inside.data : "", inside.nbytes);
    dvt_lines_free(&inside);
    return p + 1;
}

static const char *read_value(dvt_lines *out, const char *p)
{
    dvt_lines bytes = {0};
    const char *end;
    switch (*p) {
    case '{':
        return read_container(out, p + 1, '}');
    case '[':
        return read_container(out, p + 1, ']');
    case 'n':
    case 'f':
    case 't':
        put_byte(out, *p == 'n' ? 0xC0 : *p == 'f' ? 0xC2 : 0xC3);
        return p + 1;
    case '"':
        end = strchr(p + 1, '"');
        put_str(out, p + 1, (size_t)(end - p) - 1);
        return end + 1;
    case '!':
        return read_hex(out, p + 1);
    case '#':
        end = read_hex(&bytes, p + 1);
        put_bin(out, bytes.data ? bytes.data : "", bytes.nbytes);
        dvt_lines_free(&bytes);
        return end;
    case '@':
        return read_numpy(out, p + 1);
    case '~':
        return read_complex(out, p + 1);
    default:
        return read_number(out, p);
    }
}

void dvt_messages_add(dvt_lines *bytes, const char *text)
{
    for (text = skip(text); *text; text = skip(text))
        text = read_value(bytes, text);
}

/* --- Views ------------------------------------------------------------------------------------ */

static void release_page(void *ctx)
{
    dvt_page_free(ctx);
    free(ctx);
}

dv_view *dvt_messages_open(const dvt_lines *bytes, const dv_open_options *given, dv_error *err)
{
    static const dv_open_options defaults = DV_OPEN_OPTIONS_INIT;
    dv_open_options options = given ? *given : defaults;
    if (!options.format)
        options.format = "datadings";
    dvt_page *page = malloc(sizeof *page);
    MUST(page);
    *page = dvt_page_create(bytes->nbytes);
    const uint8_t *data =
        dvt_page_copy_end(*page, bytes->data ? (const void *)bytes->data : "", bytes->nbytes);
    dv_view *view;
    dv_open_memory(&view, data, bytes->nbytes, release_page, page, "messages", &options, err);
    return view;
}

void dvt_messages_save(const dvt_path *folder, const char *text)
{
    dvt_lines data = {0}, offsets = {0}, keys = {0}, list = {0};
    size_t n = 0;
    put_number(&offsets, 0, 8);
    for (; *text; n++) {
        const size_t nbytes = strcspn(text, ";");
        char *message = strndup(text, nbytes);
        MUST(message);
        dvt_messages_add(&data, message);
        put_number(&offsets, data.nbytes, 8);
        free(message);
        char key[24];
        put_str(&keys, key, (size_t)snprintf(key, sizeof key, "k%zu", n));
        text += nbytes + (text[nbytes] == ';');
    }
    put_head(&list, n, 0x90, 15, 0, 0xDC);
    put(&list, keys.data, keys.nbytes);
    const dvt_path d = dvt_path_in(folder, "set.msgpack");
    const dvt_path o = dvt_path_in(folder, "set.msgpack.offsets");
    const dvt_path k = dvt_path_in(folder, "set.msgpack.keys");
    dvt_file_write(&d, data.data, data.nbytes);
    dvt_file_write(&o, offsets.data, offsets.nbytes);
    dvt_file_write(&k, list.data, list.nbytes);
    dvt_lines_free(&data);
    dvt_lines_free(&offsets);
    dvt_lines_free(&keys);
    dvt_lines_free(&list);
}

dv_view *dvt_messages_open_saved(const dvt_path *folder, const dv_open_options *options,
                                 dv_error *err)
{
    dv_view *view;
    dv_open(&view, dvt_path_in(folder, "set.msgpack").text, options, err);
    return view;
}

void dvt_messages_schema(dvt_lines *lines, const dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *column = dv_schema_column(schema, i);
        char type[80];
        int32_t found;
        dv_type_print(&column->type, type, sizeof type);
        dvt_lines_print(lines, "%s%.*s %s", i > 0 ? ", " : "", (int)column->name.nbytes,
                        column->name.data, type);
        if (dv_schema_find_metadata(schema, i, dv_text_of("MsgpackOpaque"), &found) == DV_OK)
            dvt_lines_add(lines, "?", 1);
        if (dv_schema_find_metadata(schema, i, dv_text_of("MsgpackMessage"), &found) == DV_OK)
            dvt_lines_add(lines, "!", 1);
    }
}

dv_status dvt_messages_rows(dvt_lines *lines, dv_view *view, const dv_cursor_options *options,
                            dv_error *err)
{
    return dvt_put_rows(lines, view, options, dvt_put_batch_by_value, err);
}
