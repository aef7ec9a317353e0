/* SPDX-License-Identifier: MIT */
/* check_sparse.c: checks kernels on sparse rows that lie end to end. */
#include "simd/sparse.h"
#include "check_kernels.h"
#include <string.h>

#define ROWS_MAX 4000
#define SLOTS_MAX 12000 /* indices or items of all rows of a trial */
#define CONVERTED_STEP 5

static void put(uint8_t *dst, size_t i, int32_t value)
{
    memcpy(dst + 4 * i, &value, 4);
}

/* The properties of the rows of a trial. */
typedef struct properties {
    int32_t spare;
    int32_t longest;     /* slots of a row */
    size_t dense, empty; /* one in this number of rows */
    size_t few;          /* a sparse row has items in at most one in this number of slots */
    bool has_lengths;
} properties;

static properties draw_properties(dvt_draw *draw, int32_t longest)
{
    return (properties){.spare = (int32_t)dvt_draw_below(draw, 2),
                        .longest = 1 + (int32_t)dvt_draw_below(draw, (size_t)longest),
                        .dense = 1 + dvt_draw_below(draw, 20),
                        .empty = 1 + dvt_draw_below(draw, 20),
                        .has_lengths = dvt_draw_once_in(draw, 2),
                        .few = dvt_draw_once_in(draw, 2) ? 1 : 1 + dvt_draw_below(draw, 40)};
}

/* Draw a valid count for a row of this length. */
static int32_t draw_count(const properties *p, int32_t length, dvt_draw *draw)
{
    const int32_t most = length - p->spare;
    if (most < 0 || dvt_draw_once_in(draw, p->dense))
        return -1;
    const size_t items = (size_t)most / p->few;
    return dvt_draw_once_in(draw, p->empty) ? 0 : (int32_t)dvt_draw_below(draw, items + 1);
}

/* Draw lengths and counts of valid rows on pages 0 and 1. */
static dv_sparse draw_rows(const properties *p, const dvt_try *trial, size_t n, dvt_draw *draw)
{
    uint8_t *lengths = dvt_allocate(0, trial, 4 * n), *counts = dvt_allocate(1, trial, 4 * n);
    for (size_t i = 0; i < n; i++) {
        const int32_t length =
            p->has_lengths ? (int32_t)dvt_draw_below(draw, (size_t)p->longest + 1) : p->longest;
        put(lengths, i, length);
        put(counts, i, draw_count(p, length, draw));
    }
    return (dv_sparse){n, p->longest, p->has_lengths ? lengths : NULL, counts, NULL, NULL};
}

static void spoil_rows(const dv_sparse *rows, const properties *p, const dvt_try *trial,
                       dvt_draw *draw)
{
    const size_t at = dvt_draw_below(draw, rows->n);
    const int32_t length = dvi_sparse_length(rows, at);
    const int32_t counts[] = {-2,        INT32_MIN,     length,     length - p->spare + 1,
                              INT32_MAX, INT32_MIN + 1, length + 1, -3};
    if (rows->lengths && dvt_draw_once_in(draw, 2))
        put((uint8_t *)(uintptr_t)rows->lengths, at, dvt_draw_once_in(draw, 2) ? -1 : INT32_MIN);
    else
        put((uint8_t *)(uintptr_t)rows->counts, at, counts[dvt_draw_below(draw, 8)]);
    (void)trial;
}

const char *dvt_check_COUNTS(DVT_CALL_COUNTS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    (void)src_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const properties p = draw_properties(&draw, dvt_draw_once_in(&draw, 3) ? INT32_MAX : 30);
        dv_sparse rows = draw_rows(&p, &trial, trial.n, &draw);
        if (trial.n > 0 && dvt_draw_once_in(&draw, 2))
            spoil_rows(&rows, &p, &trial, &draw);
        if (!rows.lengths && dvt_draw_once_in(&draw, 20))
            rows.length = dvt_draw_once_in(&draw, 2) ? 0 : -1;
        int64_t want_sums[2], sums[2] = {-1, -1};
        const size_t want = call(here.scalar, &rows, p.spare, want_sums);
        for (size_t k = 0; k < here.n; k++) {
            if (call(here.table[k], &rows, p.spare, sums) != want)
                return dvt_differs(here.level[k], &trial, "number of sound rows");
            if (memcmp(sums, want_sums, sizeof sums) != 0)
                return dvt_differs(here.level[k], &trial, "sums");
        }
    }
    return NULL;
}

