/* SPDX-License-Identifier: MIT */
/* order_folds.c: divides rows among folds of equal size (order.h, docs/shuffling.md).
 *
 * Rows that lie one class after the other have the folds 0, 1, 2, ... in turn, so that folds differ
 * by a row at most, in all and in each class.  Within a class the rows of fold 0 then come first.
 */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "order/permutation.h"
#include "order/row_values.h"
#include <dataview/order.h>

#define AT_ONCE 256

typedef struct folding {
    uint64_t *fold_of; /* each row */
    int64_t folds;
    bool shuffle;
    uint64_t seed;
} folding;

/* --- A class ---------------------------------------------------------------------------------- */

/* Rows of a class, of which `next` have their fold. */
typedef struct dealing {
    const int64_t *rows; /* NULL: the numbers from 0 on */
    int64_t count, next;
    dvi_permutation order; /* if they are shuffled */
} dealing;

static void give(const folding *f, dealing *d, int64_t fold, int64_t n)
{
    int64_t numbers[AT_ONCE];
    for (int64_t some; n > 0; n -= some, d->next += some) {
        some = dvi_min_i64(n, AT_ONCE);
        for (int64_t i = 0; i < some && !f->shuffle; i++)
            numbers[i] = d->next + i;
        if (f->shuffle)
            dvi_permutation_fill(&d->order, d->next, 1, numbers, some);
        for (int64_t i = 0; i < some; i++)
            f->fold_of[d->rows ? d->rows[numbers[i]] : numbers[i]] = (uint64_t)fold;
    }
}

/* The positions below `end` that fold i has. */
static int64_t positions(const folding *f, int64_t end, int64_t i)
{
    return (end + f->folds - 1 - i) / f->folds;
}

/* Deal class c, whose first row has position `at`.  With fewer rows than folds it passes over those
 * that get none. */
static void deal(const folding *f, dealing *d, int64_t c, int64_t at)
{
    const int64_t first = at % f->folds, end = first + d->count;
    const bool is_small = d->count < f->folds;
    if (f->shuffle)
        dvi_permutation_make(&d->order, d->count, dvi_key_derive(f->seed, (uint64_t)c));
    for (int64_t i = is_small && end <= f->folds ? first : 0; d->next < d->count; i++) {
        if (is_small && i == end - f->folds)
            i = first;
        give(f, d, i, positions(f, at + d->count, i) - positions(f, at, i));
    }
}

static void deal_classes(const folding *f, const dvi_row_classes *classes)
{
    int64_t at = 0;
    for (int64_t c = 0; c < classes->n; c++) {
        dealing d;
        d.next = 0;
        d.rows = dvi_row_class(classes, c, &d.count);
        deal(f, &d, c, at);
        at += d.count;
    }
}

/* --- Entry ------------------------------------------------------------------------------------ */

static dv_status deal_by_value(const folding *f, int64_t n, dv_view *view, int32_t column,
                               const dv_cursor_options *cursor, dv_error *err)
{
    dvi_arena arena;
    dvi_row_classes classes;
    dvi_arena_init(&arena, dvi_view_allocator(view));
    const dv_status status = dvi_row_classes_read(&classes, &arena, n, view, column, cursor, err);
    if (status == DV_OK)
        deal_classes(f, &classes);
    dvi_arena_free(&arena);
    return status;
}

dv_status dv_order_folds(int64_t *rows, int64_t *counts, int64_t n, dv_view *view, int32_t column,
                         const dv_cursor_options *cursor, int32_t folds, bool shuffle,
                         uint64_t seed, dv_error *err)
{
    const dv_allocator *allocator = view ? dvi_view_allocator(view) : NULL;
    folding f = {.folds = folds, .shuffle = shuffle, .seed = seed};
    dv_status status = DV_OK;
    size_t nbytes;
    void *made;
    if (folds < 2 || n < folds || n > DVI_PERMUTATION_MOST)
        return dvi_fail_argument(err, "%d folds of %lld rows: expected 2 or more, each with a row",
                                 (int)folds, (long long)n);
    if (!dvi_size_mul((size_t)n, sizeof *f.fold_of, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(allocator, &made, nbytes, err));
    f.fold_of = made;
    if (view) {
        status = deal_by_value(&f, n, view, column, cursor, err);
    } else {
        dealing d;
        d.rows = NULL;
        d.count = n;
        d.next = 0;
        deal(&f, &d, 0, 0);
    }
    if (status == DV_OK)
        dvi_rows_by_number(rows, counts, folds, f.fold_of, n);
    for (int32_t i = folds - 1; status == DV_OK && i > 0; i--)
        counts[i] -= counts[i - 1];
    dvi_free(allocator, made, nbytes);
    return status;
}
