/* SPDX-License-Identifier: MIT */
/* check_na.c: checks kernels that find NA. */
#include "check_kernels.h"
#include "support/page.h"
#include <string.h>

#define ITEMS_MAX 8000

/* --- Rules, and items on both sides of them --------------------------------------------------- */

static uint64_t sign_of(size_t width)
{
    return UINT64_C(1) << (8 * width - 1);
}

/* The forms of rules: one value; values above a limit; 0 and values above a count; values above a
 * limit without the sign; no value; and three random numbers. */
static dvi_na draw_rule(size_t width, dvt_draw *draw)
{
    const uint64_t number = dvt_draw_bits(draw) >> dvt_draw_below(draw, 63);
    switch (dvt_draw_below(draw, 6)) {
    case 0:
        return (dvi_na){UINT64_MAX, sign_of(width) + 1, UINT64_MAX - 1};
    case 1:
        return (dvi_na){UINT64_MAX, 0, number};
    case 2:
        return (dvi_na){UINT64_MAX, 1, number};
    case 3:
        return (dvi_na){sign_of(width) - 1, 0, number & (sign_of(width) - 1)};
    case 4:
        return (dvi_na){UINT64_MAX, 0, UINT64_MAX};
    default:
        return (dvi_na){dvt_draw_bits(draw), number, dvt_draw_bits(draw)};
    }
}

static bool is_na(uint64_t item, const dvi_na *na, size_t width)
{
    const uint64_t all = sign_of(width) * 2 - 1; /* also for width 8: it wraps */
    return (((item & na->mask) - na->low) & all) > (na->most & all);
}

/* Items near the limits of the rule, and random ones. */
static uint64_t draw_item(const dvi_na *na, dvt_draw *draw)
{
    const uint64_t step = dvt_draw_below(draw, 3) - 1;
    switch (dvt_draw_below(draw, 4)) {
    case 0:
        return na->low + step;
    case 1:
        return (na->low + na->most + step) | (dvt_draw_bits(draw) & ~na->mask);
    case 2:
        return step;
    default:
        return dvt_draw_bits(draw);
    }
}

/* In one trial of three, at most one item is NA. */
static void fill_items(uint8_t *src, size_t n, size_t width, const dvi_na *na, dvt_draw *draw)
{
    const bool is_sound = dvt_draw_once_in(draw, 3);
    const size_t one = dvt_draw_below(draw, n + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t item = draw_item(na, draw);
        if (is_sound && i != one && is_na(item, na, width))
            item = na->low; /* not NA by most rules */
        memcpy(src + width * i, &item, width);
    }
}

/* --- Drivers ---------------------------------------------------------------------------------- */

/* Partial counts, which are kept in bytes, must not wrap. */
static const char *check_all(DVT_CALL_NA, size_t width, const dvt_levels *here)
{
    const dvi_na na = {UINT64_MAX, 0, 0};
    const dvt_try trial = {(DVT_SHARED_NBYTES - DVT_SLACKS) / width, 0, 0};
    uint8_t *src = dvt_allocate(0, &trial, trial.n * width);
    memset(src, 0xFF, trial.n * width);
    const size_t want = call(here->scalar, src, trial.n, &na);
    if (want != trial.n && want != 0)
        return dvt_differs(DV_LEVEL_SCALAR, &trial, "all or the first");
    for (size_t k = 0; k < here->n; k++)
        if (call(here->table[k], src, trial.n, &na) != want)
            return dvt_differs(here->level[k], &trial, "all or the first");
    return NULL;
}

const char *dvt_check_NA(DVT_CALL_NA, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_na na = draw_rule(src_width, &draw);
        uint8_t *src = dvt_allocate(0, &trial, trial.n * src_width);
        fill_items(src, trial.n, src_width, &na, &draw);
        const size_t want = call(here.scalar, src, trial.n, &na);
        for (size_t k = 0; k < here.n; k++)
            if (call(here.table[k], src, trial.n, &na) != want)
                return dvt_differs(here.level[k], &trial, "how many, or where");
    }
    return check_all(call, src_width, &here);
}

const char *dvt_check_NA_MASK(DVT_CALL_NA_MASK, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_na na = draw_rule(src_width, &draw);
        const int na_bit = (int)dvt_draw_below(&draw, 2);
        const size_t n = trial.n, nbytes = (n + 7) / 8;
        uint8_t *src = dvt_allocate(0, &trial, n * src_width);
        fill_items(src, n, src_width, &na, &draw);
        uint8_t *want_dst = dvt_allocate(1, &trial, nbytes);
        const size_t want = call(here.scalar, want_dst, src, n, &na, na_bit);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(2, &trial, nbytes);
            if (call(here.table[k], dst, src, n, &na, na_bit) != want)
                return dvt_differs(here.level[k], &trial, "how many");
            if (memcmp(dst, want_dst, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "bits");
            if (!dvt_is_clean(2, dst, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

const char *dvt_check_NA_REPLACE(DVT_CALL_NA_REPLACE, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_na na = draw_rule(src_width, &draw);
        const uint64_t value = dvt_draw_bits(&draw);
        const size_t n = trial.n;
        uint8_t *src = dvt_allocate(0, &trial, n * src_width);
        fill_items(src, n, src_width, &na, &draw);

        const dvt_try aligned = {n, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *want = dvt_allocate(1, &aligned, n * dst_width);
        call(here.scalar, want, src, n, &na, value);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(2, &aligned, n * dst_width);
            call(here.table[k], dst, src, n, &na, value);
            if (memcmp(dst, want, n * dst_width) != 0)
                return dvt_differs(here.level[k], &trial, "items");
            if (!dvt_is_clean(2, dst, n * dst_width))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
