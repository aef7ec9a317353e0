/* SPDX-License-Identifier: MIT */
/* slot_statistics.c: adds values to the statistics of their slots. */
#include "transform/slot_statistics.h"
#include <math.h>

/* --- Minimum and maximum ---------------------------------------------------------------------- */

void dvi_extremes_init(dvi_extremes *extremes, int32_t slots)
{
    for (int32_t i = 0; i < slots; i++)
        extremes[i] = (dvi_extremes){INFINITY, -INFINITY, 0};
}

static inline void add_extreme(dvi_extremes *e, double value)
{
    e->least = value < e->least ? value : e->least;
    e->most = value > e->most ? value : e->most;
}

dv_status dvi_extremes_take(void *extremes, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++) {
        dvi_extremes *e = (dvi_extremes *)extremes + dvi_slot_of(v, i);
        const int64_t before = v->is_single ? v->row + (int64_t)i : v->row;
        if (e->items < before) /* a row before had no item: a 0 that may come before this one */
            add_extreme(e, 0);
        add_extreme(e, v->values[i]);
        e->items++;
    }
    return DV_OK;
}

void dvi_extremes_finish(dvi_extremes *e, int64_t rows)
{
    if (e->items < rows)
        add_extreme(e, 0);
}

/* --- Mean and deviation ----------------------------------------------------------------------- */

static inline void add_moment(dvi_moments *m, double value)
{
    if (value - value != 0) { /* NaN, or an infinity */
        m->others++;
        return;
    }
    m->n++;
    const double d = value - m->mean;
    m->mean += d / (double)m->n;
    m->m2 += d * (value - m->mean);
}

dv_status dvi_moments_take(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] != 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i), v->values[i]);
    return DV_OK;
}

dv_status dvi_moments_take_ln4(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] > 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i),
                       (double)(float)log(v->values[i]));
    return DV_OK;
}

dv_status dvi_moments_take_ln8(void *moments, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++)
        if (v->values[i] > 0)
            add_moment((dvi_moments *)moments + dvi_slot_of(v, i), log(v->values[i]));
    return DV_OK;
}

void dvi_moments_finish(dvi_moments *m, int64_t rows)
{
    const int64_t zeros = rows - m->n - m->others;
    if (zeros <= 0)
        return;
    m->n += zeros;
    const double d = 0 - m->mean;
    m->mean += d * (double)zeros / (double)m->n;
    m->m2 += d * (0 - m->mean) * (double)zeros;
}

/* --- The mean --------------------------------------------------------------------------------- */

dv_status dvi_mean_take(void *means, const dvi_slot_values *v, dv_error *err)
{
    (void)err;
    for (size_t i = 0; i < v->n; i++) {
        dvi_mean *m = (dvi_mean *)means + dvi_slot_of(v, i);
        m->items++;
        if (v->values[i] - v->values[i] == 0) {
            m->finite++;
            m->sum += v->values[i];
        }
    }
    return DV_OK;
}

double dvi_mean_of(const dvi_mean *m, int64_t rows)
{
    const int64_t n = m->finite + (rows - m->items);
    return n > 0 ? m->sum / (double)n : 0;
}
