/* SPDX-License-Identifier: MIT */
/* densify_tmpl.h: makes a dense matrix of sparse rows, for the vector levels.
 *
 * Long rows are written one by one, short rows in strips, and output that bypasses the cache in
 * strips that are built in buffers. */
#ifndef DVI_SIMD_DENSIFY_TMPL_H
#define DVI_SIMD_DENSIFY_TMPL_H

#include "simd/densify_stream_tmpl.h"

/* Bytes of a row.  Rows longer than DVI_DENSIFY_SHORT, and rows of more than half as many slots,
 * are written one by one.  Rows with gaps that are shorter than DVI_DENSIFY_LONG are not streamed:
 * they have too few whole lines. */
#define DVI_DENSIFY_SHORT 256
#define DVI_DENSIFY_LONG 3072

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
        dvi_densify_past_cache(&job, dst);
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
