/* SPDX-License-Identifier: MIT */
/* densify_strips_tmpl.h: sparse rows made dense in strips.
 *
 * For a strip, a list holds the offset of each item: first the start of its row, to which the index
 * is then added.  So no loop ends with a row, which a CPU could not predict.  Then the items are
 * scattered over zeros. */
#ifndef DVI_SIMD_DENSIFY_STRIPS_TMPL_H
#define DVI_SIMD_DENSIFY_STRIPS_TMPL_H

#include "simd/densify_rows_tmpl.h"

#define DVI_DENSIFY_STRIP ((size_t)16 << 10) /* half of the first cache */
#define DVI_DENSIFY_ITEMS DVI_DENSIFY_STRIP  /* at most, if an item has 1 byte */
#define DVI_DENSIFY_SLACK 16

/* A row has at most 2^31 - 1 slots; the matrix may have more. */
static DVI_ALWAYS_INLINE size_t dvi_densify_below(const dvi_densify_level *level,
                                                  const uint8_t *indices, size_t n, size_t limit)
{
    return level->below(indices, n, limit < INT32_MAX ? (int32_t)limit : INT32_MAX);
}

/* A strip that is being written: the bytes of rows from offset `at` to `end`. */
typedef struct dvi_densify_strip {
    uint8_t *dst;
    size_t at, end;
    uint32_t *list;
    size_t listed, written; /* items in the list; those of them that are written */
} dvi_densify_strip;

/* Write n items at the offsets of the list from dst. */
static DVI_ALWAYS_INLINE void dvi_densify_put_listed(uint8_t *dst, const uint32_t *list,
                                                     const uint8_t *items, size_t n, int shift)
{
    const size_t size = (size_t)1 << shift;
    size_t i = 0;
    for (; n - i >= 4; i += 4)
        for (size_t j = i; j < i + 4; j++)
            memcpy(dst + list[j], items + (j << shift), size);
    for (; i < n; i++)
        memcpy(dst + list[i], items + (i << shift), size);
}

/* Write the listed items. */
static DVI_ALWAYS_INLINE void dvi_densify_scatter(const dvi_densify_job *job,
                                                  dvi_densify_progress *p, dvi_densify_strip *s)
{
    uint64_t scratch[DVI_DENSIFY_STEP];
    for (size_t n; s->written < s->listed; s->written += n) {
        uint32_t *const list = s->list + s->written;
        n = s->listed - s->written;
        const uint8_t *const items = dvi_densify_take(job, p, &n, scratch);
        job->level->add(list, p->indices, n, job->shift);
        dvi_densify_put_listed(s->dst, list, items, n, job->shift);
        p->indices += 4 * n;
    }
}

/* List the next sparse rows that start and end in the strip. */
static DVI_ALWAYS_INLINE void dvi_densify_list_rows(const dvi_densify_job *job,
                                                    dvi_densify_progress *p, dvi_densify_strip *s)
{
    const size_t last = p->row + (s->end - s->at) / job->row_nbytes;
    size_t at = s->at, listed = s->listed, row = p->row;
    for (; row < last; row++, at += job->row_nbytes) {
        const int32_t count = dvi_sparse_count(job->rows, row);
        if (count < 0)
            break;
        job->level->spread(s->list + listed, (uint32_t)at, (size_t)count);
        listed += (size_t)count;
    }
    s->at = at;
    s->listed = listed;
    p->row = row;
}

/* List the slots of a sparse row, of count items, that lie in the strip. */
static DVI_ALWAYS_INLINE void dvi_densify_list_slots(const dvi_densify_job *job,
                                                     dvi_densify_progress *p, dvi_densify_strip *s,
                                                     size_t count)
{
    const size_t room = (s->end - s->at) >> job->shift, rest = job->width - p->slots;
    const bool is_last = rest <= room;
    const size_t slots = is_last ? rest : room;
    size_t n = count - p->used;
    if (!is_last)
        n = dvi_densify_below(job->level, p->indices + 4 * (s->listed - s->written), n,
                              p->slots + slots);
    job->level->spread(s->list + s->listed, (uint32_t)(s->at - (p->slots << job->shift)), n);
    s->listed += n;
    s->at += slots << job->shift;
    p->used = is_last ? 0 : p->used + n;
    p->slots = is_last ? 0 : p->slots + slots;
    p->row += is_last;
}

/* Write the strip.  It is cleared up to zero_to unless progress->zero_to shows that it is zero.
 * Returns the number of items in the list. */
static DVI_ALWAYS_INLINE size_t dvi_densify_fill(const dvi_densify_job *job,
                                                 dvi_densify_progress *progress, uint8_t *dst,
                                                 size_t at, size_t end, uint8_t *zero_to,
                                                 uint32_t *list)
{
    dvi_densify_progress p = *progress;
    dvi_densify_strip s = {.dst = dst, .at = at, .end = end, .list = list};
    while (s.at < end) {
        const int32_t count = dvi_sparse_count(job->rows, p.row);
        if (count < 0) {
            dvi_densify_scatter(job, &p, &s);
            s.at += dvi_densify_copy(job, &p, dst + s.at, end - s.at);
            continue;
        }
        if (p.zero_to != zero_to)
            memset(dst + s.at, 0, (size_t)(zero_to - dst) - s.at);
        p.zero_to = zero_to;
        if (p.slots == 0 && end - s.at >= job->row_nbytes)
            dvi_densify_list_rows(job, &p, &s);
        else
            dvi_densify_list_slots(job, &p, &s, (size_t)count);
    }
    dvi_densify_scatter(job, &p, &s);
    *progress = p;
    return s.listed;
}

/* Write strips directly into the matrix, for rows without gaps. */
static DVI_ALWAYS_INLINE void dvi_densify_strips(const dvi_densify_job *job, uint8_t *dst)
{
    uint32_t list[DVI_DENSIFY_ITEMS + DVI_DENSIFY_SLACK];
    dvi_densify_progress p = dvi_densify_start(job, dst);
    size_t left = job->rows->n * job->row_nbytes;
    while (left > 0) {
        const size_t n = left < DVI_DENSIFY_STRIP ? left : DVI_DENSIFY_STRIP;
        dvi_densify_fill(job, &p, dst, 0, n, dst + n, list);
        dst += n;
        left -= n;
    }
}

#endif
