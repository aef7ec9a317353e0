/* SPDX-License-Identifier: MIT */
/* densify_tmpl.h: what do the vector levels share that make a matrix of sparse rows?
 *
 * Rows of some length are written one by one: first zeros, then their items.
 *
 * Short rows, and output that shall not go through the cache, are written in strips.  For a strip,
 * the items of all its rows are listed by where they go: first for each row where it starts, once
 * for each item, then plus the index.  So no loop ends with a row, which no CPU could foresee. Then
 * the items are scattered over zeros.
 *
 * Past the cache, a strip is a buffer of its own, which is streamed out in whole lines and made
 * zero again where the list says.  Strips do not end with rows, so that no line is written twice,
 * unless what lies between the rows is not ours. */
#ifndef DVI_SIMD_DENSIFY_TMPL_H
#define DVI_SIMD_DENSIFY_TMPL_H

#include "base/attrs.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

#define DVI_DENSIFY_LINE 64
#define DVI_DENSIFY_STRIP ((size_t)16 << 10) /* half of the first cache */
#define DVI_DENSIFY_ITEMS DVI_DENSIFY_STRIP  /* items that it can have, of 1 byte */
#define DVI_DENSIFY_SLACK 16
/* Up to so many items it is quicker to make them zero than all of the strip. */
#define DVI_DENSIFY_FEW (DVI_DENSIFY_STRIP / DVI_DENSIFY_LINE)
/* Zeros that the CPU's fill instruction, which is slow to start, makes at once: they fit the second
 * cache, where the items then go. */
#define DVI_DENSIFY_REPEAT ((size_t)128 << 10)
/* Bytes of a row: longer ones, and those of more than half as many slots, are written one by one;
 * and with gaps between them, shorter ones would be more edges than lines. */
#define DVI_DENSIFY_SHORT 256
#define DVI_DENSIFY_LONG 3072

/* Bytes that are worth a call of memcpy. */
#define DVI_DENSIFY_CALL 128
/* Items that are converted at once, before they are scattered. */
#define DVI_DENSIFY_CHUNK 256

/* What a level brings: compiled into each of its kernels, so that none of this is a call. */
typedef struct dvi_densify_level {
    /* n copies of value; up to DVI_DENSIFY_SLACK more may be written. */
    void (*spread)(uint32_t *dst, uint32_t value, size_t n);
    /* dst[i] += indices[i] << shift, the carry lost. */
    void (*add)(uint32_t *dst, const uint8_t *indices, size_t n, int shift);
    /* How many of n rising indices are below the limit. */
    size_t (*below)(const uint8_t *indices, size_t n, int32_t limit);
    /* Zeros by the CPU's fill instruction. */
    void (*repeat)(uint8_t *dst, size_t nbytes);
    /* A copy of nbytes, whole lines of dst, past the cache; and when all are written. */
    void (*stream)(uint8_t *dst, const uint8_t *src, size_t nbytes);
    void (*finish)(void);
} dvi_densify_level;

/* n items as those of the matrix. */
typedef void dvi_densify_convert(void *dst, const void *src, size_t n);

/* What stays the same from row to row. */
typedef struct dvi_densify_job {
    const dvi_densify_level *level;
    const dv_sparse *rows;
    size_t width, row_nbytes, pitch; /* pitch: bytes from row to row */
    int shift;                       /* an item of the matrix has 1 << shift bytes, */
    int stored_shift;                /* one of the rows 1 << stored_shift; they are */
    dvi_densify_convert *convert;    /* made so; NULL: the same */
    bool repeats;                    /* by the CPU's fill instruction */
} dvi_densify_job;

/* How far we are. */
typedef struct dvi_densify_walk {
    size_t row;                     /* goes on here; earlier strips have: */
    size_t slots, used;             /* of its slots, and of its indices */
    const uint8_t *indices, *items; /* the next ones */
    uint8_t *zero_to;               /* from where we are up to here all is zero */
    bool has_copies;                /* of dense rows, which are not listed */
} dvi_densify_walk;

/* Without indices or items their address may be NULL, to which not even 0 may be added. */
static DVI_ALWAYS_INLINE dvi_densify_walk dvi_densify_start(const dvi_densify_job *job,
                                                            uint8_t *zero_to)
{
    static const uint8_t nothing[1];
    const void *const indices = job->rows->indices, *const items = job->rows->items;
    return (dvi_densify_walk){.indices = indices ? indices : nothing,
                              .items = items ? items : nothing,
                              .zero_to = zero_to};
}

