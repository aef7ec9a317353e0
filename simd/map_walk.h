/* SPDX-License-Identifier: MIT */
/* map_walk.h: how does the output of a kernel of shape MAP leave, when it is larger than the cache?
 *
 * Stored as usual, each line is first read, though nothing of it stays.  So a block of it is made
 * where it stays in the first cache, and streamed to its place from there. */
#ifndef DVI_SIMD_MAP_WALK_H
#define DVI_SIMD_MAP_WALK_H

#include "base/load.h"
#include "simd/store.h"

#define DVI_MAP_LINE 64
#define DVI_MAP_BLOCK ((size_t)2 << 10)

/* n items of dst out of as many of src: what a level brings. */
typedef void dvi_map_loop(void *restrict dst, const void *restrict src, size_t n);

#ifdef __x86_64__
#include <immintrin.h>

/* Blocks of dst, which starts at a line; returns how many items they are. */
static inline size_t dvi_map_blocks(dvi_map_loop *loop, uint8_t *dst, size_t dst_width,
                                    const uint8_t *src, size_t src_width, size_t n)
{
    _Alignas(DVI_MAP_LINE) uint8_t block[DVI_MAP_BLOCK];
    const size_t step = DVI_MAP_BLOCK / dst_width;
    size_t i = 0;
    for (; n - i >= step; i += step) {
        loop(block, src + i * src_width, step);
        for (size_t k = 0; k < DVI_MAP_BLOCK; k += 16)
            _mm_stream_si128((void *)(dst + i * dst_width + k),
                             _mm_load_si128((const void *)(block + k)));
    }
    _mm_sfence();
    return i;
}

/* Items before the first line of dst; all n when it comes too late. */
static inline size_t dvi_map_head(const uint8_t *dst, size_t dst_width, size_t n)
{
    const size_t nbytes = (DVI_MAP_LINE - (uintptr_t)dst % DVI_MAP_LINE) % DVI_MAP_LINE;
    return nbytes % dst_width == 0 && nbytes / dst_width < n ? nbytes / dst_width : n;
}

static inline void dvi_map(dvi_map_loop *loop, void *dst, size_t dst_width, const void *src,
                           size_t src_width, size_t n)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
    if (dvi_store_is_large(n * dst_width)) {
        const size_t head = dvi_map_head(to, dst_width, n);
        loop(to, from, head);
        to += head * dst_width;
        from += head * src_width;
        n -= head;
        const size_t done = dvi_map_blocks(loop, to, dst_width, from, src_width, n);
        to += done * dst_width;
        from += done * src_width;
        n -= done;
    }
    loop(to, from, n);
}
#else
static inline void dvi_map(dvi_map_loop *loop, void *dst, size_t dst_width, const void *src,
                           size_t src_width, size_t n)
{
    (void)dst_width;
    (void)src_width;
    loop(dst, src, n);
}
#endif

#endif