const char *dvt_check_OFFSETS(DVT_CALL_OFFSETS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)src_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const properties p = draw_properties(&draw, dvt_draw_once_in(&draw, 3) ? INT32_MAX : 30);
        const dv_sparse rows = draw_rows(&p, &trial, trial.n, &draw);
        const dvt_try aligned = {trial.n, trial.slack / 8 * 8, trial.seed};
        const int64_t starts[2] = {(int64_t)dvt_draw_below(&draw, 1000),
                                   (int64_t)(dvt_draw_bits(&draw) >> 8)};
        const size_t nbytes = dst_width * (trial.n + 1);
        uint8_t *want[2], *got[2];
        for (int j = 0; j < 2; j++)
            memcpy(want[j] = dvt_allocate(2 + j, &aligned, nbytes), &starts[j], sizeof *starts);
        call(here.scalar, want[0], want[1], &rows);
        for (size_t k = 0; k < here.n; k++) {
            for (int j = 0; j < 2; j++)
                memcpy(got[j] = dvt_allocate(4 + j, &aligned, nbytes), &starts[j], sizeof *starts);
            call(here.table[k], got[0], got[1], &rows);
            for (int j = 0; j < 2; j++)
                if (memcmp(got[j], want[j], nbytes) != 0 || !dvt_is_clean(4 + j, got[j], nbytes))
                    return dvt_differs(here.level[k], &trial, "offsets, or bytes outside");
        }
    }
    return NULL;
}

/* Draw n + 1 offsets of rows of at most `length` entries.  Returns the last one. */
static int64_t fill_offsets(uint8_t *offsets, size_t n, size_t width, int32_t length,
                            dvt_draw *draw)
{
    const int64_t most = width == 4 ? INT32_MAX : INT64_MAX;
    const size_t below = (size_t)length + 1;
    int64_t offset = dvt_draw_once_in(draw, 2) ? 0 : (int64_t)dvt_draw_below(draw, 1000);
    for (size_t i = 0; i <= n; i++) {
        memcpy(offsets + i * width, &offset, width);
        const int64_t count =
            (int64_t)dvt_draw_below(draw, below < UINT32_MAX ? below : UINT32_MAX);
        offset += i < n && offset <= most - count ? count : 0;
    }
    return offset;
}

static void spoil_offsets(uint8_t *offsets, size_t n, size_t width, dvt_draw *draw)
{
    const size_t at = dvt_draw_below(draw, n + 1);
    int64_t own = 0;
    memcpy(&own, offsets + at * width, width);
    const int64_t other[] = {-1, INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 0, own - 1, own + 1};
    memcpy(offsets + at * width, &other[dvt_draw_below(draw, 8)], width);
}

const char *dvt_check_STARTS(DVT_CALL_STARTS, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    for (size_t i = 0; dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        const int32_t length =
            dvt_draw_once_in(&draw, 5) ? INT32_MAX : (int32_t)dvt_draw_below(&draw, 30);
        uint8_t *offsets = dvt_allocate(0, &trial, (trial.n + 1) * src_width);
        int64_t entries = fill_offsets(offsets, trial.n, src_width, length, &draw);
        if (dvt_draw_once_in(&draw, 2))
            spoil_offsets(offsets, trial.n, src_width, &draw);
        if (dvt_draw_once_in(&draw, 4))
            entries += (int64_t)dvt_draw_below(&draw, 5) - 3;
        const int32_t most = dvt_draw_once_in(&draw, 4) ? length - 1 : length;
        const dvt_try aligned = {trial.n, trial.slack / dst_width * dst_width, trial.seed};
        uint8_t *want_dst = dvt_allocate(1, &aligned, trial.n * dst_width);
        const size_t want = call(here.scalar, want_dst, offsets, trial.n, entries, most);
        for (size_t k = 0; k < here.n; k++) {
            uint8_t *dst = dvt_allocate(2, &aligned, trial.n * dst_width);
            if (call(here.table[k], dst, offsets, trial.n, entries, most) != want)
                return dvt_differs(here.level[k], &trial, "number of good rows");
            if (memcmp(dst, want_dst, want * dst_width) != 0)
                return dvt_differs(here.level[k], &trial, "counts");
            if (!dvt_is_clean(2, dst, trial.n * dst_width))
                return dvt_differs(here.level[k], &trial, "bytes outside");
        }
    }
    return NULL;
}

/* Count the indices and items of the rows. */
static void count_items(const dv_sparse *rows, size_t *indices_out, size_t *items_out)
{
    size_t indices = 0, items = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t count = dvi_sparse_count(rows, i);
        indices += count < 0 ? 0 : (size_t)count;
        items += (size_t)(count < 0 ? dvi_sparse_length(rows, i) : count);
    }
    *indices_out = indices;
    *items_out = items;
}

/* Draw the indices of valid rows: for each, `count` out of `length` slots in increasing order. */
static void fill_indices(uint8_t *indices, const dv_sparse *rows, dvt_draw *draw)
{
    size_t next = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t length = dvi_sparse_length(rows, i);
        int32_t left = dvi_sparse_count(rows, i);
        for (int32_t slot = 0; left > 0; slot++)
            if (dvt_draw_below(draw, (size_t)(length - slot)) < (size_t)left) {
                put(indices, next++, slot);
                left--;
            }
    }
}

static void spoil_indices(uint8_t *indices, size_t n, const dv_sparse *rows, dvt_draw *draw)
{
    const size_t at = dvt_draw_below(draw, n);
    int32_t own;
    memcpy(&own, indices + 4 * at, 4);
    const int32_t other[] = {-1,      INT32_MIN, INT32_MAX, rows->length,
                             own - 1, own + 1,   0,         rows->length - 1};
    put(indices, at, other[dvt_draw_below(draw, 8)]);
}

