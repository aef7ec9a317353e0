/* SPDX-License-Identifier: MIT */
/* stats_tree.c: closes leaves and merges nodes. */
#include "stats/stats_tree.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/sort.h"
#include <string.h>

void dvi_tree_init(dvi_tree *tree, size_t exact, const dv_allocator *allocator)
{
    *tree = (dvi_tree){.allocator = *allocator, .exact = exact};
}

void dvi_tree_reset(dvi_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++)
        dvi_ranks_free(&tree->nodes[i].ranks, &tree->allocator);
    dvi_ranks_free(&tree->leaf.ranks, &tree->allocator);
    tree->leaf = (dvi_tree_node){0};
    tree->count = tree->used = tree->pending_n = 0;
}

void dvi_tree_free(dvi_tree *tree)
{
    dvi_tree_reset(tree);
    dvi_free(&tree->allocator, tree->values, tree->cap * sizeof *tree->values);
    dvi_free(&tree->allocator, tree->nodes, tree->nodes_cap * sizeof *tree->nodes);
    dvi_free(&tree->allocator, tree->pending, tree->pending_cap * sizeof *tree->pending);
    dvi_tree_init(tree, tree->exact, &tree->allocator);
}

static dv_status reserve_values(dvi_tree *tree, size_t n, dv_error *err)
{
    void *values = tree->values;
    const dv_status status = dvi_array_reserve(&tree->allocator, &values, &tree->cap,
                                               tree->used + n, sizeof *tree->values, err);
    tree->values = values;
    return status;
}

dv_status dvi_tree_reserve(dvi_tree *tree, size_t n, dv_error *err)
{
    void *pending = tree->pending;
    const size_t need = tree->pending_n + n;
    DVI_TRY(reserve_values(tree, n, err));
    const dv_status status = dvi_array_reserve(&tree->allocator, &pending, &tree->pending_cap,
                                               need < DVI_LEAF_PENDING ? need : DVI_LEAF_PENDING,
                                               sizeof *tree->pending, err);
    tree->pending = pending;
    return status;
}

/* Sort the last n values of the tree. */
static dv_status sort_last(dvi_tree *tree, size_t n, dv_error *err)
{
    void *scratch;
    DVI_TRY(dvi_alloc(&tree->allocator, &scratch, n * sizeof *tree->values, err));
    dvi_sort_u64(tree->values + tree->used - n, scratch, n);
    dvi_free(&tree->allocator, scratch, n * sizeof *tree->values);
    return DV_OK;
}

/* If too many values of the last node wait, move them to its sketch. */
static dv_status settle(dvi_tree *tree, dvi_tree_node *last, dv_error *err)
{
    const size_t n = last->waiting;
    if (n <= tree->exact)
        return DV_OK;
    DVI_TRY(sort_last(tree, n, err));
    DVI_TRY(dvi_ranks_add(&last->ranks, tree->values + tree->used - n, n, &tree->allocator, err));
    tree->used -= n;
    last->waiting = 0;
    return DV_OK;
}

dv_status dvi_tree_spill(dvi_tree *tree, dv_error *err)
{
    const dvi_moments more = dvi_moments_of(tree->pending, tree->pending_n);
    dvi_moments_merge(&tree->leaf.moments, &more);
    tree->pending_n = 0;
    return settle(tree, &tree->leaf, err);
}

/* Merge the last two nodes. */
static dv_status merge_last(dvi_tree *tree, dv_error *err)
{
    dvi_tree_node *right = &tree->nodes[tree->count - 1], *left = right - 1;
    dvi_moments_merge(&left->moments, &right->moments);
    left->waiting += right->waiting;
    left->level = right->level + 1;
    const dv_status status = dvi_ranks_merge(&left->ranks, &right->ranks, &tree->allocator, err);
    tree->count--;
    if (status < 0) {
        dvi_ranks_free(&right->ranks, &tree->allocator);
        return status;
    }
    return settle(tree, left, err);
}

/* Append a node, whose values are in place already, and merge nodes of the same level. */
static dv_status push(dvi_tree *tree, dvi_tree_node *node, dv_error *err)
{
    void *nodes = tree->nodes;
    const dv_status status = dvi_array_reserve(&tree->allocator, &nodes, &tree->nodes_cap,
                                               tree->count + 1, sizeof *node, err);
    tree->nodes = nodes;
    DVI_TRY(status);
    tree->nodes[tree->count++] = *node;
    *node = (dvi_tree_node){0};
    while (tree->count > 1 &&
           tree->nodes[tree->count - 1].level == tree->nodes[tree->count - 2].level)
        DVI_TRY(merge_last(tree, err));
    return DV_OK;
}

dv_status dvi_tree_close_leaf(dvi_tree *tree, dv_error *err)
{
    if (tree->pending_n > 0)
        DVI_TRY(dvi_tree_spill(tree, err));
    return push(tree, &tree->leaf, err);
}

dv_status dvi_tree_absorb(dvi_tree *tree, dvi_tree *next, dv_error *err)
{
    size_t at = 0;
    for (size_t i = 0; i < next->count; i++) {
        const size_t n = next->nodes[i].waiting;
        DVI_TRY(reserve_values(tree, n, err));
        if (n > 0)
            memcpy(tree->values + tree->used, next->values + at, n * sizeof *next->values);
        tree->used += n;
        at += n;
        DVI_TRY(push(tree, &next->nodes[i], err));
    }
    dvi_tree_reset(next);
    return DV_OK;
}

dv_status dvi_tree_finish(dvi_tree *tree, dv_error *err)
{
    while (tree->count > 1)
        DVI_TRY(merge_last(tree, err));
    return tree->used > 0 ? sort_last(tree, tree->used, err) : DV_OK;
}

int64_t dvi_tree_at_most(const dvi_tree *tree, uint64_t x)
{
    const int64_t waiting = (int64_t)dvi_count_at_most(tree->values, tree->used, x);
    return waiting + (tree->count ? dvi_ranks_at_most(&tree->nodes[0].ranks, x) : 0);
}
