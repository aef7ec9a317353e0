/* SPDX-License-Identifier: MIT */
/* cells_tmpl.h: permutes the cells of a rectangle, for the vector levels.
 *
 * Each lane holds a cell.  Several vectors go through the rounds together, because each step of a
 * vector waits for the step before.
 *
 * A level defines, before it includes this file:
 *
 *   vec  LANES         a vector; the number of its lanes, unsigned numbers of 32 bits
 *   vec_load(p)  vec_set(x)  vec_add  vec_sub  vec_xor  vec_min
 *   vec_mul(a, b)      the lower half of the product
 *   vec_high(a, b)     the higher half
 *   vec_fold(v)        v ^ v >> 15
 *   vec_carried(a, b)  1 where lanes differ, else 0
 *   vec_numbers(dst, x, height, y)   x * height + y, of 64 bits, in order */
#ifndef DVI_SIMD_CELLS_TMPL_H
#define DVI_SIMD_CELLS_TMPL_H

#include "simd/cells.h"

#define DVI_CELLS_VECTORS 4

static DVI_ALWAYS_INLINE vec dvi_cells_move(vec at, vec number, vec key, vec size)
{
    const vec h = vec_fold(vec_mul(vec_xor(number, key), vec_set(DVI_CELLS_FIRST)));
    const vec sum = vec_add(at, vec_high(vec_mul(h, vec_set(DVI_CELLS_SECOND)), size));
    return vec_min(sum, vec_sub(sum, size));
}

/* Permute consecutive cells, and advance *at_x and *at_y past them. */
static DVI_ALWAYS_INLINE void dvi_cells_group(uint64_t *dst, vec *at_x, vec *at_y, vec step_x,
                                              vec step_y, const dvi_rectangle *r)
{
    const vec width = vec_set(r->width), height = vec_set(r->height);
    vec x[DVI_CELLS_VECTORS], y[DVI_CELLS_VECTORS];
    for (int i = 0; i < DVI_CELLS_VECTORS; i++) {
        const vec sum = vec_add(*at_y, step_y);
        x[i] = *at_x;
        y[i] = *at_y;
        *at_y = vec_min(sum, vec_sub(sum, height));
        *at_x = vec_add(vec_add(*at_x, step_x), vec_carried(*at_y, sum));
    }
    for (int k = 0; k < DVI_RECTANGLE_KEYS; k += 2) {
        const vec key_x = vec_set(r->keys[k]), key_y = vec_set(r->keys[k + 1]);
        for (int i = 0; i < DVI_CELLS_VECTORS; i++)
            x[i] = dvi_cells_move(x[i], y[i], key_x, width);
        for (int i = 0; i < DVI_CELLS_VECTORS; i++)
            y[i] = dvi_cells_move(y[i], x[i], key_y, height);
    }
    for (int i = 0; i < DVI_CELLS_VECTORS; i++)
        vec_numbers(dst + i * LANES, x[i], height, y[i]);
}

/* The kernel of a level.  Scalar permutes the last cells. */
#define DVI_CELLS_KERNEL(level)                                                                    \
    void dvi_cells_permute_##level(uint64_t *restrict dst, uint64_t first, uint64_t step,          \
                                   size_t n, const dvi_rectangle *r)                               \
    {                                                                                              \
        const size_t group = LANES * DVI_CELLS_VECTORS;                                            \
        size_t i = 0;                                                                              \
        if (n >= group) {                                                                          \
            uint32_t x[LANES], y[LANES];                                                           \
            dvi_cells at = dvi_cells_at(first, step, r);                                           \
            for (int k = 0; k < LANES; k++) {                                                      \
                x[k] = at.x;                                                                       \
                y[k] = at.y;                                                                       \
                dvi_cells_next(&at, r->height);                                                    \
            }                                                                                      \
            const dvi_cells whole = dvi_cells_at(first, step * LANES, r);                          \
            vec at_x = vec_load(x), at_y = vec_load(y);                                            \
            for (; n - i >= group; i += group)                                                     \
                dvi_cells_group(dst + i, &at_x, &at_y, vec_set(whole.step_x),                      \
                                vec_set(whole.step_y), r);                                         \
        }                                                                                          \
        if (i < n)                                                                                 \
            dvi_cells_permute_scalar(dst + i, first + i * step, step, n - i, r);                   \
    }

#endif
