/* SPDX-License-Identifier: MIT */
/* stats_moments.h: the count of numbers, their mean, and the sum of squared distances from it. */
#ifndef DVI_VIEW_STATS_MOMENTS_H
#define DVI_VIEW_STATS_MOMENTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct dvi_moments {
    int64_t n;
    double mean, squares; /* of n numbers; 0 when n is 0 */
} dvi_moments;

/* Of finite numbers.  The same numbers in the same order give the same bits. */
dvi_moments dvi_moments_of(const double *numbers, size_t n);

/* Add the right numbers to the left ones (Chan, Golub, LeVeque). */
void dvi_moments_merge(dvi_moments *left, const dvi_moments *right);

#endif
