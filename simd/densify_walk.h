/* SPDX-License-Identifier: MIT */
/* densify_walk.h: what do the vector levels share that make a matrix of sparse rows?
 *
 * The matrix is written in strips that fit the first cache.  For a strip, the items of all its rows
 * are listed by where they go: first for each row where it starts, once for each item, then plus
 * the index; so there is no loop per row, whose end no CPU could foresee.  Then the items are
 * scattered over zeros.
 *
 * Past the cache, a strip is a buffer of its own, which is streamed out in whole lines and made
 * zero again where the list says.  Strips do not end with rows, so that no line is written twice,
 * unless what lies between the rows is not ours. */
#ifndef DVI_SIMD_DENSIFY_WALK_H
#define DVI_SIMD_DENSIFY_WALK_H

#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

#define DVI_DENSIFY_LINE 64
#define DVI_DENSIFY_STRIP ((size_t)16 << 10)
#define DVI_DENSIFY_LIST (DVI_DENSIFY_STRIP / 4) /* items that a strip can have */
#define DVI_DENSIFY_SLACK 16
/* Up to so many items it is quicker to make them zero than all of the strip. */
#define DVI_DENSIFY_FEW (DVI_DENSIFY_STRIP / DVI_DENSIFY_LINE)
/* What the CPU's fill instruction is given at once: it is slow to start; this fits the second
 * cache, where the items then go. */
#define DVI_DENSIFY_REPEAT ((size_t)128 << 10)
/* Shorter rows with gaps between them would be more edges than lines. */
#define DVI_DENSIFY_STREAMED 1024

/* All of a level's own code: compiled into each of its kernels, so that none of this is a call. */
#define DVI_DENSIFY_INLINE static inline __attribute__((always_inline))

/* What a level brings. */
typedef struct dvi_densify_level {
    /* n copies of value; up to DVI_DENSIFY_SLACK more may be written. */
    void (*spread)(uint32_t *dst, uint32_t value, size_t n);
    /* dst[i] += indices[i] << shift, the carry lost. */
    void (*add)(uint32_t *dst, const uint8_t *indices, size_t n, int shift);
    /* How many of n rising indices are below the limit. */
    size_t (*below)(const uint8_t *indices, size_t n, int32_t limit);
    /* nbytes, whole lines of dst and src, past the cache; and when all are written. */
    void (*stream)(uint8_t *dst, const uint8_t *src, size_t nbytes);
    void (*finish)(void);
    /* Zeros by the CPU's fill instruction. */
    void (*repeat)(uint8_t *dst, size_t nbytes);
} dvi_densify_level;

/* How far we are. */
typedef struct dvi_densify_walk {
    size_t row;                     /* goes on here; earlier strips have: */
    size_t slots, used;             /* of its slots, and of its indices */
    const uint8_t *indices, *items; /* the next ones */
    uint8_t *zero_to;               /* from where we are up to here the strip is zero */
    bool has_copies;                /* of dense rows, which are not listed */
} dvi_densify_walk;

/* What stays the same from strip to strip. */
typedef struct dvi_densify_job {
    const dvi_densify_level *level;
    const dv_sparse *rows;
    size_t width, row_nbytes, pitch; /* pitch: bytes from row to row */
    int shift;                       /* an item has 1 << shift bytes */
    bool repeats;
} dvi_densify_job;

/* Put n items where the list says, once the indices are added. */
DVI_DENSIFY_INLINE void dvi_densify_scatter(const dvi_densify_job *job, dvi_densify_walk *w,
                                            uint8_t *strip, uint32_t *list, size_t n)
{
    const size_t size = (size_t)1 << job->shift;
    const uint8_t *item = w->items;
    job->level->add(list, w->indices, n, job->shift);
    for (size_t i = 0; i < n; i++, item += size)
        memcpy(strip + list[i], item, size);
    w->indices += 4 * n;
    w->items = item;
}

