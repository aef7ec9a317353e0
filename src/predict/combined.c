/* SPDX-License-Identifier: MIT */
/* combined.c: predictors made of others: with a calibrator, one for each class, one for each pair
 * of classes. */
#include "base/check.h"
#include "base/size.h"
#include "predict/scorer.h"
#include <stdio.h>

/* --- With a calibrator ------------------------------------------------------------------------ */

typedef struct calibrated {
    dvi_scorer predictor, calibrator;
} calibrated;

static void score_calibrated(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const calibrated *c = state;
    c->predictor.score(c->predictor.state, x, scratch, scores);
}

static float calibrate(const void *state, float score)
{
    const calibrated *c = state;
    return c->calibrator.probability(c->calibrator.state, score);
}

static dv_status check_scalar(const dvi_block *b, const dvi_scorer *scorer, dv_error *err)
{
    DVI_REQUIRE(scorer->info.scores == 0,
                dvi_block_refuse(b, "predictors:P14", "predictor inside another",
                                 "one with a single score", err));
    return DV_OK;
}

dv_status dvi_read_calibrated(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(calibrated), err));
    calibrated *c = made;
    DVI_TRY(dvi_read_inner(&c->predictor, b, "Predictor/", false, err));
    DVI_TRY(check_scalar(b, &c->predictor, err));
    DVI_TRY(dvi_read_inner(&c->calibrator, b, "Calibrator/", true, err));
    scorer->info = c->predictor.info;
    scorer->state = c;
    scorer->score = score_calibrated;
    scorer->probability = calibrate;
    return DV_OK;
}

/* --- Several ---------------------------------------------------------------------------------- */

/* Read one of them, which takes the features that the others take, or none. */
static dv_status read_one(dvi_scorer *one, dvi_scorer *whole, const dvi_block *b,
                          const char *folder, bool needs_probability, dv_error *err)
{
    DVI_TRY(dvi_read_inner(one, b, folder, false, err));
    DVI_TRY(check_scalar(b, one, err));
    DVI_REQUIRE(one->probability || !needs_probability,
                dvi_block_refuse(b, "predictors:P14", "predictor inside another",
                                 "one with probabilities", err));
    if (one->info.features > 0 && whole->info.features == 0)
        whole->info.features = one->info.features;
    DVI_REQUIRE(one->info.features == 0 || one->info.features == whole->info.features,
                dvi_block_refuse(b, "predictors:P2", "number of features",
                                 "the same of all predictors", err));
    if (one->info.scratch_nbytes > whole->info.scratch_nbytes)
        whole->info.scratch_nbytes = one->info.scratch_nbytes;
    return DV_OK;
}

static float probability_of(const dvi_scorer *s, const dvi_features *x, void *scratch)
{
    float score;
    s->score(s->state, x, scratch, &score);
    return s->probability(s->state, score);
}

/* --- One versus all --------------------------------------------------------------------------- */

enum { RAW = 0, PROBABILITIES = 1, SOFTMAX = 2 };

typedef struct versus_all {
    dvi_scorer *each;
    int32_t n;
} versus_all;

static void score_raw(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const versus_all *v = state;
    for (int32_t k = 0; k < v->n; k++)
        v->each[k].score(v->each[k].state, x, scratch, &scores[k]);
}

static void score_shares(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const versus_all *v = state;
    double sum = 0;
    for (int32_t k = 0; k < v->n; k++) {
        scores[k] = probability_of(&v->each[k], x, scratch);
        if (scores[k] < 0)
            scores[k] = 0;
        if (scores[k] == scores[k])
            sum += (double)scores[k];
    }
    for (int32_t k = 0; sum > 0 && k < v->n; k++)
        scores[k] = (float)((double)scores[k] / sum);
}

static void score_exponents(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const versus_all *v = state;
    double sum = 0;
    score_raw(state, x, scratch, scores);
    for (int32_t k = 0; k < v->n; k++)
        sum += dvi_exp(scores[k]);
    for (int32_t k = 0; k < v->n; k++)
        scores[k] = (float)(dvi_exp(scores[k]) / sum);
}

static dv_status read_form(dvi_scorer *scorer, bool *needs_probability, dvi_block *b, dv_error *err)
{
    uint8_t form;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_u8(b, &form, SOFTMAX, "predictors:P45", "form of the scores", err));
    scorer->score = form == RAW ? score_raw : form == SOFTMAX ? score_exponents : score_shares;
    *needs_probability = form == PROBABILITIES;
    return DV_OK;
}

