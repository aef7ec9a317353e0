/* SPDX-License-Identifier: MIT */
/* check_mix.c: checks kernels that make weighted means of pixels, and numbers of them. */
#include "check_kernels.h"
#include <string.h>

#define WIDTH_MAX 400
#define TAPS_MAX 24
#define ROWS_MAX 20
#define MIXED_ROWS_MAX 36 /* more than two groups of rows of any level */

/* Any weight, or one of those that means have: the sum then leaves 0..255 seldom. */
static int32_t draw_weight(dvt_draw *draw, bool is_any)
{
    if (is_any)
        return (int32_t)dvt_draw_bits(draw);
    return (int32_t)dvt_draw_below(draw, 1 << 21) - (1 << 18);
}

static uint8_t *draw_bytes(dvt_draw *draw, int page, const dvt_try *trial, size_t n)
{
    uint8_t *bytes = dvt_allocate(page, trial, n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = (uint8_t)dvt_draw_below(draw, 256);
    return bytes;
}

/* The sum of all products, exact, then what 32 bits keep of it. */
static uint8_t byte_of(int64_t sum)
{
    const int64_t kept = (int64_t)(uint32_t)(sum + (1 << 21));
    const int64_t value = kept >= INT64_C(1) << 31 ? kept - (INT64_C(1) << 32) : kept;
    if (value < 0)
        return 0;
    return value >> 22 > 255 ? 255 : (uint8_t)(value >> 22);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Taps anywhere in a row of `width`; what follows the weights of a result is no weight. */
static dv_mix draw_mix(dvt_draw *draw, const dvt_try *trial, size_t width, dv_taps *taps)
{
    const dvt_try aligned = {trial->n, trial->slack / 4 * 4, trial->seed};
    const bool is_any = dvt_draw_once_in(draw, 4);
    const size_t most = 1 + dvt_draw_below(draw, width < TAPS_MAX ? width : TAPS_MAX);
    const size_t stride = (most + 3) / 4 * 4 + 4 * dvt_draw_below(draw, 2);
    int32_t *weights = (int32_t *)(void *)dvt_allocate(1, &aligned, 4 * trial->n * stride);
    for (size_t i = 0; i < trial->n; i++) {
        const size_t count = dvt_draw_below(draw, most + 1);
        const size_t first =
            dvt_draw_once_in(draw, 3) ? width - count : dvt_draw_below(draw, width - count + 1);
        taps[i] = (dv_taps){(int32_t)first, (int32_t)count};
        for (size_t k = 0; k < (count + 3) / 4 * 4; k++)
            weights[i * stride + k] = k < count ? draw_weight(draw, is_any) : 0;
    }
    return (dv_mix){trial->n, taps, weights, stride};
}

static bool is_row_mixed(const uint8_t *got, const uint8_t *src, const dv_mix *mix, size_t channels)
{
    for (size_t i = 0; i < mix->n; i++)
        for (size_t c = 0; c < channels; c++) {
            int64_t sum = 0;
            for (int32_t k = 0; k < mix->taps[i].count; k++)
                sum += (int64_t)mix->weights[i * mix->stride + (size_t)k] *
                       src[(size_t)(mix->taps[i].first + k) * channels + c];
            if (got[i * channels + c] != byte_of(sum))
                return false;
        }
    return true;
}

/* Rows, and what is between them and after their pixels. */
typedef struct plane {
    uint8_t *data;
    size_t pitch, width; /* in bytes */
    size_t rows;
} plane;

static size_t plane_nbytes(const plane *p)
{
    return (p->rows - 1) * p->pitch + p->width;
}

/* Its bytes between rows are UNTOUCHED. */
#define UNTOUCHED 0x5A
static uint8_t *draw_target(int page, const dvt_try *trial, const plane *p)
{
    uint8_t *data = dvt_allocate(page, trial, plane_nbytes(p));
    memset(data, UNTOUCHED, plane_nbytes(p));
    return data;
}

static bool is_mixed(const plane *got, const plane *src, const dv_mix *mix, size_t channels)
{
    for (size_t i = 0; i < got->rows; i++) {
        const uint8_t *row = got->data + i * got->pitch;
        if (!is_row_mixed(row, src->data + i * src->pitch, mix, channels))
            return false;
        for (size_t k = got->width; i + 1 < got->rows && k < got->pitch; k++)
            if (row[k] != UNTOUCHED)
                return false;
    }
    return true;
}

const char *dvt_check_MIX(DVT_CALL_MIX, size_t dst_width, size_t src_width)
{
    static dv_taps taps[WIDTH_MAX + DVT_LENGTHS];
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, WIDTH_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t width = 1 + dvt_draw_below(&draw, WIDTH_MAX), channels = src_width;
        const size_t rows = 1 + dvt_draw_below(&draw, MIXED_ROWS_MAX);
        plane src = {NULL, channels * width + dvt_draw_below(&draw, 9), channels * width, rows};
        plane dst = {NULL, channels * trial.n + dvt_draw_below(&draw, 9), channels * trial.n, rows};
        src.data = draw_bytes(&draw, 0, &trial, plane_nbytes(&src));
        const dv_mix mix = draw_mix(&draw, &trial, width, taps);
        uint8_t *want = dst.data = draw_target(2, &trial, &dst);
        call(here.scalar, want, dst.pitch, src.data, src.pitch, src.width, rows, &mix);
        if (!is_mixed(&dst, &src, &mix, channels))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "mean");
        for (size_t k = 0; k < here.n; k++) {
            dst.data = draw_target(3, &trial, &dst);
            call(here.table[k], dst.data, dst.pitch, src.data, src.pitch, src.width, rows, &mix);
            if (memcmp(dst.data, want, plane_nbytes(&dst)) != 0)
                return dvt_differs(here.level[k], &trial, "means");
            if (!dvt_is_clean(3, dst.data, plane_nbytes(&dst)))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static bool is_blended(const uint8_t *got, const uint8_t *src, size_t pitch, size_t n,
                       const int32_t *weights, size_t count)
{
    for (size_t i = 0; i < n; i++) {
        int64_t sum = 0;
        for (size_t k = 0; k < count; k++)
            sum += (int64_t)weights[k] * src[k * pitch + i];
        if (got[i] != byte_of(sum))
            return false;
    }
    return true;
}

const char *dvt_check_BLEND(DVT_CALL_BLEND, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    (void)src_width;
    for (size_t i = 0; dvt_try_at(&trial, i, WIDTH_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, count = 1 + dvt_draw_below(&draw, ROWS_MAX);
        const size_t pitch = n + dvt_draw_below(&draw, 70);
        const bool is_any = dvt_draw_once_in(&draw, 4);
        const dvt_try aligned = {n, trial.slack / 4 * 4, trial.seed};
        const uint8_t *src = draw_bytes(&draw, 0, &trial, (count - 1) * pitch + n);
        int32_t *weights = (int32_t *)(void *)dvt_allocate(1, &aligned, 4 * count);
        for (size_t k = 0; k < count; k++)
            weights[k] = draw_weight(&draw, is_any);
        uint8_t *want = dvt_allocate(2, &trial, n);
        call(here.scalar, want, src, pitch, n, weights, count);
        if (!is_blended(want, src, pitch, n, weights, count))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "mean");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(3, &trial, n);
            call(here.table[k], dst, src, pitch, n, weights, count);
            if (memcmp(dst, want, n) != 0)
                return dvt_differs(here.level[k], &trial, "means");
            if (!dvt_is_clean(3, dst, n))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* --- Numbers ---------------------------------------------------------------------------------- */

#define NUMBERS_MAX 3000

static float draw_real(dvt_draw *draw, float zero)
{
    const float real =
        (float)dvt_draw_below(draw, 1 << 20) / (float)(1 << dvt_draw_below(draw, 24));
    if (dvt_draw_once_in(draw, 8))
        return zero;
    return dvt_draw_once_in(draw, 2) ? -real : real;
}

/* Each operation is rounded by itself. */
static dv_pixel_scale draw_scale(dvt_draw *draw, float numbers[3][256])
{
    dv_pixel_scale how = {.offset = draw_real(draw, 0), .scale = draw_real(draw, 1)};
    for (int c = 0; c < 3; c++) {
        how.mean[c] = draw_real(draw, 0);
        how.deviation[c] = draw_real(draw, 1);
        for (int v = 0; v < 256; v++) {
            volatile float number = (float)v - how.offset;
            number *= how.scale;
            number -= how.mean[c];
            numbers[c][v] = number / how.deviation[c];
        }
    }
    return how;
}

const char *dvt_check_PLANES(DVT_CALL_PLANES, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, NUMBERS_MAX); i++) {
        static float numbers[3][256];
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvt_try aligned = {trial.n, trial.slack / 4 * 4, trial.seed};
        const size_t nbytes = trial.n * dst_width;
        const uint8_t *src = draw_bytes(&draw, 0, &trial, trial.n * src_width);
        const dv_pixel_scale how = draw_scale(&draw, numbers);
        for (size_t k = 0; k <= here.n; k++) { /* scalar first */
            const dv_level level = k == 0 ? DV_LEVEL_SCALAR : here.level[k - 1];
            float *dst[3];
            for (int c = 0; c < 3; c++)
                dst[c] = (float *)(void *)dvt_allocate(1 + c, &aligned, nbytes);
            call(k == 0 ? here.scalar : here.table[k - 1], dst, src, trial.n, &how);
            for (size_t at = 0; at < 3 * trial.n; at++) {
                const size_t c = at % 3, pixel = at / 3;
                const float *want = &numbers[c][src[pixel * src_width + c]];
                if (memcmp(&dst[c][pixel], want, sizeof *want) != 0)
                    return dvt_differs(level, &trial, "numbers");
            }
            for (int c = 0; c < 3; c++)
                if (!dvt_is_clean(1 + c, (const uint8_t *)dst[c], nbytes))
                    return dvt_differs(level, &trial, "bytes outside");
        }
    }
    return NULL;
}
