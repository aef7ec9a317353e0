/* SPDX-License-Identifier: MIT */
/* test_order_folds.c: folds of equal size, in all and for each value (order.h). */
#include "support/allocator.h"
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/order.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FOLDS 40

static dv_error err;
static dvt_drawn_table table;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* The fold of each row; each is in one, in ascending order. */
static void find_folds(int32_t *fold, const int64_t *rows, const int64_t *counts, int32_t folds,
                       int64_t n)
{
    int64_t at = 0;
    memset(fold, 0xFF, (size_t)n * sizeof *fold);
    for (int32_t i = 0; i < folds; i++)
        for (int64_t k = 0; k < counts[i]; k++, at++) {
            cr_assert(rows[at] >= 0 && rows[at] < n && fold[rows[at]] < 0);
            cr_assert(k == 0 || rows[at] > rows[at - 1]);
            fold[rows[at]] = i;
        }
    cr_assert_eq(at, n);
}

/* The model: rows by class, each class in its order; position q of all gives a row to fold q modulo
 * folds, and a class hands its rows to its folds in their order. */
static void deal_model(int32_t *fold, int64_t n, bool by_class, int32_t folds, bool shuffle,
                       uint64_t seed)
{
    static int64_t members[DVT_DRAWN_MOST], order[DVT_DRAWN_MOST];
    static bool is_done[DVT_DRAWN_MOST];
    int64_t at = 0;
    uint64_t class = 0;
    memset(is_done, 0, sizeof is_done);
    for (int64_t row = 0; row < n; row++) {
        int64_t count = 0, next = 0, share[FOLDS] = {0};
        if (is_done[row])
            continue;
        for (int64_t i = row; i < n; i++)
            if (!by_class || table.class[i] == table.class[row]) {
                is_done[i] = true;
                order[count] = count;
                members[count++] = i;
            }
        if (shuffle)
            dvt_model_permutation(order, count, dvt_model_key(seed, class));
        for (int64_t q = at; q < at + count; q++)
            share[q % folds]++;
        for (int32_t i = 0; i < folds; i++)
            for (int64_t k = 0; k < share[i]; k++)
                fold[members[order[next++]]] = i;
        at += count;
        class ++;
    }
}

Test(order_folds, are_those_of_the_model)
{
    static int64_t rows[DVT_DRAWN_MOST], counts[FOLDS];
    static int32_t fold[DVT_DRAWN_MOST], want[DVT_DRAWN_MOST];
    for (uint64_t round = 0; round < 400; round++) {
        uint64_t state = round;
        const int64_t n = 2 + below(&state, round % 2 ? 30 : 600);
        const int32_t folds = (int32_t)(2 + below(&state, (n < FOLDS ? n : FOLDS) - 1));
        const bool by_class = below(&state, 2), shuffle = below(&state, 2);
        const uint64_t seed = dvt_draw(&state);
        dv_view *source = dvt_drawn_open(&table, n, 7, round, NULL);
        cr_assert_eq(dv_order_folds(rows, counts, n, by_class ? source : NULL, 2, NULL, folds,
                                    shuffle, seed, &err),
                     DV_OK, "%s", err.message);
        find_folds(fold, rows, counts, folds, n);
        deal_model(want, n, by_class, folds, shuffle, seed);
        for (int64_t i = 0; i < n; i++)
            cr_assert_eq(fold[i], want[i], "round %d: row %d", (int)round, (int)i);
        for (int32_t i = 0; i < folds; i++)
            cr_assert(counts[i] == n / folds || counts[i] == n / folds + 1);
        dv_view_release(&source);
    }
}

/* Many values and many folds take time in proportion to the rows. */
Test(order_folds, of_many_values)
{
    enum { ROWS = 200000 };
    static int64_t number[ROWS], rows[ROWS], counts[ROWS];
    dvt_made_table made = {
        .columns = 1, .rows = ROWS, .block_rows = 1000, .in_blocks = true, .bad_row = -1};
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    dv_view *source = dvt_made_table_open(&made, NULL);
    cr_assert_eq(dv_order_folds(rows, counts, ROWS, source, 0, NULL, ROWS / 2, true, 1, &err),
                 DV_OK);
    for (int64_t i = 0; i < ROWS / 2; i++)
        cr_assert_eq(counts[i], 2);
    for (int64_t i = 0; i < ROWS / 2; i++) /* each value in the fold of its turn */
        cr_assert(rows[2 * i] == i && rows[2 * i + 1] == i + ROWS / 2);
    dv_view_release(&source);
}

Test(order_folds, what_is_refused)
{
    static const struct {
        int64_t n;
        int32_t folds, column;
        bool has_view;
    } wrong[] = {{5, 1, 0, false}, {5, 0, 0, false},  {5, -3, 0, false},       {5, 6, 0, false},
                 {0, 2, 0, false}, {-1, 2, 0, false}, {5, 2, 4, true},         {5, 2, -1, true},
                 {4, 2, 2, true},  {6, 2, 2, true},   {INT64_MAX, 2, 0, false}};
    int64_t rows[6], counts[6];
    dv_view *source = dvt_drawn_open(&table, 5, 2, 1, NULL);
    for (size_t i = 0; i < COUNT(wrong); i++)
        cr_expect_eq(dv_order_folds(rows, counts, wrong[i].n, wrong[i].has_view ? source : NULL,
                                    wrong[i].column, NULL, wrong[i].folds, false, 0, &err),
                     DV_ERR_ARGUMENT, "%d", (int)i);
    table.made.bad_row = 3;
    cr_expect_eq(dv_order_folds(rows, counts, 5, source, 2, NULL, 2, false, 0, &err),
                 DV_ERR_CORRUPT);
    dv_view_release(&source);
}

Test(order_folds, each_allocation_may_fail)
{
    static int64_t rows[60], counts[3], want[60];
    dv_view *plain = dvt_drawn_open(&table, 60, 7, 3, NULL);
    cr_assert_eq(dv_order_folds(want, counts, 60, plain, 2, NULL, 3, true, 1, &err), DV_OK);
    dv_view_release(&plain);
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *source = dvt_drawn_open(&table, 60, 7, 3, &counted.allocator);
    int64_t k = 0;
    for (bool is_done = false; !is_done; k++) {
        const int64_t live = counted.live, before = counted.asked;
        counted.fail_at = before + 1 + k;
        const dv_status status =
            dv_order_folds(rows, counts, 60, source, 2, NULL, 3, true, 1, &err);
        is_done = status == DV_OK;
        cr_expect(is_done || status == DV_ERR_MEMORY, "allocation %d: %s", (int)k, err.message);
        cr_expect_eq(counted.live, live, "allocation %d: a leak", (int)k);
        cr_assert_lt(k, 100);
    }
    cr_expect_gt(k, 4);
    cr_expect_eq(memcmp(rows, want, sizeof rows), 0);
    counted.fail_at = 0;
    dv_view_release(&source);
    cr_expect_eq(counted.live, 0);
}
