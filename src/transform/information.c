/* SPDX-License-Identifier: MIT */
/* information.c: counts values with their labels, puts both into bins, and compares how often they
 * meet with how often they would by chance. */
#include "transform/information.h"
#include "base/alloc.h"
#include "base/check.h"
#include "transform/binning.h"
#include "transform/vector_rows.h"
#include "transform/wanted_type.h"
#include <dataview/value.h>
#include <math.h>
#include <string.h>

const dvi_learned_columns dvi_scores = {
    .table = "scores", .n = 1, .names = {"Score"}, .kinds = {DV_KIND_R4}};

/* Distinct values, and the bin of each. NaN is not among them: it has bin 0, and moves the others
 * by one. */
typedef struct binned {
    double *values;
    int64_t *counts;
    size_t *cuts;
    int32_t *bins;
    size_t n, nbytes;
    bool has_nan;
} binned;

struct dvi_information {
    dv_allocator allocator;
    dv_type type, label;
    int32_t slots;
    int64_t bins, rows;
    dvi_tally pairs;  /* values of each slot; `label` is the number of a label */
    dvi_tally nans;   /* the same of NaN, as value 0 */
    double *numbers;  /* the labels by number, in a table that is found by their bits */
    int64_t *rows_of; /* rows of each number */
    int32_t *bucket;  /* 1 + number; 0: free */
    size_t used, cap, buckets;
};

/* --- Values ----------------------------------------------------------------------------------- */

/* Values that are bins themselves. */
static bool is_binned(const dv_type *type)
{
    return type->is_key || type->kind == DV_KIND_BL;
}

static dv_status check(const dv_type *type, const char *what, dv_error *err)
{
    if (is_binned(type) || type->kind == DV_KIND_I4 || type->kind == DV_KIND_R4 ||
        type->kind == DV_KIND_R8)
        return DV_OK;
    return dvi_fail_reals(err, "semantics:7.19", what, "BL, I4, R4, R8 or keys", type);
}

/* NaN if it is missing; a missing key is 0, a missing BL 2. */
static double number_of(const dv_value *value)
{
    const dv_type *type = &value->column->type;
    if (dv_value_is_na(value))
        return type->is_key ? 0 : type->kind == DV_KIND_BL ? 2 : NAN;
    if (type->is_key)
        return (double)dv_value_key(value);
    switch (type->kind) {
    case DV_KIND_BL:
        return dv_value_i1(value);
    case DV_KIND_I4:
        return (double)(float)dv_value_i4(value);
    case DV_KIND_R4:
        return (double)dv_value_r4(value) + 0.0;
    default:
        return dv_value_r8(value) + 0.0;
    }
}

/* --- Labels by number ------------------------------------------------------------------------- */

static size_t find_bucket(const dvi_information *l, double label)
{
    uint64_t bits;
    DVI_KNOWN(l->bucket && l->numbers);
    memcpy(&bits, &label, sizeof bits);
    size_t at = (size_t)((bits * UINT64_C(0x9E3779B97F4A7C15)) >> 20) & (l->buckets - 1);
    while (l->bucket[at] > 0 && memcmp(&l->numbers[l->bucket[at] - 1], &label, sizeof label) != 0)
        at = (at + 1) & (l->buckets - 1);
    return at;
}

/* Twice as much room, and four buckets for each label. */
static dv_status grow(dvi_information *l, dv_error *err)
{
    void *numbers = NULL, *rows_of = NULL, *bucket = NULL;
    const size_t cap = l->cap > 0 ? 2 * l->cap : 64;
    dv_status status = dvi_alloc(&l->allocator, &numbers, cap * sizeof(double), err);
    if (status == DV_OK)
        status = dvi_alloc_zeroed(&l->allocator, &rows_of, cap * sizeof(int64_t), err);
    if (status == DV_OK)
        status = dvi_alloc_zeroed(&l->allocator, &bucket, 4 * cap * sizeof(int32_t), err);
    if (status < 0) {
        dvi_free(&l->allocator, numbers, cap * sizeof(double));
        dvi_free(&l->allocator, rows_of, cap * sizeof(int64_t));
        return status;
    }
    DVI_KNOWN(numbers && rows_of && bucket);
    if (l->used > 0) {
        memcpy(numbers, l->numbers, l->used * sizeof(double));
        memcpy(rows_of, l->rows_of, l->used * sizeof(int64_t));
    }
    dvi_free(&l->allocator, l->numbers, l->cap * sizeof(double));
    dvi_free(&l->allocator, l->rows_of, l->cap * sizeof(int64_t));
    dvi_free(&l->allocator, l->bucket, l->buckets * sizeof(int32_t));
    l->numbers = numbers;
    l->rows_of = rows_of;
    l->bucket = bucket;
    l->cap = cap;
    l->buckets = 4 * cap;
    for (size_t i = 0; i < l->used; i++)
        l->bucket[find_bucket(l, l->numbers[i])] = (int32_t)i + 1;
    return DV_OK;
}

