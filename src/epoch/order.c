/* SPDX-License-Identifier: MIT */
/* order.c: orders of rows that look random. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/mersenne.h"
#include <dataview/order.h>

void dv_order_mersenne(int64_t *rows, int64_t n, uint64_t seed)
{
    dvi_mersenne m;
    dvi_mersenne_seed(&m, seed);
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)dvi_mersenne_below(&m, (uint64_t)i + 1);
        const int64_t row = rows[i];
        rows[i] = rows[j];
        rows[j] = row;
    }
}

/* Weights of n tables, found by the sum of those before (a Fenwick tree): sum[i-1] is the weight of
 * the i & -i tables that end with table i-1. */
typedef struct weights {
    int64_t *sum;
    int64_t total;
    int32_t n;
} weights;

static void add_weight(weights *w, int32_t table, int64_t weight)
{
    w->total += weight;
    for (int64_t i = (int64_t)table + 1; i <= w->n; i += i & -i)
        w->sum[i - 1] += weight;
}

/* The table whose share has the number, 0 <= number < total. */
static int32_t find_table(const weights *w, int64_t number)
{
    int64_t at = 0;
    for (int64_t step = INT64_C(1) << 31; step > 0; step >>= 1) {
        if (at + step <= w->n && w->sum[at + step - 1] <= number) {
            at += step;
            number -= w->sum[at - 1];
        }
    }
    return (int32_t)at;
}

dv_status dv_order_merge(int64_t *rows, const int64_t *counts, int32_t n, uint64_t seed,
                         const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dvi_mersenne m;
    const size_t nbytes = 3 * sizeof(int64_t) * (size_t)n;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, nbytes, err));
    weights w = {.sum = made, .n = n};
    int64_t *const next = w.sum + n, *const end = next + n; /* rows of each table that are left */
    for (int32_t i = 0; i < n; i++) {
        next[i] = i ? end[i - 1] : 0;
        end[i] = next[i] + counts[i];
        add_weight(&w, i, counts[i]);
    }
    dvi_mersenne_seed(&m, seed);
    for (int64_t *row = rows; w.total > 0; row++) {
        const int32_t i = find_table(&w, (int64_t)dvi_mersenne_below(&m, (uint64_t)w.total));
        *row = next[i]++;
        if (next[i] == end[i])
            add_weight(&w, i, -counts[i]);
    }
    dvi_free(allocator, made, nbytes);
    return DV_OK;
}
