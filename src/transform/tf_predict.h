/* SPDX-License-Identifier: MIT */
/* tf_predict.h: columns of scores (docs/spec/predictors.md). */
#ifndef DVI_TRANSFORM_TF_PREDICT_H
#define DVI_TRANSFORM_TF_PREDICT_H

#include "predict/predictor.h"
#include "transform/mapper.h"

/* The kinds of predictions, in the order of the option `kind`. */
typedef enum dvi_prediction_kind {
    DVI_PREDICTS_BINARY,
    DVI_PREDICTS_ANOMALY,
    DVI_PREDICTS_REGRESSION,
    DVI_PREDICTS_RANKING,
    DVI_PREDICTS_CLASS,
    DVI_PREDICTS_CLUSTER
} dvi_prediction_kind;

typedef struct dvi_prediction {
    dvi_predictor *predictor; /* retained by the view */
    dv_u128 digest;           /* that differs if its parts do */
    dvi_prediction_kind kind;
    dv_text features;                  /* read unless the predictor takes none */
    dv_text score, label, probability; /* the new columns; label, probability: NA: none */
    float threshold;
    bool is_of_probability; /* the threshold */
    dv_view *labels;        /* a column whose KeyValues are the labels'; NULL: they have none */
} dvi_prediction;

/* A view with these columns. DV_OK; DV_ERR_ARGUMENT: there are no such features, or new columns of
 * the same name; DV_ERR_MEMORY, statuses of dv_schema_metadata_value. */
dv_status dvi_predict_view(dv_view **view_out, dv_view *source, const dvi_prediction *prediction,
                           const dv_allocator *allocator, dv_error *err);

/* Plan the probabilities of a column of scores. The calibrator outlives the view. DV_OK;
 * DV_ERR_ARGUMENT, DV_ERR_MEMORY. */
dv_status dvi_calibrate_plan(dvi_new_column *made, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const dvi_predictor *calibrator, dv_u128 digest,
                             dv_error *err);

#endif
