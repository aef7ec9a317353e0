/* SPDX-License-Identifier: MIT */
/* kmeans.c: distances from centroids. */
#include "base/check.h"
#include "predict/scorer.h"

static const char checks[] = "predictors:P14";

typedef struct centroid {
    dvi_features at;
    float squares;
} centroid;

typedef struct kmeans {
    centroid *centroids;
    int32_t n;
} kmeans;

static void score(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const kmeans *m = state;
    const float squares = dvi_sum_squares(x);
    (void)scratch;
    for (int32_t k = 0; k < m->n; k++) {
        const centroid *c = &m->centroids[k];
        scores[k] = (-2 * dvi_dot_centroid(&c->at, x) + c->squares) + squares;
    }
}

/* One with fewer values than features lists their slots. */
static dv_status read_centroid(centroid *c, int32_t features, dvi_block *b, dv_error *err)
{
    dvi_features *at = &c->at;
    DVI_TRY(dvi_block_count(b, &at->n, 4, checks, "values of a centroid", err));
    DVI_REQUIRE(at->n <= features, dvi_block_refuse(b, checks, "values of a centroid",
                                                    "at most one for each feature", err));
    if (at->n < features) {
        DVI_TRY(dvi_block_i32s(b, &at->slots, (size_t)at->n, checks, "slots of a centroid", err));
        DVI_TRY(dvi_block_check_slots(b, at->slots, (size_t)at->n, features, err));
    }
    DVI_TRY(dvi_block_f32s(b, &at->values, (size_t)at->n, checks, "values of a centroid", err));
    DVI_TRY(dvi_block_check_finite(b, at->values, (size_t)at->n, "values of a centroid", err));
    c->squares = dvi_sum_squares(at);
    return DV_OK;
}

dv_status dvi_read_kmeans(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(kmeans), err));
    kmeans *m = made;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_count(b, &m->n, 4, checks, "number of clusters", err));
    DVI_REQUIRE(m->n > 0, dvi_block_refuse(b, checks, "number of clusters", "1 or more", err));
    DVI_TRY(
        dvi_block_i32(b, &scorer->info.features, 1, INT32_MAX, checks, "number of features", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)m->n * sizeof *m->centroids, err));
    m->centroids = made;
    for (int32_t k = 0; k < m->n; k++)
        DVI_TRY(read_centroid(&m->centroids[k], scorer->info.features, b, err));
    scorer->state = m;
    scorer->score = score;
    scorer->info.scores = m->n;
    scorer->info.is_clustering = true;
    dvi_scorer_say(scorer, b, "%d cluster%s", (int)m->n, DVI_S(m->n));
    return DV_OK;
}
