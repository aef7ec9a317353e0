/* SPDX-License-Identifier: MIT */
/* pairs_tmpl.h: pairs_split for levels that take several pairs at a time.
 *
 * Rows are short, and where one ends the next begins, at any address.  So a row is taken in whole
 * blocks: the last one reads into the rows after, and what it writes too much is written again by
 * them.  The rows at the end, where a block would read or write too far, are left to scalar.  So is
 * everything when an index was bad: that is looked at once, at the end. */
#ifndef DVI_SIMD_PAIRS_TMPL_H
#define DVI_SIMD_PAIRS_TMPL_H

#include "base/attrs.h"
#include "simd/pairs.h"

/* What a level does.
 *
 * block     pairs that it takes at once, a power of two
 * split     n pairs, in whole blocks and at least one; `found` remembers a bad index
 * is_sound  was there none?
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

/* What is after the first i rows, which end there. */
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

static DVI_ALWAYS_INLINE size_t dvi_walk_pairs(const dvi_pairs_level *level, void *found,
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
        const uint64_t whole = (n + (uint64_t)block) & ~(uint64_t)(block - 1); /* n at least */
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
