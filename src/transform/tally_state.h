/* SPDX-License-Identifier: MIT */
/* tally_state.h: the counts of some rows as a table, which are added to the counts of the rows
 * before them (docs/spec/parts.md). */
#ifndef DVI_TRANSFORM_TALLY_STATE_H
#define DVI_TRANSFORM_TALLY_STATE_H

#include "transform/slot_statistics.h"
#include "transform/tally.h"
#include <dataview/view.h>

/* The rows that a tally or extremes have counted. */
typedef struct dvi_counted_rows {
    int64_t *rows;   /* so far */
    int64_t most;    /* rows to be counted; others are left out */
    int64_t *labels; /* rows of each label; NULL: there are none */
    int32_t labels_count;
} dvi_counted_rows;

/* DV_OK; DV_ERR_MEMORY. */
dv_status dvi_tally_state(dv_view **table_out, dvi_tally *tally, const dvi_counted_rows *counted,
                          const dv_allocator *allocator, dv_error *err);
dv_status dvi_extremes_state(dv_view **table_out, dvi_extremes *extremes, int32_t slots,
                             const dvi_counted_rows *counted, const dv_allocator *allocator,
                             dv_error *err);

/* DV_OK
 * DV_ERR_ARGUMENT  `most` rows end within the table; too many distinct values
 * DV_ERR_CORRUPT, DV_ERR_MEMORY, and what reading the table returns */
dv_status dvi_tally_state_add(dvi_tally *tally, const dvi_counted_rows *counted, dv_view *table,
                              dv_error *err);
dv_status dvi_extremes_state_add(dvi_extremes *extremes, int32_t slots,
                                 const dvi_counted_rows *counted, dv_view *table,
                                 const dv_allocator *allocator, dv_error *err);

#endif