/* Up to DVI_DENSIFY_CALL bytes without a call; the last ones may be written twice. */
static DVI_ALWAYS_INLINE void dvi_densify_zero_short(uint8_t *dst, size_t nbytes)
{
    if (nbytes >= 16) {
        for (size_t i = 0; i < nbytes - 16; i += 16)
            memset(dst + i, 0, 16);
        memset(dst + nbytes - 16, 0, 16);
    } else if (nbytes >= 8) {
        memset(dst, 0, 8);
        memset(dst + nbytes - 8, 0, 8);
    } else if (nbytes >= 4) {
        memset(dst, 0, 4);
        memset(dst + nbytes - 4, 0, 4);
    } else {
        for (size_t i = 0; i < nbytes; i++)
            dst[i] = 0;
    }
}

static DVI_ALWAYS_INLINE void dvi_densify_copy_short(uint8_t *dst, const uint8_t *src,
                                                     size_t nbytes)
{
    if (nbytes >= 16) {
        for (size_t i = 0; i < nbytes - 16; i += 16)
            memcpy(dst + i, src + i, 16);
        memcpy(dst + nbytes - 16, src + nbytes - 16, 16);
    } else if (nbytes >= 8) {
        memcpy(dst, src, 8);
        memcpy(dst + nbytes - 8, src + nbytes - 8, 8);
    } else if (nbytes >= 4) {
        memcpy(dst, src, 4);
        memcpy(dst + nbytes - 4, src + nbytes - 4, 4);
    } else {
        for (size_t i = 0; i < nbytes; i++)
            dst[i] = src[i];
    }
}

/* n items, at the slots of a row that starts at dst. */
static DVI_ALWAYS_INLINE void dvi_densify_put(uint8_t *dst, const uint8_t *indices,
                                              const uint8_t *items, size_t n, int shift)
{
    const size_t size = (size_t)1 << shift;
    const uint8_t *const end = indices + 4 * n, *const fours = indices + 4 * (n & ~(size_t)3);
    for (; indices < fours; indices += 16, items += 4 * size)
        for (size_t j = 0; j < 4; j++)
            memcpy(dst + ((size_t)dvi_load_u32(indices + 4 * j) << shift), items + j * size, size);
    for (; indices < end; indices += 4, items += size)
        memcpy(dst + ((size_t)dvi_load_u32(indices) << shift), items, size);
}

/* n items, at the bytes after dst that a list says. */
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

/* The next n items, perhaps fewer, as those of the matrix: where they lie, or in `scratch`. */
static DVI_ALWAYS_INLINE const uint8_t *dvi_densify_take(const dvi_densify_job *job,
                                                         dvi_densify_walk *w, size_t *n,
                                                         uint64_t scratch[DVI_DENSIFY_CHUNK])
{
    const uint8_t *const items = w->items;
    if (job->convert) {
        *n = *n < DVI_DENSIFY_CHUNK ? *n : DVI_DENSIFY_CHUNK;
        job->convert(scratch, items, *n);
    }
    w->items += *n << job->stored_shift;
    return job->convert ? (const uint8_t *)scratch : items;
}

/* The next items, nbytes of the matrix, one after the other. */
static DVI_ALWAYS_INLINE void dvi_densify_take_all(const dvi_densify_job *job, dvi_densify_walk *w,
                                                   uint8_t *dst, size_t nbytes)
{
    const size_t n = nbytes >> job->shift;
    if (job->convert)
        job->convert(dst, w->items, n);
    else if (nbytes > DVI_DENSIFY_CALL)
        memcpy(dst, w->items, nbytes);
    else
        dvi_densify_copy_short(dst, w->items, nbytes);
    w->items += n << job->stored_shift;
}

/* Bytes of the rows to come, up to most, that are just what lies in the items: of dense rows that
 * have all their slots. */
static DVI_ALWAYS_INLINE size_t dvi_densify_dense(const dvi_densify_job *job,
                                                  const dvi_densify_walk *w, size_t most)
{
    size_t nbytes = 0, slots = w->slots;
    for (size_t row = w->row; nbytes < most && row < job->rows->n; row++, slots = 0) {
        if (dvi_sparse_count(job->rows, row) >= 0 ||
            (size_t)dvi_sparse_length(job->rows, row) != job->width)
            break;
        nbytes += (job->width - slots) << job->shift;
    }
    return nbytes < most ? nbytes : most;
}

