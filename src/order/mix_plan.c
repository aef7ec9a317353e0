/* SPDX-License-Identifier: MIT */
/* mix_plan.c: checks the options of a mix, and divides the whole into shares. */
#include "order/mix_plan.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "order/permutation.h"
#include <math.h>

#define WHOLE 1e-6 /* a share is whole if it is this near to a whole number */

/* --- Options ---------------------------------------------------------------------------------- */

static dv_status check_weights(const double *weights, int32_t n, dv_error *err)
{
    for (int32_t i = 0; weights && i < n; i++)
        if (!(weights[i] > 0) || !isfinite(weights[i]))
            return dvi_fail_argument(err, "weight %d is %g: it must be positive and finite", i,
                                     weights[i]);
    return DV_OK;
}

static dv_status check(const dv_mix_options *o, int32_t n, dv_error *err)
{
    if ((unsigned)o->order > DV_MIX_RANDOM)
        return dvi_fail_argument(err, "no such order of a mix: %d", (int)o->order);
    if ((unsigned)o->stop > DV_MIX_REPEAT)
        return dvi_fail_argument(err, "no such stop of a mix: %d", (int)o->stop);
    if (o->rows < 0 || o->rows > DVI_MIX_ROWS_MOST)
        return dvi_fail_argument(err, "rows is %lld: 0 (no limit) to 2^62", (long long)o->rows);
    return check_weights(o->weights, n, err);
}

/* --- Shares ----------------------------------------------------------------------------------- */

/* The share of a source in `period` choices, as a real. */
static double part_of(const double *parts, double sum, int32_t i, int32_t period)
{
    return parts[i] / sum * period;
}

static bool are_whole(const double *parts, int32_t n, double sum, int32_t period)
{
    for (int32_t i = 0; i < n; i++) {
        const double part = part_of(parts, sum, i, period), whole = floor(part + 0.5);
        if (whole < 1 || fabs(part - whole) > WHOLE)
            return false;
    }
    return true;
}

/* The least period in which all shares are whole, or the longest, in which they are rounded. */
static void divide(int32_t *shares, const double *parts, int32_t n)
{
    double sum = 0;
    int32_t period = n;
    for (int32_t i = 0; i < n; i++)
        sum += parts[i];
    while (period < DVI_MIX_PERIOD && !are_whole(parts, n, sum, period))
        period++;
    for (int32_t i = 0; i < n; i++) {
        const double whole = floor(part_of(parts, sum, i, period) + 0.5);
        shares[i] = whole < 1 ? 1 : (int32_t)whole;
    }
}

/* Weights as parts of the greatest one, so that their sum is finite. */
static void scale(double *parts, const double *weights, int32_t n)
{
    double most = 0;
    for (int32_t i = 0; weights && i < n; i++)
        most = weights[i] > most ? weights[i] : most;
    for (int32_t i = 0; i < n; i++)
        parts[i] = weights ? weights[i] / most : 1;
}

/* --- The plan --------------------------------------------------------------------------------- */

static dv_status make_shares(dvi_mix_plan *p, dvi_arena *arena, const double *weights,
                             dv_error *err)
{
    void *parts, *shares;
    DVI_TRY(dvi_arena_alloc(arena, &parts, (size_t)p->n * sizeof(double), err));
    DVI_TRY(dvi_arena_alloc(arena, &shares, (size_t)p->n * sizeof *p->shares, err));
    scale(parts, weights, p->n);
    divide(shares, parts, p->n);
    p->shares = shares;
    return DV_OK;
}

static dv_status count_sources(dvi_mix_plan *p, dvi_arena *arena, dv_view *const *sources,
                               dv_error *err)
{
    void *counts, *firsts;
    int64_t rows = 0;
    DVI_TRY(dvi_arena_alloc(arena, &counts, (size_t)p->n * sizeof *p->counts, err));
    DVI_TRY(dvi_arena_alloc(arena, &firsts, (size_t)p->n * sizeof *p->firsts, err));
    p->counts = counts;
    p->firsts = firsts;
    p->is_counted = true;
    for (int32_t i = 0; i < p->n; i++) {
        const int64_t count = dv_view_rows(sources[i]);
        ((int64_t *)counts)[i] = count;
        ((int64_t *)firsts)[i] = rows;
        p->is_counted &= count >= 0;
        if (p->is_counted && __builtin_add_overflow(rows, count, &rows))
            return dvi_fail_argument(err, "%d sources have more than 2^63-1 rows", i + 1);
        if (count == 0 && p->stop == DV_MIX_REPEAT)
            return dvi_fail_argument(err, "source %d of the mix has no rows to repeat", i);
    }
    return DV_OK;
}

dv_status dvi_mix_plan_make(dvi_mix_plan *p, dvi_arena *arena, dv_view *const *sources, int32_t n,
                            const dv_mix_options *given, dv_error *err)
{
    dv_mix_options o = DV_MIX_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(&o, sizeof o, given, "DV_MIX_OPTIONS_INIT", err));
    DVI_TRY(check(&o, n, err));
    *p = (dvi_mix_plan){.n = n,
                        .order = o.order,
                        .stop = o.stop,
                        .shuffle = o.shuffle,
                        .seed = o.seed,
                        .rows = o.rows};
    DVI_TRY(make_shares(p, arena, o.weights, err));
    return count_sources(p, arena, sources, err);
}

dv_status dvi_mix_plan_epoch(const dvi_mix_plan *p, int64_t epoch, uint64_t *key_out,
                             int64_t *first_out, dv_error *err)
{
    const bool is_one = p->stop == DV_MIX_REPEAT && p->rows > 0;
    int64_t end;
    epoch = dvi_max_i64(epoch, 0);
    *key_out = dvi_key_derive(p->seed, is_one ? 0 : (uint64_t)epoch);
    *first_out = 0;
    if (!is_one)
        return DV_OK;
    if (__builtin_mul_overflow(epoch, p->rows, first_out) ||
        __builtin_add_overflow(*first_out, p->rows, &end) || end > DVI_MIX_ROWS_MOST)
        return dvi_fail(err, DV_ERR_LIMIT, "rows", -1, "epoch of the mix",
                        "rows up to 2^62|epoch %lld of %lld rows", (long long)epoch,
                        (long long)p->rows);
    return DV_OK;
}
