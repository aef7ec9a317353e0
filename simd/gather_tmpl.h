/* SPDX-License-Identifier: MIT */
/* gather_tmpl.h: copies texts in another order and moves their ends, for all levels. */
#ifndef DVI_SIMD_GATHER_TMPL_H
#define DVI_SIMD_GATHER_TMPL_H

#include "base/compiler.h"
#include "base/load.h"
#include "simd/dispatch.h"

static DVI_ALWAYS_INLINE size_t dvi_gather_index(const void *index, size_t i)
{
    return (size_t)dvi_load_u32((const uint8_t *)index + 4 * i);
}

/* Return the end of a row of text, without bit 31. */
static DVI_ALWAYS_INLINE int32_t dvi_gather_end(const void *ends, size_t row)
{
    return dvi_load_i32((const uint8_t *)ends + 4 * row) & INT32_MAX;
}

static DVI_ALWAYS_INLINE int32_t dvi_gather_start(const void *ends, int32_t first, size_t row)
{
    return row == 0 ? first : dvi_gather_end(ends, row - 1);
}

/* Most texts are short.  For a text of up to `block` bytes, always `block` bytes are copied,
 * without a loop or a call; the next text overwrites the excess.  Longer texts, and texts near the
 * end of either array, are copied exactly. */
static DVI_ALWAYS_INLINE void dvi_gather_text_loop(size_t block, uint8_t *restrict dst,
                                                   size_t nbytes, const uint8_t *restrict text,
                                                   size_t text_nbytes, const void *restrict ends,
                                                   int32_t first, const void *restrict index,
                                                   size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const size_t row = dvi_gather_index(index, i);
        const size_t start = (size_t)dvi_gather_start(ends, first, row);
        const size_t length = (size_t)dvi_gather_end(ends, row) - start;
        if (length <= block && nbytes >= block && text_nbytes - start >= block)
            memcpy(dst, text + start, block);
        else if (length > 0)
            memcpy(dst, text + start, length);
        dst += length;
        nbytes -= length;
    }
}

/* The compiler vectorizes the loop. */
static DVI_ALWAYS_INLINE void dvi_ends_move_loop(int32_t *restrict dst, const void *restrict ends,
                                                 size_t n, int32_t by)
{
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = dvi_load_u32((const uint8_t *)ends + 4 * i);
        const uint32_t moved = (end & INT32_MAX) + (uint32_t)by;
        dst[i] = (int32_t)(moved | (end & ~(uint32_t)INT32_MAX));
    }
}

/* The kernels of a level that copies `block` bytes of text at a time. */
#define DVI_GATHER_KERNELS(level, block)                                                           \
    void dvi_gather_text_##level(uint8_t *restrict dst, size_t nbytes, const void *restrict text,  \
                                 size_t text_nbytes, const void *restrict ends, int32_t first,     \
                                 const void *restrict index, size_t n)                             \
    {                                                                                              \
        dvi_gather_text_loop(block, dst, nbytes, text, text_nbytes, ends, first, index, n);        \
    }                                                                                              \
    void dvi_ends_move_##level(int32_t *restrict dst, const void *restrict ends, size_t n,         \
                               int32_t by)                                                         \
    {                                                                                              \
        dvi_ends_move_loop(dst, ends, n, by);                                                      \
    }

#endif
