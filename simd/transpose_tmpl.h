/* SPDX-License-Identifier: MIT */
/* transpose_tmpl.h: makes a matrix of columns, for the vector levels.
 *
 * The matrix is written in blocks.  The last block of a row or a column overlaps the block before
 * and writes the same values again, so there is no remainder.  The rows are written in strips: a
 * few lines of each column are read, then those of the next column.  Reading a few lines in
 * sequence starts the prefetcher of the CPU, and does not need more lines of one set of the
 * first-level cache than it has, even if all columns start at the same offset of a page. */
#ifndef DVI_SIMD_TRANSPOSE_TMPL_H
#define DVI_SIMD_TRANSPOSE_TMPL_H

#include "base/compiler.h"
#include "simd/dispatch.h"

#define DVI_TRANSPOSE_STRIP 256 /* bytes of a column */

/* The operation of a level: write a block of `rows` rows and `columns` columns from the items at
 * byte `at` of the columns.  pitch: bytes from row to row of dst. */
typedef struct dvi_transpose_level {
    size_t rows, columns, item_nbytes;
    void (*block)(uint8_t *dst, size_t pitch, const void *const *columns, size_t at);
} dvi_transpose_level;

/* Return the start of a block.  The last of the blocks that start at 0, side, ... ends at `end`. */
static DVI_ALWAYS_INLINE size_t dvi_transpose_at(size_t at, size_t side, size_t end)
{
    return end - at < side ? end - side : at;
}

/* Write the rows from `row` to `end`, which are at least those of a block. */
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

static DVI_ALWAYS_INLINE void dvi_transpose_strips(const dvi_transpose_level *level, void *dst,
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

/* A kernel of a level that defines block_<nbytes>_<rows> for two sizes; the small block is square.
 * Scalar writes smaller matrices. */
#define DVI_TRANSPOSE_KERNEL(name, nbytes, type, large, wide, small)                               \
    void dvi_transpose_##nbytes##_##name(type *restrict dst, size_t stride,                        \
                                         const void *const *columns, size_t width, size_t n)       \
    {                                                                                              \
        static const dvi_transpose_level blocks = {large, wide, nbytes, block_##nbytes##_##large}; \
        static const dvi_transpose_level few = {small, small, nbytes, block_##nbytes##_##small};   \
        if (width >= (wide) && n >= (large))                                                       \
            dvi_transpose_strips(&blocks, dst, stride, columns, width, n);                         \
        else if (width >= (small) && n >= (small))                                                 \
            dvi_transpose_strips(&few, dst, stride, columns, width, n);                            \
        else                                                                                       \
            dvi_transpose_##nbytes##_scalar(dst, stride, columns, width, n);                       \
    }

#endif
