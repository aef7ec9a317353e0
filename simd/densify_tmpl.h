/* SPDX-License-Identifier: MIT */
/* densify_tmpl.h: makes a dense matrix of sparse rows, for the vector levels.
 *
 * Long rows are written one by one: first zeros, then the items.
 *
 * Short rows, and output that bypasses the cache, are written in strips.  For a strip, a list holds
 * the offset of each item: first the start of its row, to which the index is then added.  So no
 * loop ends with a row, which a CPU could not predict.  Then the items are scattered over zeros.
 *
 * Output that bypasses the cache is built in a buffer of the size of a strip, which is streamed out
 * in whole lines and then cleared at the offsets of the list.  Strips do not end with rows, so that
 * no line is written twice, unless there are gaps between the rows. */
#ifndef DVI_SIMD_DENSIFY_TMPL_H
#define DVI_SIMD_DENSIFY_TMPL_H

#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

#define DVI_DENSIFY_LINE 64
#define DVI_DENSIFY_STRIP ((size_t)16 << 10) /* half of the first cache */
#define DVI_DENSIFY_ITEMS DVI_DENSIFY_STRIP  /* at most, if an item has 1 byte */
#define DVI_DENSIFY_SLACK 16
/* Up to this number of items, clearing the items is faster than clearing the strip. */
#define DVI_DENSIFY_FEW (DVI_DENSIFY_STRIP / DVI_DENSIFY_LINE)
/* Bytes that the CPU's fill instruction, which is slow to start, clears at a time.  They fit in the
 * second-level cache, where the items are then written. */
#define DVI_DENSIFY_REPEAT ((size_t)128 << 10)
/* Bytes of a row.  Rows longer than DVI_DENSIFY_SHORT, and rows of more than half as many slots,
 * are written one by one.  Rows with gaps that are shorter than DVI_DENSIFY_LONG are not streamed:
 * they have too few whole lines. */
#define DVI_DENSIFY_SHORT 256
#define DVI_DENSIFY_LONG 3072

/* Up to this number of bytes, a call of memcpy or memset costs too much. */
#define DVI_DENSIFY_CALL 128
/* Bytes copied at a time into a matrix in the cache: a C library copies some MiB past the cache. */
#define DVI_DENSIFY_PIECE ((size_t)256 << 10)
/* Items that are converted at a time, before they are scattered. */
#define DVI_DENSIFY_STEP 256

/* The operations of a level.  They are inlined into each of its kernels. */
typedef struct dvi_densify_level {
    /* Write n copies of value; up to DVI_DENSIFY_SLACK more may be written. */
    void (*spread)(uint32_t *dst, uint32_t value, size_t n);
    /* dst[i] += indices[i] << shift, modulo 2^32. */
    void (*add)(uint32_t *dst, const uint8_t *indices, size_t n, int shift);
    /* Return how many of n increasing indices are below the limit. */
    size_t (*below)(const uint8_t *indices, size_t n, int32_t limit);
    /* Clear bytes with the CPU's fill instruction. */
    void (*repeat)(uint8_t *dst, size_t nbytes);
    /* Copy nbytes, whole lines of dst, past the cache; `finish` orders these stores at the end. */
    void (*stream)(uint8_t *dst, const uint8_t *src, size_t nbytes);
    void (*finish)(void);
} dvi_densify_level;

/* Convert n items to those of the matrix. */
typedef void dvi_densify_convert(void *dst, const void *src, size_t n);

/* The parameters of a call. */
typedef struct dvi_densify_job {
    const dvi_densify_level *level;
    const dv_sparse *rows;
    size_t width, row_nbytes, pitch; /* pitch: bytes from row to row */
    int shift;                       /* an item of the matrix has 1 << shift bytes */
    int stored_shift;                /* an item of the rows has 1 << stored_shift bytes */
    dvi_densify_convert *convert;    /* NULL: items are copied */
    size_t piece;                    /* bytes that are copied at a time */
    bool repeats;                    /* zeros are written by the CPU's fill instruction */
} dvi_densify_job;