/* trial.n rows, or a few long ones with about trial.n indices. */
static dv_sparse draw_indexed(const dvt_try *trial, properties *p, size_t *indices_out,
                              size_t *items_out, dvt_draw *draw)
{
    const bool is_long = dvt_draw_once_in(draw, 3);
    const size_t n = is_long ? 1 + dvt_draw_below(draw, 3) : trial->n;
    const size_t room = SLOTS_MAX / (n + 1);
    *p = draw_properties(draw, (int32_t)(is_long     ? 2 * (trial->n < 2000 ? trial->n : 2000) + 1
                                         : room < 40 ? room + 1
                                                     : 40));
    const dv_sparse rows = draw_rows(p, trial, n, draw);
    count_items(&rows, indices_out, items_out);
    return rows;
}

const char *dvt_check_INDICES(DVT_CALL_INDICES, size_t dst_width, size_t src_width)
{
    const dvt_levels here = dvt_levels_here();
    dvt_try trial;
    (void)dst_width;
    for (size_t i = 0; dvt_try_at(&trial, i, ROWS_MAX); i++) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        size_t n, items;
        properties p;
        dv_sparse rows = draw_indexed(&trial, &p, &n, &items, &draw);
        uint8_t *indices = dvt_allocate(2, &trial, n * src_width);
        fill_indices(indices, &rows, &draw);
        if (n > 0 && dvt_draw_once_in(&draw, 2))
            spoil_indices(indices, n, &rows, &draw);
        rows.indices = indices;
        const size_t want = call(here.scalar, &rows, n);
        for (size_t k = 0; k < here.n; k++)
            if (call(here.table[k], &rows, n) != want)
                return dvt_differs(here.level[k], &trial, "the first bad index");
    }
    return NULL;
}

/* Write the matrix of the rows at a level, on page `number`, and nothing between its rows. */
static const char *compare_dense(DVT_CALL_DENSIFY, const dvt_levels *here, const dvt_try *trial,
                                 const dv_sparse *rows, size_t stride, size_t width,
                                 size_t item_width)
{
    const dvt_try aligned = {trial->n, trial->slack / item_width * item_width, trial->seed};
    const size_t items = rows->n > 0 ? (rows->n - 1) * stride + width : 0;
    uint8_t *want = dvt_allocate(4, &aligned, items * item_width);
    call(here->scalar, want, stride, width, rows, DVI_STORE_CACHED);
    for (size_t k = 0; k < here->n; k++)
        for (int store = 0; store < DVI_STORES; store++) {
            uint8_t *got = dvt_allocate(5, &aligned, items * item_width);
            call(here->table[k], got, stride, width, rows, (dvi_store)store);
            if (memcmp(got, want, items * item_width) != 0)
                return dvt_differs(here->level[k], trial, "matrix");
            if (!dvt_is_clean(5, got, items * item_width))
                return dvt_differs(here->level[k], trial, "bytes outside");
        }
    return NULL;
}

/* Items of random bits; sometimes small ones, which are in the range of every conversion. */
static void fill_items(uint8_t *items, size_t n, size_t width, dvt_draw *draw)
{
    for (size_t i = 0; i < n; i++) {
        const bool is_small = dvt_draw_once_in(draw, 8);
        const uint64_t bits = is_small ? dvt_draw_below(draw, 3) : dvt_draw_bits(draw);
        memcpy(items + i * width, &bits, width);
    }
}

static const char *check_densify(DVT_CALL_DENSIFY, size_t dst_width, size_t src_width, size_t step)
{
    const dvt_levels here = dvt_levels_here();
    const size_t room = 60000 / dst_width;
    const char *differs = NULL;
    dvt_try trial;
    for (size_t i = 0; !differs && dvt_try_at(&trial, i, ROWS_MAX); i += step) {
        dvt_draw draw = dvt_draw_from(trial.seed);
        size_t n, items;
        properties p;
        dv_sparse rows = draw_indexed(&trial, &p, &n, &items, &draw);
        const size_t gap = dvt_draw_once_in(&draw, 3) ? dvt_draw_below(&draw, 20) : 0;
        const size_t width = (size_t)p.longest + (p.has_lengths ? dvt_draw_below(&draw, 3) : 0);
        if (rows.n * (width + gap) > room || items * src_width > 60000)
            continue;
        uint8_t *indices = dvt_allocate(2, &trial, 4 * n);
        uint8_t *values = dvt_allocate(3, &trial, items * src_width);
        fill_indices(indices, &rows, &draw);
        fill_items(values, items, src_width, &draw);
        rows.indices = indices;
        rows.items = values;
        differs = compare_dense(call, &here, &trial, &rows, width + gap, width, dst_width);
    }
    return differs;
}

const char *dvt_check_DENSIFY(DVT_CALL_DENSIFY, size_t dst_width, size_t src_width)
{
    return check_densify(call, dst_width, src_width, 1);
}

/* As DENSIFY; only the conversion differs. */
const char *dvt_check_DENSIFY_AS(DVT_CALL_DENSIFY_AS, size_t dst_width, size_t src_width)
{
    return check_densify(call, dst_width, src_width, CONVERTED_STEP);
}
