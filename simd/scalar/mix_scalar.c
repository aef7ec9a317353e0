/* SPDX-License-Identifier: MIT */
/* mix_scalar.c: weighted means of pixels along rows and columns. */
#include "simd/mix.h"

/* `channels` is a constant where this is called, so that its loops are unrolled. */
static DVI_ALWAYS_INLINE void mix_row(uint8_t *restrict dst, const uint8_t *restrict src,
                                      const dv_mix *mix, const int channels)
{
    for (size_t i = 0; i < mix->n; i++) {
        const int32_t *weights = mix->weights + i * mix->stride;
        const uint8_t *pixel = src + (size_t)mix->taps[i].first * (size_t)channels;
        uint32_t sums[4] = {DVI_MIX_HALF, DVI_MIX_HALF, DVI_MIX_HALF, DVI_MIX_HALF};
        for (int32_t k = 0; k < mix->taps[i].count; k++)
            for (int c = 0; c < channels; c++)
                sums[c] += *pixel++ * (uint32_t)weights[k];
        for (int c = 0; c < channels; c++)
            *dst++ = dvi_mix_byte(sums[c]);
    }
}

#define DEFINE_MIX(channels)                                                                       \
    void dvi_pixels_mix_##channels##_scalar(uint8_t *restrict dst, size_t dst_pitch,               \
                                            const void *restrict src, size_t src_pitch,            \
                                            size_t nbytes, size_t rows, const dv_mix *mix)         \
    {                                                                                              \
        (void)nbytes;                                                                              \
        for (size_t i = 0; i < rows; i++)                                                          \
            mix_row(dst + i * dst_pitch, (const uint8_t *)src + i * src_pitch, mix, channels);     \
    }
DEFINE_MIX(1)
DEFINE_MIX(3)
DEFINE_MIX(4)

void dvi_rows_blend_scalar(uint8_t *restrict dst, const void *restrict src, size_t pitch, size_t n,
                           const int32_t *weights, size_t count)
{
    enum { BLOCK = 64 }; /* sums stay in the first cache */
    for (size_t at = 0; at < n; at += BLOCK) {
        uint32_t sums[BLOCK];
        const size_t m = n - at < BLOCK ? n - at : BLOCK;
        for (size_t i = 0; i < m; i++)
            sums[i] = DVI_MIX_HALF;
        for (size_t k = 0; k < count; k++) {
            const uint8_t *row = (const uint8_t *)src + k * pitch + at;
            for (size_t i = 0; i < m; i++)
                sums[i] += row[i] * (uint32_t)weights[k];
        }
        for (size_t i = 0; i < m; i++)
            dst[at + i] = dvi_mix_byte(sums[i]);
    }
}