/* From `at` on there must be zeros for nbytes: make as many as will be needed soon, up to most. */
DVI_DENSIFY_INLINE void dvi_densify_zero(const dvi_densify_job *job, dvi_densify_walk *w,
                                         uint8_t *at, size_t nbytes, uint8_t *most)
{
    if (at + nbytes <= w->zero_to)
        return;
    if (job->pitch == job->row_nbytes)
        nbytes = (size_t)(most - at);
    if (job->repeats)
        job->level->repeat(at, nbytes);
    else
        memset(at, 0, nbytes);
    w->zero_to = at + nbytes;
}

/* A piece of a dense row. */
DVI_DENSIFY_INLINE void dvi_densify_copy(const dvi_densify_job *job, dvi_densify_walk *w,
                                         uint8_t *at, size_t slots)
{
    const size_t length = (size_t)dvi_sparse_length(job->rows, w->row);
    const size_t left = length > w->slots ? length - w->slots : 0;
    const size_t nbytes = (left < slots ? left : slots) << job->shift;
    if (nbytes > 0)
        memcpy(at, w->items, nbytes);
    if (at + (slots << job->shift) > w->zero_to)
        memset(at + nbytes, 0, (slots << job->shift) - nbytes);
    w->items += nbytes;
    w->has_copies = true;
}

/* A row has at most 2^31-1 slots, the matrix may have more. */
DVI_DENSIFY_INLINE size_t dvi_densify_below(const dvi_densify_level *level, const uint8_t *indices,
                                            size_t n, size_t limit)
{
    return level->below(indices, n, limit < INT32_MAX ? (int32_t)limit : INT32_MAX);
}

/* Write the strip's bytes from `from` to `end`, or to the end of the last row; zeros may be made up
 * to `most`.  Items are listed; *listed_out: how many.  Returns where it stopped. */
DVI_DENSIFY_INLINE size_t dvi_densify_strip(const dvi_densify_job *job, dvi_densify_walk *walk,
                                            uint8_t *strip, size_t from, size_t end, uint8_t *most,
                                            uint32_t *list, size_t *listed_out)
{
    dvi_densify_walk w = *walk;
    size_t at = from, listed = 0, placed = 0;
    while (at < end && w.row < job->rows->n) {
        const int32_t count = dvi_sparse_count(job->rows, w.row);
        const size_t room = (end - at) >> job->shift, rest = job->width - w.slots;
        const size_t slots = rest < room ? rest : room;
        if (count < 0) {
            dvi_densify_scatter(job, &w, strip, list + placed, listed - placed);
            placed = listed;
            dvi_densify_copy(job, &w, strip + at, slots);
        } else {
            size_t n = (size_t)count - w.used;
            dvi_densify_zero(job, &w, strip + at, slots << job->shift, most);
            if (rest > room)
                n = dvi_densify_below(job->level, w.indices + 4 * (listed - placed), n, w.slots + slots);
            job->level->spread(list + listed, (uint32_t)(at - (w.slots << job->shift)), n);
            listed += n;
            w.used += n;
        }
        if (rest > room) {
            w.slots += slots;
            at = end;
        } else {
            at += (slots << job->shift) + job->pitch - job->row_nbytes;
            w.row++;
            w.slots = w.used = 0;
        }
    }
    dvi_densify_scatter(job, &w, strip, list + placed, listed - placed);
    *walk = w;
    *listed_out = listed;
    return at;
}

/* Strips of the matrix itself.  With gaps between them, a strip has as many rows as without, as
 * long as 32 bits tell where an item goes. */
DVI_DENSIFY_INLINE void dvi_densify_cached(const dvi_densify_job *job, uint8_t *dst)
{
    uint32_t list[DVI_DENSIFY_LIST + DVI_DENSIFY_SLACK];
    dvi_densify_walk w = {.indices = job->rows->indices, .items = job->rows->items};
    const size_t rows = DVI_DENSIFY_STRIP / job->row_nbytes, span = rows * job->pitch;
    const bool has_gaps = job->pitch > job->row_nbytes;
    const size_t end = has_gaps && rows > 0 && job->pitch < UINT32_MAX / rows ? span
                                                                              : DVI_DENSIFY_STRIP;
    size_t left = has_gaps ? SIZE_MAX : job->rows->n * job->row_nbytes, listed;
    w.zero_to = dst;
    while (w.row < job->rows->n) {
        const size_t ahead = job->repeats ? DVI_DENSIFY_REPEAT : DVI_DENSIFY_STRIP;
        uint8_t *most = dst + (left < ahead ? left : ahead);
        const size_t n = dvi_densify_strip(job, &w, dst, 0, left < end ? left : end, most, list, &listed);
        dst += n;
        left -= n;
    }
}