/* The progress of a call. */
typedef struct dvi_densify_progress {
    size_t row;                     /* the next row */
    size_t slots, used;             /* slots and indices of this row that earlier strips have */
    const uint8_t *indices, *items; /* the next ones */
    uint8_t *zero_to;               /* the output is zero from the next byte up to here */
    bool has_copies;                /* the strip has items of dense rows, which are not listed */
} dvi_densify_progress;

/* indices and items may be NULL if there are none; adding even 0 to NULL is undefined. */
static DVI_ALWAYS_INLINE dvi_densify_progress dvi_densify_start(const dvi_densify_job *job,
                                                                uint8_t *zero_to)
{
    static const uint8_t nothing[1];
    const void *const indices = job->rows->indices, *const items = job->rows->items;
    return (dvi_densify_progress){.indices = indices ? indices : nothing,
                                  .items = items ? items : nothing,
                                  .zero_to = zero_to};
}

/* Clear up to DVI_DENSIFY_CALL bytes without a call.  The last bytes may be written twice. */
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

/* Write n items to their slots in the row that starts at dst. */
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

/* Return the next *n items as items of the matrix, in place or converted into `scratch`.  *n may
 * become smaller. */
static DVI_ALWAYS_INLINE const uint8_t *dvi_densify_take(const dvi_densify_job *job,
                                                         dvi_densify_progress *p, size_t *n,
                                                         uint64_t scratch[DVI_DENSIFY_STEP])
{
    const uint8_t *const items = p->items;
    if (job->convert) {
        *n = *n < DVI_DENSIFY_STEP ? *n : DVI_DENSIFY_STEP;
        job->convert(scratch, items, *n);
    }
    p->items += *n << job->stored_shift;
    return job->convert ? (const uint8_t *)scratch : items;
}

/* Write the next items, nbytes of the matrix, one after another. */
static DVI_ALWAYS_INLINE void dvi_densify_take_all(const dvi_densify_job *job,
                                                   dvi_densify_progress *p, uint8_t *dst,
                                                   size_t nbytes)
{
    const size_t n = nbytes >> job->shift, piece = job->piece;
    if (job->convert)
        job->convert(dst, p->items, n);
    else if (nbytes > DVI_DENSIFY_CALL)
        for (size_t i = 0; i < nbytes; i += piece)
            memcpy(dst + i, p->items + i, nbytes - i < piece ? nbytes - i : piece);
    else
        dvi_densify_copy_short(dst, p->items, nbytes);
    p->items += n << job->stored_shift;
}

/* Are 8 rows from `row` on dense, with `width` slots: counts -1?  False also if lengths vary. */
static DVI_ALWAYS_INLINE bool dvi_densify_eight(const dvi_densify_job *job, size_t row)
{
    const dv_sparse *const rows = job->rows;
    if (rows->lengths || (size_t)rows->length != job->width || rows->n - row < 8)
        return false;
    const uint8_t *const counts = (const uint8_t *)rows->counts + 4 * row;
    return (dvi_load_u64(counts) & dvi_load_u64(counts + 8) & dvi_load_u64(counts + 16) &
            dvi_load_u64(counts + 24)) == UINT64_MAX;
}

/* Return how many of the next `most` bytes are a copy of the items: those of dense rows that have
 * `width` slots. */
