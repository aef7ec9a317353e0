/* SPDX-License-Identifier: MIT */
/* planes_tmpl.h: makes numbers of the channels of pixels, in planes, for the vector levels.
 *
 * A level defines, before it includes this file:
 *
 *   BLOCK                   pixels that are taken at once
 *   pixels                  those
 *   floats                  a channel of them
 *   pixels_3(p)  pixels_4(p)    BLOCK pixels of 3 or 4 bytes; no more is read
 *   channel_3(x, c)  channel_4(x, c)    channel c of them, as floats
 *   floats_all(value)
 *   floats_store(dst, x)
 *   SUB(x, y)  MUL(x, y)  DIV(x, y) */
#ifndef DVI_SIMD_PLANES_TMPL_H
#define DVI_SIMD_PLANES_TMPL_H

#include "base/compiler.h"
#include "simd/dispatch.h"

/* The last block overlaps the one before. */
#define DVI_PLANES(level, step)                                                                    \
    void dvi_planes_##step##_##level(float *const dst[3], const void *src, size_t n,               \
                                     const dv_pixel_scale *how)                                    \
    {                                                                                              \
        const floats offset = floats_all(how->offset), scale = floats_all(how->scale);             \
        const floats mean[3] = {floats_all(how->mean[0]), floats_all(how->mean[1]),                \
                                floats_all(how->mean[2])};                                         \
        const floats deviation[3] = {floats_all(how->deviation[0]), floats_all(how->deviation[1]), \
                                     floats_all(how->deviation[2])};                               \
        float *const to[3] = {dst[0], dst[1], dst[2]};                                             \
        if (n < BLOCK) {                                                                           \
            dvi_planes_##step##_scalar(dst, src, n, how);                                          \
            return;                                                                                \
        }                                                                                          \
        for (size_t i = 0; i < n; i += BLOCK) {                                                    \
            const size_t at = n - i < BLOCK ? n - BLOCK : i;                                       \
            const pixels x = pixels_##step((const uint8_t *)src + step * at);                      \
            const floats y[3] = {channel_##step(x, 0), channel_##step(x, 1),                       \
                                 channel_##step(x, 2)};                                            \
            for (int c = 0; c < 3; c++)                                                            \
                floats_store(to[c] + at,                                                           \
                             DIV(SUB(MUL(SUB(y[c], offset), scale), mean[c]), deviation[c]));      \
        }                                                                                          \
    }

#define DVI_PLANES_KERNELS(level)                                                                  \
    DVI_PLANES(level, 3)                                                                           \
    DVI_PLANES(level, 4)

#endif
