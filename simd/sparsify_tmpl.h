/* SPDX-License-Identifier: MIT */
/* sparsify_tmpl.h: sparsify for levels that take eight items at once.
 *
 * Which of eight are items is a mask of bits, and a table tells which lanes to keep for it: all are
 * written, of which the wrong ones are written again by the next.  Each slot has room of its own,
 * so eight may be written wherever eight slots follow the last item.  The end of a row of no whole
 * eights is taken as the eight that end there, without those that have been taken. */
#ifndef DVI_SIMD_SPARSIFY_TMPL_H
#define DVI_SIMD_SPARSIFY_TMPL_H

#include "base/attrs.h"
#include "base/load.h"
#include "simd/dispatch.h"

static const uint64_t dvi_sparsify_lanes[256] = {
#include "simd/sparsify_tbl.h"
};

/* What a level does with items of one width.
 *
 * width   bytes of an item
 * mask    of eight items at p: a bit for each that is not 0
 * masks   the same of 32
 * put     write those of eight that the mask tells, the first of which is at that slot; returns how
 *         many they are
 */
typedef struct dvi_sparsify_level {
    size_t width;
    uint32_t (*mask)(const uint8_t *p);
    uint32_t (*masks)(const uint8_t *p);
    size_t (*put)(int32_t *indices, void *items, const uint8_t *p, size_t slot, uint32_t mask);
} dvi_sparsify_level;

/* How many items have been written to the front of both arrays, which have room for `room`. */
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

/* One by one, from a slot on. */
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

#define DVI_SPARSIFY(W, T, here)                                                                   \
    size_t dvi_sparsify_##W##_##here(int32_t *restrict counts, int32_t *restrict indices,          \
                                     T *restrict items, const void *restrict src, size_t stride,   \
                                     size_t width, size_t n)                                       \
    {                                                                                              \
        static const dvi_sparsify_level level = {W, mask_##W, masks_##W, put_##W};                 \
        if (width < 8)                                                                             \
            return dvi_sparsify_##W##_scalar(counts, indices, items, src, stride, width, n);       \
        return dvi_sparsify(&level, counts, indices, items, src, stride, width, n);                \
    }

#endif
