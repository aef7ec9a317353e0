/* SPDX-License-Identifier: MIT */
/* gam.c: generalised additive models: a step function of each feature, added up. */
#include "base/check.h"
#include "base/sort.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P14";

/* Effects, and the greatest value that has each. */
typedef struct shape {
    const double *effects, *bounds;
    int32_t n;
} shape;

typedef struct gam {
    double intercept;
    const int32_t *features; /* ascending */
    const shape **shapes;    /* one for each feature */
    int32_t n;
} gam;

/* --- Scoring ---------------------------------------------------------------------------------- */

/* The effect at the first bound that is not less; NaN has the first effect. */
static double effect_of(const shape *s, float value)
{
    int32_t from = 0, to = s->n - 1;
    if (value != value)
        return s->effects[0];
    while (from < to) {
        const int32_t middle = from + (to - from) / 2;
        if (s->bounds[middle] >= (double)value)
            to = middle;
        else
            from = middle + 1;
    }
    return s->effects[from];
}

static void score(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const gam *g = state;
    float *values = scratch;
    double sum = g->intercept;
    dvi_features_pick(values, g->features, g->n, x);
    for (int32_t i = 0; i < g->n; i++)
        sum += effect_of(g->shapes[i], values[i]);
    scores[0] = (float)sum;
}

/* --- Reading ---------------------------------------------------------------------------------- */

static dv_status read_effects(shape *shapes, int32_t k, dvi_block *b, dv_error *err)
{
    for (int32_t i = 0; i < k; i++) {
        DVI_TRY(dvi_block_count(b, &shapes[i].n, 8, checks, "effects", err));
        DVI_REQUIRE(shapes[i].n > 0, dvi_block_refuse(b, checks, "effects", "1 or more", err));
        DVI_TRY(dvi_block_f64s(b, &shapes[i].effects, (size_t)shapes[i].n, checks, "effects", err));
    }
    return DV_OK;
}

static dv_status read_bounds(shape *shapes, int32_t k, dvi_block *b, dv_error *err)
{
    for (int32_t i = 0; i < k; i++) {
        shape *s = &shapes[i];
        DVI_TRY(dvi_block_f64s(b, &s->bounds, (size_t)s->n, checks, "bounds of effects", err));
        for (int32_t j = 0; j < s->n; j++)
            DVI_REQUIRE(s->bounds[j] >= (j > 0 ? s->bounds[j - 1] : -INFINITY),
                        dvi_block_refuse(b, checks, "bounds of effects", "ascending numbers", err));
    }
    return DV_OK;
}

/* Read pairs of a feature and a shape, and sort them. list: room for all, twice. */
static dv_status sort_pairs(uint64_t *list, int32_t pairs, int32_t k, int32_t n, dvi_block *b,
                            dv_error *err)
{
    for (int32_t i = 0; i < pairs; i++) {
        int32_t feature, number;
        DVI_TRY(dvi_block_i32(b, &feature, 0, n - 1, checks, "feature with effects", err));
        DVI_TRY(dvi_block_i32(b, &number, 0, k - 1, checks, "shape of a feature", err));
        list[i] = (uint64_t)feature << 32 | (uint64_t)number;
    }
    dvi_sort_u64(list, list + pairs, (size_t)pairs);
    for (int32_t i = 1; i < pairs; i++)
        DVI_REQUIRE(list[i] >> 32 != list[i - 1] >> 32,
                    dvi_block_refuse(b, checks, "features with effects", "different ones", err));
    return DV_OK;
}

static dv_status read_pairs(gam *g, const shape *shapes, int32_t k, int32_t n, dvi_block *b,
                            dv_error *err)
{
    void *features, *list, *sorted;
    dvi_arena *arena = b->all->arena;
    DVI_TRY(dvi_block_count(b, &g->n, 8, checks, "features with effects", err));
    const size_t pairs = (size_t)g->n;
    DVI_TRY(dvi_arena_alloc(arena, &features, pairs * sizeof *g->features, err));
    DVI_TRY(dvi_arena_alloc(arena, &list, pairs * sizeof *g->shapes, err));
    DVI_TRY(dvi_arena_alloc(arena, &sorted, 2 * pairs * sizeof(uint64_t), err));
    DVI_TRY(sort_pairs(sorted, g->n, k, n, b, err));
    g->features = features;
    g->shapes = list;
    for (size_t i = 0; i < pairs; i++) {
        const uint64_t pair = ((const uint64_t *)sorted)[i];
        ((int32_t *)features)[i] = (int32_t)(pair >> 32);
        g->shapes[i] = &shapes[pair & UINT32_MAX];
    }
    return DV_OK;
}

static dv_status read_gam(gam *g, int32_t *features, dvi_block *b, dv_error *err)
{
    void *made;
    int32_t k;
    DVI_TRY(dvi_block_count(b, &k, 4 + 8 + 8, checks, "number of shapes", err));
    DVI_TRY(dvi_block_i32(b, features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_block_f64(b, &g->intercept, checks, "intercept", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)k * sizeof(shape), err));
    DVI_TRY(read_effects(made, k, b, err));
    DVI_TRY(read_bounds(made, k, b, err));
    return read_pairs(g, made, k, *features, b, err);
}

dv_status dvi_read_gam(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(gam), err));
    gam *g = made;
    DVI_TRY(read_gam(g, &scorer->info.features, b, err));
    scorer->state = g;
    scorer->score = score;
    scorer->info.scratch_nbytes = (size_t)g->n * sizeof(float);
    dvi_scorer_say(scorer, b, "%d feature%s with effects", (int)g->n, DVI_S(g->n));
    return DV_OK;
}