static DVI_ALWAYS_INLINE void dvi_densify_zero(uint8_t *dst, size_t nbytes)
{
    if (nbytes > DVI_DENSIFY_CALL)
        memset(dst, 0, nbytes);
    else
        dvi_densify_zero_short(dst, nbytes);
}

/* A row at dst must be zero; so must the bytes after it, of which there are `left` in all. */
static DVI_ALWAYS_INLINE void dvi_densify_repeat(const dvi_densify_job *job, dvi_densify_walk *w,
                                                 uint8_t *dst, size_t left)
{
    if (dst + job->row_nbytes <= w->zero_to)
        return;
    const size_t least = job->row_nbytes, most = DVI_DENSIFY_REPEAT;
    const size_t ahead = least > most ? least : most, nbytes = ahead < left ? ahead : left;
    job->level->repeat(dst, nbytes);
    w->zero_to = dst + nbytes;
}

/* So many slots of a dense row, which perhaps ends before.  Returns their bytes. */
static DVI_ALWAYS_INLINE size_t dvi_densify_copy_piece(const dvi_densify_job *job,
                                                       dvi_densify_walk *w, uint8_t *at,
                                                       size_t slots)
{
    const size_t length = (size_t)dvi_sparse_length(job->rows, w->row);
    const size_t left = length > w->slots ? length - w->slots : 0;
    const size_t nbytes = (left < slots ? left : slots) << job->shift, all = slots << job->shift;
    dvi_densify_take_all(job, w, at, nbytes);
    if (at + all > w->zero_to)
        dvi_densify_zero(at + nbytes, all - nbytes);
    w->slots += slots;
    w->row += w->slots == job->width;
    w->slots = w->slots == job->width ? 0 : w->slots;
    return all;
}

/* nbytes of dense rows are written. */
static DVI_ALWAYS_INLINE void dvi_densify_skip(const dvi_densify_job *job, dvi_densify_walk *w,
                                               size_t nbytes)
{
    const size_t slots = w->slots + (nbytes >> job->shift);
    w->row += slots / job->width;
    w->slots = slots % job->width;
}

/* Dense rows from w->row on, up to most bytes (at least one item).  Returns how many. */
static DVI_ALWAYS_INLINE size_t dvi_densify_copy(const dvi_densify_job *job, dvi_densify_walk *w,
                                                 uint8_t *at, size_t most)
{
    const size_t dense = dvi_densify_dense(job, w, most);
    const size_t rest = job->width - w->slots, room = most >> job->shift;
    w->has_copies = true;
    if (dense == 0)
        return dvi_densify_copy_piece(job, w, at, rest < room ? rest : room);
    dvi_densify_take_all(job, w, at, dense);
    dvi_densify_skip(job, w, dense);
    return dense;
}

static DVI_ALWAYS_INLINE void dvi_densify_put_row(const dvi_densify_job *job, dvi_densify_walk *w,
                                                  uint8_t *dst, size_t count)
{
    uint64_t scratch[DVI_DENSIFY_CHUNK];
    for (size_t n; count > 0; count -= n) {
        n = count;
        const uint8_t *const items = dvi_densify_take(job, w, &n, scratch);
        dvi_densify_put(dst, w->indices, items, n, job->shift);
        w->indices += 4 * n;
    }
    w->row++;
}

/* Row after row, without gaps.  Unless zeros are repeated, w.zero_to stays behind. */
static DVI_ALWAYS_INLINE void dvi_densify_rows(const dvi_densify_job *job, uint8_t *dst)
{
    const uint8_t *const end = dst + job->rows->n * job->row_nbytes;
    dvi_densify_walk w = dvi_densify_start(job, dst);
    while (dst < end) {
        const int32_t count = dvi_sparse_count(job->rows, w.row);
        if (count < 0) {
            dst += dvi_densify_copy(job, &w, dst, (size_t)(end - dst));
        } else {
            if (job->repeats)
                dvi_densify_repeat(job, &w, dst, (size_t)(end - dst));
            else
                dvi_densify_zero(dst, job->row_nbytes);
            dvi_densify_put_row(job, &w, dst, (size_t)count);
            dst += job->row_nbytes;
        }
    }
}

