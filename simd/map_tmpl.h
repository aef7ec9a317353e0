/* SPDX-License-Identifier: MIT */
/* map_tmpl.h: writes the output of kernels of shape MAP; if it is larger than the cache, past the
 * cache.
 *
 * An ordinary store reads a line first, although all of it is overwritten.  Therefore large output
 * is streamed: by vectors of the level, or in blocks, which are made in the first-level cache and
 * streamed from there while the input of the next block is fetched. */
#ifndef DVI_SIMD_MAP_TMPL_H
#define DVI_SIMD_MAP_TMPL_H

#include "base/load.h"
#include "simd/store.h"

#define DVI_MAP_LINE 64
#define DVI_MAP_BLOCK 8192 /* bytes of input and of output together */

/* Make n items of dst from n items of src. */
typedef void dvi_map_loop(void *restrict dst, const void *restrict src, size_t n);

/* The operations of a level.
 *
 * loop    takes any n
 * stream  writes whole lines past the cache; dst starts at a line.  NULL: streamed in blocks
 */
typedef struct dvi_map_level {
    dvi_map_loop *loop, *stream;
    size_t dst_width, src_width;
} dvi_map_level;

#ifdef __x86_64__
#include <immintrin.h>

/* Copy a line past the cache, by the widest stores of the level: a store of 16 bytes takes as long
 * as one of 32. */
static inline void dvi_map_stream_line(uint8_t *dst, const uint8_t *src)
{
#ifdef __AVX512F__
    _mm512_stream_si512((void *)dst, _mm512_load_si512(src));
#else
    const __m256i low = _mm256_load_si256((const void *)src);
    const __m256i high = _mm256_load_si256((const void *)(src + 32));
    _mm256_stream_si256((void *)dst, low);
    _mm256_stream_si256((void *)(dst + 32), high);
#endif
}

static inline void dvi_map_fetch(const uint8_t *p, size_t lines)
{
    for (size_t k = 0; k < lines; k++)
        _mm_prefetch((const void *)(p + k * DVI_MAP_LINE), _MM_HINT_T0);
}

/* Stream a block of n items to dst, and fetch the next input into the cache.  64 items have as many
 * lines as an item has bytes. */
static inline void dvi_map_stream_block(const dvi_map_level *level, uint8_t *dst,
                                        const uint8_t *block, const uint8_t *next, size_t n)
{
    for (; n > 0; n -= DVI_MAP_LINE) {
        for (size_t k = 0; k < level->dst_width * DVI_MAP_LINE; k += DVI_MAP_LINE)
            dvi_map_stream_line(dst + k, block + k);
        dvi_map_fetch(next, level->src_width);
        dst += level->dst_width * DVI_MAP_LINE;
        block += level->dst_width * DVI_MAP_LINE;
        next += level->src_width * DVI_MAP_LINE;
    }
}

/* Stream n items, a multiple of 64, in blocks. */
static inline void dvi_map_blocks(const dvi_map_level *level, uint8_t *dst, const uint8_t *src,
                                  size_t n)
{
    _Alignas(DVI_MAP_LINE) uint8_t block[DVI_MAP_BLOCK];
    const size_t both = level->dst_width + level->src_width;
    const size_t most = DVI_MAP_BLOCK / both / DVI_MAP_LINE * DVI_MAP_LINE;
    for (size_t step; n > 0; n -= step) {
        step = n < most ? n : most;
        level->loop(block, src, step);
        const uint8_t *next = n >= 2 * most ? src + step * level->src_width : src;
        dvi_map_stream_block(level, dst, block, next, step);
        dst += step * level->dst_width;
        src += step * level->src_width;
    }
}

/* Return the number of items before the first line of dst, n if no line starts at an item. */
static inline size_t dvi_map_head(const uint8_t *dst, size_t dst_width, size_t n)
{
    const size_t nbytes = (DVI_MAP_LINE - (uintptr_t)dst % DVI_MAP_LINE) % DVI_MAP_LINE;
    return nbytes % dst_width == 0 && nbytes / dst_width < n ? nbytes / dst_width : n;
}

static inline void dvi_map(const dvi_map_level *level, void *dst, const void *src, size_t n)
{
    uint8_t *to = dst;
    const uint8_t *from = src;
    if (dvi_store_is_large(n * level->dst_width)) {
        const size_t head = dvi_map_head(to, level->dst_width, n);
        level->loop(to, from, head);
        to += head * level->dst_width;
        from += head * level->src_width;
        const size_t whole = (n - head) / DVI_MAP_LINE * DVI_MAP_LINE;
        if (level->stream)
            level->stream(to, from, whole);
        else
            dvi_map_blocks(level, to, from, whole);
        _mm_sfence();
        to += whole * level->dst_width;
        from += whole * level->src_width;
        n -= head + whole;
    }
    level->loop(to, from, n);
}
#else
static inline void dvi_map(const dvi_map_level *level, void *dst, const void *src, size_t n)
{
    level->loop(dst, src, n);
}
#endif

#endif
