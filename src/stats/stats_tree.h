/* SPDX-License-Identifier: MIT */
/* stats_tree.h: summarises numbers in leaves that are merged in pairs, in the same way for any
 * runs.
 *
 * Leaf i holds the numbers of DVI_LEAF_ROWS rows, from row i * DVI_LEAF_ROWS on.  A node of level l
 * is 2^l leaves, the first a multiple of 2^l, and is made of two nodes of level l - 1.  The tree of
 * a run of rows has the nodes of its leaves; trees of consecutive runs, each but the last of 2^j
 * leaves, are absorbed in order and give what one tree would have given.
 *
 * The numbers of a node wait in `values` until there are more than `exact` of them, then they move
 * to its sketch.  The numbers of all nodes are stored one after the other, so merging moves none.
 */
#ifndef DVI_VIEW_STATS_TREE_H
#define DVI_VIEW_STATS_TREE_H

#include "stats/stats_moments.h"
#include "stats/stats_ranks.h"

#define DVI_LEAF_ROWS INT64_C(1024)
#define DVI_LEAF_PENDING ((size_t)1024)

typedef struct dvi_tree_node {
    int32_t level;
    size_t waiting; /* the values of this node, in those of the tree */
    dvi_moments moments;
    dvi_ranks ranks;
} dvi_tree_node;

typedef struct dvi_tree {
    dv_allocator allocator;
    size_t exact;
    uint64_t *values; /* keys, which sort as the numbers do */
    size_t used, cap;
    dvi_tree_node *nodes; /* of the closed leaves, by descending level */
    size_t count, nodes_cap;
    dvi_tree_node leaf; /* the open leaf; its values come last */
    double *pending;    /* up to DVI_LEAF_PENDING numbers of it that are not in its moments yet */
    size_t pending_n, pending_cap;
} dvi_tree;

void dvi_tree_init(dvi_tree *tree, size_t exact, const dv_allocator *allocator);
/* Free the memory; the tree is then as it was made. */
void dvi_tree_free(dvi_tree *tree);
/* Remove all leaves, but keep the memory. */
void dvi_tree_reset(dvi_tree *tree);

/* Make room for n <= DVI_LEAF_PENDING numbers; then call dvi_tree_add up to n times, and
 * dvi_tree_spill when it returns true. */
dv_status dvi_tree_reserve(dvi_tree *tree, size_t n, dv_error *err);
dv_status dvi_tree_spill(dvi_tree *tree, dv_error *err);
static inline bool dvi_tree_add(dvi_tree *tree, uint64_t value, double number)
{
    tree->values[tree->used++] = value;
    tree->leaf.waiting++;
    tree->pending[tree->pending_n++] = number;
    return tree->pending_n == DVI_LEAF_PENDING;
}

/* Close the leaf: it has all its rows. */
dv_status dvi_tree_close_leaf(dvi_tree *tree, dv_error *err);

/* Add the rows that follow; `next` is then empty. */
dv_status dvi_tree_absorb(dvi_tree *tree, dvi_tree *next, dv_error *err);

/* Merge all into one node, nodes[0], or none, and sort its waiting values. */
dv_status dvi_tree_finish(dvi_tree *tree, dv_error *err);

/* How many numbers of the one node are not above x, within the bounds of its ranks. */
int64_t dvi_tree_at_most(const dvi_tree *tree, uint64_t x);

#endif
