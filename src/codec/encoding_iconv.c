/* SPDX-License-Identifier: MIT */
/* encoding_iconv.c: decodes what the C library's iconv knows. */
#include "base/check.h"
#include "codec/encoding_priv.h"
#include <string.h>

#define RULE "docs/formats/text.md"

static dv_status fail_lacking(const dvi_encoding *encoding, const char *wanted, const char *found,
                              dv_error *err)
{
    dvi_fail(err, DV_ERR_UNSUPPORTED, RULE, -1, "option encoding", "%s|%s: %s", wanted,
             encoding->name, found);
    dvi_error_advise(err, "iconv -f ENCODING -t UTF-8 FILE > OUT.csv, where there is one");
    return DV_ERR_UNSUPPORTED;
}

#ifdef DVI_HAS_ICONV
#include <errno.h>
#include <iconv.h>

#define NOT_OPEN ((iconv_t)-1)
#define FAILED ((size_t)-1)
#define CHARACTER_NBYTES 64 /* room for what two bytes become */

static iconv_t open_iconv(const char *name)
{
    return iconv_open("UTF-8", name);
}

/* Decode up to n <= 2 bytes on their own. Returns the bytes written; FAILED: iconv refuses them. */
static size_t try_bytes(iconv_t cd, const char *src, size_t n, char dst[CHARACTER_NBYTES])
{
    char bytes[2] = {src[0], n > 1 ? src[1] : '\0'};
    char *in = bytes, *out = dst;
    size_t left = CHARACTER_NBYTES;
    iconv(cd, NULL, NULL, NULL, NULL);
    if (iconv(cd, &in, &n, &out, &left) == FAILED || iconv(cd, NULL, NULL, &out, &left) == FAILED)
        return FAILED;
    return (size_t)(out - dst);
}

/* Are the first 128 bytes ASCII, and the ends of lines no part of other characters? */
static bool has_lines(iconv_t cd)
{
    char text[CHARACTER_NBYTES];
    for (int c = 0; c < 0x80; c++)
        if (try_bytes(cd, &(char){(char)c}, 1, text) != 1 || *text != (char)c)
            return false;
    for (int lead = 0x80; lead <= 0xFF; lead++)
        for (const char *end = "\r\n"; *end; end++) {
            const size_t n = try_bytes(cd, (char[]){(char)lead, *end}, 2, text);
            if (n != FAILED && (n == 0 || text[n - 1] != *end))
                return false;
        }
    return true;
}

/* musl decodes characters of four bytes to other ones. */
static bool reads_four_bytes(iconv_t cd)
{
    char bytes[] = "\x95\x32\x82\x36", text[CHARACTER_NBYTES], *in = bytes, *out = text;
    size_t n = 4, left = sizeof text;
    iconv(cd, NULL, NULL, NULL, NULL);
    return iconv(cd, &in, &n, &out, &left) != FAILED && out - text == 4 &&
           memcmp(text, "\xF0\xA0\x80\x80", 4) == 0;
}

dv_status dvi_encoding_check_iconv(dvi_encoding *encoding, dv_error *err)
{
    const bool is_standard = *encoding->iconv;
    iconv_t cd = is_standard ? open_iconv(encoding->iconv) : NOT_OPEN;
    if (cd != NOT_OPEN && strcmp(encoding->iconv, "GB18030") == 0 && !reads_four_bytes(cd)) {
        iconv_close(cd);
        if (strcmp(encoding->name, "gb18030") == 0)
            return fail_lacking(encoding, "an encoding that iconv knows here",
                                "this iconv reads its characters of four bytes wrongly", err);
        cd = NOT_OPEN; /* gbk has none of them */
    }
    if (cd == NOT_OPEN) {
        memcpy(encoding->iconv, encoding->name, sizeof encoding->iconv);
        cd = open_iconv(encoding->name);
    }
    if (cd == NOT_OPEN && errno == ENOMEM)
        return dvi_fail_memory(err, sizeof(iconv_t));
    if (cd == NOT_OPEN)
        return is_standard
                   ? fail_lacking(encoding, "an encoding that iconv knows here", "unknown", err)
                   : DV_NOT_FOUND;
    const bool is_good = has_lines(cd);
    iconv_close(cd);
    return is_good ? DV_OK
                   : fail_lacking(encoding, "an encoding that contains ASCII",
                                  "its bytes of ASCII are other characters", err);
}

static dv_status begin(dvi_transcoder *d, dv_error *err)
{
    if (d->iconv) {
        iconv(d->iconv, NULL, NULL, NULL, NULL);
        return DV_OK;
    }
    iconv_t cd = open_iconv(d->encoding.iconv);
    if (cd != NOT_OPEN) {
        d->iconv = cd;
        return DV_OK;
    }
    return errno == ENOMEM
               ? dvi_fail_memory(err, sizeof(iconv_t))
               : fail_lacking(&d->encoding, "an encoding that iconv knows here", "unknown", err);
}

/* Convert as far as possible; in NULL: what is left of the last characters. */
static dv_status convert(dvi_transcoder *d, char **in, size_t *n, size_t *used,
                         const dv_allocator *allocator, dv_error *err)
{
    for (;;) {
        /* room for all bytes to come, a byte for a damaged one, and more if that is not enough */
        const size_t cap = *used + 3 * *n + CHARACTER_NBYTES;
        DVI_TRY(dvi_memory_extend(&d->memory, *used, cap, allocator, err));
        char *const start = (char *)(void *)d->memory->data, *out = start + *used;
        size_t left = cap - *used - 1;
        const size_t done = iconv(d->iconv, in, n, &out, &left);
        *used = (size_t)(out - start);
        if (done != FAILED || !in)
            return DV_OK;
        if (errno == E2BIG)
            continue;
        /* a character that is cut off takes all that is left; other damage is one byte */
        d->memory->data[(*used)++] = DVI_ENCODING_DAMAGE;
        const size_t bad = errno == EINVAL || *n == 0 ? *n : 1;
        *in += bad;
        *n -= bad;
        if (*n == 0)
            return DV_OK;
    }
}

dv_status dvi_encoding_iconv(dvi_transcoder *d, dv_text *text_out, const uint8_t *src, size_t n,
                             const dv_allocator *allocator, dv_error *err)
{
    char *in = (char *)(uintptr_t)src; /* iconv does not write to it */
    size_t used = 0, none = 0;
    DVI_TRY(begin(d, err));
    DVI_TRY(convert(d, &in, &n, &used, allocator, err));
    DVI_TRY(convert(d, NULL, &none, &used, allocator, err));
    *text_out = (dv_text){(const char *)d->memory->data, (int64_t)used};
    return DV_OK;
}

void dvi_encoding_close_iconv(void **iconv)
{
    if (*iconv)
        iconv_close(*iconv);
    *iconv = NULL;
}
#else
dv_status dvi_encoding_check_iconv(dvi_encoding *encoding, dv_error *err)
{
    if (!*encoding->iconv)
        return DV_NOT_FOUND;
    return fail_lacking(encoding, "a build with iconv", "one without", err);
}

dv_status dvi_encoding_iconv(dvi_transcoder *d, dv_text *text_out, const uint8_t *src, size_t n,
                             const dv_allocator *allocator, dv_error *err)
{
    (void)src;
    (void)n;
    (void)allocator;
    *text_out = (dv_text){"", 0};
    return fail_lacking(&d->encoding, "a build with iconv", "one without", err);
}

void dvi_encoding_close_iconv(void **iconv)
{
    *iconv = NULL;
}
#endif
