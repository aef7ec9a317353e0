/* SPDX-License-Identifier: MIT */
/* check_reduce.c: checks kernels that reduce many numbers to one. */
#include "check_kernels.h"
#include "support/page.h"
#include <string.h>

#define ITEMS_MAX 8000

/* --- Items: special integers or reals of each width, and random ones -------------------------- */

static const uint64_t specials[9][12] = {
    [1] = {0, 1, 0x7F, 0x80, 0x81, 0xFF, 0x7E, 0xFE, 0x40, 0xC0, 2, 0x55},
    [2] = {0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x7FFE, 0xFFFE, 0xFF, 0x100, 0x80, 0x5555},
    [4] = {0, 1, INT32_MAX, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x7F800000, 0xFF800000,
           DV_R4_NA_BITS, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F800000},
    [8] = {0, 1, INT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, UINT64_MAX,
           UINT64_C(0x7FF0000000000000), UINT64_C(0xFFF0000000000000), DV_R8_NA_BITS,
           UINT64_C(0x7FEFFFFFFFFFFFFF), UINT64_C(0xFFEFFFFFFFFFFFFF),
           UINT64_C(0x3FF0000000000000)},
};

/* A real of medium size, so that sums are rounded, and neither overflow nor underflow. */
static uint64_t draw_real(size_t width, dvt_draw *draw)
{
    const int64_t digits = (int64_t)dvt_draw_bits(draw) >> 11;
    const double r8 = (double)digits / (double)(1 << dvt_draw_below(draw, 30));
    const float r4 = (float)r8;
    uint64_t bits = 0;
    memcpy(&bits, width == 4 ? (const void *)&r4 : (const void *)&r8, width == 4 ? 4 : 8);
    return bits;
}

/* How a trial draws all its items. */
typedef enum way { ONE, ZEROS, SPECIAL, REAL, ANY, WAYS } way;

static uint64_t draw_item(way how, size_t width, dvt_draw *draw)
{
    static const uint64_t few[3] = {0, 3, 8}; /* for 4 and 8 bytes: +0, -0, NaN */
    switch (how) {
    case ZEROS:
        return specials[width][few[dvt_draw_below(draw, 3)]];
    case SPECIAL:
        return specials[width][dvt_draw_below(draw, 12)];
    case REAL:
        return dvt_draw_once_in(draw, 8) ? specials[width][8] : draw_real(width, draw);
    default:
        return dvt_draw_bits(draw);
    }
}

static void fill_items(uint8_t *src, size_t n, size_t width, dvt_draw *draw)
{
    const way how = (way)dvt_draw_below(draw, WAYS);
    const uint64_t one = specials[width][dvt_draw_below(draw, 12)];
    for (size_t i = 0; i < n; i++) {
        const uint64_t item = how == ONE ? one : draw_item(how, width, draw);
        memcpy(src + width * i, &item, width);
    }
}

/* --- Drivers ---------------------------------------------------------------------------------- */

const char *dvt_check_MINMAX(DVT_CALL_MINMAX, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvt_try aligned = {trial.n, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *src = dvt_allocate(0, &trial, trial.n * src_width);
        fill_items(src, trial.n, src_width, &draw);
        uint8_t *want = dvt_allocate(1, &aligned, 2 * dst_width);
        call(here.scalar, want, src, trial.n);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *ends = dvt_allocate(2, &aligned, 2 * dst_width);
            call(here.table[k], ends, src, trial.n);
            if (memcmp(ends, want, 2 * dst_width) != 0)
                return dvt_differs(here.level[k], &trial, "the least or the greatest");
            if (!dvt_is_clean(2, ends, 2 * dst_width))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

static bool sums_equal(dvi_sum a, dvi_sum b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* An array filled with one value: lanes must not overflow. */
static const char *check_many(DVT_CALL_SUM, size_t width, const dvt_levels *here)
{
    for (size_t s = 0; s < 12; s++) {
        const dvt_try trial = {(DVT_SHARED_NBYTES - DVT_SLACKS) / width, 0, s};
        uint8_t *src = dvt_allocate(0, &trial, trial.n * width);
        for (size_t i = 0; i < trial.n; i++)
            memcpy(src + width * i, &specials[width][s], width);
        const dvi_sum want = call(here->scalar, src, trial.n);
        for (size_t k = 0; k < here->n; k++)
            if (!sums_equal(call(here->table[k], src, trial.n), want))
                return dvt_differs(here->level[k], &trial, "the sum of many");
    }
    return NULL;
}

const char *dvt_check_SUM(DVT_CALL_SUM, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        uint8_t *src = dvt_allocate(0, &trial, trial.n * src_width);
        fill_items(src, trial.n, src_width, &draw);
        const dvi_sum want = call(here.scalar, src, trial.n);
        for (size_t k = 0; k < here.n; k++)
            if (!sums_equal(call(here.table[k], src, trial.n), want))
                return dvt_differs(here.level[k], &trial, "the sum");
    }
    return dvt_trial_is_given() ? NULL : check_many(call, src_width, &here);
}

const char *dvt_check_SUM_REAL(DVT_CALL_SUM_REAL, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        uint8_t *src = dvt_allocate(0, &trial, trial.n * src_width);
        fill_items(src, trial.n, src_width, &draw);
        const double want = call(here.scalar, src, trial.n);
        for (size_t k = 0; k < here.n; k++) {
            const double got = call(here.table[k], src, trial.n);
            if (memcmp(&got, &want, sizeof got) != 0)
                return dvt_differs(here.level[k], &trial, "the sum");
        }
    }
    return NULL;
}
