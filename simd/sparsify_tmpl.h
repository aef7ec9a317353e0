/* SPDX-License-Identifier: MIT */
/* sparsify_tmpl.h: finds the items of dense rows, eight slots at a time, for the vector levels.
 *
 * A mask has a bit for each of eight slots that is an item, and a table maps the mask to the lanes
 * to keep.  Eight lanes are always written; the next ones overwrite the excess.  The output has
 * room for every slot, so eight lanes may be written wherever eight slots follow the last item.  If
 * the width of a row is no multiple of eight, the last eight slots are taken, without those already
 * done. */
#ifndef DVI_SIMD_SPARSIFY_TMPL_H
#define DVI_SIMD_SPARSIFY_TMPL_H

#include "base/compiler.h"
#include "base/load.h"
#include "simd/dispatch.h"

/* The operations of a level on items of one width.
 *
 * width   bytes of an item
 * mask    returns a bit for each of eight slots at p, set if it is not 0
 * masks   as mask, for 32 slots
 * put     writes the items that the mask selects among the eight slots from `slot` on;
 *         returns their number
 */
typedef struct dvi_sparsify_level {
    size_t width;
    uint32_t (*mask)(const uint8_t *p);
    uint32_t (*masks)(const uint8_t *p);
    size_t (*put)(int32_t *indices, void *items, const uint8_t *p, size_t slot, uint32_t mask);
} dvi_sparsify_level;

/* The output: `sum` items are written to each of two arrays, which have room for `room`. */
typedef struct dvi_sparsify_state {
    int32_t *indices;
    uint8_t *items;
    size_t sum, room;
} dvi_sparsify_state;

static DVI_ALWAYS_INLINE void dvi_sparsify_put(const dvi_sparsify_level *level,
                                               dvi_sparsify_state *s, const uint8_t *p, size_t slot,
                                               uint32_t mask)
{
    s->sum += level->put(s->indices + s->sum, s->items + s->sum * level->width,
                         p + slot * level->width, slot, mask);
}

/* Read the slots from `slot` on one by one. */
static DVI_ALWAYS_INLINE void dvi_sparsify_few(const dvi_sparsify_level *level,
                                               dvi_sparsify_state *s, const uint8_t *p, size_t slot,
                                               size_t width)
{
    for (; slot < width; slot++) {
        uint64_t item = 0;
        memcpy(&item, p + slot * level->width, level->width);
        s->indices[s->sum] = (int32_t)slot;
        memcpy(s->items + s->sum * level->width, &item, level->width);
        s->sum += item != 0;
    }
}

static DVI_ALWAYS_INLINE void dvi_sparsify_row(const dvi_sparsify_level *level,
                                               dvi_sparsify_state *s, const uint8_t *p,
                                               size_t width)
{
    size_t slot = 0;
    for (; width - slot >= 32; slot += 32) {
        uint32_t masks = level->masks(p + slot * level->width);
        for (size_t i = slot; masks != 0; i += 8, masks >>= 8)
            dvi_sparsify_put(level, s, p, i, masks & 0xFF);
    }
    for (; width - slot >= 8; slot += 8)
        dvi_sparsify_put(level, s, p, slot, level->mask(p + slot * level->width));
    if (slot < width && s->room - s->sum >= 8) {
        const size_t last = width - 8;
        const uint32_t mask = level->mask(p + last * level->width);
        dvi_sparsify_put(level, s, p, last, mask >> (slot - last) << (slot - last));
    } else {
        dvi_sparsify_few(level, s, p, slot, width);
    }
}

static DVI_ALWAYS_INLINE size_t dvi_sparsify(const dvi_sparsify_level *level, int32_t *counts,
                                             int32_t *indices, void *items, const void *src,
                                             size_t stride, size_t width, size_t n)
{
    const uint8_t *const p = src;
    dvi_sparsify_state s = {indices, items, 0, n * width};
    for (size_t i = 0; i < n; i++) {
        const size_t before = s.sum;
        dvi_sparsify_row(level, &s, p + i * stride * level->width, width);
        counts[i] = (int32_t)(s.sum - before);
    }
    return s.sum;
}

/* Rows of less than `least` slots, at least 8, are left to scalar. */
#define DVI_SPARSIFY(W, T, here, least)                                                            \
    size_t dvi_sparsify_##W##_##here(int32_t *restrict counts, int32_t *restrict indices,          \
                                     T *restrict items, const void *restrict src, size_t stride,   \
                                     size_t width, size_t n)                                       \
    {                                                                                              \
        static const dvi_sparsify_level level = {W, mask_##W, masks_##W, put_##W};                 \
        if (width < (least))                                                                       \
            return dvi_sparsify_##W##_scalar(counts, indices, items, src, stride, width, n);       \
        return dvi_sparsify(&level, counts, indices, items, src, stride, width, n);                \
    }

#endif
