/* SPDX-License-Identifier: MIT */
/* planes_scalar.c: makes numbers of the channels of pixels, in planes. */
#include "base/compiler.h"
#include "simd/dispatch.h"

/* `step` is a constant where this is called.  Look-ups are faster than so many divisions. */
static DVI_ALWAYS_INLINE void write_planes(float *const dst[3], const uint8_t *src, size_t n,
                                           const dv_pixel_scale *how, const size_t step)
{
    float numbers[3][256];
    float *const restrict a = dst[0], *const restrict b = dst[1], *const restrict c = dst[2];
    for (int k = 0; k < 3; k++)
        for (int v = 0; v < 256; v++)
            numbers[k][v] =
                (((float)v - how->offset) * how->scale - how->mean[k]) / how->deviation[k];
    for (size_t i = 0; i < n; i++, src += step) {
        a[i] = numbers[0][src[0]];
        b[i] = numbers[1][src[1]];
        c[i] = numbers[2][src[2]];
    }
}

void dvi_planes_3_scalar(float *const dst[3], const void *src, size_t n, const dv_pixel_scale *how)
{
    write_planes(dst, src, n, how, 3);
}

void dvi_planes_4_scalar(float *const dst[3], const void *src, size_t n, const dv_pixel_scale *how)
{
    write_planes(dst, src, n, how, 4);
}
