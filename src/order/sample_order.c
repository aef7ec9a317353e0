/* SPDX-License-Identifier: MIT */
/* sample_order.c: which rows are drawn?  Whole numbers alone decide, so that machines agree. */
#include "order/sample_order.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "order/weight_tree.h"

#define AT_ONCE 256

__extension__ typedef unsigned __int128 u128;

int64_t dvi_sample_epoch(const dvi_sample_plan *plan, int64_t epoch)
{
    return plan->epoch >= 0 ? plan->epoch : dvi_max_i64(epoch, 0);
}

static uint64_t key_of(const dvi_sample_plan *plan, int64_t epoch)
{
    return dvi_key_derive(plan->seed, (uint64_t)dvi_sample_epoch(plan, epoch));
}

/* Draw `number` of the key, as one of 0 to n-1. */
static int64_t draw_below(uint64_t key, uint64_t number, int64_t n)
{
    return (int64_t)((u128)dvi_key_draw(key, number) * (uint64_t)n >> 64);
}

/* --- With replacement ------------------------------------------------------------------------- */

/* The first row whose units, those before included, exceed the number. */
static int64_t find_row(const int64_t *ends, int64_t n, int64_t number)
{
    int64_t first = 0;
    while (n > 1) {
        const int64_t half = n / 2;
        first += ends[first + half - 1] <= number ? half : 0;
        n -= half;
    }
    return first;
}

static int64_t draw_row(const dvi_sample_plan *p, uint64_t key, uint64_t position)
{
    int64_t count;
    if (p->kind == DVI_SAMPLE_EQUAL)
        return draw_below(key, position, p->rows);
    if (p->kind == DVI_SAMPLE_WEIGHTED)
        return find_row(p->ends, p->rows, draw_below(key, position, p->ends[p->rows - 1]));
    const int64_t class = draw_below(key, 2 * position, p->classes.n);
    const int64_t *rows = dvi_row_class(&p->classes, class, &count);
    return rows[draw_below(key, 2 * position + 1, count)];
}

/* --- Each row once ---------------------------------------------------------------------------- */

static void list_equal(int64_t *list, const dvi_sample_plan *p, uint64_t key)
{
    dvi_permutation order;
    dvi_permutation_make(&order, p->rows, key);
    dvi_permutation_fill(&order, 0, 1, list, p->count);
}

static void fill_tree(dvi_weight_tree *tree, const int64_t *ends)
{
    for (int64_t i = 1; i <= tree->n; i++) {
        const int64_t before = i & (i - 1);
        tree->sum[i - 1] = ends[i - 1] - (before > 0 ? ends[before - 1] : 0);
    }
    tree->total = tree->n > 0 ? ends[tree->n - 1] : 0;
}

/* A row that was drawn has no weight any more. */
static dv_status list_weighted(int64_t *list, const dvi_sample_plan *p, uint64_t key,
                               const dv_allocator *allocator, dv_error *err)
{
    dvi_weight_tree tree = {.n = p->rows};
    DVI_TRY(DVI_NEW(allocator, &tree.sum, (size_t)p->rows, err));
    fill_tree(&tree, p->ends);
    for (int64_t i = 0; i < p->count; i++) {
        const int64_t number = draw_below(key, (uint64_t)i, tree.total);
        const int64_t row = dvi_weight_tree_find(&tree, number);
        const int64_t before = row > 0 ? p->ends[row - 1] : 0;
        dvi_weight_tree_add(&tree, row, before - p->ends[row]);
        list[i] = row;
    }
    dvi_free(allocator, tree.sum, (size_t)p->rows * sizeof *tree.sum);
    return DV_OK;
}

/* The first rows of each class in an order of its own, put in the places of a permutation; of
 * `count` rows those with the first places. */
static void list_balanced(int64_t *list, const dvi_sample_plan *p, uint64_t key)
{
    dvi_permutation places, order;
    int64_t at[AT_ONCE], number[AT_ONCE], count;
    dvi_permutation_make(&places, p->classes.n * p->fewest, key);
    for (int64_t c = 0; c < p->classes.n; c++) {
        const int64_t *rows = dvi_row_class(&p->classes, c, &count);
        dvi_permutation_make(&order, count, dvi_key_derive(key, (uint64_t)c));
        for (int64_t first = 0, n; first < p->fewest; first += n) {
            n = dvi_min_i64(p->fewest - first, AT_ONCE);
            dvi_permutation_fill(&places, c * p->fewest + first, 1, at, n);
            dvi_permutation_fill(&order, first, 1, number, n);
            for (int64_t i = 0; i < n; i++)
                if (at[i] < p->count)
                    list[at[i]] = rows[number[i]];
        }
    }
}

static dv_status sort_rows(int64_t *list, int64_t n, const dv_allocator *allocator, dv_error *err)
{
    uint64_t *scratch;
    DVI_TRY(DVI_NEW(allocator, &scratch, (size_t)n, err));
    dvi_sort_u64((uint64_t *)list, scratch, (size_t)n);
    dvi_free(allocator, scratch, (size_t)n * sizeof *scratch);
    return DV_OK;
}

bool dvi_sample_is_listed(const dvi_sample_plan *p)
{
    return !p->replace && (p->in_order || p->kind != DVI_SAMPLE_EQUAL);
}

dv_status dvi_sample_list(const void *plan, int64_t epoch, int64_t *list,
                          const dv_allocator *allocator, dv_error *err)
{
    const dvi_sample_plan *p = plan;
    const uint64_t key = key_of(p, epoch);
    if (p->kind == DVI_SAMPLE_WEIGHTED)
        DVI_TRY(list_weighted(list, p, key, allocator, err));
    else if (p->kind == DVI_SAMPLE_BALANCED)
        list_balanced(list, p, key);
    else
        list_equal(list, p, key);
    return p->in_order ? sort_rows(list, p->count, allocator, err) : DV_OK;
}

/* --- Positions -------------------------------------------------------------------------------- */

void dvi_sample_order_make(dvi_sample_order *order, const dvi_sample_plan *plan, int64_t epoch)
{
    order->plan = plan;
    order->key = key_of(plan, epoch);
    if (!plan->replace)
        dvi_permutation_make(&order->equal, plan->rows, order->key);
}

int64_t dvi_sample_order_fill(const dvi_sample_order *order, int64_t position, int64_t *rows_out,
                              int64_t n)
{
    const dvi_sample_plan *p = order->plan;
    n = dvi_min_i64(n, p->count - position);
    if (n <= 0)
        return 0;
    if (!p->replace)
        dvi_permutation_fill(&order->equal, position, 1, rows_out, n);
    for (int64_t i = 0; p->replace && i < n; i++)
        rows_out[i] = draw_row(p, order->key, (uint64_t)(position + i));
    return n;
}
