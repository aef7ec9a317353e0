/* SPDX-License-Identifier: MIT */
/* binning.c: bins of nearly equal mass, and bounds between bins. */
#include "transform/binning.h"
#include "base/alloc.h"
#include "base/check.h"
#include "transform/gain_heap.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>

/* --- Bounds ----------------------------------------------------------------------------------- */

#define BOUND(name, T, most)                                                                       \
    static T name(T a, T b)                                                                        \
    {                                                                                              \
        if (a < -(most)) {                                                                         \
            if (b == -(most))                                                                      \
                return b;                                                                          \
            a = -(most);                                                                           \
        }                                                                                          \
        if (b > (most)) {                                                                          \
            if (a == (most))                                                                       \
                return b;                                                                          \
            b = (most);                                                                            \
        }                                                                                          \
        const T middle = a / 2 + b / 2;                                                            \
        return a < middle ? middle : b;                                                            \
    }
BOUND(bound_r4, float, FLT_MAX)
BOUND(bound_r8, double, DBL_MAX)
#undef BOUND

double dvi_binning_bound(double a, double b, dv_kind kind)
{
    return kind == DV_KIND_R4 ? (double)bound_r4((float)a, (float)b) : bound_r8(a, b);
}

/* --- Equal mass ------------------------------------------------------------------------------- */

typedef struct greedy {
    const int64_t *before; /* n + 1: rows of the values before each */
    size_t n, bins;
    float mean;   /* rows of a bin */
    size_t *path; /* bins + 1: where the bins begin, and n */
    dvi_gain_heap heap;
} greedy;

static int64_t gain_of(const greedy *g, size_t begin, size_t cut, size_t end)
{
    return (g->before[end] - g->before[cut]) * (g->before[cut] - g->before[begin]);
}

/* Is cut a nearer than cut b to where it would be if all bins had the same mass? */
static bool is_better(const greedy *g, size_t a, size_t b, size_t position)
{
    const float ideal = g->mean * (float)position;
    return position > 0 && fabsf((float)g->before[a] - ideal) < fabsf((float)g->before[b] - ideal);
}

/* The first value with at least so many rows before it. */
static size_t find(const greedy *g, size_t begin, size_t end, int64_t rows)
{
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (g->before[middle] >= rows)
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

/* Where to cut begin..end-1. position: the number of the cut; 0: unknown. */
static dvi_gain split(const greedy *g, size_t begin, size_t end, size_t position)
{
    const size_t cut = find(g, begin, end, (g->before[begin] + g->before[end]) / 2);
    size_t other = cut;
    if (cut == begin || cut == end) {
        other = cut == begin ? cut + 1 : cut - 1;
        return (dvi_gain){0, gain_of(g, begin, other, end), begin, other, end};
    }
    const int64_t gain = gain_of(g, begin, cut, end);
    if (cut < end - 1 && gain_of(g, begin, cut + 1, end) >= gain)
        other = cut + 1;
    else if (cut > begin + 1 && gain_of(g, begin, cut - 1, end) >= gain)
        other = cut - 1;
    const int64_t others = gain_of(g, begin, other, end);
    if (other != cut && (others > gain || is_better(g, other, cut, position)))
        return (dvi_gain){0, others, begin, other, end};
    return (dvi_gain){0, gain, begin, cut, end};
}

static int compare_cuts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* Cut the interval that gains most, again and again. */
static void cut_greedily(greedy *g)
{
    size_t cuts = 0;
    const dvi_gain all = split(g, 0, g->n, 0);
    dvi_gain_heap_add(&g->heap, &all);
    g->path[cuts++] = 0;
    while (cuts < g->bins) {
        const dvi_gain top = dvi_gain_heap_pop(&g->heap);
        g->path[cuts++] = top.cut;
        const dvi_gain left = split(g, top.begin, top.cut, 0);
        const dvi_gain right = split(g, top.cut, top.end, 0);
        if (top.begin + 1 < top.cut)
            dvi_gain_heap_add(&g->heap, &left);
        if (top.cut + 1 < top.end)
            dvi_gain_heap_add(&g->heap, &right);
    }
    g->path[cuts] = g->n;
    qsort(g->path, cuts + 1, sizeof *g->path, compare_cuts);
}

/* Would cut i lie better elsewhere? Then it waits in the heap. */
static void look(greedy *g, size_t i)
{
    dvi_gain_heap_remove(&g->heap, i);
    dvi_gain moved = split(g, g->path[i - 1], g->path[i + 1], i);
    if (moved.cut == g->path[i])
        return;
    moved.mass -= gain_of(g, g->path[i - 1], g->path[i], g->path[i + 1]);
    moved.begin = i; /* its name in the heap */
    dvi_gain_heap_add(&g->heap, &moved);
}

static void improve(greedy *g)
{
    g->heap.n = 0;
    for (size_t i = 1; i < g->bins; i++)
        look(g, i);
    while (g->heap.n > 0) {
        const dvi_gain moved = dvi_gain_heap_pop(&g->heap);
        const size_t i = moved.begin;
        g->path[i] = moved.cut;
        if (i > 1)
            look(g, i - 1);
        if (i + 1 < g->bins)
            look(g, i + 1);
    }
}

static void run_greedy(dvi_cuts *cuts, greedy *g)
{
    g->mean = (float)g->before[g->n] / (float)g->bins;
    cut_greedily(g);
    improve(g);
    for (size_t i = 1; i < g->bins; i++)
        cuts->cut[i - 1] = g->path[i];
    cuts->n = g->bins - 1;
}

static dv_status alloc_sizes(size_t **sizes_out, size_t n, const dv_allocator *allocator,
                             dv_error *err)
{
    void *made;
    *sizes_out = NULL;
    DVI_TRY(dvi_alloc(allocator, &made, n * sizeof(size_t), err));
    *sizes_out = made;
    return DV_OK;
}

dv_status dvi_binning_equal(dvi_cuts *cuts, const int64_t *counts, size_t n, size_t bins,
                            const dv_allocator *allocator, dv_error *err)
{
    greedy g = {.n = n, .bins = bins};
    void *before = NULL, *gains = NULL;
    cuts->n = 0;
    if (n <= bins) {
        for (size_t i = 1; i < n; i++)
            cuts->cut[cuts->n++] = i;
        return DV_OK;
    }
    dv_status status = alloc_sizes(&g.path, bins + 1, allocator, err);
    if (status == DV_OK)
        status = dvi_alloc(allocator, &before, (n + 1) * sizeof(int64_t), err);
    if (status == DV_OK)
        status = dvi_alloc(allocator, &gains, (bins + 2) * sizeof(dvi_gain), err);
    if (status == DV_OK) {
        int64_t *sum = before;
        sum[0] = 0;
        for (size_t i = 0; i < n; i++)
            sum[i + 1] = sum[i] + counts[i];
        g.before = before;
        g.heap.gains = gains;
        run_greedy(cuts, &g);
    }
    dvi_free(allocator, g.path, (bins + 1) * sizeof(size_t));
    dvi_free(allocator, before, (n + 1) * sizeof(int64_t));
    dvi_free(allocator, gains, (bins + 2) * sizeof(dvi_gain));
    return status;
}