/* Row after row, with gaps. */
static DVI_ALWAYS_INLINE void dvi_densify_apart(const dvi_densify_job *job, uint8_t *dst)
{
    dvi_densify_walk w = dvi_densify_start(job, dst);
    for (; w.row < job->rows->n; dst += job->pitch) {
        const int32_t count = dvi_sparse_count(job->rows, w.row);
        if (count < 0) {
            dvi_densify_copy(job, &w, dst, job->row_nbytes);
        } else {
            dvi_densify_zero(dst, job->row_nbytes);
            dvi_densify_put_row(job, &w, dst, (size_t)count);
        }
    }
}

/* A row has at most 2^31-1 slots, the matrix may have more. */
static DVI_ALWAYS_INLINE size_t dvi_densify_below(const dvi_densify_level *level,
                                                  const uint8_t *indices, size_t n, size_t limit)
{
    return level->below(indices, n, limit < INT32_MAX ? (int32_t)limit : INT32_MAX);
}

/* A strip that is being written: its bytes from `at` to `end`, all of them of rows. */
typedef struct dvi_densify_strip {
    uint8_t *dst;
    size_t at, end;
    uint32_t *list;
    size_t listed, placed; /* items that the list has; that are scattered */
} dvi_densify_strip;

/* Scatter what is listed. */
static DVI_ALWAYS_INLINE void dvi_densify_scatter(const dvi_densify_job *job, dvi_densify_walk *w,
                                                  dvi_densify_strip *s)
{
    uint64_t scratch[DVI_DENSIFY_CHUNK];
    for (size_t n; s->placed < s->listed; s->placed += n) {
        uint32_t *const list = s->list + s->placed;
        n = s->listed - s->placed;
        const uint8_t *const items = dvi_densify_take(job, w, &n, scratch);
        job->level->add(list, w->indices, n, job->shift);
        dvi_densify_put_listed(s->dst, list, items, n, job->shift);
        w->indices += 4 * n;
    }
}

/* List the sparse rows to come that have their start and their end in the strip. */
static DVI_ALWAYS_INLINE void dvi_densify_list_rows(const dvi_densify_job *job, dvi_densify_walk *w,
                                                    dvi_densify_strip *s)
{
    const size_t last = w->row + (s->end - s->at) / job->row_nbytes;
    size_t at = s->at, listed = s->listed, row = w->row;
    for (; row < last; row++, at += job->row_nbytes) {
        const int32_t count = dvi_sparse_count(job->rows, row);
        if (count < 0)
            break;
        job->level->spread(s->list + listed, (uint32_t)at, (size_t)count);
        listed += (size_t)count;
    }
    s->at = at;
    s->listed = listed;
    w->row = row;
}

/* List the piece of a sparse row, of count items, that lies in the strip. */
static DVI_ALWAYS_INLINE void dvi_densify_list_piece(const dvi_densify_job *job,
                                                     dvi_densify_walk *w, dvi_densify_strip *s,
                                                     size_t count)
{
    const size_t room = (s->end - s->at) >> job->shift, rest = job->width - w->slots;
    const bool is_last = rest <= room;
    const size_t slots = is_last ? rest : room;
    size_t n = count - w->used;
    if (!is_last)
        n = dvi_densify_below(job->level, w->indices + 4 * (s->listed - s->placed), n,
                              w->slots + slots);
    job->level->spread(s->list + s->listed, (uint32_t)(s->at - (w->slots << job->shift)), n);
    s->listed += n;
    s->at += slots << job->shift;
    w->used = is_last ? 0 : w->used + n;
    w->slots = is_last ? 0 : w->slots + slots;
    w->row += is_last;
}

/* Write the strip.  It is zero from `at` up to w->zero_to, or will be made so.  Returns how many
 * items the list has then. */
static DVI_ALWAYS_INLINE size_t dvi_densify_fill(const dvi_densify_job *job, dvi_densify_walk *walk,
                                                 uint8_t *dst, size_t at, size_t end,
                                                 uint8_t *zero_to, uint32_t *list)
{
    dvi_densify_walk w = *walk;
    dvi_densify_strip s = {.dst = dst, .at = at, .end = end, .list = list};
    while (s.at < end) {
        const int32_t count = dvi_sparse_count(job->rows, w.row);
        if (count < 0) {
            dvi_densify_scatter(job, &w, &s);
            s.at += dvi_densify_copy(job, &w, dst + s.at, end - s.at);
            continue;
        }
        if (w.zero_to != zero_to)
            memset(dst + s.at, 0, (size_t)(zero_to - dst) - s.at);
        w.zero_to = zero_to;
        if (w.slots == 0 && end - s.at >= job->row_nbytes)
            dvi_densify_list_rows(job, &w, &s);
        else
            dvi_densify_list_piece(job, &w, &s, (size_t)count);
    }
    dvi_densify_scatter(job, &w, &s);
    *walk = w;
    return s.listed;
}

