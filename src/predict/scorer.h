/* SPDX-License-Identifier: MIT */
/* scorer.h: what a predictor is made of: a scorer for each of its parts that scores. */
#ifndef DVI_PREDICT_SCORER_H
#define DVI_PREDICT_SCORER_H

#include "predict/part_block.h"
#include "predict/real_math.h"

/* How a part scores. `state` is in the arena. */
typedef struct dvi_scorer {
    void (*score)(const void *state, const dvi_features *x, void *scratch, float *scores);
    float (*probability)(const void *state, float score); /* NULL: it has none */
    const void *state;
    dvi_predictor_info info;
} dvi_scorer;

/* Read the fields of a block, all of them. Statuses: dvi_predictor_read. */
typedef dv_status dvi_read_scorer(dvi_scorer *scorer, dvi_block *b, dv_error *err);

dvi_read_scorer dvi_read_linear, dvi_read_poisson, dvi_read_multiclass, dvi_read_softmax;
dvi_read_scorer dvi_read_trees, dvi_read_tweedie, dvi_read_forest_regression;
dvi_read_scorer dvi_read_gam, dvi_read_kmeans, dvi_read_bayes, dvi_read_pca, dvi_read_ldsvm,
    dvi_read_prior;
dvi_read_scorer dvi_read_calibrated, dvi_read_one_versus_all, dvi_read_pairs;
/* Calibrators take a score, and have only `probability`. */
dvi_read_scorer dvi_read_platt, dvi_read_naive, dvi_read_isotonic;

/* Read the part in a folder inside a block's folder. is_calibrator: it must be a calibrator. */
dv_status dvi_read_inner(dvi_scorer *scorer_out, const dvi_block *in, const char *folder,
                         bool is_calibrator, dv_error *err);

/* Summarize: "3 weights" behind the loader's name. */
void dvi_scorer_say(dvi_scorer *scorer, const dvi_block *b, const char *format, ...)
    DVI_PRINTF(3, 4);

/* The scores of y in place, of K classes, as probabilities (predictors:P38). */
void dvi_softmax(float *y, int32_t k);

#endif
