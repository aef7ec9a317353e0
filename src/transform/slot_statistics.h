/* SPDX-License-Identifier: MIT */
/* slot_statistics.h: the extremes, or mean and deviation, of the values of each slot.
 *
 * Values are taken in the order of the rows. A slot that has no item in a row has the value 0
 * there; such zeros are added when the result is asked for. */
#ifndef DVI_TRANSFORM_SLOT_STATISTICS_H
#define DVI_TRANSFORM_SLOT_STATISTICS_H

#include "transform/slot_values.h"

/* --- Minimum and maximum, without NaN; infinities count --- */

/* Of -0 and 0 that which comes first. */
typedef struct dvi_extremes {
    double least, most; /* least > most: no value */
    int64_t items;      /* NaN too */
} dvi_extremes;

void dvi_extremes_init(dvi_extremes *extremes, int32_t slots);
dv_status dvi_extremes_take(void *extremes, const dvi_slot_values *values, dv_error *err);
/* Take a column, scalars or vectors of known size, as dvi_slot_values_each gives it to
 * dvi_extremes_take; row: the rows before it. */
dv_status dvi_extremes_see(dvi_extremes *extremes, const dv_column_view *column, int64_t row,
                           dv_error *err);
/* Add the zeros of a slot: of `rows` rows in all. */
void dvi_extremes_finish(dvi_extremes *slot, int64_t rows);

/* --- Mean and deviation of finite values, by Welford (semantics:7.12) --- */

/* Zeroed at first. */
typedef struct dvi_moments {
    int64_t n;      /* values that count: finite, not 0 */
    int64_t others; /* values that do not count, and are not 0 */
    double mean, m2;
} dvi_moments;

dv_status dvi_moments_take(void *moments, const dvi_slot_values *values, dv_error *err);
/* Of the logarithms of the values above 0, rounded to R4 or not. */
dv_status dvi_moments_take_ln4(void *moments, const dvi_slot_values *values, dv_error *err);
dv_status dvi_moments_take_ln8(void *moments, const dvi_slot_values *values, dv_error *err);
/* Add the zeros of a slot; not of logarithms. */
void dvi_moments_finish(dvi_moments *slot, int64_t rows);

/* --- The mean of finite values --- */

/* Zeroed at first. */
typedef struct dvi_mean {
    int64_t n;      /* finite values that are not 0 */
    int64_t others; /* NaN and infinities */
    double mean;    /* of the n values so far, in their order */
} dvi_mean;

dv_status dvi_mean_take(void *means, const dvi_slot_values *values, dv_error *err);
double dvi_mean_of(const dvi_mean *slot, int64_t rows); /* 0: there is no finite value */

#endif
