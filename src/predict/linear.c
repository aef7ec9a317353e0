/* SPDX-License-Identifier: MIT */
/* linear.c: weights times features, for one score or for one of each class. */
#include "base/check.h"
#include "predict/scorer.h"

static const char layout[] = "predictors:P13", checks[] = "predictors:P14";

/* --- One score -------------------------------------------------------------------------------- */

typedef struct linear {
    float bias;
    dvi_features weights;
} linear;

static void score_linear(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const linear *l = state;
    (void)scratch;
    scores[0] = l->bias + dvi_dot(&l->weights, x);
}

static void score_poisson(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    score_linear(state, x, scratch, scores);
    scores[0] = (float)dvi_exp(scores[0]);
}

/* Without slots there is a weight for each feature, or, in the sparse form, none at all. */
static dv_status read_weights(dvi_features *weights, dvi_block *b, int32_t features, dv_error *err)
{
    int32_t slots, n;
    const int32_t *list;
    DVI_TRY(dvi_block_count(b, &slots, 4, layout, "number of slots", err));
    DVI_TRY(dvi_block_i32s(b, &list, (size_t)slots, layout, "slots of weights", err));
    DVI_TRY(dvi_block_count(b, &n, 4, layout, "number of weights", err));
    DVI_REQUIRE(n == slots || (slots == 0 && n == features),
                dvi_block_refuse(b, layout, "number of weights", "one for each slot", err));
    weights->n = n;
    weights->slots = n == slots ? list : NULL;
    DVI_TRY(dvi_block_f32s(b, &weights->values, (size_t)n, layout, "weights", err));
    DVI_TRY(dvi_block_check_slots(b, list, (size_t)slots, features, err));
    return dvi_block_check_finite(b, weights->values, (size_t)n, "weights", err);
}

dv_status dvi_read_linear(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(linear), err));
    linear *l = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_f32(b, &l->bias, checks, "bias", err));
    DVI_TRY(
        dvi_block_i32(b, &scorer->info.features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(read_weights(&l->weights, b, scorer->info.features, err));
    DVI_TRY(dvi_block_check_finite(b, &l->bias, 1, "bias", err));
    scorer->state = l;
    scorer->score = score_linear;
    dvi_scorer_say(scorer, b, "%d weight%s", (int)l->weights.n, DVI_S(l->weights.n));
    return DV_OK;
}

dv_status dvi_read_poisson(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    DVI_TRY(dvi_read_linear(scorer, b, err));
    scorer->score = score_poisson;
    return DV_OK;
}

/* --- A score of each class -------------------------------------------------------------------- */

typedef struct multiclass {
    int32_t classes;
    const float *biases;
    dvi_features *weights; /* one vector for each class */
} multiclass;

static void score_multiclass(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const multiclass *m = state;
    (void)scratch;
    for (int32_t k = 0; k < m->classes; k++)
        scores[k] = m->biases[k] + dvi_dot(&m->weights[k], x);
}

/* The place of the first largest; NaN is passed over, and -infinity is not larger. -1: none. */
static int32_t largest(const float *y, int32_t n)
{
    int32_t at = -1;
    float most = -INFINITY;
    for (int32_t i = 0; i < n; i++)
        if (y[i] > most) {
            most = y[i];
            at = i;
        }
    return at;
}

/* The logarithm of the sum of e to the y. */
static float log_sum(const float *y, int32_t n)
{
    const int32_t at = largest(y, n);
    double sum = 0;
    if (at < 0)
        return -INFINITY;
    const float most = y[at], least = most - 30;
    for (int32_t i = 0; i < n; i++)
        if (i != at && y[i] > least)
            sum += dvi_exp(y[i] - most);
    return sum == 0 ? most : (float)(most + dvi_ln(1 + sum));
}

void dvi_softmax(float *y, int32_t n)
{
    const float lse = log_sum(y, n);
    for (int32_t i = 0; i < n; i++)
        y[i] = (float)dvi_exp(y[i] - lse);
}

static void score_softmax(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    score_multiclass(state, x, scratch, scores);
    dvi_softmax(scores, ((const multiclass *)state)->classes);
}

/* Where the entries of each class start: none, as each has all features; or from 0 up to n. */
static dv_status check_starts(const dvi_block *b, const int32_t *starts, int32_t n, int32_t classes,
                              int32_t entries, dv_error *err)
{
    DVI_REQUIRE(n == 0 || n - 1 == classes,
                dvi_block_refuse(b, layout, "number of starts", "0, or 1 more than classes", err));
    DVI_REQUIRE(n == 0 || (starts[0] == 0 && starts[classes] == entries),
                dvi_block_refuse(b, layout, "starts", "0 up to the number of columns", err));
    for (int32_t k = 1; k < n; k++)
        DVI_REQUIRE(starts[k] >= starts[k - 1],
                    dvi_block_refuse(b, layout, "starts", "ascending numbers", err));
    return DV_OK;
}

/* Each class has its run of the weights. */
static dv_status divide(multiclass *m, const dvi_block *b, const int32_t *starts,
                        const int32_t *columns, const float *weights, int32_t features,
                        dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)m->classes * sizeof *m->weights, err));
    m->weights = made;
    for (int32_t k = 0; k < m->classes; k++) {
        const size_t start = starts ? (size_t)starts[k] : (size_t)k * (size_t)features;
        const int32_t n = starts ? starts[k + 1] - starts[k] : features;
        m->weights[k] = (dvi_features){weights + start, starts ? columns + start : NULL, n};
        if (starts)
            DVI_TRY(dvi_block_check_slots(b, columns + start, (size_t)n, features, err));
    }
    return DV_OK;
}

