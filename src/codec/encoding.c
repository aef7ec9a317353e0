/* SPDX-License-Identifier: MIT */
/* encoding.c: finds encodings by their labels, and decodes those of tables, UTF-16 and UTF-32. */
#include "codec/encoding.h"
#include "base/check.h"
#include "base/load.h"
#include "base/utf8.h"
#include "codec/encoding_priv.h"
#include <stdlib.h>
#include <string.h>

typedef struct label {
    const char *text;
    int encoding;
} label;

#include "codec/encoding_tbl.h"

/* --- Labels --- */

/* The label in lower case without - _ . and spaces; false: it is too long, or has other characters
 * than labels have. */
static bool make_plain(char plain[DVI_ENCODING_NAME_NBYTES], dv_text text)
{
    size_t n = 0;
    if (text.nbytes <= 0 || text.nbytes >= DVI_ENCODING_NAME_NBYTES)
        return false;
    for (int64_t i = 0; i < text.nbytes; i++) {
        const char c = text.data[i];
        const bool is_upper = c >= 'A' && c <= 'Z';
        if (is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == ':' || c == '+')
            plain[n++] = (char)(is_upper ? c + 32 : c);
        else if (c != '-' && c != '_' && c != '.' && c != ' ')
            return false;
    }
    plain[n] = '\0';
    return n > 0;
}

static int compare(const void *key, const void *item)
{
    return strcmp(key, ((const label *)item)->text);
}

dv_status dvi_encoding_find(dvi_encoding *encoding_out, dv_text text, dv_error *err)
{
    char plain[DVI_ENCODING_NAME_NBYTES];
    *encoding_out = (dvi_encoding){.kind = DVI_ENCODING_UTF8};
    if (!make_plain(plain, text))
        return DV_NOT_FOUND;
    const label *found =
        bsearch(plain, labels, sizeof labels / sizeof *labels, sizeof *labels, compare);
    if (found) {
        *encoding_out = encodings[found->encoding];
    } else {
        encoding_out->kind = DVI_ENCODING_OTHER;
        memcpy(encoding_out->name, text.data, (size_t)text.nbytes);
    }
    return encoding_out->kind == DVI_ENCODING_OTHER ? dvi_encoding_check_iconv(encoding_out, err)
                                                    : DV_OK;
}

const char *dvi_encoding_name(const dvi_encoding *encoding)
{
    static const char *const names[] = {"UTF-8", "UTF-16LE", "UTF-16BE", "UTF-32LE", "UTF-32BE"};
    return encoding->kind < DVI_ENCODING_SINGLE ? names[encoding->kind] : encoding->name;
}

/* --- Decoding --- */

uint32_t dvi_encoding_unit(const dvi_encoding *encoding, const uint8_t *p)
{
    switch (encoding->kind) {
    case DVI_ENCODING_UTF16_LE:
        return dvi_load_u16(p);
    case DVI_ENCODING_UTF16_BE:
        return dvi_load_u16_be(p);
    case DVI_ENCODING_UTF32_LE:
        return dvi_load_u32(p);
    case DVI_ENCODING_UTF32_BE:
        return (uint32_t)dvi_load_i32_be(p);
    case DVI_ENCODING_UTF8:
    case DVI_ENCODING_SINGLE:
    case DVI_ENCODING_OTHER:
        break;
    }
    return *p;
}

/* Write a character as UTF-8; a code without a character becomes a byte that is not UTF-8. Returns
 * the bytes written. */
static size_t write_utf8(uint8_t *dst, uint32_t c)
{
    if (c >> 11 == 0x1B || c > 0x10FFFF) { /* half a surrogate pair, or beyond all characters */
        *dst = DVI_ENCODING_DAMAGE;
        return 1;
    }
    return dvi_utf8_write((char *)dst, c);
}

static size_t decode_units(const dvi_encoding *encoding, uint8_t *dst, const uint8_t *p, size_t n)
{
    const size_t width = dvi_encoding_width(encoding);
    size_t used = 0;
    for (size_t i = 0; i < n; i += width) {
        uint32_t c = n - i >= width ? dvi_encoding_unit(encoding, p + i) : UINT32_MAX;
        const bool is_high = width == 2 && c >> 10 == 0x36;
        const uint32_t next = is_high && n - i >= 4 ? dvi_encoding_unit(encoding, p + i + 2) : 0;
        if (next >> 10 == 0x37) {
            c = 0x10000 + ((c & 0x3FF) << 10) + (next & 0x3FF);
            i += 2;
        }
        used += write_utf8(dst + used, c);
    }
    return used;
}

size_t dvi_encoding_single(uint8_t *dst, const uint16_t *high, const uint8_t *src, size_t n)
{
    size_t used = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t c = src[i] < 0x80 ? src[i] : high[src[i] - 0x80];
        if (c < 0x80 && src[i] < 0x80)
            dst[used++] = (uint8_t)c;
        else
            used += write_utf8(dst + used, c ? c : UINT32_MAX);
    }
    return used;
}

dv_status dvi_transcoder_read(dvi_transcoder *d, dv_text *text_out, const uint8_t *src, size_t n,
                              const dv_allocator *allocator, dv_error *err)
{
    *text_out = (dv_text){(const char *)src, (int64_t)n};
    if (d->encoding.kind == DVI_ENCODING_UTF8)
        return DV_OK;
    if (d->encoding.kind == DVI_ENCODING_OTHER)
        return dvi_encoding_iconv(d, text_out, src, n, allocator, err);
    DVI_TRY(dvi_memory_reserve(&d->memory, allocator, 3 * n + 1, err));
    uint8_t *dst = d->memory->data;
    const size_t used = d->encoding.kind == DVI_ENCODING_SINGLE
                            ? dvi_encoding_single(dst, d->encoding.high, src, n)
                            : decode_units(&d->encoding, dst, src, n);
    *text_out = (dv_text){(const char *)dst, (int64_t)used};
    return DV_OK;
}

void dvi_transcoder_free(dvi_transcoder *transcoder)
{
    dvi_memory_release(&transcoder->memory);
    dvi_encoding_close_iconv(&transcoder->iconv);
}
