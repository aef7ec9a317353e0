/* SPDX-License-Identifier: MIT */
/* weight_tree.c: weights of items, found by the sum of those before. */
#include "order/weight_tree.h"

void dvi_weight_tree_add(dvi_weight_tree *t, int64_t item, int64_t weight)
{
    t->total += weight;
    for (int64_t i = item + 1; i <= t->n; i += i & -i)
        t->sum[i - 1] += weight;
}

int64_t dvi_weight_tree_find(const dvi_weight_tree *t, int64_t number)
{
    int64_t at = 0, step = 1;
    while (step <= t->n / 2)
        step *= 2;
    for (; step > 0; step /= 2)
        if (at + step <= t->n && t->sum[at + step - 1] <= number) {
            at += step;
            number -= t->sum[at - 1];
        }
    return at;
}
