/* SPDX-License-Identifier: MIT */
/* tf_predict_priv.h: what the columns of a prediction share. */
#ifndef DVI_TRANSFORM_TF_PREDICT_PRIV_H
#define DVI_TRANSFORM_TF_PREDICT_PRIV_H

#include "transform/tf_predict.h"

/* The params of a new column, in the arena of its mapper. */
typedef struct dvi_predicting {
    dvi_prediction prediction;
    uint32_t set_id;
    int32_t source; /* the features, or the scores */
} dvi_predicting;

/* The makers of label and probability, which are made of scores, and the type of the label. */
extern const dvi_maker dvi_label_maker, dvi_probability_maker;
dv_type dvi_label_type(const dvi_prediction *prediction);

/* Members of makers. */
void dvi_predicting_identify(const void *params, dv_identity *identity);
dv_status dvi_score_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                             int32_t column, dv_error *err);
dv_status dvi_label_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                             int32_t column, dv_error *err);
dv_status dvi_probability_describe(const dvi_new_column *made, const dv_schema *source,
                                   dv_schema *schema, int32_t column, dv_error *err);
dv_status dvi_calibrated_describe(const dvi_new_column *made, const dv_schema *source,
                                  dv_schema *schema, int32_t column, dv_error *err);

/* The next ScoreColumnSetId of a schema (predictors:P7). */
dv_status dvi_next_set_id(uint32_t *set_id_out, const dv_schema *schema, dv_error *err);

#endif
