/* SPDX-License-Identifier: MIT */
/* check_items.c: checks kernels that read values one by one. */
#include "check_kernels.h"
#include <dataview/type.h>
#include <string.h>

#define ITEMS_MAX 8000

/* Bits of n values.  Pairs with both bits set occur only where they are planted. */
static void fill_packed(uint8_t *src, size_t nbytes, dvt_draw *draw)
{
    const bool sound = !dvt_draw_once_in(draw, 4);
    for (size_t i = 0; i < nbytes; i++) {
        const uint8_t bits = (uint8_t)dvt_draw_bits(draw);
        src[i] = sound ? bits & (uint8_t) ~((bits & 0xAA) >> 1) : bits;
    }
    if (nbytes > 0 && dvt_draw_once_in(draw, 3))
        src[dvt_draw_below(draw, nbytes)] |= (uint8_t)(3 << 2 * dvt_draw_below(draw, 4));
}

/* The bits suffice for either width: src has a byte for every four values of two bits, or for every
 * eight of one bit, and a kernel of one bit may read only the shorter array. */
static const char *check_expand(DVT_CALL_EXPAND, size_t per_byte)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, nbytes = (n + per_byte - 1) / per_byte;
        uint8_t *src = dvt_allocate(0, &trial, nbytes);
        fill_packed(src, nbytes, &draw);
        uint8_t *want_dst = dvt_allocate(1, &trial, n);
        const size_t want = call(here.scalar, want_dst, src, n);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(2, &trial, n);
            if (call(here.table[k], dst, src, n) != want)
                return dvt_differs(here.level[k], &trial, "number of values");
            if (memcmp(dst, want_dst, want) != 0)
                return dvt_differs(here.level[k], &trial, "values");
            if (!dvt_is_clean(2, dst, n))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* A trial call distinguishes the kernels: on eight values of 3 in two bytes, a kernel of one bit
 * takes all values, and a kernel of two bits stops. */
const char *dvt_check_EXPAND(DVT_CALL_EXPAND, size_t dst_width, size_t src_width)
{
    static const uint8_t ones[2] = {0xFF, 0xFF};
    uint8_t values[8];
    (void)dst_width;
    (void)src_width;
    const bool is_pairs = call(dvi_kernels_at(DV_LEVEL_SCALAR), values, ones, 8) == 0;
    return check_expand(call, is_pairs ? 4 : 8);
}

/* Nearly all are 0 or 1, as in columns. */
static void fill_booleans(uint8_t *src, size_t n, dvt_draw *draw)
{
    const bool sound = dvt_draw_once_in(draw, 2);
    for (size_t i = 0; i < n; i++)
        src[i] = !sound && dvt_draw_once_in(draw, 9) ? (uint8_t)dvt_draw_bits(draw)
                                                     : (uint8_t)dvt_draw_below(draw, 2);
}

/* A model of every bit, including the unused bits of the last byte. */
static bool is_packed(const uint8_t *dst, const uint8_t *src, size_t n, size_t count)
{
    size_t others = 0;
    for (size_t i = 0; i < (n + 7) / 8 * 8; i++) {
        if ((dst[i / 8] >> i % 8 & 1) != (i < n && src[i] == 1))
            return false;
        others += i < n && src[i] > 1;
    }
    return count == others;
}

const char *dvt_check_PACK(DVT_CALL_PACK, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    (void)src_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, nbytes = (n + 7) / 8;
        uint8_t *src = dvt_allocate(0, &trial, n);
        fill_booleans(src, n, &draw);
        for (size_t k = 0; k <= here.n; k++) {
            const dv_level level = k < here.n ? here.level[k] : DV_LEVEL_SCALAR;
            uint8_t *dst = dvt_allocate(1, &trial, nbytes);
            const size_t count = call(k < here.n ? here.table[k] : here.scalar, dst, src, n);
            if (!is_packed(dst, src, n, count))
                return dvt_differs(level, &trial, "bits");
            if (!dvt_is_clean(1, dst, nbytes))
                return dvt_differs(level, &trial, "bytes outside");
        }
    }
    return NULL;
}

static void fill_ticks(uint8_t *src, size_t n, dvt_draw *draw)
{
    static const int64_t sound[] = {0, 1, DV_TICKS_MAX, DV_TICKS_MAX - 1, DV_TICKS_NA};
    static const int64_t bad[] = {-1, INT64_MIN + 1, DV_TICKS_MAX + 1, INT64_MAX};
    for (size_t i = 0; i < n; i++) {
        const int64_t drawn = (int64_t)(dvt_draw_bits(draw) % (uint64_t)DV_TICKS_MAX);
        const int64_t ticks = dvt_draw_once_in(draw, 4) ? sound[dvt_draw_below(draw, 5)] : drawn;
        memcpy(src + 8 * i, &ticks, 8);
    }
    if (n > 0 && dvt_draw_once_in(draw, 2))
        memcpy(src + 8 * dvt_draw_below(draw, n), &bad[dvt_draw_below(draw, 4)], 8);
}

const char *dvt_check_RANGE(DVT_CALL_RANGE, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        uint8_t *src = dvt_allocate(0, &trial, trial.n * src_width);
        fill_ticks(src, trial.n, &draw);
        const size_t want = call(here.scalar, src, trial.n);
        for (size_t k = 0; k < here.n; k++)
            if (call(here.table[k], src, trial.n) != want)
                return dvt_differs(here.level[k], &trial, "the first bad value");
    }
    return NULL;
}
