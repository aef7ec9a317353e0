/* SPDX-License-Identifier: MIT */
/* cells.h: the moves that permute cells of a rectangle (docs/shuffling.md, Permutations). */
#ifndef DVI_SIMD_CELLS_H
#define DVI_SIMD_CELLS_H

#include "base/compiler.h"
#include "simd/dispatch.h"

#define DVI_CELLS_FIRST UINT32_C(0x9E3779B1) /* the two factors of a move */
#define DVI_CELLS_SECOND UINT32_C(0x85EBCA77)

/* A cell of the rectangle, and the step from one number to the next. */
typedef struct dvi_cells {
    uint32_t x, y, step_x, step_y;
} dvi_cells;

static DVI_ALWAYS_INLINE dvi_cells dvi_cells_at(uint64_t first, uint64_t step,
                                                const dvi_rectangle *r)
{
    return (dvi_cells){(uint32_t)(first / r->height), (uint32_t)(first % r->height),
                       (uint32_t)(step / r->height), (uint32_t)(step % r->height)};
}

/* Return the distance that a cell moves, 0 to size - 1. */
static DVI_ALWAYS_INLINE uint32_t dvi_cells_distance(uint32_t number, uint32_t key, uint32_t size)
{
    uint32_t h = (number ^ key) * DVI_CELLS_FIRST;
    h = (h ^ h >> 15) * DVI_CELLS_SECOND;
    return (uint32_t)((uint64_t)h * size >> 32);
}

/* Return the sum of two numbers below size, modulo size.  A sum below size wraps in the
 * subtraction, to a larger number. */
static DVI_ALWAYS_INLINE uint32_t dvi_cells_wrap(uint32_t sum, uint32_t size)
{
    const uint32_t less = sum - size;
    return sum < less ? sum : less;
}

static DVI_ALWAYS_INLINE void dvi_cells_next(dvi_cells *c, uint32_t height)
{
    const uint32_t sum = c->y + c->step_y;
    c->y = dvi_cells_wrap(sum, height);
    c->x += c->step_x + (c->y != sum);
}

#endif
