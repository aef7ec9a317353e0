/* SPDX-License-Identifier: MIT */
/* pca.c: how far a row is from the space of a few vectors. */
#include "base/check.h"
#include "base/size.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P14";

typedef struct pca {
    dvi_features mean; /* if it is centred */
    bool is_centred;
    float mean_squares;
    dvi_features *vectors;
    float *projections; /* the vectors times the mean */
    int32_t n;
} pca;

static void score(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const pca *p = state;
    float distance = dvi_sum_squares(x), explained = 0;
    (void)scratch;
    if (p->is_centred)
        distance = (distance - 2 * dvi_dot(&p->mean, x)) + p->mean_squares;
    if (distance < 0)
        distance = 0;
    for (int32_t i = 0; i < p->n; i++) {
        const float part = dvi_dot(&p->vectors[i], x) - p->projections[i];
        explained += part * part;
    }
    scores[0] = sqrtf((distance - explained) / distance);
}

static dv_status read_vector(dvi_features *vector, int32_t features, dvi_block *b, const char *what,
                             dv_error *err)
{
    vector->n = features;
    DVI_TRY(dvi_block_f32s(b, &vector->values, (size_t)features, checks, what, err));
    return dvi_block_check_finite(b, vector->values, (size_t)features, what, err);
}

static dv_status read_mean(pca *p, int32_t features, dvi_block *b, dv_error *err)
{
    uint8_t is_centred;
    DVI_TRY(dvi_block_u8(b, &is_centred, 1, checks, "whether there is a mean", err));
    p->is_centred = is_centred;
    if (!is_centred)
        return DV_OK;
    DVI_TRY(read_vector(&p->mean, features, b, "mean", err));
    p->mean_squares = dvi_sum_squares(&p->mean);
    return DV_OK;
}

static dv_status read_vectors(pca *p, int32_t features, dvi_block *b, dv_error *err)
{
    void *made;
    const size_t n = (size_t)p->n;
    DVI_REQUIRE(n <= dvi_reader_left(&b->fields) / 4 / (size_t)features,
                dvi_block_refuse(b, checks, "number of vectors", "as many as follow", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, n * sizeof *p->vectors, err));
    p->vectors = made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, n * sizeof *p->projections, err));
    p->projections = made;
    for (size_t i = 0; i < n; i++) {
        DVI_TRY(read_vector(&p->vectors[i], features, b, "vectors", err));
        p->projections[i] = p->is_centred ? dvi_dot(&p->vectors[i], &p->mean) : 0;
    }
    return DV_OK;
}

dv_status dvi_read_pca(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    int32_t *features = &scorer->info.features;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(pca), err));
    pca *p = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_i32(b, features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_block_i32(b, &p->n, 1, INT32_MAX, checks, "number of vectors", err));
    DVI_TRY(read_mean(p, *features, b, err));
    DVI_TRY(read_vectors(p, *features, b, err));
    scorer->state = p;
    scorer->score = score;
    dvi_scorer_say(scorer, b, "%d vector%s", (int)p->n, DVI_S(p->n));
    return DV_OK;
}
