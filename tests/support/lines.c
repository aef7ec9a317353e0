/* SPDX-License-Identifier: MIT */
/* lines.c: a growing text, and the notation of values in golden files. */
#include "support/lines.h"
#include "base/load.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void dvt_lines_free(dvt_lines *lines)
{
    free(lines->data);
    *lines = (dvt_lines){0};
}

static void reserve(dvt_lines *lines, size_t more)
{
    const size_t need = lines->nbytes + more + 1;
    if (need <= lines->cap)
        return;
    const size_t cap = 2 * need;
    char *data = realloc(lines->data, cap);
    if (!data)
        abort();
    lines->data = data;
    lines->cap = cap;
}

void dvt_lines_add(dvt_lines *lines, const char *data, size_t nbytes)
{
    reserve(lines, nbytes);
    if (nbytes > 0)
        memcpy(lines->data + lines->nbytes, data, nbytes);
    lines->nbytes += nbytes;
    lines->data[lines->nbytes] = '\0';
}

void dvt_lines_print(dvt_lines *lines, const char *format, ...)
{
    va_list args;
    reserve(lines, 200);
    va_start(args, format);
    const int n = vsnprintf(lines->data + lines->nbytes, 200, format, args);
    va_end(args);
    if (n < 0 || n >= 200)
        abort(); /* longer texts are added, not printed */
    lines->nbytes += (size_t)n;
}

void dvt_lines_string(dvt_lines *lines, dv_text text)
{
    if (text.nbytes < 0) {
        dvt_lines_print(lines, "null");
        return;
    }
    dvt_lines_add(lines, "\"", 1);
    for (int64_t i = 0; i < text.nbytes; i++) {
        const unsigned char c = (unsigned char)text.data[i];
        if (c < 0x20 || c == '"' || c == '\\')
            dvt_lines_print(lines, "\\u%04x", c);
        else
            dvt_lines_add(lines, text.data + i, 1);
    }
    dvt_lines_add(lines, "\"", 1);
}

/* A whole number of `width` bytes, or null when it is NA. */
static void put_signed(dvt_lines *lines, const char *prefix, const char *suffix, int64_t value,
                       int64_t na)
{
    if (value == na)
        dvt_lines_print(lines, "null");
    else
        dvt_lines_print(lines, "%s%" PRId64 "%s", prefix, value, suffix);
}

static void put_bool(dvt_lines *lines, int8_t value)
{
    dvt_lines_print(lines, "%s", value == 0 ? "false" : value == 1 ? "true" : "null");
}

void dvt_lines_fixed(dvt_lines *lines, const dv_type *type, const void *bits)
{
    const int8_t first = *(const int8_t *)bits;
    switch (type->kind) {
    case DV_KIND_I1:
        put_signed(lines, "", "", first, INT8_MIN);
        return;
    case DV_KIND_I2:
        put_signed(lines, "", "", dvi_load_i16(bits), INT16_MIN);
        return;
    case DV_KIND_I4:
        put_signed(lines, "", "", dvi_load_i32(bits), INT32_MIN);
        return;
    case DV_KIND_I8:
        put_signed(lines, "", "", dvi_load_i64(bits), INT64_MIN);
        return;
    case DV_KIND_TS:
        put_signed(lines, "\"ts:", "\"", dvi_load_i64(bits), INT64_MIN);
        return;
    case DV_KIND_DT:
        put_signed(lines, "\"dt:", "\"", dvi_load_i64(bits), INT64_MIN);
        return;
    case DV_KIND_U1:
        dvt_lines_print(lines, "%u", (unsigned)(uint8_t)first);
        return;
    case DV_KIND_U2:
        dvt_lines_print(lines, "%u", (unsigned)dvi_load_u16(bits));
        return;
    case DV_KIND_U4:
        dvt_lines_print(lines, "%" PRIu32, dvi_load_u32(bits));
        return;
    case DV_KIND_U8:
        dvt_lines_print(lines, "%" PRIu64, dvi_load_u64(bits));
        return;
    case DV_KIND_R4:
        dvt_lines_print(lines, "\"r4:%08" PRIx32 "\"", dvi_load_u32(bits));
        return;
    case DV_KIND_R8:
        dvt_lines_print(lines, "\"r8:%016" PRIx64 "\"", dvi_load_u64(bits));
        return;
    case DV_KIND_BL:
        put_bool(lines, first);
        return;
    case DV_KIND_UG:
        dvt_lines_print(lines, "\"ug:%016" PRIx64 "%016" PRIx64 "\"",
                        dvi_load_u64((const char *)bits + 8), dvi_load_u64(bits));
        return;
    default:
        abort();
    }
}

void dvt_lines_zoned(dvt_lines *lines, dv_zoned value)
{
    if (value.ticks == DV_TICKS_NA)
        dvt_lines_print(lines, "null");
    else
        dvt_lines_print(lines, "\"dz:%" PRId64 ":%d\"", value.ticks, value.minutes);
}

void dvt_lines_bytes(dvt_lines *lines, dv_text bytes)
{
    dvt_lines_print(lines, "\"by:");
    for (int64_t i = 0; i < bytes.nbytes; i++)
        dvt_lines_print(lines, "%02x", (unsigned)(uint8_t)bytes.data[i]);
    dvt_lines_print(lines, "\"");
}

static bool add(void *ctx, const char *data, size_t nbytes)
{
    dvt_lines_add(ctx, data, nbytes);
    return true;
}

dv_sink dvt_lines_sink(dvt_lines *lines)
{
    return (dv_sink){add, lines};
}

dv_text dvt_lines_text(const dvt_lines *lines)
{
    return (dv_text){lines->data ? lines->data : "", (int64_t)lines->nbytes};
}

uint64_t dvt_lines_hash(const dvt_lines *lines)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < lines->nbytes; i++)
        hash = (hash ^ (uint8_t)lines->data[i]) * UINT64_C(0x100000001b3);
    return hash;
}
