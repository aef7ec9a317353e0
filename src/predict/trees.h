/* SPDX-License-Identifier: MIT */
/* trees.h: ensembles of trees as they are read and walked. */
#ifndef DVI_PREDICT_TREES_H
#define DVI_PREDICT_TREES_H

#include "predict/scorer.h"

/* Slots of which one above 0 leads to gt. */
typedef struct dvi_tree_category {
    int32_t *slots; /* numbers of `used` once all trees have been read */
    int32_t n;
} dvi_tree_category;

typedef struct dvi_tree_node {
    int32_t slot; /* likewise; below 0: ~slot is a category */
    float threshold;
    int32_t child[2]; /* lte, gt; below 0: ~child is a leaf */
} dvi_tree_node;

typedef struct dvi_tree {
    dvi_tree_node *nodes;
    int32_t n;             /* of nodes; without any it gives its only leaf */
    const float *defaults; /* one for each node, for NaN; NULL: NaN is above any threshold */
    const double *leaves;
    dvi_tree_category *categories;
    int32_t categories_count;
} dvi_tree;

typedef struct dvi_trees {
    const dvi_tree *tree;
    int32_t n;
    int64_t leaves;
    int32_t *used; /* the features that the trees ask for, ascending */
    int32_t used_count;
    int32_t features;
} dvi_trees;

/* Read the fields that all ensembles have. Statuses: dvi_predictor_read. */
dv_status dvi_read_trees_block(dvi_trees *trees_out, dvi_block *b, dv_error *err);

#endif