/* Strips of the matrix itself: for rows without gaps. */
static DVI_ALWAYS_INLINE void dvi_densify_strips(const dvi_densify_job *job, uint8_t *dst)
{
    uint32_t list[DVI_DENSIFY_ITEMS + DVI_DENSIFY_SLACK];
    dvi_densify_walk w = dvi_densify_start(job, dst);
    size_t left = job->rows->n * job->row_nbytes;
    while (left > 0) {
        const size_t n = left < DVI_DENSIFY_STRIP ? left : DVI_DENSIFY_STRIP;
        dvi_densify_fill(job, &w, dst, 0, n, dst + n, list);
        dst += n;
        left -= n;
    }
}

/* The lines of a strip, from byte `from` to byte `end`, that belong at dst; those at the edges,
 * which may be others' too, in the usual way. */
static DVI_ALWAYS_INLINE void dvi_densify_emit(const dvi_densify_level *level, uint8_t *dst,
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

/* Fill the strip, which is zero if w->zero_to is its end, and stream it to dst. */
static DVI_ALWAYS_INLINE void dvi_densify_pass(const dvi_densify_job *job, dvi_densify_walk *w,
                                               uint8_t *dst, size_t from, size_t end,
                                               uint8_t *strip, uint32_t *list)
{
    uint8_t *const stop = strip + DVI_DENSIFY_STRIP;
    const bool was_zero = w->zero_to == stop;
    w->has_copies = false;
    const size_t listed = dvi_densify_fill(job, w, strip, from, end, stop, list);
    dvi_densify_emit(job->level, dst, strip, from, end);

    const bool is_known = w->zero_to == stop && (was_zero || from == 0) && !w->has_copies;
    if (!is_known || listed > DVI_DENSIFY_FEW)
        w->zero_to = strip;
    else
        for (size_t i = 0; i < listed; i++)
            memset(strip + list[i], 0, (size_t)1 << job->shift);
}

/* Stream nbytes that lie in one piece at dst. */
static DVI_ALWAYS_INLINE void dvi_densify_run(const dvi_densify_job *job, dvi_densify_walk *w,
                                              uint8_t *dst, size_t nbytes, uint8_t *strip,
                                              uint32_t *list)
{
    size_t from = (uintptr_t)dst % DVI_DENSIFY_LINE;
    for (dst -= from; nbytes > 0; dst += DVI_DENSIFY_STRIP, from = 0) {
        const size_t most = DVI_DENSIFY_STRIP - from, n = nbytes < most ? nbytes : most;
        if (from == 0 && !job->convert && dvi_densify_dense(job, w, n) == n) {
            dvi_densify_emit(job->level, dst, w->items, 0, n);
            w->items += n;
            dvi_densify_skip(job, w, n);
        } else {
            dvi_densify_pass(job, w, dst, from, from + n, strip, list);
        }
        nbytes -= n;
    }
}

static DVI_ALWAYS_INLINE void dvi_densify_stream(const dvi_densify_job *job, uint8_t *dst)
{
    _Alignas(DVI_DENSIFY_LINE) uint8_t strip[DVI_DENSIFY_STRIP];
    uint32_t list[DVI_DENSIFY_ITEMS + DVI_DENSIFY_SLACK];
    dvi_densify_walk w = dvi_densify_start(job, strip);
    const bool has_gaps = job->pitch > job->row_nbytes;
    const size_t runs = has_gaps ? job->rows->n : 1;
    const size_t nbytes = has_gaps ? job->row_nbytes : job->row_nbytes * job->rows->n;
    for (size_t i = 0; i < runs; i++)
        dvi_densify_run(job, &w, dst + i * job->pitch, nbytes, strip, list);
    job->level->finish();
}

/* Is it worth while to stream?  Not when there is as much to read as to write: reading waits while
 * lines go out.  Nor when a line has many items, which take longer than it takes to go out.  The
 * first rows tell. */
static DVI_ALWAYS_INLINE bool dvi_densify_is_thin(const dvi_densify_job *job)
{
    const size_t n = job->rows->n < 64 ? job->rows->n : 64;
    size_t items = 0;
    for (size_t i = 0; i < n; i++) {
        const int32_t count = dvi_sparse_count(job->rows, i);
        items += count < 0 ? 0 : (size_t)count;
    }
    return items / n <= job->width / 4 && items / n <= job->row_nbytes / (DVI_DENSIFY_LINE / 4);
}

/* The kernels densify_1 (shift 0) to densify_8 (3); and those that convert items of 1 <<
 * stored_shift bytes. */
static DVI_ALWAYS_INLINE void dvi_densify_matrix(const dvi_densify_level *level, void *dst,
                                                 size_t stride, size_t width, const dv_sparse *rows,
                                                 dvi_store store, int shift, int stored_shift,
                                                 dvi_densify_convert *convert)
{
    const bool has_gaps = stride > width;
    dvi_densify_job job = {.level = level,
                           .rows = rows,
                           .width = width,
                           .row_nbytes = width << shift,
                           .pitch = stride << shift,
                           .shift = shift,
                           .stored_shift = stored_shift,
                           .convert = convert,
                           .repeats = false};
    if (width == 0 || rows->n == 0)
        return;
    if (store == DVI_STORE_STREAM && (!has_gaps || job.row_nbytes >= DVI_DENSIFY_LONG) &&
        dvi_densify_is_thin(&job)) {
        dvi_densify_stream(&job, dst);
    } else if (has_gaps) {
        dvi_densify_apart(&job, dst);
    } else if (job.row_nbytes <= DVI_DENSIFY_SHORT && width <= DVI_DENSIFY_SHORT / 2) {
        dvi_densify_strips(&job, dst);
    } else if (store == DVI_STORE_REPEAT) {
        job.repeats = true;
        dvi_densify_rows(&job, dst);
    } else {
        dvi_densify_rows(&job, dst);
    }
}

/* --- The kernels of a level ---------------------------------------------------------------------
 *
 * Behind `static const dvi_densify_level level`.  Those that convert share one function for each
 * width of the matrix: to call the conversion costs little, as it does many items at once. */

#define DVI_DENSIFY_COPY(name, D, shift)                                                           \
    void dvi_##name(D *restrict dst, size_t stride, size_t width, const dv_sparse *rows,           \
                    dvi_store store)                                                               \
    {                                                                                              \
        dvi_densify_matrix(&level, dst, stride, width, rows, store, shift, shift, NULL);           \
    }

