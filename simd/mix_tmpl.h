/* SPDX-License-Identifier: MIT */
/* mix_tmpl.h: weighted means of pixels along rows and columns, for the vector levels.
 *
 * A level defines, before it includes this file:
 *
 *   sums                     sums of up to 4 channels, of some taps each
 *   order                    how bytes of 4 pixels become lanes of 32 bits
 *   order_3()  order_4()     that of pixels of 3 and of 4 bytes
 *   sums_zero()
 *   sums_add(s, p, w, o)     with the 4 pixels at p, of which 16 bytes are read, by 4 weights
 *   sums_end(s)              each channel cut to a byte, in the low bytes of the result
 *   BLOCK                    bytes of a row that are blended at once
 *   blend(dst, src, pitch, weights, count)     BLOCK bytes */
#ifndef DVI_SIMD_MIX_TMPL_H
#define DVI_SIMD_MIX_TMPL_H

#include "simd/mix.h"
#include <string.h>

/* Four taps, of which some may be past the end of the row: their weights are 0. */
static DVI_ALWAYS_INLINE sums dvi_mix_4(sums s, const uint8_t *pixel, size_t left,
                                        const int32_t *weights, order o)
{
    uint8_t rest[16] = {0};
    if (left >= sizeof rest)
        return sums_add(s, pixel, weights, o);
    memcpy(rest, pixel, left);
    return sums_add(s, rest, weights, o);
}

static DVI_ALWAYS_INLINE void dvi_mix_row(uint8_t *restrict dst, const uint8_t *restrict src,
                                          size_t nbytes, const dv_mix *mix, order o,
                                          const size_t channels)
{
    const uint8_t *const end = src + nbytes;
    for (size_t i = 0; i < mix->n; i++, dst += channels) {
        const int32_t *weights = mix->weights + i * mix->stride;
        const uint8_t *pixel = src + (size_t)mix->taps[i].first * channels;
        sums s = sums_zero();
        for (int32_t k = 0; k < mix->taps[i].count; k += 4, pixel += 4 * channels)
            s = dvi_mix_4(s, pixel, (size_t)(end - pixel), weights + k, o);
        const uint32_t made = sums_end(s);
        memcpy(dst, &made, channels);
    }
}

/* The kernels of a level.  The last block of a blended row overlaps the one before. */
#define DVI_MIX_KERNELS(level)                                                                     \
    void dvi_pixels_mix_3_##level(uint8_t *restrict dst, const void *restrict src, size_t nbytes,  \
                                  const dv_mix *mix)                                               \
    {                                                                                              \
        dvi_mix_row(dst, src, nbytes, mix, order_3(), 3);                                          \
    }                                                                                              \
    void dvi_pixels_mix_4_##level(uint8_t *restrict dst, const void *restrict src, size_t nbytes,  \
                                  const dv_mix *mix)                                               \
    {                                                                                              \
        dvi_mix_row(dst, src, nbytes, mix, order_4(), 4);                                          \
    }                                                                                              \
    void dvi_rows_blend_##level(uint8_t *restrict dst, const void *restrict src, size_t pitch,     \
                                size_t n, const int32_t *weights, size_t count)                    \
    {                                                                                              \
        const uint8_t *const p = src;                                                              \
        if (n < BLOCK) {                                                                           \
            dvi_rows_blend_scalar(dst, src, pitch, n, weights, count);                             \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i += BLOCK) {                                                    \
            const size_t at = n - i < BLOCK ? n - BLOCK : i;                                       \
            blend(dst + at, p + at, pitch, weights, count);                                        \
        }                                                                                          \
    }

#endif
