/* SPDX-License-Identifier: MIT */
/* pairs_tmpl.h: splits rows of a BTable several pairs at a time, for the vector levels.
 *
 * Rows are short, and the next row follows at once, at any address.  Therefore a row is split in
 * whole blocks: its last block reads into the next rows, which overwrite the excess output.  Scalar
 * splits the last rows, where a block would read or write too far.  Invalid indices are checked
 * once, at the end; if there is one, scalar repeats all rows. */
#ifndef DVI_SIMD_PAIRS_TMPL_H
#define DVI_SIMD_PAIRS_TMPL_H

#include "base/compiler.h"
#include "simd/pairs.h"

/* The operations of a level.
 *
 * block     the number of pairs in a block, a power of two
 * split     splits n pairs, in whole blocks and at least one; records invalid indices in *found
 * is_sound  returns whether no index was invalid
 */
typedef struct dvi_pairs_level {
    size_t block;
    void (*split)(void *found, int32_t *indices, void *items, const uint8_t *pairs, size_t n);
    bool (*is_sound)(const void *found);
} dvi_pairs_level;

static inline size_t dvi_pairs_scalar(int32_t *counts, int32_t *indices, void *items, size_t width,
                                      const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    return width == sizeof(double)
               ? dvi_pairs_split_8_scalar(counts, indices, items, rows, end_out)
               : dvi_pairs_split_4_scalar(counts, indices, items, rows, end_out);
}

/* Split the rows after the first i rows, which end at *end. */
static inline size_t dvi_pairs_rest(int32_t *counts, int32_t *indices, void *items, size_t width,
                                    const dvi_pairs *rows, size_t i, dvi_pairs_end *end)
{
    dvi_pairs rest = *rows;
    dvi_pairs_end more;
    rest.src = (const uint8_t *)rows->src + end->nbytes;
    rest.nbytes -= end->nbytes;
    rest.rows -= i;
    rest.items -= end->items;
    const size_t n = dvi_pairs_scalar(counts + i, indices + end->indices,
                                      (uint8_t *)items + width * end->items, width, &rest, &more);
    end->nbytes += more.nbytes;
    end->indices += more.indices;
    end->items += more.items;
    return i + n;
}

static DVI_ALWAYS_INLINE size_t dvi_pairs_split(const dvi_pairs_level *level, void *found,
                                                int32_t *restrict counts, int32_t *restrict indices,
                                                void *restrict items, size_t width,
                                                const dvi_pairs *rows, dvi_pairs_end *end_out)
{
    const uint32_t length = (uint32_t)rows->length, dense = (uint32_t)rows->dense;
    const size_t most = rows->rows, block = level->block;
    const uint8_t *p = rows->src;
    uint8_t *item = items;
    int32_t *index = indices;
    size_t i = 0, left = rows->nbytes, room = rows->items;
    for (; i < most && left >= 4; i++) {
        const uint32_t n = (uint32_t)dvi_load_i32_be(p);
        const uint64_t whole = (n + (uint64_t)block) & ~(uint64_t)(block - 1); /* >= n */
        if (n > length || whole * DVI_PAIR_NBYTES > left - 4 || whole > room)
            break;
        level->split(found, index, item, p + 4, n);
        const size_t nbytes = 4 + DVI_PAIR_NBYTES * (size_t)n;
        const bool is_dense = n == dense;
        counts[i] = is_dense ? -1 : (int32_t)n;
        index += is_dense ? 0 : n;
        item += width * n;
        room -= n;
        p += nbytes;
        left -= nbytes;
    }
    if (!level->is_sound(found))
        return dvi_pairs_scalar(counts, indices, items, width, rows, end_out);
    *end_out = (dvi_pairs_end){rows->nbytes - left, (size_t)(index - indices), rows->items - room};
    return dvi_pairs_rest(counts, indices, items, width, rows, i, end_out);
}

#endif
