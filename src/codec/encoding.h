/* SPDX-License-Identifier: MIT */
/* encoding.h: text in other encodings as UTF-8: the single-byte ones of WHATWG's Encoding Standard,
 * UTF-16, UTF-32, and those that iconv knows. */
#ifndef DVI_CODEC_ENCODING_H
#define DVI_CODEC_ENCODING_H

#include "base/owner.h"
#include <dataview/type.h>

#define DVI_ENCODING_NAME_NBYTES 32

/* Of SINGLE and OTHER, a byte below 128 that begins a character is that character of ASCII, and
 * other characters never contain LF and CR: so lines can be found before they are decoded. */
typedef enum dvi_encoding_kind {
    DVI_ENCODING_UTF8,
    DVI_ENCODING_UTF16_LE,
    DVI_ENCODING_UTF16_BE,
    DVI_ENCODING_UTF32_LE,
    DVI_ENCODING_UTF32_BE,
    DVI_ENCODING_SINGLE, /* a byte is a character */
    DVI_ENCODING_OTHER   /* iconv decodes it */
} dvi_encoding_kind;

/* A plain value; zeroed it is UTF-8. */
typedef struct dvi_encoding {
    dvi_encoding_kind kind;
    char name[DVI_ENCODING_NAME_NBYTES];
    const uint16_t *high; /* of SINGLE: the characters of the bytes 128 to 255; 0: none */
    char iconv[DVI_ENCODING_NAME_NBYTES]; /* of OTHER: what iconv calls it */
} dvi_encoding;

/* The encoding with this label: of the standard, in any case and with or without - and _; else a
 * name that iconv knows.
 * DV_OK; DV_NOT_FOUND: it is unknown; DV_ERR_UNSUPPORTED: this build or machine lacks it, or its
 * lines cannot be found before they are decoded; DV_ERR_MEMORY. */
dv_status dvi_encoding_find(dvi_encoding *encoding_out, dv_text label, dv_error *err);

/* Its name for people: "UTF-8", "windows-1252". */
const char *dvi_encoding_name(const dvi_encoding *encoding);

/* The bytes of a line end: 1, 2 or 4. */
static inline size_t dvi_encoding_width(const dvi_encoding *encoding)
{
    const dvi_encoding_kind kind = encoding->kind;
    return kind == DVI_ENCODING_UTF16_LE || kind == DVI_ENCODING_UTF16_BE   ? 2
           : kind == DVI_ENCODING_UTF32_LE || kind == DVI_ENCODING_UTF32_BE ? 4
                                                                            : 1;
}

/* The code at p, of as many bytes as the width. */
uint32_t dvi_encoding_unit(const dvi_encoding *encoding, const uint8_t *p);

/* An encoding, and memory to decode into. Zero all but the first members; free it with
 * dvi_transcoder_free. */
typedef struct dvi_transcoder {
    dvi_encoding encoding;
    void *iconv; /* NULL: not open */
    dvi_memory *memory;
} dvi_transcoder;

/* Decode n bytes, to be used until the next call; UTF-8 is left as it is. Damage,
 * such as half a surrogate pair, becomes one byte that is not UTF-8: whoever checks the text treats
 * all encodings alike. DV_OK; DV_ERR_MEMORY; DV_ERR_UNSUPPORTED: iconv has lost the encoding. */
dv_status dvi_transcoder_read(dvi_transcoder *transcoder, dv_text *text_out, const uint8_t *src,
                              size_t n, const dv_allocator *allocator, dv_error *err);
/* Decode n bytes of a SINGLE to dst, which has room for three times as many. Returns the bytes
 * written. */
size_t dvi_encoding_single(uint8_t *dst, const uint16_t *high, const uint8_t *src, size_t n);
void dvi_transcoder_free(dvi_transcoder *transcoder);

#endif