/* All NaN are one label. */
static dv_status number_label(dvi_information *l, double label, int32_t *number_out, dv_error *err)
{
    label = label == label ? label : (double)NAN;
    if (l->used == l->cap)
        DVI_TRY(grow(l, err));
    DVI_KNOWN(l->bucket && l->numbers && l->rows_of);
    const size_t at = find_bucket(l, label);
    if (l->bucket[at] == 0) {
        l->numbers[l->used] = label;
        l->bucket[at] = (int32_t)++l->used;
    }
    *number_out = l->bucket[at] - 1;
    l->rows_of[*number_out]++;
    return DV_OK;
}

/* --- Learners --------------------------------------------------------------------------------- */

dv_status dvi_information_create(dvi_information **learner_out, const dv_type *type,
                                 const dv_type *label, int64_t bins, const dv_allocator *allocator,
                                 dv_error *err)
{
    void *made;
    const dv_type item = dv_type_item(type);
    const int32_t slots = dv_type_value_count(type);
    *learner_out = NULL;
    DVI_TRY(check(&item, "values to score", err));
    DVI_TRY(check(label, "labels", err));
    if (label->rank > 0 || slots == 0 || slots > DVI_LEARNED_SLOTS)
        return dvi_fail_argument(err, "labels are scalars, and there are 1 to %d slots",
                                 DVI_LEARNED_SLOTS);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_information), err));
    dvi_information *l = made;
    l->allocator = dvi_allocator_of(allocator);
    l->type = item;
    l->label = *label;
    l->slots = slots;
    l->bins = bins;
    dv_status status = dvi_tally_init(&l->pairs, slots, allocator, err);
    if (status == DV_OK)
        status = dvi_tally_init(&l->nans, slots, allocator, err);
    if (status < 0)
        dvi_information_free(l);
    else
        *learner_out = l;
    return status;
}

void dvi_information_free(void *learner)
{
    dvi_information *l = learner;
    const dv_allocator allocator = l->allocator;
    dvi_tally_free(&l->pairs);
    dvi_tally_free(&l->nans);
    dvi_free(&allocator, l->numbers, l->cap * sizeof(double));
    dvi_free(&allocator, l->rows_of, l->cap * sizeof(int64_t));
    dvi_free(&allocator, l->bucket, l->buckets * sizeof(int32_t));
    dvi_free(&allocator, l, sizeof *l);
}

dv_status dvi_information_see(dvi_information *l, const dv_column_view *const *sources,
                              dv_error *err)
{
    dvi_vector_row row = dvi_vector_rows(sources[0]);
    const bool is_vector = sources[0]->layout == DV_LAYOUT_VECTOR;
    while (dvi_vector_rows_next(&row)) {
        const dv_value label = {.column = sources[1], .row = row.row};
        int32_t number;
        DVI_TRY(number_label(l, number_of(&label), &number, err));
        for (int32_t i = 0; i < row.n; i++) {
            const dv_value item = {.column = row.items, .row = is_vector ? row.item + i : row.row};
            const double x = number_of(&item);
            dvi_tally *tally = x == x ? &l->pairs : &l->nans;
            DVI_TRY(
                dvi_tally_add(tally, dvi_vector_row_slot(&row, i), x == x ? x : 0, number, 1, err));
        }
        l->rows++;
    }
    return DV_OK;
}

/* --- Bins ------------------------------------------------------------------------------------- */

static dv_status alloc_binned(binned *b, size_t n, const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *b = (binned){.nbytes = (n + 1) *
                            (sizeof(double) + sizeof(int64_t) + sizeof(size_t) + sizeof(int32_t))};
    DVI_TRY(dvi_alloc(allocator, &made, b->nbytes, err));
    b->values = made;
    b->counts = (int64_t *)(void *)(b->values + n + 1);
    b->cuts = (size_t *)(void *)(b->counts + n + 1);
    b->bins = (int32_t *)(void *)(b->cuts + n + 1);
    return DV_OK;
}

