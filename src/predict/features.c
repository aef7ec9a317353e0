/* SPDX-License-Identifier: MIT */
/* features.c: sums of products, in the lanes of ML.NET. */
#include "predict/features.h"
#include <stdbool.h>

/* --- Lanes ------------------------------------------------------------------------------------ */

/* Terms come one by one. An unfinished four waits until the next term completes it, or
 * the sum does. */
typedef struct lanes {
    float sums[4], rest[4];
    int32_t n;
} lanes;

static void add_term(lanes *l, float term)
{
    l->rest[l->n++] = term;
    if (l->n < 4)
        return;
    for (int32_t k = 0; k < 4; k++)
        l->sums[k] += l->rest[k];
    l->n = 0;
}

static float end_sum(const lanes *l)
{
    float sum = (l->sums[0] + l->sums[1]) + (l->sums[2] + l->sums[3]);
    for (int32_t k = 0; k < l->n; k++)
        sum += l->rest[k];
    return sum;
}

float dvi_sum_products(const float *a, const float *b, int32_t n)
{
    float sums[4] = {0, 0, 0, 0};
    const int32_t even = n - n % 4;
    for (int32_t i = 0; i < even; i += 4)
        for (int32_t k = 0; k < 4; k++)
            sums[k] += a[i + k] * b[i + k];
    float sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (int32_t i = even; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

float dvi_sum_squares(const dvi_features *x)
{
    return dvi_sum_products(x->values, x->values, x->n);
}

/* --- Of weights and a row --------------------------------------------------------------------- */

/* The values of the one at the slots of the other, which has a value for each. */
static float sum_at_slots(const dvi_features *sparse, const float *dense)
{
    lanes l = {.n = 0};
    for (int32_t i = 0; i < sparse->n; i++)
        add_term(&l, dense[sparse->slots[i]] * sparse->values[i]);
    return end_sum(&l);
}

/* Over the values of the row: where the weights have none, the term is 0 times the value. */
static float sum_both_sparse(const dvi_features *weights, const dvi_features *x)
{
    lanes l = {.n = 0};
    for (int32_t i = 0, k = 0; i < x->n; i++) {
        while (k < weights->n && weights->slots[k] < x->slots[i])
            k++;
        const bool is_there = k < weights->n && weights->slots[k] == x->slots[i];
        add_term(&l, (is_there ? weights->values[k] : 0) * x->values[i]);
    }
    return end_sum(&l);
}

float dvi_dot(const dvi_features *weights, const dvi_features *x)
{
    if (!weights->slots && !x->slots)
        return dvi_sum_products(weights->values, x->values, x->n);
    if (!weights->slots)
        return sum_at_slots(x, weights->values);
    return x->slots ? sum_both_sparse(weights, x) : sum_at_slots(weights, x->values);
}

static float sum_shared(const dvi_features *a, const dvi_features *b)
{
    float sum = 0;
    for (int32_t i = 0, k = 0; i < a->n && k < b->n;) {
        if (a->slots[i] == b->slots[k])
            sum += a->values[i++] * b->values[k++];
        else if (a->slots[i] < b->slots[k])
            i++;
        else
            k++;
    }
    return sum;
}

float dvi_dot_centroid(const dvi_features *centroid, const dvi_features *x)
{
    return centroid->slots && x->slots ? sum_shared(centroid, x) : dvi_dot(centroid, x);
}

void dvi_features_pick(float *dst, const int32_t *slots, int32_t n, const dvi_features *x)
{
    for (int32_t i = 0, k = 0; i < n; i++) {
        while (x->slots && k < x->n && x->slots[k] < slots[i])
            k++;
        if (!x->slots)
            dst[i] = x->values[slots[i]];
        else
            dst[i] = k < x->n && x->slots[k] == slots[i] ? x->values[k] : 0;
    }
}
