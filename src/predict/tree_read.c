/* SPDX-License-Identifier: MIT */
/* tree_read.c: reads ensembles of trees, and checks that each is a tree. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/sort.h"
#include "predict/trees.h"

static const char layout[] = "predictors:P16", checks[] = "predictors:P22";
enum { GROWN = 0, FOREST = 2 /* types of trees */ };

/* The lists of a tree, as they are stored. */
typedef struct lists {
    int32_t leaves;
    const int32_t *lte, *gt, *features, *categorical;
    const float *thresholds, *defaults;
    const double *values;
    int32_t lte_count, gt_count, features_count, thresholds_count, defaults_count, values_count,
        categorical_count;
} lists;

/* Features that the nodes of all trees ask for. */
typedef struct asked {
    uint64_t *list;
    int64_t n;
} asked;

/* --- Fields ----------------------------------------------------------------------------------- */

static dv_status read_i32s(dvi_block *b, const int32_t **list_out, int32_t *n_out, const char *what,
                           dv_error *err)
{
    DVI_TRY(dvi_block_count(b, n_out, 4, layout, what, err));
    return dvi_block_i32s(b, list_out, (size_t)*n_out, layout, what, err);
}

static dv_status read_f32s(dvi_block *b, const float **list_out, int32_t *n_out, const char *what,
                           dv_error *err)
{
    DVI_TRY(dvi_block_count(b, n_out, 4, layout, what, err));
    return dvi_block_f32s(b, list_out, (size_t)*n_out, layout, what, err);
}

static dv_status read_category(dvi_tree_category *category, dvi_block *b, dv_error *err)
{
    int32_t ignored;
    const int32_t *slots;
    DVI_TRY(read_i32s(b, &slots, &category->n, "features of a category", err));
    category->slots = (int32_t *)(uintptr_t)slots; /* a copy of our own */
    DVI_TRY(dvi_block_i32(b, &ignored, INT32_MIN, INT32_MAX, layout, "first slot", err));
    return dvi_block_i32(b, &ignored, INT32_MIN, INT32_MAX, layout, "last slot", err);
}

static dv_status read_categories(dvi_tree *tree, lists *l, dvi_block *b, dv_error *err)
{
    void *made;
    const char what[] = "categorical nodes";
    DVI_TRY(read_i32s(b, &l->categorical, &l->categorical_count, what, err));
    const size_t n = (size_t)l->categorical_count;
    DVI_REQUIRE(n <= dvi_reader_left(&b->fields) / 12,
                dvi_block_refuse(b, layout, what, "as many as there are categories", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, n * sizeof *tree->categories, err));
    tree->categories = made;
    tree->categories_count = l->categorical_count;
    for (size_t i = 0; i < n; i++)
        DVI_TRY(read_category(&tree->categories[i], b, err));
    return DV_OK;
}

static dv_status read_head(lists *l, uint8_t *type_out, dvi_block *b, dv_error *err)
{
    double ignored;
    DVI_TRY(dvi_block_u8(b, type_out, UINT8_MAX, layout, "type of a tree", err));
    if (*type_out != GROWN && *type_out != FOREST)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, layout, dvi_reader_offset(&b->fields) - 1,
                        "type of a tree", "0 or 2|%d", (int)*type_out);
    DVI_TRY(dvi_block_i32(b, &l->leaves, 1, INT32_MAX, checks, "number of leaves", err));
    DVI_TRY(dvi_block_f64(b, &ignored, layout, "largest output", err));
    return dvi_block_f64(b, &ignored, layout, "weight of a tree", err);
}

static dv_status read_tail(lists *l, uint8_t type, dvi_block *b, dv_error *err)
{
    static const char *const names[] = {"gain", "p-values", "leaf values before", "labels",
                                        "weights of leaves"};
    const int n = type == FOREST ? 5 : 3;
    DVI_TRY(dvi_block_count(b, &l->values_count, 8, layout, "leaf values", err));
    DVI_TRY(dvi_block_f64s(b, &l->values, (size_t)l->values_count, layout, "leaf values", err));
    for (int i = 0; i < n; i++)
        DVI_TRY(dvi_block_skip(b, 8, layout, names[i], err));
    return DV_OK;
}

