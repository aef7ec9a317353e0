/* SPDX-License-Identifier: MIT */
/* bucket_order.c: rows in buckets of similar lengths. */
#include "order/bucket_order.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "order/permutation.h"
#include <string.h>

#define AT_ONCE 256

/* A pool: its first position, its rows, and its number, from which its key follows. */
typedef struct pool {
    int64_t first, rows, number;
} pool;

/* The rows of a pool are listed by length, then by position. */
static void sort_pool(const dvi_bucket_plan *p, int64_t *rows, int64_t n, uint64_t *keys,
                      uint64_t *scratch)
{
    for (int64_t i = 0; i < n; i++)
        keys[i] = (uint64_t)p->lengths[rows[i]] << 32 | (uint64_t)i;
    dvi_sort_u64(keys, scratch, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        scratch[i] = (uint64_t)rows[keys[i] & UINT32_MAX];
    memcpy(rows, scratch, (size_t)n * sizeof *rows);
}

/* The full groups of a pool are permuted; `sorted` has the rows as they are. */
static void permute_groups(const dvi_bucket_plan *p, int64_t *rows, const uint64_t *sorted,
                           int64_t groups, uint64_t key)
{
    const int64_t b = p->batch_rows;
    int64_t number[AT_ONCE];
    dvi_permutation order;
    dvi_permutation_make(&order, groups, key);
    for (int64_t first = 0, n; first < groups; first += n) {
        n = dvi_min_i64(groups - first, AT_ONCE);
        dvi_permutation_fill(&order, first, 1, number, n);
        for (int64_t i = 0; i < n; i++)
            memcpy(rows + (first + i) * b, sorted + number[i] * b, (size_t)b * sizeof *rows);
    }
}

/* Let the rows of each position be those before they are sorted. */
static void list_rows(const dvi_bucket_plan *p, int64_t *rows, uint64_t key)
{
    dvi_permutation order;
    if (p->shuffle == DV_SHUFFLE_UNIFORM) {
        dvi_permutation_make(&order, p->rows, key);
        dvi_permutation_fill(&order, 0, 1, rows, p->rows);
    }
    for (int64_t i = 0; p->shuffle != DV_SHUFFLE_UNIFORM && i < p->rows; i++)
        rows[i] = i;
}

/* The pool at place i: with POOL the full ones are permuted. */
static pool pool_at(const dvi_bucket_plan *p, int64_t i, const dvi_permutation *order)
{
    const int64_t first = i * p->pool_rows;
    pool found = {first, dvi_min_i64(p->pool_rows, p->rows - first), i};
    if (p->shuffle == DV_SHUFFLE_POOL && found.rows == p->pool_rows)
        dvi_permutation_fill(order, i, 1, &found.number, 1);
    return found;
}

static void list_pool(const dvi_bucket_plan *p, int64_t *all, const pool *at, uint64_t key,
                      uint64_t *keys, uint64_t *scratch)
{
    int64_t *rows = all + at->first;
    if (p->shuffle == DV_SHUFFLE_POOL) /* its rows lie elsewhere */
        for (int64_t i = 0; i < at->rows; i++)
            rows[i] = at->number * p->pool_rows + i;
    sort_pool(p, rows, at->rows, keys, scratch);
    if (p->shuffle != DV_SHUFFLE_NONE)
        permute_groups(p, rows, scratch, at->rows / p->batch_rows,
                       dvi_key_derive(key, (uint64_t)at->number + 1));
}

dv_status dvi_bucket_list(const void *plan, int64_t epoch, int64_t *rows,
                          const dv_allocator *allocator, dv_error *err)
{
    const dvi_bucket_plan *p = plan;
    const uint64_t key = dvi_key_derive(p->seed, (uint64_t)epoch);
    const size_t most = (size_t)dvi_min_i64(p->pool_rows, p->rows);
    const int64_t full = p->rows / p->pool_rows;
    uint64_t *keys; /* and the scratch of their sort */
    dvi_permutation order;
    DVI_TRY(DVI_NEW(allocator, &keys, 2 * most, err));
    dvi_permutation_make(&order, full, dvi_key_derive(key, 0));
    list_rows(p, rows, key);
    for (int64_t i = 0; i <= full; i++) {
        const pool at = pool_at(p, i, &order);
        list_pool(p, rows, &at, key, keys, keys + most);
    }
    dvi_free(allocator, keys, 2 * most * sizeof *keys);
    return DV_OK;
}
