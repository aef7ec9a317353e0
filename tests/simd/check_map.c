/* SPDX-License-Identifier: MIT */
/* check_map.c: checks kernels that make one item from each item. */
#include "simd/store.h"
#include "check_kernels.h"
#include <string.h>

#define ITEMS_MAX 4000
/* The cache is assumed to be small, so that long output is written past it. */
#define SMALL_CACHE ((size_t)1 << 10)
#define LARGE_CACHE ((size_t)1 << 30)
#define ALONE_STEP 7 /* with no level to compare, only bounds are checked */

/* A number of the width: random, near 0, or near a limit of its range or of another one. */
static void fill_number(uint8_t *dst, size_t width, dvt_draw *draw)
{
    uint64_t number[2] = {dvt_draw_bits(draw), dvt_draw_bits(draw)};
    const unsigned shift = 8 * (1u << dvt_draw_below(draw, 4)) - (unsigned)dvt_draw_below(draw, 2);
    const uint64_t power = shift < 64 ? UINT64_C(1) << shift : 0;
    switch (dvt_draw_below(draw, 4)) {
    case 0:
        number[0] = (uint64_t)dvt_draw_below(draw, 5) - 2;
        number[1] = 0;
        break;
    case 1:
        number[0] = power + dvt_draw_below(draw, 5) - 2;
        number[1] = dvt_draw_below(draw, 2);
        break;
    case 2:
        number[0] = 0 - power - dvt_draw_below(draw, 5) + 2;
        break;
    default:
        break;
    }
    memcpy(dst, number, width);
}

static void fill_numbers(uint8_t *src, size_t n, size_t width, dvt_draw *draw)
{
    for (size_t i = 0; i < n; i++)
        fill_number(src + width * i, width, draw);
}

/* dst is aligned to its item, so the slack before the end of the page counts items, not bytes. */
static dvt_try aligned(const dvt_try *trial, size_t width)
{
    dvt_try moved = *trial;
    if (trial->slack != DVT_AT_START)
        moved.slack = trial->slack / width * width;
    return moved;
}

const char *dvt_check_MAP(DVT_CALL_MAP, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const size_t step = here.n > 0 ? 1 : ALONE_STEP;
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ITEMS_MAX); i += step) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, nbytes = n * dst_width;
        const dvt_try to = aligned(&trial, dst_width);
        dvi_store_pretend(trial.n > DVT_LENGTHS && trial.seed % 2 ? SMALL_CACHE : LARGE_CACHE);
        uint8_t *src = dvt_allocate(0, &trial, n * src_width);
        fill_numbers(src, n, src_width, &draw);
        uint8_t *want = dvt_allocate(1, &to, nbytes);
        call(here.scalar, want, src, n);
        if (!dvt_is_clean(1, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(2, &to, nbytes);
            call(here.table[k], dst, src, n);
            if (memcmp(dst, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "values");
            if (!dvt_is_clean(2, dst, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    dvi_store_pretend(0);
    return NULL;
}
