/* SPDX-License-Identifier: MIT */
/* stats_ranks.c: keeps the levels of a rank sketch. */
#include "stats/stats_ranks.h"
#include "base/alloc.h"
#include "base/check.h"
#include <string.h>

/* Numbers that move up a level.  room: capacity of the memory; 0: borrowed. */
typedef struct run {
    uint64_t *items;
    size_t n, room;
} run;

static void free_items(const dv_allocator *allocator, uint64_t *items, size_t room)
{
    if (room > 0)
        dvi_free(allocator, items, room * sizeof *items);
}

static void merge_items(uint64_t *dst, const uint64_t *a, size_t n, const uint64_t *b, size_t m)
{
    for (size_t i = 0, k = 0; i < n || k < m;)
        *dst++ = k == m || (i < n && a[i] <= b[k]) ? a[i++] : b[k++];
}

/* Merge the numbers of the level into the run; the level is then empty. */
static dv_status join_level(dvi_rank_level *level, run *r, const dv_allocator *allocator,
                            dv_error *err)
{
    if (level->n == 0)
        return DV_OK;
    void *made;
    const size_t n = level->n + r->n;
    DVI_TRY(dvi_alloc(allocator, &made, n * sizeof *r->items, err));
    merge_items(made, level->items, level->n, r->items, r->n);
    free_items(allocator, level->items, level->n);
    free_items(allocator, r->items, r->room);
    *level = (dvi_rank_level){0};
    *r = (run){made, n, n};
    return DV_OK;
}

static dv_status keep(dvi_rank_level *level, const uint64_t *items, size_t n,
                      const dv_allocator *allocator, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc(allocator, &made, n * sizeof *items, err));
    memcpy(made, items, n * sizeof *items);
    *level = (dvi_rank_level){made, n};
    return DV_OK;
}

/* Keep one of each pair; a last number without a pair stays in its level. */
static dv_status halve(dvi_ranks *ranks, size_t l, run *r, const dv_allocator *allocator,
                       dv_error *err)
{
    if (r->n % 2 == 1)
        DVI_TRY(keep(&ranks->level[l], &r->items[r->n - 1], 1, allocator, err));
    const size_t second = ranks->above > ranks->below;
    *(second ? &ranks->below : &ranks->above) += INT64_C(1) << l;
    r->n /= 2;
    for (size_t i = 0; i < r->n; i++)
        r->items[i] = r->items[2 * i + second];
    return DV_OK;
}

static dv_status need_level(dvi_ranks *ranks, size_t l, const dv_allocator *allocator,
                            dv_error *err)
{
    void *levels = ranks->level;
    const dv_status status =
        dvi_array_reserve(allocator, &levels, &ranks->cap, l + 1, sizeof *ranks->level, err);
    ranks->level = levels;
    DVI_TRY(status);
    for (; ranks->levels <= l; ranks->levels++)
        ranks->level[ranks->levels] = (dvi_rank_level){0};
    return DV_OK;
}

/* Add a run to level l, and pass what is too much to the levels above. */
static dv_status add_run(dvi_ranks *ranks, size_t l, run *r, const dv_allocator *allocator,
                         dv_error *err)
{
    for (;; l++) {
        DVI_TRY(need_level(ranks, l, allocator, err));
        DVI_TRY(join_level(&ranks->level[l], r, allocator, err));
        if (r->n <= DVI_RANKS_KEPT)
            return keep(&ranks->level[l], r->items, r->n, allocator, err);
        DVI_TRY(halve(ranks, l, r, allocator, err));
    }
}

dv_status dvi_ranks_add(dvi_ranks *ranks, uint64_t *items, size_t n, const dv_allocator *allocator,
                        dv_error *err)
{
    run r = {items, n, 0};
    const dv_status status = add_run(ranks, 0, &r, allocator, err);
    free_items(allocator, r.items, r.room);
    return status;
}

dv_status dvi_ranks_merge(dvi_ranks *ranks, dvi_ranks *other, const dv_allocator *allocator,
                          dv_error *err)
{
    if (ranks->levels == 0) {
        const dvi_ranks empty = *ranks;
        *ranks = *other;
        *other = empty;
        return DV_OK;
    }
    ranks->above += other->above;
    ranks->below += other->below;
    dv_status status = DV_OK;
    for (size_t l = 0; l < other->levels && status == DV_OK; l++) {
        run r = {other->level[l].items, other->level[l].n, other->level[l].n};
        other->level[l] = (dvi_rank_level){0};
        if (r.n > 0)
            status = add_run(ranks, l, &r, allocator, err);
        free_items(allocator, r.items, r.room);
    }
    dvi_ranks_free(other, allocator);
    return status;
}

void dvi_ranks_free(dvi_ranks *ranks, const dv_allocator *allocator)
{
    for (size_t l = 0; l < ranks->levels; l++)
        free_items(allocator, ranks->level[l].items, ranks->level[l].n);
    dvi_free(allocator, ranks->level, ranks->cap * sizeof *ranks->level);
    *ranks = (dvi_ranks){0};
}

size_t dvi_count_at_most(const uint64_t *items, size_t n, uint64_t x)
{
    size_t low = 0;
    while (low < n) {
        const size_t middle = low + (n - low) / 2;
        if (items[middle] <= x)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

int64_t dvi_ranks_at_most(const dvi_ranks *ranks, uint64_t x)
{
    int64_t rank = 0;
    for (size_t l = 0; l < ranks->levels; l++)
        rank += (int64_t)dvi_count_at_most(ranks->level[l].items, ranks->level[l].n, x) << l;
    return rank;
}
