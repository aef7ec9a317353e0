/* SPDX-License-Identifier: MIT */
/* check_affine.c: checks kernels that scale reals, and that find their bins. */
#include "check_kernels.h"
#include <math.h>
#include <string.h>

#define VALUES_MAX 1000
#define BOUNDS_MAX 70

/* Any bits, or a number of which many are alike. */
static double draw_real(dvt_draw *draw, size_t width)
{
    static const double some[] = {0, -0.0, 1, -1, 0.5, 3, INFINITY, -INFINITY, 1e-40, 5e-324, 1e38};
    const uint64_t bits = dvt_draw_bits(draw);
    double r8;
    float r4;
    if (dvt_draw_once_in(draw, 2))
        return some[dvt_draw_below(draw, sizeof some / sizeof *some)];
    memcpy(&r8, &bits, 8);
    memcpy(&r4, &bits, 4);
    return width == 8 ? r8 : (double)r4;
}

static void put_real(uint8_t *dst, size_t i, double value, size_t width)
{
    const float r4 = (float)value;
    memcpy(dst + width * i, width == 8 ? (const void *)&value : &r4, width);
}

static uint8_t *draw_reals(dvt_draw *draw, int page, const dvt_try *trial, size_t width,
                           bool has_nan)
{
    uint8_t *reals = dvt_allocate(page, trial, trial->n * width);
    for (size_t i = 0; i < trial->n; i++) {
        const double real = draw_real(draw, width);
        put_real(reals, i, isnan(real) && !has_nan ? 2 : real, width);
    }
    return reals;
}

static double real_at(const uint8_t *reals, size_t i, size_t width)
{
    double r8;
    float r4;
    memcpy(&r8, reals + (width == 8 ? 8 * i : 0), width == 8 ? 8 : 0);
    memcpy(&r4, reals + (width == 8 ? 0 : 4 * i), width == 8 ? 0 : 4);
    return width == 8 ? r8 : (double)r4;
}

/* One after the other, each rounded; volatile, so that nothing is contracted. */
static bool is_scaled(const uint8_t *got, size_t i, const uint8_t *src, const uint8_t *offset,
                      const uint8_t *scale, bool plus, size_t width)
{
    const double x = real_at(src, i, width), o = real_at(offset, i, width),
                 s = real_at(scale, i, width), found = real_at(got, i, width);
    volatile double r8 = x - o;
    volatile float r4 = (float)x - (float)o;
    r8 = r8 * s;
    r4 = r4 * (float)s;
    const double want = width == 8 ? r8 : (double)r4;
    if (isnan(want))
        return isnan(found);
    return found == want && (want != 0 || signbit(found) == (signbit(want) && !plus));
}

const char *dvt_check_AFFINE(DVT_CALL_AFFINE, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)src_width;
    for (size_t i = 0; dvt_try_at(&trial, i, VALUES_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const bool plus = dvt_draw_once_in(&draw, 2);
        const size_t width = dst_width, nbytes = trial.n * width;
        const dvt_try aligned = {trial.n, trial.slack / width * width, trial.seed};
        const uint8_t *src = draw_reals(&draw, 0, &trial, width, true);
        const uint8_t *offset = draw_reals(&draw, 1, &aligned, width, false);
        const uint8_t *scale = draw_reals(&draw, 2, &aligned, width, false);
        uint8_t *want = dvt_allocate(3, &aligned, nbytes);
        call(here.scalar, want, src, trial.n, offset, scale, plus);
        for (size_t k = 0; k < trial.n; k++)
            if (!is_scaled(want, k, src, offset, scale, plus, width))
                return dvt_differs(DV_LEVEL_SCALAR, &trial, "value");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(4, &aligned, nbytes);
            call(here.table[k], dst, src, trial.n, offset, scale, plus);
            if (memcmp(dst, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "values");
            if (!dvt_is_clean(4, dst, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* Bounds that do not decrease, the last of which is infinite. */
static const uint8_t *draw_bounds(dvt_draw *draw, size_t n, size_t slack, size_t width)
{
    const dvt_try trial = {n, slack / width * width, 0};
    uint8_t *bounds = dvt_allocate(1, &trial, n * width);
    double bound = -(double)dvt_draw_below(draw, 20);
    for (size_t i = 0; i < n; i++) {
        put_real(bounds, i, i + 1 < n ? bound : INFINITY, width);
        bound += (double)dvt_draw_below(draw, 3) / 2;
    }
    return bounds;
}

static double draw_value(dvt_draw *draw, size_t width)
{
    return dvt_draw_once_in(draw, 4) ? draw_real(draw, width)
                                     : (double)dvt_draw_below(draw, 160) / 4 - 20;
}

/* The first bound that is not below the value, sought one by one. */
static uint32_t bin_of(const uint8_t *bounds, size_t n, double value, size_t width)
{
    uint32_t i = 0;
    while (i < n && real_at(bounds, i, width) < value)
        i++;
    return i;
}

const char *dvt_check_BINS(DVT_CALL_BINS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, VALUES_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, bounds_n = 1 + dvt_draw_below(&draw, BOUNDS_MAX);
        const size_t nbytes = n * dst_width;
        const dvt_try aligned = {n, trial.slack / dst_width * dst_width, trial.seed};
        const uint8_t *bounds = draw_bounds(&draw, bounds_n, trial.slack, src_width);
        uint8_t *src = dvt_allocate(0, &trial, n * src_width);
        for (size_t k = 0; k < n; k++)
            put_real(src, k, draw_value(&draw, src_width), src_width);
        uint8_t *want = dvt_allocate(2, &aligned, nbytes);
        call(here.scalar, want, src, n, bounds, bounds_n);
        for (size_t k = 0; k < n; k++) {
            const uint32_t bin = bin_of(bounds, bounds_n, real_at(src, k, src_width), src_width);
            if (memcmp(want + 4 * k, &bin, 4) != 0)
                return dvt_differs(DV_LEVEL_SCALAR, &trial, "bin");
        }
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(3, &aligned, nbytes);
            call(here.table[k], dst, src, n, bounds, bounds_n);
            if (memcmp(dst, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "bins");
            if (!dvt_is_clean(3, dst, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