dv_status dvi_read_one_versus_all(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    bool needs_probability;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(versus_all), err));
    versus_all *v = made;
    DVI_TRY(read_form(scorer, &needs_probability, b, err));
    DVI_TRY(dvi_block_i32(b, &v->n, 1, b->all->n, "predictors:P14", "number of classes", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)v->n * sizeof *v->each, err));
    v->each = made;
    for (int32_t k = 0; k < v->n; k++) {
        char folder[32];
        snprintf(folder, sizeof folder, "SubPredictor_%03d/", (int)k);
        DVI_TRY(read_one(&v->each[k], scorer, b, folder, needs_probability, err));
    }
    scorer->state = v;
    scorer->info.scores = v->n;
    dvi_scorer_say(scorer, b, "%d class%s", (int)v->n, v->n == 1 ? "" : "es");
    return DV_OK;
}

/* --- Pairs ------------------------------------------------------------------------------------ */

/* One for each pair of classes i and j <= i, with the number i(i+1)/2 + j. */
typedef struct pairs {
    dvi_scorer *each;
    int32_t n; /* of classes */
} pairs;

static size_t number_of(int32_t i, int32_t j)
{
    const size_t row = (size_t)(i > j ? i : j), column = (size_t)(i > j ? j : i);
    return row * (row + 1) / 2 + column;
}

/* No probability with a class is below its own. */
static void raise_to(double *p, int32_t i, int32_t n)
{
    const double own = p[number_of(i, i)];
    for (int32_t j = 0; own > 0 && j < n; j++)
        if (j != i && !(p[number_of(i, j)] >= own))
            p[number_of(i, j)] = own;
}

static double share_of(const double *p, int32_t i, int32_t n)
{
    const double own = p[number_of(i, i)];
    double sum = 0;
    if (!(own > 0))
        return 0;
    for (int32_t j = 0; j < n; j++)
        if (j != i)
            sum += p[number_of(i, j)];
    const double rest = sum - (n - 2) * own;
    return own / (own > rest ? own : rest);
}

static void score_pairs(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const pairs *m = state;
    const size_t all = number_of(m->n, 0);
    double *p = scratch, sum = 0;
    void *rest = (char *)scratch + dvi_padded(all * sizeof *p);
    for (size_t i = 0; i < all; i++)
        p[i] = (double)probability_of(&m->each[i], x, rest);
    for (int32_t i = 0; i < m->n; i++)
        raise_to(p, i, m->n);
    for (int32_t i = 0; i < m->n; i++)
        sum += share_of(p, i, m->n);
    for (int32_t i = 0; i < m->n; i++)
        scores[i] = (float)(share_of(p, i, m->n) / (sum > 0 ? sum : 1));
}

static dv_status read_row(pairs *m, dvi_scorer *scorer, int32_t i, dvi_block *b, dv_error *err)
{
    for (int32_t j = 0; j <= i; j++) {
        char folder[48];
        if (j == i)
            snprintf(folder, sizeof folder, "SubPredictor_%03d/", (int)i);
        else
            snprintf(folder, sizeof folder, "SubPredictor_%03d_%03d/", (int)i, (int)j);
        DVI_TRY(read_one(&m->each[number_of(i, j)], scorer, b, folder, true, err));
    }
    return DV_OK;
}

dv_status dvi_read_pairs(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(pairs), err));
    pairs *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_i32(b, &m->n, 1, b->all->n, "predictors:P14", "number of classes", err));
    const size_t all = number_of(m->n, 0);
    DVI_REQUIRE(all <= (size_t)b->all->n,
                dvi_block_refuse(b, "predictors:P14", "number of classes",
                                 "as many as there are predictors for", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, all * sizeof *m->each, err));
    m->each = made;
    for (int32_t i = 0; i < m->n; i++)
        DVI_TRY(read_row(m, scorer, i, b, err));
    scorer->state = m;
    scorer->score = score_pairs;
    scorer->info.scores = m->n;
    scorer->info.scratch_nbytes += dvi_padded(all * sizeof(double));
    dvi_scorer_say(scorer, b, "%d classes, %zu predictors", (int)m->n, all);
    return DV_OK;
}