#define DVI_DENSIFY_TO(to, shift)                                                                  \
    static void densify_to_##to(void *dst, size_t stride, size_t width, const dv_sparse *rows,     \
                                dvi_store store, int stored_shift, dvi_densify_convert *convert)   \
    {                                                                                              \
        dvi_densify_matrix(&level, dst, stride, width, rows, store, shift, stored_shift, convert); \
    }

#define DVI_DENSIFY_CONVERTED(X, here, from, to)                                                   \
    static void convert_##from##_##to(void *dst, const void *src, size_t n)                        \
    {                                                                                              \
        dvi_convert_##from##_##to##_##here(dst, src, n);                                           \
    }                                                                                              \
    void dvi_densify_##from##_##to##_##here(DVI_ITEM_##to *restrict dst, size_t stride,            \
                                            size_t width, const dv_sparse *rows, dvi_store store)  \
    {                                                                                              \
        densify_to_##to(dst, stride, width, rows, store, __builtin_ctz(sizeof(DVI_ITEM_##from)),   \
                        convert_##from##_##to);                                                    \
    }

#define DVI_DENSIFY_KERNELS(here)                                                                  \
    DVI_DENSIFY_COPY(densify_1_##here, uint8_t, 0)                                                 \
    DVI_DENSIFY_COPY(densify_2_##here, uint16_t, 1)                                                \
    DVI_DENSIFY_COPY(densify_4_##here, uint32_t, 2)                                                \
    DVI_DENSIFY_COPY(densify_8_##here, uint64_t, 3)                                                \
    DVI_DENSIFY_TO(f4, 2)                                                                          \
    DVI_DENSIFY_TO(f8, 3)                                                                          \
    DVI_DENSIFY_LIST(DVI_DENSIFY_CONVERTED, _, here)

#endif
