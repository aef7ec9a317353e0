/* SPDX-License-Identifier: MIT */
/* cells_scalar.c: permutes the cells of a rectangle, one by one. */
#include "simd/cells.h"

void dvi_cells_permute_scalar(uint64_t *restrict dst, uint64_t first, uint64_t step, size_t n,
                              const dvi_rectangle *r)
{
    const uint32_t width = r->width, height = r->height;
    dvi_cells at = dvi_cells_at(first, step, r);
    for (size_t i = 0; i < n; i++) {
        uint32_t x = at.x, y = at.y;
        for (int k = 0; k < DVI_RECTANGLE_KEYS; k += 2) {
            x = dvi_cells_wrap(x + dvi_cells_distance(y, r->keys[k], width), width);
            y = dvi_cells_wrap(y + dvi_cells_distance(x, r->keys[k + 1], height), height);
        }
        dst[i] = (uint64_t)x * height + y;
        dvi_cells_next(&at, height);
    }
}
