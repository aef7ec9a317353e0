/* SPDX-License-Identifier: MIT */
/* weight_tree.h: weights of items, found by the sum of those before (a Fenwick tree). */
#ifndef DVI_ORDER_WEIGHT_TREE_H
#define DVI_ORDER_WEIGHT_TREE_H

#include <stdint.h>

/* sum[i-1] is the weight of the i & -i items that end with item i-1.  A zeroed sum and total: every
 * weight is 0. */
typedef struct dvi_weight_tree {
    int64_t *sum;
    int64_t n, total;
} dvi_weight_tree;

/* Add to the weight of an item; the total stays within int64_t. */
void dvi_weight_tree_add(dvi_weight_tree *tree, int64_t item, int64_t weight);

/* The first item for which the weights up to it, its own included, exceed the number;
 * 0 <= number < total. */
int64_t dvi_weight_tree_find(const dvi_weight_tree *tree, int64_t number);

#endif
