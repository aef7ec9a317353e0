/* SPDX-License-Identifier: MIT */
/* transpose_tmpl.h: in which order do the vector levels make a matrix of columns?
 *
 * In blocks; the last ones of a row or a column lie over the ones before, and write the same
 * again, so that nothing is left over.  Of each column a few lines are read at once, which is what
 * makes a CPU read on ahead, and does not ask for more of them in a set of the first cache than it
 * has, as columns that start at the same byte of a page would; then those of the next columns, and
 * so for a strip of rows after the other. */
#ifndef DVI_SIMD_TRANSPOSE_TMPL_H
#define DVI_SIMD_TRANSPOSE_TMPL_H

#include "base/attrs.h"
#include "simd/dispatch.h"

#define DVI_TRANSPOSE_STRIP 256 /* bytes of a column */

/* What a level brings: a block of so many rows and columns, from the items of the columns that
 * start at byte `at`; `pitch` bytes from row to row of dst. */
typedef struct dvi_transpose_level {
    size_t rows, columns, item_nbytes;
    void (*block)(uint8_t *dst, size_t pitch, const void *const *columns, size_t at);
} dvi_transpose_level;

/* Where the last of blocks that start at 0, side, ... starts instead. */
static DVI_ALWAYS_INLINE size_t dvi_transpose_at(size_t at, size_t side, size_t end)
{
    return end - at < side ? end - side : at;
}

/* Rows from `row` to `end`, of which there are those of a block or more. */
static DVI_ALWAYS_INLINE void dvi_transpose_strip(const dvi_transpose_level *level, uint8_t *dst,
                                                  size_t pitch, const void *const *columns,
                                                  size_t width, size_t row, size_t end)
{
    const size_t size = level->item_nbytes;
    for (size_t k = 0; k < width; k += level->columns) {
        const size_t column = dvi_transpose_at(k, level->columns, width);
        for (size_t i = row; i < end; i += level->rows) {
            const size_t at = dvi_transpose_at(i, level->rows, end);
            level->block(dst + at * pitch + column * size, pitch, columns + column, at * size);
        }
    }
}

static DVI_ALWAYS_INLINE void dvi_transpose_walk(const dvi_transpose_level *level, void *dst,
                                                 size_t stride, const void *const *columns,
                                                 size_t width, size_t n)
{
    const size_t pitch = stride * level->item_nbytes;
    const size_t rows = DVI_TRANSPOSE_STRIP / level->item_nbytes;
    for (size_t row = 0; row < n; row += rows) {
        const size_t end = n - row < rows ? n : row + rows;
        const size_t first = end - row < level->rows ? end - level->rows : row;
        dvi_transpose_strip(level, dst, pitch, columns, width, first, end);
    }
}

/* A kernel of a level that has block_<nbytes>_<rows> of two sizes, the small one with as many
 * columns; less than that is scalar's. */
#define DVI_TRANSPOSE_KERNEL(name, nbytes, type, large, wide, small)                               \
    void dvi_transpose_##nbytes##_##name(type *restrict dst, size_t stride,                        \
                                         const void *const *columns, size_t width, size_t n)       \
    {                                                                                              \
        static const dvi_transpose_level blocks = {large, wide, nbytes, block_##nbytes##_##large}; \
        static const dvi_transpose_level few = {small, small, nbytes, block_##nbytes##_##small};   \
        if (width >= (wide) && n >= (large))                                                       \
            dvi_transpose_walk(&blocks, dst, stride, columns, width, n);                           \
        else if (width >= (small) && n >= (small))                                                 \
            dvi_transpose_walk(&few, dst, stride, columns, width, n);                              \
        else                                                                                       \
            dvi_transpose_##nbytes##_scalar(dst, stride, columns, width, n);                       \
    }

#endif
