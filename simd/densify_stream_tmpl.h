/* SPDX-License-Identifier: MIT */
/* densify_stream_tmpl.h: sparse rows made dense past the cache.
 *
 * A strip is built in a buffer, which is streamed out in whole lines and then cleared at the
 * offsets of the list.  Strips do not end with rows, so that no line is written twice, unless there
 * are gaps between the rows.
 *
 * Neither two buffers in turn nor lines streamed between items are faster (Zen 4). */
#ifndef DVI_SIMD_DENSIFY_STREAM_TMPL_H
#define DVI_SIMD_DENSIFY_STREAM_TMPL_H

#include "simd/densify_strips_tmpl.h"

#define DVI_DENSIFY_LINE 64
/* Up to this number of items, clearing the items is faster than clearing the strip. */
#define DVI_DENSIFY_FEW (DVI_DENSIFY_STRIP / DVI_DENSIFY_LINE)

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

static DVI_ALWAYS_INLINE void dvi_densify_past_cache(const dvi_densify_job *job, uint8_t *dst)
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

#endif
