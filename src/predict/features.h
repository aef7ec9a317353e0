/* SPDX-License-Identifier: MIT */
/* features.h: the features of a row, and sums of products in the order of ML.NET (predictors:6).
 *
 * All arithmetic is of R4, each operation rounded. */
#ifndef DVI_PREDICT_FEATURES_H
#define DVI_PREDICT_FEATURES_H

#include <stddef.h>
#include <stdint.h>

/* A row, or a vector of weights: values, and the slot of each, ascending. */
typedef struct dvi_features {
    const float *values;
    const int32_t *slots; /* NULL: there is a value for each slot */
    int32_t n;
} dvi_features;

/* The sum of a[i] * b[i], in four lanes (predictors:P27). */
float dvi_sum_products(const float *a, const float *b, int32_t n);
/* The sum of the squares of the explicit values (predictors:P32). */
float dvi_sum_squares(const dvi_features *x);
/* Weights times a row, of the same size. A weight without a value is 0 (predictors:P28 to P30). */
float dvi_dot(const dvi_features *weights, const dvi_features *x);
/* The same for a centroid: of two sparse vectors, only the slots that both have count, one by one
 * (predictors:P31). */
float dvi_dot_centroid(const dvi_features *centroid, const dvi_features *x);

/* Take the values of n slots, ascending, of a row: 0 where it has none. */
void dvi_features_pick(float *dst, const int32_t *slots, int32_t n, const dvi_features *x);

#endif
