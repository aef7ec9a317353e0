/* SPDX-License-Identifier: MIT */
/* mix_tmpl.h: weighted means of pixels along rows and columns, for the vector levels.
 *
 * A level defines, before it includes this file:
 *
 *   ROWS                     rows that are mixed together, with one set of weights
 *   sums                     sums of up to 4 channels of ROWS rows, of some taps each
 *   four                     4 bytes of each of ROWS rows
 *   weights_4                weights of 4 taps, as pixels are multiplied by them
 *   order                    how bytes of 4 pixels are arranged before
 *   order_3()  order_4()     that of pixels of 3 and of 4 bytes
 *   weights_of(w)            of 4 weights
 *   sums_zero()
 *   sums_add(s, p, pitch, w, o)      with the 4 pixels at p and in the next rows, of each of which
 *                            16 bytes are read
 *   sums_end(s)              each channel cut to a byte
 *   store_4(dst, pitch, b, channels)     4 pixels of ROWS rows, b[k] has pixel k of each
 *   BLOCK                    bytes of a row that are blended at once
 *   blend(dst, src, pitch, weights, count)     BLOCK bytes */
#ifndef DVI_SIMD_MIX_TMPL_H
#define DVI_SIMD_MIX_TMPL_H

#include "simd/dispatch.h"

#define DVI_MIX_RESULTS ((size_t)4) /* that are stored together */

/* One result of ROWS rows. */
static DVI_ALWAYS_INLINE four dvi_mix_1(const uint8_t *src, size_t pitch, const dv_mix *mix,
                                        size_t i, order o, const size_t channels)
{
    const int32_t *weights = mix->weights + i * mix->stride;
    const uint8_t *pixel = src + (size_t)mix->taps[i].first * channels;
    sums s = sums_zero();
    for (int32_t k = 0; k < mix->taps[i].count; k += 4, pixel += 4 * channels)
        s = sums_add(s, pixel, pitch, weights_of(weights + k), o);
    return sums_end(s);
}

/* Whether the reads of 16 bytes for the results from i on end within `left` bytes. */
static DVI_ALWAYS_INLINE bool dvi_mix_fits(const dv_mix *mix, size_t i, size_t left,
                                           const size_t channels)
{
    bool fits = true;
    for (size_t k = i; k < i + DVI_MIX_RESULTS; k++) {
        const size_t taps = ((size_t)mix->taps[k].count + 3) / 4 * 4;
        fits &= ((size_t)mix->taps[k].first + taps) * channels + (16 - 4 * channels) <= left;
    }
    return fits;
}

/* The last rows and results of a group are made again if there are fewer than a group. */
#define DVI_MIX(level, channels)                                                                   \
    void dvi_pixels_mix_##channels##_##level(uint8_t *restrict dst, size_t dst_pitch,              \
                                             const void *restrict src, size_t src_pitch,           \
                                             size_t nbytes, size_t rows, const dv_mix *mix)        \
    {                                                                                              \
        const order o = order_##channels();                                                        \
        if (rows < ROWS || mix->n < DVI_MIX_RESULTS) {                                             \
            dvi_pixels_mix_##channels##_scalar(dst, dst_pitch, src, src_pitch, nbytes, rows, mix); \
            return;                                                                                \
        }                                                                                          \
        for (size_t at = 0; at < rows; at += ROWS) {                                               \
            const size_t row = rows - at < ROWS ? rows - ROWS : at;                                \
            const uint8_t *const from = (const uint8_t *)src + row * src_pitch;                    \
            const size_t left = nbytes + (rows - ROWS - row) * src_pitch; /* of its last row */    \
            for (size_t next = 0; next < mix->n; next += DVI_MIX_RESULTS) {                        \
                const size_t i =                                                                   \
                    mix->n - next < DVI_MIX_RESULTS ? mix->n - DVI_MIX_RESULTS : next;             \
                uint8_t *const to = dst + row * dst_pitch + i * channels;                          \
                if (DVI_UNLIKELY(!dvi_mix_fits(mix, i, left, channels))) {                         \
                    dvi_pixels_mix_##channels##_scalar(                                            \
                        to, dst_pitch, from, src_pitch, nbytes, ROWS,                              \
                        &(dv_mix){DVI_MIX_RESULTS, mix->taps + i, mix->weights + i * mix->stride,  \
                                  mix->stride});                                                   \
                    continue;                                                                      \
                }                                                                                  \
                const four b[DVI_MIX_RESULTS] = {                                                  \
                    dvi_mix_1(from, src_pitch, mix, i, o, channels),                               \
                    dvi_mix_1(from, src_pitch, mix, i + 1, o, channels),                           \
                    dvi_mix_1(from, src_pitch, mix, i + 2, o, channels),                           \
                    dvi_mix_1(from, src_pitch, mix, i + 3, o, channels)};                          \
                store_4(to, dst_pitch, b, channels);                                               \
            }                                                                                      \
        }                                                                                          \
    }

/* The kernels of a level.  The last block of a blended row overlaps the one before. */
#define DVI_MIX_KERNELS(level)                                                                     \
    DVI_MIX(level, 3)                                                                              \
    DVI_MIX(level, 4)                                                                              \
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