/* The lines of a strip, from byte `from` to byte `end`, that belong at dst; those at the edges,
 * which may be others' too, in the usual way. */
DVI_DENSIFY_INLINE void dvi_densify_emit(const dvi_densify_level *level, uint8_t *dst,
                                         const uint8_t *strip, size_t from, size_t end)
{
    if (from > 0) {
        const size_t stop = end < DVI_DENSIFY_LINE ? end : DVI_DENSIFY_LINE;
        memcpy(dst + from, strip + from, stop - from);
        from = stop;
    }
    const size_t lines = (end - from) / DVI_DENSIFY_LINE * DVI_DENSIFY_LINE;
    level->stream(dst + from, strip + from, lines);
    if (from + lines < end)
        memcpy(dst + from + lines, strip + from + lines, end - from - lines);
}

/* Stream nbytes that lie in one piece at dst.  The strip is zero, if w->zero_to is its end. */
DVI_DENSIFY_INLINE void dvi_densify_run(const dvi_densify_job *job, dvi_densify_walk *w,
                                        uint8_t *dst, size_t nbytes, uint8_t *strip, uint32_t *list)
{
    const size_t size = (size_t)1 << job->shift;
    uint8_t *const stop = strip + DVI_DENSIFY_STRIP;
    size_t at = (uintptr_t)dst % DVI_DENSIFY_LINE, listed;
    for (dst -= at; nbytes > 0; dst += DVI_DENSIFY_STRIP, at = 0) {
        const size_t most = DVI_DENSIFY_STRIP - at, n = nbytes < most ? nbytes : most;
        const bool was_zero = w->zero_to == stop;
        w->has_copies = false;
        dvi_densify_strip(job, w, strip, at, at + n, stop, list, &listed);
        dvi_densify_emit(job->level, dst, strip, at, at + n);
        const bool can_undo = w->zero_to == stop && (was_zero || at == 0);
        if (can_undo && !w->has_copies && listed <= DVI_DENSIFY_FEW)
            for (size_t i = 0; i < listed; i++)
                memset(strip + list[i], 0, size);
        else
            w->zero_to = strip;
        nbytes -= n;
    }
}

DVI_DENSIFY_INLINE void dvi_densify_stream(const dvi_densify_job *job, uint8_t *dst)
{
    _Alignas(DVI_DENSIFY_LINE) uint8_t strip[DVI_DENSIFY_STRIP];
    uint32_t list[DVI_DENSIFY_LIST + DVI_DENSIFY_SLACK];
    dvi_densify_walk w = {.indices = job->rows->indices, .items = job->rows->items};
    const bool has_gaps = job->pitch > job->row_nbytes;
    const size_t runs = has_gaps ? job->rows->n : 1;
    const size_t nbytes = has_gaps ? job->row_nbytes : job->row_nbytes * job->rows->n;
    w.zero_to = strip;
    for (size_t i = 0; i < runs; i++)
        dvi_densify_run(job, &w, dst + i * job->pitch, nbytes, strip, list);
    job->level->finish();
}

/* The kernels densify_4 (shift 2) and densify_8 (3). */
DVI_DENSIFY_INLINE void dvi_densify_walk_rows(const dvi_densify_level *level, void *dst,
                                              size_t stride, size_t width, const dv_sparse *rows,
                                              dv_store store, int shift)
{
    const dvi_densify_job job = {level,           rows,  width, width << shift,
                                 stride << shift, shift, store == DV_STORE_REPEAT};
    if (width == 0 || rows->n == 0)
        return;
    if (store == DV_STORE_STREAM && (stride == width || job.row_nbytes >= DVI_DENSIFY_STREAMED))
        dvi_densify_stream(&job, dst);
    else
        dvi_densify_cached(&job, dst);
}

#endif
