/* SPDX-License-Identifier: MIT */
/* predictor_table.h: the parts of a predictor as a table (dvp:PT16). */
#ifndef DVI_STEPS_PREDICTOR_TABLE_H
#define DVI_STEPS_PREDICTOR_TABLE_H

#include "predict/predictor.h"
#include <dataview/view.h>

/* A predictor or calibrator, as a step keeps it. */
typedef struct dvi_learned_predictor {
    dv_allocator allocator;
    dv_view *table, *labels; /* one reference each; labels: NULL: none */
    dvi_predictor *predictor;
    dv_u128 digest; /* that differs if the parts do */
} dvi_learned_predictor;

/* Make it of its tables, which may come from anyone. labels: NULL: none; else it is retained.
 * Statuses: dvi_predictor_read. */
dv_status dvi_learned_predictor_create(dvi_learned_predictor **learned_out, dv_view *table,
                                       dv_view *labels, bool is_calibrator,
                                       const dv_allocator *allocator, dv_error *err);
void dvi_learned_predictor_free(void *learned);

/* The table of n parts. summary: of all, for people. DV_OK; DV_ERR_ARGUMENT: a text that is not
 * UTF-8, DV_ERR_MEMORY. */
dv_status dvi_predictor_table(dv_view **table_out, const dvi_predictor_part *parts, int32_t n,
                              dv_text summary, const dv_allocator *allocator, dv_error *err);

#endif
