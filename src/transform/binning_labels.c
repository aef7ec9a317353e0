/* SPDX-License-Identifier: MIT */
/* binning_labels.c: bins that tell labels apart: intervals are cut where the entropy of their
 * labels falls most (semantics:7.18, Supervised). */
#include "base/alloc.h"
#include "base/check.h"
#include "transform/binning.h"
#include "transform/gain_heap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct supervised {
    const dvi_tally_entry *entries;
    size_t *start; /* of the entries of each distinct value, and their number */
    size_t n;      /* distinct values */
    int32_t labels;
    int64_t least;
    int64_t *left, *all; /* rows of each label */
    dvi_gain_heap heap;
} supervised;

/* Rows by label, and the entropy of the labels. */
typedef struct entropy {
    double bits;
    int64_t rows;
} entropy;

/* Of counts[i] - less[i]. */
static entropy entropy_of(const int64_t *counts, const int64_t *less, int32_t labels)
{
    entropy e = {0, 0};
    for (int32_t i = 0; i < labels; i++)
        e.rows += counts[i] - (less ? less[i] : 0);
    for (int32_t i = 0; i < labels; i++) {
        const int64_t rows = counts[i] - (less ? less[i] : 0);
        if (rows > 0 && rows < e.rows) {
            const double p = (double)rows / (double)e.rows;
            e.bits -= p * log(p);
        }
    }
    return e;
}

static void add_rows(int64_t *counts, const supervised *s, size_t begin, size_t end)
{
    for (size_t i = s->start[begin]; i < s->start[end]; i++)
        counts[s->entries[i].label] += s->entries[i].count;
}

/* The first cut that gains most; a gain of -1: none. */
static dvi_gain find_cut(supervised *s, size_t begin, size_t end)
{
    dvi_gain best = {-1, 0, begin, begin, end};
    const size_t nbytes = (size_t)s->labels * sizeof *s->all;
    memset(s->all, 0, nbytes);
    memset(s->left, 0, nbytes);
    add_rows(s->all, s, begin, end);
    const entropy all = entropy_of(s->all, NULL, s->labels);
    for (size_t cut = begin + 1; cut < end && all.rows >= s->least && all.bits > 0; cut++) {
        add_rows(s->left, s, cut - 1, cut);
        const entropy left = entropy_of(s->left, NULL, s->labels);
        const entropy right = entropy_of(s->all, s->left, s->labels);
        const double gain =
            (double)all.rows * all.bits - (double)left.rows * left.bits -
            (double)right.rows * right.bits -
            (log((double)(end - begin)) - (double)s->labels * (all.bits - left.bits - right.bits));
        if (gain > best.gain) {
            best.gain = gain;
            best.cut = cut;
        }
    }
    return best;
}

static void cut_all(supervised *s, size_t bins)
{
    dvi_gain interval = find_cut(s, 0, s->n);
    dvi_gain_heap_add(&s->heap, &interval);
    while (s->heap.n < bins && s->heap.gains[1].gain > 0) {
        const dvi_gain top = dvi_gain_heap_pop(&s->heap);
        interval = find_cut(s, top.begin, top.cut);
        dvi_gain_heap_add(&s->heap, &interval);
        interval = find_cut(s, top.cut, top.end);
        dvi_gain_heap_add(&s->heap, &interval);
    }
}

static int compare_cuts(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return x < y ? -1 : x > y;
}

/* The intervals begin at the cuts, but for the first. */
static void list_cuts(dvi_cuts *cuts, const supervised *s)
{
    for (size_t i = 1; i <= s->heap.n; i++)
        if (s->heap.gains[i].begin > 0)
            cuts->cut[cuts->n++] = s->heap.gains[i].begin;
    qsort(cuts->cut, cuts->n, sizeof *cuts->cut, compare_cuts);
}

static void run(dvi_cuts *cuts, supervised *s, size_t entries, size_t bins)
{
    for (size_t i = 0; i < entries; i++)
        if (i == 0 || s->entries[i].value != s->entries[i - 1].value)
            s->start[s->n++] = i;
    s->start[s->n] = entries;
    cut_all(s, bins);
    list_cuts(cuts, s);
}

dv_status dvi_binning_labels(dvi_cuts *cuts, const dvi_tally_entry *entries, size_t n,
                             int32_t labels, size_t bins, int64_t least,
                             const dv_allocator *allocator, dv_error *err)
{
    supervised s = {.entries = entries, .labels = labels, .least = least};
    bins = bins < n ? bins : n;
    void *start = NULL, *counts = NULL, *gains = NULL;
    const size_t starts = (n + 1) * sizeof(size_t), rows = 2 * (size_t)labels * sizeof(int64_t),
                 heap = (bins + 2) * sizeof(dvi_gain);
    cuts->n = 0;
    if (n == 0)
        return DV_OK;
    dv_status status = dvi_alloc(allocator, &start, starts, err);
    if (status == DV_OK)
        status = dvi_alloc(allocator, &counts, rows, err);
    if (status == DV_OK)
        status = dvi_alloc(allocator, &gains, heap, err);
    if (status == DV_OK) {
        s.start = start;
        s.all = counts;
        s.left = s.all + labels;
        s.heap.gains = gains;
        run(cuts, &s, n, bins);
    }
    dvi_free(allocator, start, starts);
    dvi_free(allocator, counts, rows);
    dvi_free(allocator, gains, heap);
    return status;
}
