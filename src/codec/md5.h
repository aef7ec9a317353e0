/* SPDX-License-Identifier: MIT */
/* md5.h: incremental MD5, for `.md5` files, which need no stronger digest. */
#ifndef DVI_CODEC_MD5_H
#define DVI_CODEC_MD5_H

#include <dataview/buffer.h>
#include <stdint.h>

/* The state of a digest; one thread at a time. */
typedef struct dvi_md5 dvi_md5;

/* 32 lower-case hexadecimal digits. */
typedef struct dvi_md5_text {
    char digits[33]; /* with a NUL */
} dvi_md5_text;

/* Create a digest of no bytes. free sets the pointer to NULL; NULL is fine.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_md5_create(dvi_md5 **md5_out, const dv_allocator *allocator, dv_error *err);
void dvi_md5_free(dvi_md5 **md5);

void dvi_md5_add(dvi_md5 *md5, const void *src, size_t n);

/* The digest of all bytes added. Then the state is that of no bytes again. */
dvi_md5_text dvi_md5_end(dvi_md5 *md5);

static inline dvi_md5_text dvi_md5_text_of(const uint8_t digest[16])
{
    static const char hex[] = "0123456789abcdef";
    dvi_md5_text text = {""};
    for (size_t i = 0; i < 16; i++) {
        text.digits[2 * i] = hex[digest[i] >> 4];
        text.digits[2 * i + 1] = hex[digest[i] & 15];
    }
    return text;
}

#endif
