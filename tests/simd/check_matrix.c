/* SPDX-License-Identifier: MIT */
/* check_matrix.c: checks kernels that write a matrix with gaps between its rows. */
#include "check_kernels.h"
#include <string.h>

#define ROWS_MAX 700 /* so that longer rows fit, too */
#define COLUMNS_MAX 70
#define NBYTES_MAX 60000

/* dst starts a multiple of its item before the end of the page, or after its start. */
static dvt_try aligned(const dvt_try *trial, size_t width)
{
    dvt_try moved = *trial;
    if (trial->slack != DVT_AT_START)
        moved.slack = trial->slack / width * width;
    return moved;
}

static void fill_bytes(uint8_t *dst, size_t nbytes, dvt_draw *draw)
{
    for (size_t i = 0; i < nbytes; i += 8) {
        const uint64_t bits = dvt_draw_bits(draw);
        memcpy(dst + i, &bits, nbytes - i < 8 ? nbytes - i : 8);
    }
}

/* Adjacent columns, some bytes apart, in any order, so columns with neighbors are read at every
 * address; the last one ends at the end of the page. */
static void draw_columns(const void **columns, size_t width, size_t nbytes, const dvt_try *trial,
                         dvt_draw *draw)
{
    const size_t gap = dvt_draw_below(draw, 9), first = dvt_draw_below(draw, width);
    uint8_t *src = dvt_allocate(0, trial, width * nbytes + (width - 1) * gap);
    fill_bytes(src, width * nbytes + (width - 1) * gap, draw);
    for (size_t k = 0; k < width; k++)
        columns[k] = src + (k + first) % width * (nbytes + gap);
}

const char *dvt_check_TRANSPOSE(DVT_CALL_TRANSPOSE, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, width = 1 + dvt_draw_below(&draw, COLUMNS_MAX);
        const size_t gap = dvt_draw_once_in(&draw, 3) ? dvt_draw_below(&draw, 20) : 0;
        const size_t nbytes = n > 0 ? ((n - 1) * (width + gap) + width) * dst_width : 0;
        if (n * width * src_width + width * 8 > NBYTES_MAX || nbytes > NBYTES_MAX)
            continue;
        const void *columns[COLUMNS_MAX];
        draw_columns(columns, width, n * src_width, &trial, &draw);
        const dvt_try to = aligned(&trial, dst_width);
        uint8_t *want = dvt_allocate(1, &to, nbytes);
        call(here.scalar, want, width + gap, columns, width, n);
        if (!dvt_is_clean(1, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *got = dvt_allocate(2, &to, nbytes);
            call(here.table[k], got, width + gap, columns, width, n);
            if (memcmp(got, want, nbytes) != 0)
                return dvt_differs(here.level[k], &trial, "matrix");
            if (!dvt_is_clean(2, got, nbytes))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* Check a level with one form of stores. */
static const char *compare_rows(DVT_CALL_ROWS, dv_level level, const dvi_kernel_table *table,
                                dvi_store store, const dvt_try *trial, const uint8_t *want,
                                size_t nbytes, const uint8_t *src, const size_t sizes[4])
{
    uint8_t *got = dvt_allocate(2, trial, nbytes);
    call(table, got, sizes[0], src, sizes[1], sizes[2], sizes[3], store);
    if (memcmp(got, want, nbytes) != 0)
        return dvt_differs(level, trial, "matrix");
    return dvt_is_clean(2, got, nbytes) ? NULL : dvt_differs(level, trial, "bytes outside");
}

const char *dvt_check_ROWS(DVT_CALL_ROWS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    (void)dst_width;
    (void)src_width;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const size_t n = trial.n, most = NBYTES_MAX / (n + 1) - 70;
        const size_t width = dvt_draw_below(&draw, most < 1200 ? most : 1200);
        const size_t gaps[2] = {dvt_draw_once_in(&draw, 3) ? dvt_draw_below(&draw, 70) : 0,
                                dvt_draw_once_in(&draw, 3) ? dvt_draw_below(&draw, 70) : 0};
        const size_t sizes[4] = {width + gaps[0], width + gaps[1], width, n};
        const size_t nbytes = n > 0 ? (n - 1) * sizes[0] + width : 0;
        const size_t src_nbytes = n > 0 ? (n - 1) * sizes[1] + width : 0;
        uint8_t *src = dvt_allocate(0, &trial, src_nbytes), *want = dvt_allocate(1, &trial, nbytes);
        fill_bytes(src, src_nbytes, &draw);
        call(here.scalar, want, sizes[0], src, sizes[1], width, n, DVI_STORE_CACHED);
        if (!dvt_is_clean(1, want, nbytes))
            return dvt_differs(DV_LEVEL_SCALAR, &trial, "bytes outside");
        for (size_t k = 0; !differs && k < here.n; k++)
            for (int store = 0; !differs && store < DVI_STORES; store++)
                differs = compare_rows(call, here.level[k], here.table[k], (dvi_store)store, &trial,
                                       want, nbytes, src, sizes);
    }
    return differs;
}
