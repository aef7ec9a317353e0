/* SPDX-License-Identifier: MIT */
/* check_cells.c: checks kernels that permute the cells of a rectangle. */
#include "check_kernels.h"
#include <string.h>

#define NUMBERS_MAX 1000
#define SIZE_MOST (UINT32_C(1) << 31)

/* P(1000000, 42) of docs/shuffling.md; none of its first numbers needs a second pass. */
static bool has_numbers_of_the_page(DVT_CALL_CELLS, const dvi_kernel_table *k)
{
    static const uint64_t want[] = {409549, 640578, 68756, 856430, 705488};
    static const dvi_rectangle page = {
        1000, 1000, {0xbdd73226, 0x28efe333, 0x47526757, 0x581ce1ff, 0x09bc585a, 0xde4431fa}};
    uint64_t got[5];
    call(k, got, 0, 1, 5, &page);
    return memcmp(got, want, sizeof want) == 0;
}

/* Mostly small, so that all cells occur; sometimes of the greatest size. */
static uint32_t draw_size(dvt_draw *draw)
{
    switch (dvt_draw_below(draw, 8)) {
    case 0:
        return SIZE_MOST - (uint32_t)dvt_draw_below(draw, 3);
    case 1:
        return 1 + (uint32_t)dvt_draw_below(draw, SIZE_MOST);
    case 2:
        return 1 + (uint32_t)dvt_draw_below(draw, 5);
    default:
        return 1 + (uint32_t)dvt_draw_below(draw, 5000);
    }
}

typedef struct cells {
    dvi_rectangle rectangle;
    uint64_t first, step;
    size_t n;
} cells;

/* n numbers of a rectangle, or all that it has. */
static cells draw_cells(dvt_draw *draw, size_t n)
{
    cells c = {.rectangle = {.width = draw_size(draw), .height = draw_size(draw)}};
    for (int i = 0; i < DVI_RECTANGLE_KEYS; i++)
        c.rectangle.keys[i] = (uint32_t)dvt_draw_bits(draw);
    const uint64_t all = (uint64_t)c.rectangle.width * c.rectangle.height;
    c.n = n < all ? n : (size_t)all;
    const uint64_t most = c.n > 1 ? (all - 1) / (c.n - 1) : 1; /* of a step */
    const uint64_t limit = UINT64_C(1) << 58;
    c.step =
        dvt_draw_once_in(draw, 2) ? 1 : 1 + dvt_draw_bits(draw) % (most < limit ? most : limit);
    const uint64_t room = all - (c.n ? (c.n - 1) * c.step : 0);
    c.first = dvt_draw_once_in(draw, 4) ? room - 1 : dvt_draw_bits(draw) % room;
    return c;
}

const char *dvt_check_CELLS(DVT_CALL_CELLS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial = {0};
    (void)src_width;
    if (!has_numbers_of_the_page(call, here.scalar))
        return dvt_differs(DV_LEVEL_SCALAR, &trial, "numbers from those of the page");
    for (size_t i = 0; dvt_try_at(&trial, i, NUMBERS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const cells c = draw_cells(&draw, trial.n);
        const size_t nbytes = c.n * dst_width;
        const dvt_try to = {c.n, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *want = dvt_allocate(0, &to, nbytes);
        call(here.scalar, want, c.first, c.step, c.n, &c.rectangle);
        if (!dvt_is_clean(0, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *got = dvt_allocate(1, &to, nbytes);
            call(here.table[k], got, c.first, c.step, c.n, &c.rectangle);
            if (memcmp(got, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "numbers");
            if (!dvt_is_clean(1, got, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}
