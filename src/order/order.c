/* SPDX-License-Identifier: MIT */
/* order.c: orders of rows that look random. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/mersenne.h"
#include "base/size.h"
#include "order/weight_tree.h"
#include <dataview/order.h>

static void shuffle(int64_t *rows, int64_t n, dvi_mersenne *m)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)dvi_mersenne_below(m, (uint64_t)i + 1);
        const int64_t row = rows[i];
        rows[i] = rows[j];
        rows[j] = row;
    }
}

void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed)
{
    dvi_mersenne m;
    dvi_mersenne_seed(&m, seed);
    shuffle(rows, n, &m);
}

/* The rows of a chunk, of which the last one may be short. */
static int64_t chunk_end(int64_t chunk, int64_t chunk_rows, int64_t n)
{
    return chunk_rows > n - chunk * chunk_rows ? n : (chunk + 1) * chunk_rows;
}

/* order: the chunks, shuffled; buffer: room for `held` of them. */
static void draw_quasi(int64_t *rows, int64_t n, int64_t chunk_rows, int64_t held,
                       const int64_t *order, int64_t chunks, int64_t *buffer, dvi_mersenne *m)
{
    int64_t filled = 0, at = 0;
    for (int64_t c = 0; c < chunks; c++)
        for (int64_t row = order[c] * chunk_rows; row < chunk_end(order[c], chunk_rows, n); row++) {
            if (c < held) {
                buffer[filled++] = row;
                continue;
            }
            const uint64_t place = dvi_mersenne_below(m, (uint64_t)filled);
            rows[at++] = buffer[place];
            buffer[place] = row;
        }
    for (int64_t i = 0; i < filled; i++)
        rows[at++] = buffer[i];
}

dv_status dv_order_quasi(int64_t *rows, int64_t n, int64_t buffer_rows, int64_t chunk_rows,
                         uint64_t seed, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    size_t nbytes;
    dvi_mersenne m;
    if (n < 0 || buffer_rows < 1 || chunk_rows < 1)
        return dvi_fail_argument(err, "an order of rows: expected n of at least 0, buffer_rows and "
                                      "chunk_rows of at least 1");
    chunk_rows = dvi_min_i64(chunk_rows, n > 0 ? n : 1);
    const int64_t chunks = (n + chunk_rows - 1) / chunk_rows;
    const int64_t held = dvi_min_i64(chunks, (buffer_rows - 1) / chunk_rows + 1);
    if (!dvi_size_mul((size_t)(chunks + dvi_min_i64(n, held * chunk_rows)), sizeof *rows, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(allocator, &made, nbytes, err));
    int64_t *order = made, *buffer = order + chunks;
    for (int64_t c = 0; c < chunks; c++)
        order[c] = c;
    dvi_mersenne_seed(&m, seed);
    shuffle(order, chunks, &m);
    draw_quasi(rows, n, chunk_rows, held, order, chunks, buffer, &m);
    dvi_free(allocator, made, nbytes);
    return DV_OK;
}

dv_status dv_order_merge(int64_t *rows, const int64_t *counts, int32_t n, uint64_t seed,
                         const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dvi_mersenne m;
    const size_t nbytes = 3 * sizeof(int64_t) * (size_t)n;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, nbytes, err));
    dvi_weight_tree w = {.sum = made, .n = n};
    int64_t *const next = w.sum + n, *const end = next + n; /* rows of each table that are left */
    for (int32_t i = 0; i < n; i++) {
        next[i] = i ? end[i - 1] : 0;
        end[i] = next[i] + counts[i];
        dvi_weight_tree_add(&w, i, counts[i]);
    }
    dvi_mersenne_seed(&m, seed);
    for (int64_t *row = rows; w.total > 0; row++) {
        const uint64_t number = dvi_mersenne_below(&m, (uint64_t)w.total);
        const int64_t i = dvi_weight_tree_find(&w, (int64_t)number);
        *row = next[i]++;
        if (next[i] == end[i])
            dvi_weight_tree_add(&w, i, -counts[i]);
    }
    dvi_free(allocator, made, nbytes);
    return DV_OK;
}
