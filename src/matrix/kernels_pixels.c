/* SPDX-License-Identifier: MIT */
/* kernels_pixels.c: the plain functions of kernels.h for pixels. */
#include "base/check.h"
#include "simd/kernel.h"
#include <dataview/kernels.h>

static dv_status check_taps(const dv_mix *mix, size_t width, dv_error *err)
{
    DVI_REQUIRE(mix->stride % 4 == 0,
                dvi_fail_argument(err, "stride %zu: a multiple of 4", mix->stride));
    for (size_t i = 0; i < mix->n; i++) {
        const dv_taps t = mix->taps[i];
        DVI_REQUIRE(t.first >= 0 && t.count >= 0 && (size_t)t.count <= mix->stride &&
                        (size_t)t.count <= width && (size_t)t.first <= width - (size_t)t.count,
                    dvi_fail_argument(err,
                                      "taps %zu: %d from %d on, of a row of %zu and stride %zu", i,
                                      t.count, t.first, width, mix->stride));
    }
    return DV_OK;
}

dv_status dv_pixels_mix(uint8_t *dst, size_t dst_pitch, const uint8_t *src, size_t src_pitch,
                        size_t width, size_t rows, int32_t channels, const dv_mix *mix,
                        dv_error *err)
{
    const dvi_kernel_table *k = dvi_kernels();
    DVI_REQUIRE(channels == 1 || channels == 3 || channels == 4,
                dvi_fail_argument(err, "%d channels: 1, 3 or 4", channels));
    const size_t nbytes = (size_t)channels;
    DVI_REQUIRE(src_pitch / nbytes >= width && dst_pitch / nbytes >= mix->n,
                dvi_fail_argument(err, "a pitch is below the bytes of a row"));
    DVI_TRY(check_taps(mix, width, err));
    if (channels == 1)
        k->pixels_mix_1(dst, dst_pitch, src, src_pitch, width, rows, mix);
    else if (channels == 3)
        k->pixels_mix_3(dst, dst_pitch, src, src_pitch, 3 * width, rows, mix);
    else
        k->pixels_mix_4(dst, dst_pitch, src, src_pitch, 4 * width, rows, mix);
    return DV_OK;
}

void dv_rows_blend(uint8_t *dst, const uint8_t *src, size_t pitch, size_t n, const int32_t *weights,
                   size_t count)
{
    dvi_kernels()->rows_blend(dst, src, pitch, n, weights, count);
}

dv_status dv_pixels_planes(float *const dst[3], const uint8_t *src, size_t n, int32_t channels,
                           const dv_pixel_scale *how, dv_error *err)
{
    DVI_REQUIRE(channels == 3 || channels == 4,
                dvi_fail_argument(err, "%d channels: 3 or 4", channels));
    if (channels == 3)
        dvi_kernels()->planes_3(dst, src, n, how);
    else
        dvi_kernels()->planes_4(dst, src, n, how);
    return DV_OK;
}
