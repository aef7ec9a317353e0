/* SPDX-License-Identifier: MIT */
/* ldsvm.c: local deep SVM: a full tree of linear functions, of which a row passes a path. */
#include "base/check.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P14";

/* A weight for each feature, and a bias. */
typedef struct plane {
    dvi_features weights;
    float bias;
} plane;

typedef struct ldsvm {
    int32_t leaves;
    float sigma;
    plane *w, *theta_prime; /* one for each node: first the inner ones, then the leaves */
    plane *theta;           /* one for each inner node */
} ldsvm;

static float value_of(const plane *p, const dvi_features *x)
{
    return dvi_dot(&p->weights, x) + p->bias;
}

static double part_of(const ldsvm *m, int32_t node, const dvi_features *x)
{
    const float inner = m->sigma * value_of(&m->theta_prime[node], x);
    return dvi_tanh(inner) * (double)value_of(&m->w[node], x);
}

static void score(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const ldsvm *m = state;
    int32_t node = 0;
    double sum = 0;
    (void)scratch;
    for (; node < m->leaves - 1; node = 2 * node + (value_of(&m->theta[node], x) > 0 ? 1 : 2))
        sum += part_of(m, node, x);
    scores[0] = (float)(sum + part_of(m, node, x));
}

static dv_status read_planes(plane **planes_out, int32_t n, int32_t features, dvi_block *b,
                             dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)n * sizeof **planes_out, err));
    *planes_out = made;
    for (int32_t i = 0; i < n; i++) {
        dvi_features *weights = &(*planes_out)[i].weights;
        weights->n = features;
        DVI_TRY(dvi_block_f32s(b, &weights->values, (size_t)features, checks, "weights", err));
        DVI_TRY(dvi_block_check_finite(b, weights->values, (size_t)features, "weights", err));
    }
    return DV_OK;
}

static dv_status read_biases(plane *planes, int32_t n, dvi_block *b, dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        DVI_TRY(dvi_block_f32(b, &planes[i].bias, checks, "bias", err));
        DVI_TRY(dvi_block_check_finite(b, &planes[i].bias, 1, "bias", err));
    }
    return DV_OK;
}

static dv_status read_head(ldsvm *m, int32_t *features, dvi_block *b, dv_error *err)
{
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_count(b, &m->leaves, 16, checks, "number of leaves", err));
    DVI_REQUIRE(m->leaves > 1 && (m->leaves & (m->leaves - 1)) == 0,
                dvi_block_refuse(b, checks, "number of leaves", "a power of 2 above 1", err));
    DVI_TRY(dvi_block_i32(b, features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_block_f32(b, &m->sigma, checks, "sigma", err));
    return dvi_block_check_finite(b, &m->sigma, 1, "sigma", err);
}

dv_status dvi_read_ldsvm(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    int32_t *features = &scorer->info.features;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(ldsvm), err));
    ldsvm *m = made;
    DVI_TRY(read_head(m, features, b, err));
    const int32_t inner = m->leaves - 1, nodes = inner + m->leaves;
    DVI_TRY(read_planes(&m->w, nodes, *features, b, err));
    DVI_TRY(read_planes(&m->theta_prime, nodes, *features, b, err));
    DVI_TRY(read_planes(&m->theta, inner, *features, b, err));
    DVI_TRY(read_biases(m->w, nodes, b, err));
    DVI_TRY(read_biases(m->theta, inner, b, err));
    DVI_TRY(read_biases(m->theta_prime, nodes, b, err));
    scorer->state = m;
    scorer->score = score;
    dvi_scorer_say(scorer, b, "%d leaves", (int)m->leaves);
    return DV_OK;
}
