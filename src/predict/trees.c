/* SPDX-License-Identifier: MIT */
/* trees.c: walks ensembles of trees, and makes scores of the sums of their leaves. */
#include "predict/trees.h"
#include "base/check.h"

/* --- A tree ----------------------------------------------------------------------------------- */

static float value_of(const dvi_tree *tree, int32_t node, float value)
{
    return tree->defaults && value != value ? tree->defaults[node] : value;
}

static bool has_any(const dvi_tree *tree, int32_t node, const float *values)
{
    const dvi_tree_category *category = &tree->categories[~tree->nodes[node].slot];
    for (int32_t i = 0; i < category->n; i++)
        if (value_of(tree, node, values[category->slots[i]]) > 0)
            return true;
    return false;
}

/* The leaf of a row; values: of the features that are used. */
static double leaf_of(const dvi_tree *tree, const float *values)
{
    int32_t at = tree->n > 0 ? 0 : ~0;
    while (at >= 0) {
        const dvi_tree_node *node = &tree->nodes[at];
        const bool is_greater = node->slot < 0
                                    ? has_any(tree, at, values)
                                    : !(value_of(tree, at, values[node->slot]) <= node->threshold);
        at = node->child[is_greater];
    }
    return tree->leaves[~at];
}

/* --- Scores ----------------------------------------------------------------------------------- */

static void score_trees(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const dvi_trees *t = state;
    float *values = scratch;
    double sum = 0;
    dvi_features_pick(values, t->used, t->used_count, x);
    for (int32_t i = 0; i < t->n; i++)
        sum += leaf_of(&t->tree[i], values);
    scores[0] = (float)sum;
}

static void score_tweedie(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    score_trees(state, x, scratch, scores);
    scores[0] = (float)dvi_exp(scores[0]);
}

static void score_mean(const void *state, const dvi_features *x, void *scratch, float *scores)
{
    const dvi_trees *t = state;
    score_trees(state, x, scratch, scores);
    scores[0] /= (float)t->n;
}

/* --- Reading ---------------------------------------------------------------------------------- */

dv_status dvi_read_trees(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, sizeof(dvi_trees), err));
    dvi_trees *t = made;
    DVI_TRY(dvi_read_trees_block(t, b, err));
    scorer->state = t;
    scorer->score = score_trees;
    scorer->info.features = t->features;
    scorer->info.scratch_nbytes = (size_t)t->used_count * sizeof(float);
    dvi_scorer_say(scorer, b, "%d tree%s, %lld leaves", (int)t->n, DVI_S(t->n),
                   (long long)t->leaves);
    return DV_OK;
}

dv_status dvi_read_tweedie(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    DVI_TRY(dvi_read_trees(scorer, b, err));
    scorer->score = score_tweedie;
    return DV_OK;
}

/* Samples of quantiles follow, which scores do not need. */
dv_status dvi_read_forest_regression(dvi_scorer *scorer, dvi_block *b, dv_error *err)
{
    uint8_t has_samples;
    int32_t samples;
    DVI_TRY(dvi_read_trees(scorer, b, err));
    DVI_TRY(dvi_block_u8(b, &has_samples, 1, "predictors:P15", "whether there are samples", err));
    DVI_TRY(dvi_block_i32(b, &samples, INT32_MIN, INT32_MAX, "predictors:P15", "number of samples",
                          err));
    scorer->score = score_mean;
    return DV_OK;
}
