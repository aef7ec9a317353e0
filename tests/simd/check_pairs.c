/* SPDX-License-Identifier: MIT */
/* check_pairs.c: checks kernels that split the rows of a BTable. */
#include "base/load.h"
#include "check_kernels.h"
#include <string.h>

#define ROWS_MAX 4000
#define PAIRS_MAX 4000 /* of all rows of a trial */

enum { SRC, COUNTS, INDICES, ITEMS, WANT_COUNTS, WANT_INDICES, WANT_ITEMS };

/* Values of all kinds: random bits, small numbers, values out of the range of float, NaN. */
static uint64_t draw_value(dvt_draw *draw)
{
    static const uint64_t others[] = {
        0,
        UINT64_C(1) << 63,
        1,                            /* the least denormal */
        UINT64_C(0x7FF0000000000000), /* infinity */
        UINT64_C(0x7FF0000000000001), /* signaling NaN */
        UINT64_C(0xFFF8000000000123),
        UINT64_C(0x36A0000000000000), /* half of the least float: ties to even */
        UINT64_C(0x36A0000000000001),
        UINT64_C(0x47EFFFFFF0000000), /* half a unit above the greatest float */
        UINT64_C(0x47EFFFFFEFFFFFFF),
    };
    if (dvt_draw_once_in(draw, 3))
        return others[dvt_draw_below(draw, sizeof others / sizeof *others)];
    const uint64_t bits = dvt_draw_bits(draw);
    return dvt_draw_once_in(draw, 2) ? bits : UINT64_C(0x4000000000000000) | bits >> 9;
}

/* Write a row with n pairs of increasing indices below length. */
static void write_row(uint8_t *p, int32_t n, int32_t length, dvt_draw *draw)
{
    dvi_store_i32_be(p, n);
    p += 4;
    for (int32_t slot = 0, left = n; left > 0; slot++)
        if (dvt_draw_below(draw, (size_t)(length - slot)) < (size_t)left) {
            dvi_store_i32_be(p, slot);
            dvi_store_u64_be(p + 4, draw_value(draw));
            p += 12;
            left--;
        }
}

/* Draw the number of pairs of each row, at most PAIRS_MAX in all.  Returns the sum. */
static size_t draw_counts(int32_t *counts, size_t rows, int32_t length, dvt_draw *draw)
{
    size_t left = PAIRS_MAX, sum = 0;
    for (size_t i = 0; i < rows; i++) {
        const size_t room = left < (size_t)length ? left : (size_t)length;
        const bool is_full = room == (size_t)length && dvt_draw_once_in(draw, 6);
        counts[i] = (int32_t)(is_full ? room : dvt_draw_below(draw, room + 1));
        if (!is_full && counts[i] > 20 && dvt_draw_once_in(draw, 2))
            counts[i] = (int32_t)dvt_draw_below(draw, 20);
        left -= (size_t)counts[i];
        sum += (size_t)counts[i];
    }
    return sum;
}

/* Sometimes make one count or one index of the row at p invalid. */
static void spoil_row(uint8_t *p, int32_t n, int32_t length, dvt_draw *draw)
{
    const int32_t wrong_counts[] = {-1, INT32_MIN, length + 1, INT32_MAX, n + 1, 0x15555556};
    if (n == 0 || dvt_draw_once_in(draw, 3)) {
        dvi_store_i32_be(p, wrong_counts[dvt_draw_below(draw, 6)]);
        return;
    }
    uint8_t *pair = p + 4 + 12 * dvt_draw_below(draw, (size_t)n);
    const int32_t own = dvi_load_i32_be(pair);
    const int32_t wrong[] = {-1, INT32_MIN, INT32_MAX, length, own + 1, own - 1, 0, length - 1};
    dvi_store_i32_be(pair, wrong[dvt_draw_below(draw, 8)]);
}

/* Write n rows, valid or not, one after another.  Returns the number of bytes. */
static size_t write_rows(uint8_t *dst, const int32_t *counts, size_t n, int32_t length,
                         dvt_draw *draw)
{
    const size_t bad = dvt_draw_once_in(draw, 3) ? dvt_draw_below(draw, n + 1) : n;
    uint8_t *p = dst;
    for (size_t i = 0; i < n; i++) {
        write_row(p, counts[i], length, draw);
        if (i == bad)
            spoil_row(p, counts[i], length, draw);
        p += 4 + 12 * (size_t)counts[i];
    }
    return (size_t)(p - dst);
}

