/* SPDX-License-Identifier: MIT */
/* deflate.h: compresses and decompresses blocks. */
#ifndef DVI_CODEC_DEFLATE_H
#define DVI_CODEC_DEFLATE_H

#include <dataview/status.h>
#include <stddef.h>
#include <stdint.h>

/* The wrapper around the deflated bytes. */
typedef enum dvi_wrapper {
    DVI_WRAPPER_RAW, /* RFC 1951 */
    DVI_WRAPPER_ZLIB /* RFC 1950 */
} dvi_wrapper;

/* The most bytes that one byte of DEFLATE can produce. */
#define DVI_DEFLATE_RATIO_MAX 1032

/* State for inflating, one per thread. */
typedef struct dvi_inflater dvi_inflater;
dv_status dvi_inflater_create(dvi_inflater **inflater_out, dv_error *err);
void dvi_inflater_free(dvi_inflater **inflater);

typedef enum dvi_inflate_result {
    DVI_INFLATE_DONE,    /* all of src was used, and gave *n_out bytes */
    DVI_INFLATE_BAD,     /* not the format, truncated, or a wrong checksum */
    DVI_INFLATE_MORE,    /* more than cap bytes of content */
    DVI_INFLATE_TRAILING /* the stream ends after *used_out bytes of src, but src continues */
} dvi_inflate_result;

dvi_inflate_result dvi_inflate(dvi_inflater *inflater, dvi_wrapper wrapper, const void *src,
                               size_t n, void *dst, size_t cap, size_t *n_out, size_t *used_out);

/* Levels: the fastest, the default, and the one with the smallest result. */
#define DVI_DEFLATE_LEVEL_MIN 1
#define DVI_DEFLATE_LEVEL 6
#define DVI_DEFLATE_LEVEL_MAX 12

/* State for deflating at one level, one per thread. The result does not depend on bytes deflated
 * before. DV_OK, DV_ERR_MEMORY. free: NULL is fine. */
typedef struct dvi_deflater dvi_deflater;
dv_status dvi_deflater_create(dvi_deflater **deflater_out, int level, dv_error *err);
void dvi_deflater_free(dvi_deflater **deflater);

/* The greatest length of the result for n bytes. */
size_t dvi_deflate_bound(dvi_deflater *deflater, dvi_wrapper wrapper, size_t n);
/* Returns the length of the result; 0: it is longer than cap. */
size_t dvi_deflate(dvi_deflater *deflater, dvi_wrapper wrapper, const void *src, size_t n,
                   void *dst, size_t cap);

/* The CRC-32 of bytes, as zip and gzip have it. */
uint32_t dvi_crc32(const void *data, size_t n);

#endif
