/* SPDX-License-Identifier: MIT */
/* stats_moments.c: computes means and sums of squares in a fixed order of additions. */
#include "stats/stats_moments.h"
#include <math.h>

#define LANES 8

static double add_lanes(const double sums[LANES])
{
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
           ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

/* The sum of the distances of the numbers from `from`. */
static double sum_distances(const double *numbers, size_t n, double from)
{
    double sums[LANES] = {0};
    for (size_t i = 0; i < n; i++)
        sums[i % LANES] += numbers[i] - from;
    return add_lanes(sums);
}

static double sum_squares(const double *numbers, size_t n, double from)
{
    double sums[LANES] = {0};
    for (size_t i = 0; i < n; i++)
        sums[i % LANES] += (numbers[i] - from) * (numbers[i] - from);
    return add_lanes(sums);
}

/* Relative to the first number, so that the mean of equal numbers is exact. */
static double mean_of(const double *numbers, size_t n)
{
    const double mean = numbers[0] + sum_distances(numbers, n, numbers[0]) / (double)n;
    if (isfinite(mean))
        return mean;
    double sum = 0; /* the sum exceeds the largest double, the mean does not */
    for (size_t i = 0; i < n; i++)
        sum += numbers[i] / (double)n;
    return sum;
}

dvi_moments dvi_moments_of(const double *numbers, size_t n)
{
    if (n == 0)
        return (dvi_moments){0};
    const double mean = mean_of(numbers, n);
    return (dvi_moments){(int64_t)n, mean, sum_squares(numbers, n, mean)};
}

void dvi_moments_merge(dvi_moments *left, const dvi_moments *right)
{
    if (left->n == 0 || right->n == 0) {
        if (left->n == 0)
            *left = *right;
        return;
    }
    const double n = (double)left->n + (double)right->n;
    const double share = (double)right->n / n, distance = right->mean - left->mean;
    left->squares += right->squares + distance * distance * ((double)left->n * share);
    left->mean = isfinite(distance) ? left->mean + distance * share
                                    : left->mean * (1 - share) + right->mean * share;
    left->n += right->n;
}