static DVI_ALWAYS_INLINE size_t dvi_densify_dense(const dvi_densify_job *job,
                                                  const dvi_densify_progress *p, size_t most)
{
    size_t nbytes = 0, slots = p->slots, row = p->row;
    for (; slots == 0 && nbytes < most && dvi_densify_eight(job, row); row += 8)
        nbytes += 8 * job->row_nbytes;
    for (; nbytes < most && row < job->rows->n; row++, slots = 0) {
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

/* Clear the row at dst, and bytes ahead of it, of the `left` bytes from dst on. */
static DVI_ALWAYS_INLINE void dvi_densify_repeat(const dvi_densify_job *job,
                                                 dvi_densify_progress *p, uint8_t *dst, size_t left)
{
    if (dst + job->row_nbytes <= p->zero_to)
        return;
    const size_t least = job->row_nbytes, most = DVI_DENSIFY_REPEAT;
    const size_t ahead = least > most ? least : most, nbytes = ahead < left ? ahead : left;
    job->level->repeat(dst, nbytes);
    p->zero_to = dst + nbytes;
}

/* Write `slots` slots of a dense row, with zeros after its items.  Returns the number of bytes. */
static DVI_ALWAYS_INLINE size_t dvi_densify_copy_slots(const dvi_densify_job *job,
                                                       dvi_densify_progress *p, uint8_t *at,
                                                       size_t slots)
{
    const size_t length = (size_t)dvi_sparse_length(job->rows, p->row);
    const size_t left = length > p->slots ? length - p->slots : 0;
    const size_t nbytes = (left < slots ? left : slots) << job->shift, all = slots << job->shift;
    dvi_densify_take_all(job, p, at, nbytes);
    if (at + all > p->zero_to)
        dvi_densify_zero(at + nbytes, all - nbytes);
    p->slots += slots;
    p->row += p->slots == job->width;
    p->slots = p->slots == job->width ? 0 : p->slots;
    return all;
}

/* Advance past nbytes of dense rows. */
static DVI_ALWAYS_INLINE void dvi_densify_skip(const dvi_densify_job *job, dvi_densify_progress *p,
                                               size_t nbytes)
{
    const size_t slots = p->slots + (nbytes >> job->shift);
    p->row += slots / job->width;
    p->slots = slots % job->width;
}

/* Write dense rows from p->row on, up to `most` bytes (at least one item).  Returns the number of
 * bytes written. */
static DVI_ALWAYS_INLINE size_t dvi_densify_copy(const dvi_densify_job *job,
                                                 dvi_densify_progress *p, uint8_t *at, size_t most)
{
    const size_t dense = dvi_densify_dense(job, p, most);
    const size_t rest = job->width - p->slots, room = most >> job->shift;
    p->has_copies = true;
    if (dense == 0)
        return dvi_densify_copy_slots(job, p, at, rest < room ? rest : room);
    dvi_densify_take_all(job, p, at, dense);
    dvi_densify_skip(job, p, dense);
    return dense;
}

static DVI_ALWAYS_INLINE void
dvi_densify_put_row(const dvi_densify_job *job, dvi_densify_progress *p, uint8_t *dst, size_t count)
{
    uint64_t scratch[DVI_DENSIFY_STEP];
    for (size_t n; count > 0; count -= n) {
        n = count;
        const uint8_t *const items = dvi_densify_take(job, p, &n, scratch);
        dvi_densify_put(dst, p->indices, items, n, job->shift);
        p->indices += 4 * n;
    }
    p->row++;
}

/* Write row after row, without gaps.  p.zero_to is kept up to date only if job->repeats. */
static DVI_ALWAYS_INLINE void dvi_densify_rows(const dvi_densify_job *job, uint8_t *dst)
{
    const uint8_t *const end = dst + job->rows->n * job->row_nbytes;
    dvi_densify_progress p = dvi_densify_start(job, dst);
    while (dst < end) {
        const int32_t count = dvi_sparse_count(job->rows, p.row);
        if (count < 0) {
            dst += dvi_densify_copy(job, &p, dst, (size_t)(end - dst));
        } else {
            if (job->repeats)
                dvi_densify_repeat(job, &p, dst, (size_t)(end - dst));
            else
                dvi_densify_zero(dst, job->row_nbytes);
            dvi_densify_put_row(job, &p, dst, (size_t)count);
            dst += job->row_nbytes;
        }
    }
}

/* Write row after row, with gaps. */
static DVI_ALWAYS_INLINE void dvi_densify_spaced_rows(const dvi_densify_job *job, uint8_t *dst)
{
    dvi_densify_progress p = dvi_densify_start(job, dst);
    for (; p.row < job->rows->n; dst += job->pitch) {
        const int32_t count = dvi_sparse_count(job->rows, p.row);
        if (count < 0) {
            dvi_densify_copy(job, &p, dst, job->row_nbytes);
        } else {
            dvi_densify_zero(dst, job->row_nbytes);
            dvi_densify_put_row(job, &p, dst, (size_t)count);
        }
    }
}

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

/* Write bytes `from` to `end` of a strip to dst.  Whole lines are streamed; partial lines at the
 * edges, which may hold other data, are written with ordinary stores. */
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

/* Fill the strip and stream it to dst.  On entry it is zero if p->zero_to is its end. */
static DVI_ALWAYS_INLINE void dvi_densify_stream_strip(const dvi_densify_job *job,
                                                       dvi_densify_progress *p, uint8_t *dst,
                                                       size_t from, size_t end, uint8_t *strip,
                                                       uint32_t *list)
{
    uint8_t *const stop = strip + DVI_DENSIFY_STRIP;
    const bool was_zero = p->zero_to == stop;
    p->has_copies = false;
    const size_t listed = dvi_densify_fill(job, p, strip, from, end, stop, list);
    dvi_densify_emit(job->level, dst, strip, from, end);

    const bool is_known = p->zero_to == stop && (was_zero || from == 0) && !p->has_copies;
    if (!is_known || listed > DVI_DENSIFY_FEW)
        p->zero_to = strip;
    else
        for (size_t i = 0; i < listed; i++)
            memset(strip + list[i], 0, (size_t)1 << job->shift);
}

/* Stream a run of nbytes to dst. */
static DVI_ALWAYS_INLINE void dvi_densify_stream_run(const dvi_densify_job *job,
                                                     dvi_densify_progress *p, uint8_t *dst,
                                                     size_t nbytes, uint8_t *strip, uint32_t *list)
{
    size_t from = (uintptr_t)dst % DVI_DENSIFY_LINE;
    for (dst -= from; nbytes > 0; dst += DVI_DENSIFY_STRIP, from = 0) {
        const size_t most = DVI_DENSIFY_STRIP - from, n = nbytes < most ? nbytes : most;
        if (from == 0 && !job->convert && dvi_densify_dense(job, p, n) == n) {
            dvi_densify_emit(job->level, dst, p->items, 0, n);
            p->items += n;
            dvi_densify_skip(job, p, n);
        } else {
            dvi_densify_stream_strip(job, p, dst, from, from + n, strip, list);
        }
        nbytes -= n;
    }
}

static DVI_ALWAYS_INLINE void dvi_densify_stream(const dvi_densify_job *job, uint8_t *dst)
{
    _Alignas(DVI_DENSIFY_LINE) uint8_t strip[DVI_DENSIFY_STRIP];
    uint32_t list[DVI_DENSIFY_ITEMS + DVI_DENSIFY_SLACK];
    dvi_densify_progress p = dvi_densify_start(job, strip);
    const bool has_gaps = job->pitch > job->row_nbytes;
    const size_t runs = has_gaps ? job->rows->n : 1;
    const size_t nbytes = has_gaps ? job->row_nbytes : job->row_nbytes * job->rows->n;
    for (size_t i = 0; i < runs; i++)
        dvi_densify_stream_run(job, &p, dst + i * job->pitch, nbytes, strip, list);
    job->level->finish();
}

/* Return whether streaming pays off, judging by the first rows.  It does not if there is as much to
 * read as to write, since reads wait while lines are written, or if writing the items of a line
 * takes longer than streaming the line. */
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

/* The body of kernels densify_1 (shift 0) to densify_8 (shift 3), and of those that convert items
 * of 1 << stored_shift bytes. */
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
                           .piece = store == DVI_STORE_CACHED ? DVI_DENSIFY_PIECE : SIZE_MAX,
                           .repeats = false};
    if (width == 0 || rows->n == 0)
        return;
    if (store == DVI_STORE_STREAM && (!has_gaps || job.row_nbytes >= DVI_DENSIFY_LONG) &&
        dvi_densify_is_thin(&job)) {
        dvi_densify_stream(&job, dst);
    } else if (has_gaps) {
        dvi_densify_spaced_rows(&job, dst);
    } else if (job.row_nbytes <= DVI_DENSIFY_SHORT && width <= DVI_DENSIFY_SHORT / 2) {
        dvi_densify_strips(&job, dst);
    } else if (store == DVI_STORE_REPEAT) {
        job.repeats = true;
        dvi_densify_rows(&job, dst);
    } else {
        dvi_densify_rows(&job, dst);
    }
}

/* --- The kernels of a level ------------------------------------------------------------------- */

/* A level defines `static const dvi_densify_level level` first.  The kernels that convert share one
 * function for each width of the matrix: the call of the conversion costs little, because it
 * converts many items. */

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
