/* SPDX-License-Identifier: MIT */
/* sample_plan.h: the checked options of a sample, with the weights or classes that were read. */
#ifndef DVI_ORDER_SAMPLE_PLAN_H
#define DVI_ORDER_SAMPLE_PLAN_H

#include "order/row_values.h"
#include <dataview/sample.h>

typedef enum dvi_sample_kind {
    DVI_SAMPLE_EQUAL,
    DVI_SAMPLE_WEIGHTED,
    DVI_SAMPLE_BALANCED
} dvi_sample_kind;

/* Constant once it is made. */
typedef struct dvi_sample_plan {
    dvi_sample_kind kind;
    bool replace, in_order;
    uint64_t seed;
    int64_t epoch;  /* -1: the cursor's */
    int64_t rows;   /* in the source */
    int64_t count;  /* in the sample */
    int64_t *ends;  /* weighted: the units of rows 0..i; the last one is below 2^62 */
    int64_t fewest; /* balanced, without replacement: how often each class comes */
    dvi_row_classes classes;
} dvi_sample_plan;

/* Check the options, and read the column that they name.  The arena owns what the plan keeps.
 * DV_OK; DV_ERR_*: as dv_view_sample. */
dv_status dvi_sample_plan_make(dvi_sample_plan *plan_out, dvi_arena *arena, dv_view *source,
                               const dv_sample_options *options, dv_error *err);

#endif
