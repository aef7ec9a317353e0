/* SPDX-License-Identifier: MIT */
/* rows_tmpl.h: copies rows past the cache, for the vector levels.
 *
 * Whole lines of dst are streamed; partial lines at both ends of a run of bytes are written with
 * ordinary stores.  Rows without gaps are one run. */
#ifndef DVI_SIMD_ROWS_TMPL_H
#define DVI_SIMD_ROWS_TMPL_H

#include "base/compiler.h"
#include "simd/dispatch.h"
#include <string.h>

#define DVI_ROWS_LINE 64
#define DVI_ROWS_SHORT                                                                             \
    256 /* rows of fewer bytes are not streamed: they have too few whole lines                     \
         */

/* The operation of a level: copy nbytes, whole lines of dst, past the cache. */
typedef struct dvi_rows_level {
    void (*stream)(uint8_t *dst, const uint8_t *src, size_t nbytes);
} dvi_rows_level;

static DVI_ALWAYS_INLINE void dvi_rows_stream(const dvi_rows_level *level, uint8_t *dst,
                                              const uint8_t *src, size_t nbytes)
{
    const size_t to_line = (0 - (uintptr_t)dst) % DVI_ROWS_LINE;
    const size_t head = to_line < nbytes ? to_line : nbytes;
    const size_t lines = (nbytes - head) / DVI_ROWS_LINE * DVI_ROWS_LINE, tail = head + lines;
    memcpy(dst, src, head);
    level->stream(dst + head, src + head, lines);
    memcpy(dst + tail, src + tail, nbytes - tail);
}

static DVI_ALWAYS_INLINE void dvi_rows_copy(const dvi_rows_level *level, uint8_t *restrict dst,
                                            size_t dst_pitch, const void *restrict src,
                                            size_t src_pitch, size_t width, size_t n,
                                            dvi_store store)
{
    const bool is_run = dst_pitch == width && src_pitch == width;
    if (is_run) {
        width *= n;
        n = n > 0;
    }
    if (width == 0 || n == 0)
        return;
    if (store != DVI_STORE_STREAM || width < DVI_ROWS_SHORT) {
        dvi_rows_copy_scalar(dst, dst_pitch, src, src_pitch, width, n, store);
        return;
    }
    for (size_t i = 0; i < n; i++)
        dvi_rows_stream(level, dst + i * dst_pitch, (const uint8_t *)src + i * src_pitch, width);
}

#endif