static dv_status read_rows(multiclass *m, dvi_block *b, int32_t features, int32_t *entries_out,
                           dv_error *err)
{
    int32_t starts, columns, n;
    const int32_t *start, *column;
    const float *weights;
    DVI_TRY(dvi_block_count(b, &starts, 4, layout, "number of starts", err));
    DVI_TRY(dvi_block_i32s(b, &start, (size_t)starts, layout, "starts", err));
    DVI_TRY(dvi_block_count(b, &columns, 4, layout, "number of columns", err));
    DVI_TRY(dvi_block_i32s(b, &column, (size_t)columns, layout, "columns", err));
    DVI_TRY(dvi_block_count(b, &n, 4, layout, "number of weights", err));
    DVI_TRY(dvi_block_f32s(b, &weights, (size_t)n, layout, "weights", err));
    DVI_TRY(dvi_block_check_finite(b, weights, (size_t)n, "weights", err));
    DVI_TRY(check_starts(b, start, starts, m->classes, columns, err));
    DVI_REQUIRE(starts > 0 ? n == columns
                           : columns == 0 && n == (int64_t)m->classes * (int64_t)features,
                dvi_block_refuse(b, layout, "number of weights", "one for each column", err));
    *entries_out = n;
    return divide(m, b, starts > 0 ? start : NULL, column, weights, features, err);
}

dv_status dvi_read_multiclass(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    int32_t entries = 0;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(multiclass), err));
    multiclass *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(
        dvi_block_i32(b, &scorer->info.features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_block_count(b, &m->classes, 4, checks, "number of classes", err));
    DVI_REQUIRE(m->classes > 0, dvi_block_refuse(b, checks, "number of classes", "1 or more", err));
    DVI_TRY(dvi_block_f32s(b, &m->biases, (size_t)m->classes, checks, "biases", err));
    DVI_TRY(dvi_block_check_finite(b, m->biases, (size_t)m->classes, "biases", err));
    DVI_TRY(read_rows(m, b, scorer->info.features, &entries, err));
    scorer->state = m;
    scorer->score = score_multiclass;
    scorer->info.scores = m->classes;
    dvi_scorer_say(scorer, b, "%d classes, %d weight%s", (int)m->classes, (int)entries,
                   DVI_S(entries));
    return DV_OK;
}

dv_status dvi_read_softmax(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    DVI_TRY(dvi_read_multiclass(scorer, b, err));
    scorer->score = score_softmax;
    return DV_OK;
}
