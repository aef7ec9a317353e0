/* SPDX-License-Identifier: MIT */
/* mix_plan.h: the plan of a mix, made from its checked options (docs/shuffling.md, Mixing). */
#ifndef DVI_ORDER_MIX_PLAN_H
#define DVI_ORDER_MIX_PLAN_H

#include "base/arena.h"
#include <dataview/mix.h>

#define DVI_MIX_PERIOD 65536                 /* choices after which shares are whole, or rounded */
#define DVI_MIX_ROWS_MOST (INT64_C(1) << 62) /* in all epochs */

/* The numbers from which an order is made.  The arrays belong to an arena. */
typedef struct dvi_mix_plan {
    int32_t n;
    const int32_t *shares; /* choices of each source in a period, >= 1 */
    const int64_t *counts; /* rows of each source; -1: unknown */
    const int64_t *firsts; /* rows of the sources before it, if all are known */
    bool is_counted;       /* all counts are known */
    dv_mix_order order;
    dv_mix_stop stop;
    bool shuffle;
    uint64_t seed;
    int64_t rows; /* the option; 0: no limit */
} dvi_mix_plan;

/* DV_OK; DV_ERR_ARGUMENT: see mix.h; DV_ERR_MEMORY. */
dv_status dvi_mix_plan_make(dvi_mix_plan *plan_out, dvi_arena *arena, dv_view *const *sources,
                            int32_t n, const dv_mix_options *options, dv_error *err);

/* Where in the sequence of all epochs does an epoch begin?  Only REPEAT with a limit has one; else
 * each epoch begins at 0, with its own key.  DV_OK; DV_ERR_LIMIT: it ends after row 2^62. */
dv_status dvi_mix_plan_epoch(const dvi_mix_plan *plan, int64_t epoch, uint64_t *key_out,
                             int64_t *first_out, dv_error *err);

#endif
