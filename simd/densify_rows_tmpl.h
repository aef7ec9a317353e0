/* SPDX-License-Identifier: MIT */
/* densify_rows_tmpl.h: sparse rows made dense one by one: first zeros, then the items. */
#ifndef DVI_SIMD_DENSIFY_ROWS_TMPL_H
#define DVI_SIMD_DENSIFY_ROWS_TMPL_H

#include "base/compiler.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

/* Bytes that the CPU's fill instruction, which is slow to start, clears at a time.  They fit in the
 * second-level cache, where the items are then written. */
#define DVI_DENSIFY_REPEAT ((size_t)128 << 10)
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

#endif
