/* SPDX-License-Identifier: MIT */
/* normalizer_learn.c: adds rows to the statistics of a normalizer, and makes scales, deviations or
 * bounds of them. */
#include "transform/normalizer_learn.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "transform/normalizer_learn_priv.h"
#include "transform/tally_state.h"
#include <math.h>

const dvi_learned_columns *dvi_normalizer_table(const dvi_normalizer_how *how)
{
    if (how->mode == DVI_NORMALIZE_BIN || how->mode == DVI_NORMALIZE_SUPBIN)
        return &dvi_bounds;
    return how->is_cdf ? &dvi_deviations : &dvi_scales;
}

/* --- Learners --------------------------------------------------------------------------------- */

static size_t statistics_nbytes(const dvi_normalizer_learner *l)
{
    return (size_t)l->slots *
           (l->how.mode == DVI_NORMALIZE_MINMAX ? sizeof(dvi_extremes) : sizeof(dvi_moments));
}

static bool tallies(const dvi_normalizer_learner *l)
{
    return l->how.mode >= DVI_NORMALIZE_BIN;
}

static dv_status set_up(dvi_normalizer_learner *l, dv_error *err)
{
    if (l->how.mode == DVI_NORMALIZE_SUPBIN)
        DVI_TRY(dvi_alloc_zeroed(&l->allocator, &l->label_rows, (size_t)l->labels * sizeof(int64_t),
                                 err));
    if (tallies(l))
        return dvi_tally_init(&l->tally, l->slots, &l->allocator, err);
    DVI_TRY(dvi_alloc_zeroed(&l->allocator, &l->statistics, statistics_nbytes(l), err));
    if (l->how.mode == DVI_NORMALIZE_MINMAX)
        dvi_extremes_init(l->statistics, l->slots);
    return DV_OK;
}

dv_status dvi_normalizer_learn(dvi_normalizer_learner **learner_out, const dv_type *type,
                               const dv_type *label, const dvi_normalizer_how *how,
                               const dv_allocator *allocator, dv_error *err)
{
    void *made;
    int32_t labels = 0;
    *learner_out = NULL;
    DVI_TRY(dvi_normalizer_check(type, err));
    if (how->mode == DVI_NORMALIZE_SUPBIN)
        DVI_TRY(dvi_labels_count(&labels, label, err));
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_normalizer_learner), err));
    dvi_normalizer_learner *l = made;
    l->allocator = dvi_allocator_of(allocator);
    l->how = *how;
    l->real = type->kind;
    l->slots = dv_type_value_count(type);
    l->labels = labels;
    const dv_status status = set_up(l, err);
    if (status < 0)
        dvi_normalizer_learner_free(l);
    else
        *learner_out = l;
    return status;
}

