/* SPDX-License-Identifier: MIT */
/* stats_tree.h: numbers summarised in leaves, which are merged two by two: the same way however the
 * leaves were cut into runs.
 *
 * Leaf i holds the numbers of rows i * DVI_LEAF_ROWS on.  A node of level l is 2^l leaves, the
 * first a multiple of that, and is made of two nodes of level l - 1.  A tree of a run of rows has
 * the nodes that its leaves make; trees of runs that follow each other, each but the last of 2^j
 * leaves, are absorbed one after the other and give what one tree would have given.
 *
 * A node's numbers wait in `values` until there are more than `exact` of them, then they go into
 * its sketch.  Nodes' numbers lie behind each other, so that merging moves none. */
#ifndef DVI_VIEW_STATS_TREE_H
#define DVI_VIEW_STATS_TREE_H

#include "view/stats_moments.h"
#include "view/stats_ranks.h"

#define DVI_LEAF_ROWS INT64_C(1024)
#define DVI_LEAF_PENDING ((size_t)1024)

typedef struct dvi_tree_node {
    int32_t level;
    size_t waiting; /* of the tree's values: those of this node */
    dvi_moments moments;
    dvi_ranks ranks;
} dvi_tree_node;

typedef struct dvi_tree {
    dv_allocator allocator;
    size_t exact;
    uint64_t *values; /* whose order is that of the numbers */
    size_t used, cap;
    dvi_tree_node *nodes; /* of the leaves that are closed, levels falling */
    size_t count, nodes_cap;
    dvi_tree_node leaf; /* the open one; its values come last */
    double *pending;    /* DVI_LEAF_PENDING numbers of it that are not in its moments yet */
    size_t pending_n;
} dvi_tree;

void dvi_tree_init(dvi_tree *tree, size_t exact, const dv_allocator *allocator);
void dvi_tree_free(dvi_tree *tree);
/* No leaf, but the memory stays. */
void dvi_tree_reset(dvi_tree *tree);

/* Room for n <= DVI_LEAF_PENDING numbers; then so many times dvi_tree_put, with dvi_tree_spill when
 * it says so. */
dv_status dvi_tree_reserve(dvi_tree *tree, size_t n, dv_error *err);
dv_status dvi_tree_spill(dvi_tree *tree, dv_error *err);
static inline bool dvi_tree_put(dvi_tree *tree, uint64_t value, double number)
{
    tree->values[tree->used++] = value;
    tree->leaf.waiting++;
    tree->pending[tree->pending_n++] = number;
    return tree->pending_n == DVI_LEAF_PENDING;
}

/* The rows of the leaf are all there. */
dv_status dvi_tree_close_leaf(dvi_tree *tree, dv_error *err);

/* Add the rows that follow; `next` is then empty. */
dv_status dvi_tree_absorb(dvi_tree *tree, dvi_tree *next, dv_error *err);

/* Merge all into one node and put its waiting values in order: nodes[0], or none. */
dv_status dvi_tree_finish(dvi_tree *tree, dv_error *err);

/* Of the one node's numbers, how many are not above x, within its ranks' bounds. */
int64_t dvi_tree_at_most(const dvi_tree *tree, uint64_t x);

#endif
