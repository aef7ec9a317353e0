/* SPDX-License-Identifier: MIT */
/* bayes.c: naive Bayes over features that are above 0 or not, and the prior that takes none. */
#include "base/check.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P14";

/* --- Naive Bayes ------------------------------------------------------------------------------ */

/* A label; without rows it has no logarithms of features. */
typedef struct label {
    double rows, absent;
    const double *present, *missing; /* logarithms of each feature */
} label;

typedef struct bayes {
    label *labels;
    int32_t n;
} bayes;

static float score_label(const label *l, const dvi_features *x)
{
    double present = l->rows, missing = 0;
    for (int32_t i = 0; l->present && i < x->n; i++) {
        const int32_t slot = x->slots ? x->slots[i] : i;
        if (!(x->values[i] <= 0)) { /* NaN counts as present */
            present += l->present[slot];
            missing += l->missing[slot];
        }
    }
    return (float)(present + (l->absent - missing));
}

static void score(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const bayes *m = state;
    (void)scratch;
    for (int32_t k = 0; k < m->n; k++)
        scores[k] = score_label(&m->labels[k], x);
}

/* The logarithms of the shares of the rows of a label, with the feature and without it. */
static dv_status read_features(label *l, int32_t rows, int32_t classes, int32_t features,
                               dvi_block *b, dv_error *err)
{
    void *present, *missing;
    const int32_t *counts;
    const size_t n = (size_t)features;
    const double all = dvi_ln((double)rows + classes);
    DVI_TRY(dvi_block_i32s(b, &counts, n, checks, "rows with a feature", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &present, n * sizeof *l->present, err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &missing, n * sizeof *l->missing, err));
    for (size_t i = 0; i < n; i++) {
        DVI_REQUIRE(
            counts[i] >= 0 && counts[i] <= rows,
            dvi_block_refuse(b, checks, "rows with a feature", "at most those of the label", err));
        ((double *)present)[i] = dvi_ln((double)counts[i] + 1) - all;
        ((double *)missing)[i] = dvi_ln((double)rows - counts[i] + 1) - all;
    }
    l->present = present;
    l->missing = missing;
    return DV_OK;
}

static dv_status read_labels(bayes *m, const int32_t *rows, int32_t features, dvi_block *b,
                             dv_error *err)
{
    double total = 0;
    const double *absent;
    for (int32_t k = 0; k < m->n; k++) {
        DVI_REQUIRE(rows[k] >= 0, dvi_block_refuse(b, checks, "rows of a label", "0 or more", err));
        total += rows[k];
    }
    for (int32_t k = 0; k < m->n; k++) {
        m->labels[k].rows = dvi_ln(rows[k] / total);
        if (rows[k] > 0)
            DVI_TRY(read_features(&m->labels[k], rows[k], m->n, features, b, err));
    }
    DVI_TRY(dvi_block_f64s(b, &absent, (size_t)m->n, checks, "sums of absent features", err));
    for (int32_t k = 0; k < m->n; k++)
        m->labels[k].absent = absent[k];
    return DV_OK;
}

dv_status dvi_read_bayes(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    const int32_t *rows;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(bayes), err));
    bayes *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_count(b, &m->n, 4, checks, "number of labels", err));
    DVI_REQUIRE(m->n > 0, dvi_block_refuse(b, checks, "number of labels", "1 or more", err));
    DVI_TRY(dvi_block_i32s(b, &rows, (size_t)m->n, checks, "rows of each label", err));
    DVI_TRY(
        dvi_block_i32(b, &scorer->info.features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)m->n * sizeof *m->labels, err));
    m->labels = made;
    DVI_TRY(read_labels(m, rows, scorer->info.features, b, err));
    scorer->state = m;
    scorer->score = score;
    scorer->info.scores = m->n;
    dvi_scorer_say(scorer, b, "%d label%s", (int)m->n, DVI_S(m->n));
    return DV_OK;
}

/* --- The prior -------------------------------------------------------------------------------- */

static void score_prior(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    (void)x;
    (void)scratch;
    scores[0] = 2 * *(const float *)state - 1;
}

static float probability_prior(const void *state, float score)
{
    (void)score;
    return *(const float *)state;
}

dv_status dvi_read_prior(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(float), err));
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_f32(b, made, checks, "prior", err));
    DVI_TRY(dvi_block_check_finite(b, made, 1, "prior", err));
    scorer->state = made;
    scorer->score = score_prior;
    scorer->probability = probability_prior;
    dvi_scorer_say(scorer, b, "%g", (double)*(const float *)made);
    return DV_OK;
}
