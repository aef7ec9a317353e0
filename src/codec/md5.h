/* SPDX-License-Identifier: MIT */
/* md5.h: which MD5 has this run of bytes?  For `.md5` files, which ask for no more than that. */
#ifndef DVI_CODEC_MD5_H
#define DVI_CODEC_MD5_H

#include <dataview/status.h>
#include <stddef.h>

/* A digest of what is added piece by piece; one thread at a time.  Its memory is libcrypto's own.
 */
typedef struct dvi_md5 dvi_md5;

/* 32 lower-case hexadecimal digits. */
typedef struct dvi_md5_text {
    char digits[33]; /* with a NUL */
} dvi_md5_text;

/* With nothing added.  free sets the pointer to NULL; NULL is fine.
 * DV_OK; DV_ERR_UNSUPPORTED: this system's libcrypto refuses MD5; DV_ERR_MEMORY. */
dv_status dvi_md5_create(dvi_md5 **md5_out, dv_error *err);
void dvi_md5_free(dvi_md5 **md5);

void dvi_md5_add(dvi_md5 *md5, const void *src, size_t n);

/* Of all that was added; then it starts again with nothing. */
dvi_md5_text dvi_md5_end(dvi_md5 *md5);

#endif