/* Set the bin of each of the distinct values, which rise. */
static dv_status set_bins(binned *b, const dvi_information *l, const dv_type *type, dv_error *err)
{
    dvi_cuts cuts = {b->cuts, 0};
    const dv_kind kind = type->kind == DV_KIND_R8 ? DV_KIND_R8 : DV_KIND_R4;
    if (is_binned(type)) {
        for (size_t i = 0; i < b->n; i++)
            b->bins[i] = (int32_t)(uint32_t)b->values[i];
        return DV_OK;
    }
    DVI_TRY(dvi_binning_equal(&cuts, b->counts, b->n, (size_t)l->bins, &l->allocator, err));
    size_t bin = 0;
    for (size_t i = 0; i < b->n; i++) {
        while (bin < cuts.n && b->values[i] > dvi_binning_bound(b->values[cuts.cut[bin] - 1],
                                                                b->values[cuts.cut[bin]], kind))
            bin++;
        b->bins[i] = (int32_t)bin + b->has_nan;
    }
    return DV_OK;
}

static void add_distinct(binned *b, double value, int64_t count)
{
    if (b->n > 0 && b->values[b->n - 1] == value) {
        b->counts[b->n - 1] += count;
        return;
    }
    b->values[b->n] = value;
    b->counts[b->n++] = count;
}

/* The bin of each label, by its number; free it with dvi_free. */
static dv_status bin_labels(const dvi_information *l, int32_t **bins_out, dv_error *err)
{
    dvi_tally sorted;
    binned b;
    void *made;
    DVI_TRY(dvi_alloc_zeroed(&l->allocator, &made, l->cap * sizeof(int32_t), err));
    *bins_out = made;
    DVI_TRY(dvi_tally_init(&sorted, 1, &l->allocator, err));
    dv_status status = alloc_binned(&b, l->used, &l->allocator, err);
    for (size_t i = 0; i < l->used && status == DV_OK; i++) {
        const bool is_nan = l->numbers[i] != l->numbers[i];
        b.has_nan = b.has_nan || is_nan;
        if (!is_nan)
            status = dvi_tally_add(&sorted, 0, l->numbers[i], (int32_t)i, l->rows_of[i], err);
    }
    if (status == DV_OK)
        status = dvi_tally_sort(&sorted, 0, err);
    const dvi_slot_tally *s = &sorted.slot[0];
    for (size_t i = 0; i < s->n && status == DV_OK; i++)
        add_distinct(&b, s->entries[i].value, s->entries[i].count);
    if (status == DV_OK)
        status = set_bins(&b, l, &l->label, err);
    for (size_t i = 0; i < s->n && status == DV_OK; i++)
        (*bins_out)[s->entries[i].label] = b.bins[i];
    dvi_free(&l->allocator, b.values, b.nbytes);
    dvi_tally_free(&sorted);
    return status;
}

/* --- Scores ----------------------------------------------------------------------------------- */

/* Rows whose slot has no item: 0. */
static dv_status add_zeros(dvi_information *l, int32_t slot, dv_error *err)
{
    void *made;
    const size_t nbytes = l->used * sizeof(int64_t);
    dv_status status = DV_OK;
    DVI_TRY(dvi_alloc(&l->allocator, &made, nbytes, err));
    int64_t *zeros = made;
    memcpy(zeros, l->rows_of, nbytes);
    const dvi_slot_tally *both[] = {&l->pairs.slot[slot], &l->nans.slot[slot]};
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n; i++)
            zeros[both[k]->entries[i].label] -= both[k]->entries[i].count;
    for (size_t i = 0; i < l->used && status == DV_OK; i++)
        if (zeros[i] > 0)
            status = dvi_tally_add(&l->pairs, slot, 0, (int32_t)i, zeros[i], err);
    dvi_free(&l->allocator, made, nbytes);
    return status;
}

/* Counts by pair of bins, by bin of the label, and by bin of the value: tallies of one slot. */
typedef struct table {
    dvi_tally cells, rows, columns;
} table;

static dv_status add_cell(table *t, int32_t label_bin, int32_t bin, int64_t count, dv_error *err)
{
    DVI_TRY(dvi_tally_add(&t->cells, 0, label_bin, bin, count, err));
    DVI_TRY(dvi_tally_add(&t->rows, 0, label_bin, 0, count, err));
    return dvi_tally_add(&t->columns, 0, bin, 0, count, err);
}

