/* SPDX-License-Identifier: MIT */
/* normalizer_bounds.c: makes bounds of bins of the distinct values of each slot. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "transform/binning.h"
#include "transform/normalizer_learn_priv.h"
#include <math.h>
#include <string.h>

/* The bounds of all slots so far. */
typedef struct bounds {
    dvi_normalizer_learner *learner;
    void *values, *slots; /* double, int32_t */
    size_t values_cap, slots_cap, n;
} bounds;

static dv_status add(bounds *b, int32_t slot, double bound, dv_error *err)
{
    const dv_allocator *allocator = &b->learner->allocator;
    DVI_TRY(
        dvi_array_reserve(allocator, &b->values, &b->values_cap, b->n + 1, sizeof(double), err));
    DVI_TRY(dvi_array_reserve(allocator, &b->slots, &b->slots_cap, b->n + 1, sizeof(int32_t), err));
    ((double *)b->values)[b->n] = bound;
    ((int32_t *)b->slots)[b->n++] = slot;
    return DV_OK;
}

/* --- Entries of a slot ------------------------------------------------------------------------ */

/* Add the rows that have no item in the slot. */
static dv_status add_zeros(dvi_normalizer_learner *l, int32_t slot, dv_error *err)
{
    dvi_slot_tally *s = &l->tally.slot[slot];
    const int64_t *rows = l->label_rows;
    if (l->how.mode != DVI_NORMALIZE_SUPBIN)
        return l->rows > s->items ? dvi_tally_add(&l->tally, slot, 0, 0, l->rows - s->items, err)
                                  : DV_OK;
    void *made;
    const size_t nbytes = (size_t)l->labels * sizeof(int64_t);
    DVI_TRY(dvi_alloc(&l->allocator, &made, nbytes, err));
    int64_t *zeros = made;
    memcpy(zeros, rows, nbytes);
    for (size_t i = 0; i < s->n; i++)
        zeros[s->entries[i].label] -= s->entries[i].count;
    dv_status status = DV_OK;
    for (int32_t k = 0; k < l->labels && status == DV_OK; k++)
        if (zeros[k] > 0)
            status = dvi_tally_add(&l->tally, slot, 0, k, zeros[k], err);
    dvi_free(&l->allocator, made, nbytes);
    return status;
}

/* The distinct values of a slot: how many, and the count of each. */
static size_t list_distinct(double *values, int64_t *counts, const dvi_slot_tally *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (n > 0 && values[n - 1] == s->entries[i].value) {
            counts[n - 1] += s->entries[i].count;
            continue;
        }
        values[n] = s->entries[i].value;
        counts[n++] = s->entries[i].count;
    }
    return n;
}

/* --- Bounds ----------------------------------------------------------------------------------- */

typedef struct room {
    double *values;
    int64_t *counts;
    size_t *cuts;
} room;

static dv_status cut(bounds *b, int32_t slot, const room *r, dv_error *err)
{
    const dvi_normalizer_learner *l = b->learner;
    const dvi_slot_tally *s = &l->tally.slot[slot];
    dvi_cuts cuts = {r->cuts, 0};
    const size_t n = list_distinct(r->values, r->counts, s);
    if (l->how.mode == DVI_NORMALIZE_SUPBIN)
        DVI_TRY(dvi_binning_labels(&cuts, s->entries, s->n, l->labels, (size_t)l->how.bins,
                                   l->how.least, &l->allocator, err));
    else
        DVI_TRY(dvi_binning_equal(&cuts, r->counts, n, (size_t)l->how.bins, &l->allocator, err));
    for (size_t i = 0; i < cuts.n; i++)
        DVI_TRY(add(b, slot,
                    dvi_binning_bound(r->values[cuts.cut[i] - 1], r->values[cuts.cut[i]], l->real),
                    err));
    return add(b, slot, INFINITY, err);
}

static dv_status add_slot(bounds *b, int32_t slot, dv_error *err)
{
    void *made;
    dvi_normalizer_learner *l = b->learner;
    DVI_TRY(dvi_tally_sort(&l->tally, slot, err));
    DVI_TRY(add_zeros(l, slot, err));
    DVI_TRY(dvi_tally_sort(&l->tally, slot, err));
    const size_t n = l->tally.slot[slot].n;
    const size_t nbytes = (n + 1) * (sizeof(double) + sizeof(int64_t) + sizeof(size_t));
    DVI_TRY(dvi_alloc(&l->allocator, &made, nbytes, err));
    room r = {.values = made};
    r.counts = (int64_t *)(void *)(r.values + n + 1);
    r.cuts = (size_t *)(void *)(r.counts + n + 1);
    const dv_status status = cut(b, slot, &r, err);
    dvi_free(&l->allocator, made, nbytes);
    return status;
}

static dv_status make_table(const bounds *b, dvi_learned_table **table_out, dv_error *err)
{
    const dvi_normalizer_learner *l = b->learner;
    DVI_TRY(dvi_learned_create(table_out, &dvi_bounds, l->real, (int64_t)b->n, &l->allocator, err));
    if (b->n > 0)
        memcpy((*table_out)->values[0], b->slots, b->n * sizeof(int32_t));
    for (size_t i = 0; i < b->n; i++)
        dvi_learned_set(*table_out, 1, (int64_t)i, ((const double *)b->values)[i]);
    return DV_OK;
}

dv_status dvi_normalizer_finish_bounds(dvi_normalizer_learner *l, dvi_learned_table **table_out,
                                       dv_error *err)
{
    bounds b = {.learner = l};
    dv_status status = DV_OK;
    *table_out = NULL;
    for (int32_t slot = 0; slot < l->slots && status == DV_OK; slot++)
        status = add_slot(&b, slot, err);
    if (status == DV_OK)
        status = make_table(&b, table_out, err);
    dvi_free(&l->allocator, b.values, b.values_cap * sizeof(double));
    dvi_free(&l->allocator, b.slots, b.slots_cap * sizeof(int32_t));
    return status;
}