void dvi_normalizer_learner_free(void *learner)
{
    dvi_normalizer_learner *l = learner;
    if (!l)
        return;
    const dv_allocator allocator = l->allocator;
    if (l->statistics)
        dvi_free(&allocator, l->statistics, statistics_nbytes(l));
    dvi_free(&allocator, l->label_rows, (size_t)l->labels * sizeof(int64_t));
    dvi_tally_free(&l->tally);
    dvi_free(&allocator, l, sizeof *l);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static dv_status take(void *learner, const dvi_slot_values *values, dv_error *err)
{
    dvi_normalizer_learner *l = learner;
    if (l->how.mode == DVI_NORMALIZE_MEANVAR)
        return dvi_moments_take(l->statistics, values, err);
    if (l->how.mode == DVI_NORMALIZE_LOGMEANVAR)
        return l->real == DV_KIND_R4 ? dvi_moments_take_ln4(l->statistics, values, err)
                                     : dvi_moments_take_ln8(l->statistics, values, err);
    return dvi_tally_take(&l->tally, values, err);
}

static bool has_nan(const dv_column_view *row)
{
    dvi_vector_row items = dvi_vector_rows(row);
    dvi_vector_rows_next(&items);
    const char *src = items.items->as.fixed.values.data;
    for (int64_t i = items.item; i < items.item + items.n; i++)
        if (items.items->type.kind == DV_KIND_R4 ? isnan(dvi_load_f4(src + 4 * i))
                                                 : isnan(dvi_load_f8(src + 8 * i)))
            return true;
    return false;
}

/* Rows with a label and without NaN. */
static dv_status see_labelled(dvi_normalizer_learner *l, const dv_column_view *values,
                              const dv_column_view *labels, dv_error *err)
{
    dvi_column rest;
    dv_value label = dv_value_first(labels);
    dvi_column_assign(&rest, values);
    for (int64_t i = 0; i < values->rows; i++) {
        dv_column_view row = rest.view;
        dvi_column_limit(&row, 1);
        const int32_t number = dvi_label_of(&label);
        if (number >= 0 && !has_nan(&row)) {
            l->tally.label = number;
            ((int64_t *)l->label_rows)[number]++;
            DVI_TRY(dvi_slot_values_each(&row, 0, take, l, err));
        }
        if (i + 1 < values->rows) {
            dv_value_next(&label);
            dvi_column_advance(&rest.view, 1);
        }
    }
    return DV_OK;
}

dv_status dvi_normalizer_see(dvi_normalizer_learner *l, const dv_column_view *const *sources,
                             dv_error *err)
{
    dvi_column part;
    dvi_column_assign(&part, sources[0]);
    dvi_column_limit(&part.view, dvi_min_i64(part.view.rows, l->how.rows - l->rows));
    if (part.view.rows <= 0)
        return DV_OK;
    if (l->how.mode == DVI_NORMALIZE_SUPBIN)
        DVI_TRY(see_labelled(l, &part.view, sources[1], err));
    else if (l->how.mode == DVI_NORMALIZE_MINMAX)
        DVI_TRY(dvi_extremes_see(l->statistics, &part.view, l->rows, err));
    else
        DVI_TRY(dvi_slot_values_each(&part.view, l->rows, take, l, err));
    l->rows += part.view.rows;
    return DV_OK;
}

bool dvi_normalizer_is_full(const void *learner)
{
    const dvi_normalizer_learner *l = learner;
    return l->rows >= l->how.rows;
}

/* --- Rows that another learner has seen ------------------------------------------------------- */

static dvi_counted_rows counted_by(dvi_normalizer_learner *l)
{
    return (dvi_counted_rows){&l->rows, l->how.rows, l->label_rows, l->labels};
}

dv_status dvi_normalizer_show(dv_view **table_out, dvi_normalizer_learner *l,
                              const dv_allocator *allocator, dv_error *err)
{
    const dvi_counted_rows counted = counted_by(l);
    return tallies(l)
               ? dvi_tally_state(table_out, &l->tally, &counted, allocator, err)
               : dvi_extremes_state(table_out, l->statistics, l->slots, &counted, allocator, err);
}

dv_status dvi_normalizer_add(dvi_normalizer_learner *l, dv_view *table, dv_error *err)
{
    const dvi_counted_rows counted = counted_by(l);
    return tallies(l) ? dvi_tally_state_add(&l->tally, &counted, table, err)
                      : dvi_extremes_state_add(l->statistics, l->slots, &counted, table,
                                               &l->allocator, err);
}

/* --- What was learned ------------------------------------------------------------------------- */

/* a - b, and 1 / x, in the item type. */
static double subtract(const dvi_normalizer_learner *l, double a, double b)
{
    return l->real == DV_KIND_R4 ? (double)((float)a - (float)b) : a - b;
}

static double invert(const dvi_normalizer_learner *l, double x)
{
    return l->real == DV_KIND_R4 ? (double)(1 / (float)x) : 1 / x;
}

static void set(dvi_learned_table *t, int32_t slot, double first, double second)
{
    dvi_learned_set(t, 0, slot, first);
    dvi_learned_set(t, 1, slot, second);
}

/* A scale of 0 makes all finite values 0, so it needs no offset, which may be infinite. */
static void set_scale(dvi_learned_table *t, int32_t slot, double offset, double scale)
{
    set(t, slot, scale != 0 ? offset : 0, scale);
}

static void finish_extremes(dvi_normalizer_learner *l, dvi_learned_table *t, int32_t slot)
{
    dvi_extremes *e = (dvi_extremes *)l->statistics + slot;
    dvi_extremes_finish(e, l->rows);
    if (!(e->most > e->least))
        return;
    if (l->how.fixes_zero)
        set_scale(t, slot, 0, invert(l, fmax(fabs(e->most), fabs(e->least))));
    else
        set_scale(t, slot, e->least, invert(l, subtract(l, e->most, e->least)));
}

static void finish_moments(dvi_normalizer_learner *l, dvi_learned_table *t, int32_t slot)
{
    dvi_moments *m = (dvi_moments *)l->statistics + slot;
    if (l->how.mode == DVI_NORMALIZE_MEANVAR)
        dvi_moments_finish(m, l->rows);
    const int64_t n = m->n - l->how.is_sample;
    const double variance = n > 0 ? m->m2 / (double)n : 0;
    if (l->how.is_cdf)
        set(t, slot, m->mean, sqrt(variance));
    else if (m->m2 > 0 && l->how.fixes_zero)
        set_scale(t, slot, 0, invert(l, sqrt(variance + m->mean * m->mean)));
    else if (m->m2 > 0)
        set_scale(t, slot, m->mean, invert(l, sqrt(variance)));
}

/* The value at a place among the sorted ones. */
static double value_at(const dvi_slot_tally *s, int64_t place)
{
    size_t i = 0;
    for (; i + 1 < s->n && place >= s->entries[i].count; i++)
        place -= s->entries[i].count;
    return s->entries[i].value;
}

static double median_of(const dvi_normalizer_learner *l, const dvi_slot_tally *s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += s->entries[i].count;
    const double high = value_at(s, n / 2);
    if (n % 2 == 1)
        return high;
    const double low = value_at(s, n / 2 - 1);
    return l->real == DV_KIND_R4 ? (double)(((float)low + (float)high) / 2) : (low + high) / 2;
}

static dv_status finish_robust(dvi_normalizer_learner *l, dvi_learned_table *t, int32_t slot,
                               dv_error *err)
{
    dvi_slot_tally *s = &l->tally.slot[slot];
    if (l->rows > s->items)
        DVI_TRY(dvi_tally_add(&l->tally, slot, 0, 0, l->rows - s->items, err));
    DVI_TRY(dvi_tally_sort(&l->tally, slot, err));
    if (s->n == 0)
        return DV_OK;
    const double range = subtract(l, s->entries[s->n - 1].value, s->entries[0].value);
    const double part = l->real == DV_KIND_R4 ? (double)((float)range * l->how.share)
                                              : range * (double)l->how.share;
    set_scale(t, slot, l->how.centers ? median_of(l, s) : 0, invert(l, part));
    return DV_OK;
}

dv_status dvi_normalizer_finish(dvi_normalizer_learner *l, dvi_learned_table **table_out,
                                dv_error *err)
{
    dv_status status = DV_OK;
    *table_out = NULL;
    if (dvi_normalizer_table(&l->how) == &dvi_bounds)
        return dvi_normalizer_finish_bounds(l, table_out, err);
    DVI_TRY(dvi_learned_create(table_out, dvi_normalizer_table(&l->how), l->real, l->slots,
                               &l->allocator, err));
    for (int32_t slot = 0; slot < l->slots && status == DV_OK; slot++) {
        if (l->how.mode == DVI_NORMALIZE_MINMAX)
            finish_extremes(l, *table_out, slot);
        else if (l->how.mode == DVI_NORMALIZE_ROBUST)
            status = finish_robust(l, *table_out, slot, err);
        else
            finish_moments(l, *table_out, slot);
    }
    if (status < 0) {
        dvi_learned_table_free(*table_out);
        *table_out = NULL;
    }
    return status;
}