static int64_t count_of(const dvi_tally *tally, int32_t bin)
{
    const dvi_slot_tally *s = tally->slot;
    size_t low = 0, high = s->n - 1;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->entries[middle].value < (double)bin)
            low = middle + 1;
        else
            high = middle;
    }
    return s->entries[low].count;
}

static double score_of(const table *t, int64_t rows)
{
    const dvi_slot_tally *cells = t->cells.slot;
    double score = 0;
    for (size_t i = 0; i < cells->n; i++) {
        const int32_t row = (int32_t)cells->entries[i].value, column = cells->entries[i].label;
        const double count = (double)cells->entries[i].count, n = (double)rows;
        const double chance =
            (double)count_of(&t->rows, row) * (double)count_of(&t->columns, column);
        score += count / n * (log(count * n / chance) / log(2));
    }
    return score;
}

static dv_status fill_table(table *t, const dvi_information *l, int32_t slot, const binned *b,
                            const int32_t *label_bins, dv_error *err)
{
    const dvi_slot_tally *pairs = &l->pairs.slot[slot], *nans = &l->nans.slot[slot];
    size_t value = 0;
    for (size_t i = 0; i < pairs->n; i++) {
        value += b->values[value] != pairs->entries[i].value;
        DVI_TRY(add_cell(t, label_bins[pairs->entries[i].label], b->bins[value],
                         pairs->entries[i].count, err));
    }
    for (size_t i = 0; i < nans->n; i++)
        DVI_TRY(add_cell(t, label_bins[nans->entries[i].label], 0, nans->entries[i].count, err));
    DVI_TRY(dvi_tally_sort(&t->cells, 0, err));
    DVI_TRY(dvi_tally_sort(&t->rows, 0, err));
    return dvi_tally_sort(&t->columns, 0, err);
}

static dv_status bin_slot(binned *b, dvi_information *l, int32_t slot, dv_error *err)
{
    const dvi_slot_tally *s = &l->pairs.slot[slot];
    DVI_TRY(alloc_binned(b, s->n, &l->allocator, err));
    b->has_nan = l->nans.slot[slot].n > 0;
    for (size_t i = 0; i < s->n; i++)
        add_distinct(b, s->entries[i].value, s->entries[i].count);
    return set_bins(b, l, &l->type, err);
}

static dv_status score_slot(dvi_information *l, int32_t slot, const int32_t *label_bins,
                            float *score_out, dv_error *err)
{
    table t = {.cells = {.slots = 0}};
    binned b = {.values = NULL};
    dv_status status = dvi_tally_sort(&l->pairs, slot, err);
    if (status == DV_OK)
        status = add_zeros(l, slot, err);
    if (status == DV_OK)
        status = dvi_tally_sort(&l->pairs, slot, err);
    if (status == DV_OK)
        status = bin_slot(&b, l, slot, err);
    if (status == DV_OK)
        status = dvi_tally_init(&t.cells, 1, &l->allocator, err);
    if (status == DV_OK)
        status = dvi_tally_init(&t.rows, 1, &l->allocator, err);
    if (status == DV_OK)
        status = dvi_tally_init(&t.columns, 1, &l->allocator, err);
    if (status == DV_OK)
        status = fill_table(&t, l, slot, &b, label_bins, err);
    if (status == DV_OK)
        *score_out = (float)score_of(&t, l->rows);
    dvi_free(&l->allocator, b.values, b.nbytes);
    dvi_tally_free(&t.cells);
    dvi_tally_free(&t.rows);
    dvi_tally_free(&t.columns);
    return status;
}

dv_status dvi_information_finish(dvi_information *l, dvi_learned_table **table_out, dv_error *err)
{
    int32_t *label_bins = NULL;
    DVI_TRY(dvi_learned_create(table_out, &dvi_scores, DV_KIND_R4, l->slots, &l->allocator, err));
    dv_status status = l->rows > 0 ? bin_labels(l, &label_bins, err) : DV_OK;
    for (int32_t slot = 0; l->rows > 0 && slot < l->slots && status == DV_OK; slot++)
        status = score_slot(l, slot, label_bins, (float *)(*table_out)->values[0] + slot, err);
    dvi_free(&l->allocator, label_bins, l->cap * sizeof(int32_t));
    if (status < 0) {
        dvi_learned_table_free(*table_out);
        *table_out = NULL;
    }
    return status;
}