static dv_status read_lists(dvi_tree *tree, lists *l, dvi_block *b, dv_error *err)
{
    uint8_t type;
    DVI_TRY(read_head(l, &type, b, err));
    DVI_TRY(read_i32s(b, &l->lte, &l->lte_count, "nodes of values at most a threshold", err));
    DVI_TRY(read_i32s(b, &l->gt, &l->gt_count, "nodes of values above a threshold", err));
    DVI_TRY(read_i32s(b, &l->features, &l->features_count, "features of nodes", err));
    DVI_TRY(read_categories(tree, l, b, err));
    DVI_TRY(dvi_block_skip(b, 4, layout, "bins", err));
    DVI_TRY(read_f32s(b, &l->thresholds, &l->thresholds_count, "thresholds", err));
    DVI_TRY(read_f32s(b, &l->defaults, &l->defaults_count, "values for NaN", err));
    return read_tail(l, type, b, err);
}

/* --- Checks ----------------------------------------------------------------------------------- */

static dv_status check_sizes(const lists *l, const dvi_block *b, dv_error *err)
{
    const int32_t nodes = l->leaves - 1;
    DVI_REQUIRE(
        l->lte_count >= nodes && l->gt_count >= nodes && l->features_count >= nodes &&
            l->thresholds_count >= nodes && l->values_count >= l->leaves,
        dvi_block_refuse(b, checks, "lists of a tree", "as long as it has nodes and leaves", err));
    DVI_REQUIRE(l->defaults_count == 0 || l->defaults_count >= nodes,
                dvi_block_refuse(b, checks, "values for NaN", "none, or one for each node", err));
    for (int32_t i = 0; i < l->categorical_count; i++)
        DVI_REQUIRE(
            l->categorical[i] < nodes && l->categorical[i] > (i > 0 ? l->categorical[i - 1] : -1),
            dvi_block_refuse(b, checks, "categorical nodes", "numbers of nodes, ascending", err));
    return DV_OK;
}

/* Note a child. seen: of each node, then of each leaf, whether it is a child already. */
static dv_status see_child(uint8_t *seen, int32_t child, const lists *l, const dvi_block *b,
                           dv_error *err)
{
    const int32_t nodes = l->leaves - 1;
    const bool is_there = child < 0 ? ~child < l->leaves : child > 0 && child < nodes;
    const int64_t at = child < 0 ? (int64_t)nodes + ~child : child;
    DVI_REQUIRE(is_there && !seen[at],
                dvi_block_refuse(b, checks, "children of nodes",
                                 "each node but the root, and each leaf, once", err));
    seen[at] = 1;
    return DV_OK;
}

/* Each child has one parent, and the root has none. So whatever the root leads to is a tree. */
static dv_status check_children(const lists *l, const dvi_block *b, dv_error *err)
{
    void *seen;
    const int32_t nodes = l->leaves - 1;
    DVI_TRY(dvi_arena_alloc(b->all->arena, &seen, (size_t)nodes + (size_t)l->leaves, err));
    for (int32_t i = 0; i < nodes; i++) {
        DVI_TRY(see_child(seen, l->lte[i], l, b, err));
        DVI_TRY(see_child(seen, l->gt[i], l, b, err));
    }
    return DV_OK;
}

/* --- A tree ----------------------------------------------------------------------------------- */

static bool has_defaults(const lists *l)
{
    for (int32_t i = 0; i < l->defaults_count; i++)
        if (l->defaults[i] != 0)
            return true;
    return false;
}

/* A node of a category names its features; its own is not used. */
static dv_status make_nodes(dvi_tree *tree, const lists *l, const dvi_block *b, dv_error *err)
{
    for (int32_t i = 0, k = 0; i < tree->n; i++) {
        const bool is_categorical = k < l->categorical_count && l->categorical[k] == i;
        DVI_REQUIRE(is_categorical || l->features[i] >= 0,
                    dvi_block_refuse(b, checks, "features of nodes", "numbers of features", err));
        tree->nodes[i] = (dvi_tree_node){.slot = is_categorical ? ~k : l->features[i],
                                         .threshold = l->thresholds[i],
                                         .child = {l->lte[i], l->gt[i]}};
        k += is_categorical;
    }
    return DV_OK;
}

/* A tree that never grew has no nodes, and its leaf is 0. */
static dv_status make_tree(dvi_tree *tree, const lists *l, const dvi_block *b, dv_error *err)
{
    static const double nothing = 0;
    void *made;
    const bool has_grown = l->lte_count == 0 || l->lte[0] != 0;
    tree->leaves = has_grown ? l->values : &nothing;
    tree->n = has_grown ? l->leaves - 1 : 0;
    tree->defaults = has_defaults(l) ? l->defaults : NULL;
    if (tree->n == 0)
        return DV_OK;
    DVI_TRY(check_children(l, b, err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)tree->n * sizeof *tree->nodes, err));
    tree->nodes = made;
    return make_nodes(tree, l, b, err);
}