/* trial.n rows, or a few long ones; the input may be truncated, the room too small, or the number
 * of rows to read smaller. */
static dvi_pairs draw_rows(const dvt_try *trial, dvt_draw *draw)
{
    static int32_t counts[ROWS_MAX];
    static uint8_t bytes[4 * ROWS_MAX + 12 * PAIRS_MAX];
    const bool is_long = dvt_draw_once_in(draw, 3);
    const size_t n = is_long ? 1 + dvt_draw_below(draw, 4) : trial->n;
    const int32_t length = 1 + (int32_t)dvt_draw_below(draw, is_long ? 2 * trial->n + 2 : 40);
    const size_t pairs = draw_counts(counts, n, length, draw);
    const size_t whole = write_rows(bytes, counts, n, length, draw);
    const size_t cut = dvt_draw_once_in(draw, 4) ? dvt_draw_below(draw, 20) : 0;
    const size_t nbytes = cut < whole ? whole - cut : whole;
    uint8_t *src = dvt_allocate(SRC, trial, nbytes);
    memcpy(src, bytes, nbytes);
    return (dvi_pairs){
        .src = src,
        .nbytes = nbytes,
        .rows = dvt_draw_once_in(draw, 4) ? dvt_draw_below(draw, n + 1) : n,
        .items = dvt_draw_once_in(draw, 4) ? dvt_draw_below(draw, pairs + 1) : pairs,
        .length = length,
        .dense = dvt_draw_once_in(draw, 2) ? length : -1,
    };
}

static const char *compare(DVT_CALL_PAIRS, const dvt_levels *here, const dvt_try *trial,
                           const dvi_pairs *rows, size_t width)
{
    const dvt_try aligned = {trial->n, trial->slack / 8 * 8, trial->seed};
    const size_t room = rows->items, n = rows->rows;
    int32_t *want_counts = (void *)dvt_allocate(WANT_COUNTS, &aligned, 4 * n);
    int32_t *want_indices = (void *)dvt_allocate(WANT_INDICES, &aligned, 4 * room);
    uint8_t *want_items = dvt_allocate(WANT_ITEMS, &aligned, width * room);
    dvi_pairs_end want_end, end;
    const size_t want = call(here->scalar, want_counts, want_indices, want_items, rows, &want_end);
    for (size_t k = 0; k < here->n; k++) {
        int32_t *counts = (void *)dvt_allocate(COUNTS, &aligned, 4 * n);
        int32_t *indices = (void *)dvt_allocate(INDICES, &aligned, 4 * room);
        uint8_t *items = dvt_allocate(ITEMS, &aligned, width * room);
        if (call(here->table[k], counts, indices, items, rows, &end) != want)
            return dvt_differs(here->level[k], trial, "number of rows");
        if (end.nbytes != want_end.nbytes || end.indices != want_end.indices ||
            end.items != want_end.items)
            return dvt_differs(here->level[k], trial, "the end");
        if (memcmp(counts, want_counts, 4 * want) != 0)
            return dvt_differs(here->level[k], trial, "counts");
        if (memcmp(indices, want_indices, 4 * want_end.indices) != 0)
            return dvt_differs(here->level[k], trial, "indices");
        if (memcmp(items, want_items, width * want_end.items) != 0)
            return dvt_differs(here->level[k], trial, "items");
        if (!dvt_is_clean(COUNTS, (uint8_t *)counts, 4 * n) ||
            !dvt_is_clean(INDICES, (uint8_t *)indices, 4 * room) ||
            !dvt_is_clean(ITEMS, items, width * room))
            return dvt_differs(here->level[k], trial, "bytes outside");
    }
    return NULL;
}

const char *dvt_check_PAIRS(DVT_CALL_PAIRS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    const char *differs = NULL;
    dvt_try trial;
    (void)src_width;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const dvi_pairs rows = draw_rows(&trial, &draw);
        differs = compare(call, &here, &trial, &rows, dst_width);
    }
    return differs;
}