static dv_status read_tree(dvi_tree *tree, int64_t *leaves, dvi_block *b, dv_error *err)
{
    lists l = {.leaves = 0};
    DVI_TRY(read_lists(tree, &l, b, err));
    DVI_TRY(check_sizes(&l, b, err));
    *leaves += l.leaves;
    return make_tree(tree, &l, b, err);
}

/* --- Features --------------------------------------------------------------------------------- */

/* Call what for each feature that a tree asks for. */
static void each_slot(const dvi_tree *tree, void (*what)(asked *a, int32_t *slot), asked *a)
{
    for (int32_t i = 0; i < tree->n; i++) {
        if (tree->nodes[i].slot >= 0) {
            what(a, &tree->nodes[i].slot);
            continue;
        }
        const dvi_tree_category *category = &tree->categories[~tree->nodes[i].slot];
        for (int32_t k = 0; k < category->n; k++)
            what(a, &category->slots[k]);
    }
}

static void count_slot(asked *a, int32_t *slot)
{
    (void)slot;
    a->n++;
}

/* One below 0 becomes a large number. */
static void list_slot(asked *a, int32_t *slot)
{
    a->list[a->n++] = (uint64_t)*slot;
}

/* The place of a feature among the distinct ones, where it is. */
static void number_slot(asked *a, int32_t *slot)
{
    int64_t from = 0, to = a->n;
    while (to - from > 1) {
        const int64_t middle = from + (to - from) / 2;
        if (a->list[middle] <= (uint64_t)*slot)
            from = middle;
        else
            to = middle;
    }
    *slot = (int32_t)from;
}

static void keep_distinct(asked *a)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < a->n; i++)
        if (i == 0 || a->list[i] != a->list[i - 1])
            a->list[kept++] = a->list[i];
    a->n = kept;
}

/* Number the features that are asked for: a row then gives the trees these only. a: room for all,
 * twice. */
static dv_status number_all(dvi_trees *t, asked *a, const dvi_block *b, dv_error *err)
{
    void *made;
    uint64_t *scratch = a->list + a->n;
    a->n = 0;
    for (int32_t i = 0; i < t->n; i++)
        each_slot(&t->tree[i], list_slot, a);
    dvi_sort_u64(a->list, scratch, (size_t)a->n);
    keep_distinct(a);
    DVI_REQUIRE(a->n == 0 || a->list[a->n - 1] < (uint64_t)t->features,
                dvi_block_refuse(b, checks, "features of nodes", "numbers of features", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)a->n * sizeof *t->used, err));
    t->used = made;
    t->used_count = (int32_t)a->n;
    for (int32_t i = 0; i < t->used_count; i++)
        t->used[i] = (int32_t)a->list[i];
    for (int32_t i = 0; i < t->n; i++)
        each_slot(&t->tree[i], number_slot, a);
    return DV_OK;
}

static dv_status number_features(dvi_trees *t, const dvi_block *b, dv_error *err)
{
    void *made;
    asked a = {.n = 0};
    const dv_allocator *allocator = &b->all->arena->allocator;
    for (int32_t i = 0; i < t->n; i++)
        each_slot(&t->tree[i], count_slot, &a);
    const size_t nbytes = 2 * (size_t)a.n * sizeof *a.list;
    DVI_TRY(dvi_alloc(allocator, &made, nbytes, err));
    a.list = made;
    const dv_status status = number_all(t, &a, b, err);
    dvi_free(allocator, made, nbytes);
    return status;
}

/* --- An ensemble ------------------------------------------------------------------------------ */

enum { TREE_NBYTES = 1 + 4 + 8 + 8 + 11 * 4 /* at least */ };

dv_status dvi_read_trees_block(dvi_trees *t, dvi_block *b, dv_error *err)
{
    void *made;
    double bias;
    int32_t ignored;
    DVI_TRY(dvi_block_size(b, err));
    DVI_TRY(dvi_block_count(b, &t->n, TREE_NBYTES, layout, "number of trees", err));
    DVI_TRY(dvi_arena_alloc(b->all->arena, &made, (size_t)t->n * sizeof *t->tree, err));
    t->tree = made;
    for (int32_t i = 0; i < t->n; i++)
        DVI_TRY(read_tree((dvi_tree *)made + i, &t->leaves, b, err));
    DVI_TRY(dvi_block_f64(b, &bias, "predictors:P15", "bias", err));
    for (int i = 0; i < 2; i++)
        DVI_TRY(dvi_block_i32(b, &ignored, INT32_MIN, INT32_MAX, "predictors:P15",
                              "string that is not needed", err));
    DVI_TRY(dvi_block_i32(b, &t->features, 1, INT32_MAX, checks, "number of features", err));
    return number_features(t, b, err);
}
