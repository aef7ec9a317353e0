/* SPDX-License-Identifier: MIT */
/* predictor.h: predictors of ML.NET, read from their parts, and how they score
 * (docs/spec/predictors.md). */
#ifndef DVI_PREDICT_PREDICTOR_H
#define DVI_PREDICT_PREDICTOR_H

#include "predict/features.h"
#include <dataview/buffer.h>
#include <dataview/type.h>

/* A part of a predictor: a Model.key of a model.zip, without header and strings. It may come from
 * anyone. */
typedef struct dvi_predictor_part {
    dv_text folder;    /* from the predictor's own on: "", "Predictor/", ... */
    dv_text signature; /* "LINEAR2C", with blanks in the place of NULs */
    dv_text loader;    /* the name that ML.NET loads it by */
    uint32_t version, readable;
    const uint8_t *block;
    size_t nbytes;
} dvi_predictor_part;

/* Never changes; any thread. */
typedef struct dvi_predictor dvi_predictor;

typedef struct dvi_predictor_info {
    int32_t features; /* 0: it takes none */
    int32_t scores;   /* items of the vector for a row; 0: one scalar */
    bool is_clustering;
    bool has_probability;
    size_t scratch_nbytes; /* that scoring needs */
    char summary[96];      /* "FastTreeBinaryExec: 20 trees, 140 leaves" */
} dvi_predictor_info;

/* Check that the kinds of all parts are known, in a version that can be read. DV_OK;
 * DV_ERR_UNSUPPORTED: the message names the loader of the one that is not. */
dv_status dvi_predictor_check_parts(const dvi_predictor_part *parts, int32_t n, dv_error *err);

/* Read a predictor, or a calibrator, whose own part has the folder "". Nothing of the parts is kept.
 * Release it with dvi_predictor_release.
 *
 * DV_OK
 * DV_ERR_CORRUPT      a rule of docs/spec/predictors.md is broken
 * DV_ERR_UNSUPPORTED  a kind or version that is not known
 * DV_ERR_MEMORY */
dv_status dvi_predictor_read(dvi_predictor **predictor_out, const dvi_predictor_part *parts,
                             int32_t n, const dv_allocator *allocator, dv_error *err);
dv_status dvi_calibrator_read(dvi_predictor **calibrator_out, const dvi_predictor_part *parts,
                              int32_t n, const dv_allocator *allocator, dv_error *err);
void dvi_predictor_retain(dvi_predictor *predictor);
void dvi_predictor_release(dvi_predictor **predictor); /* NULL is fine */

const dvi_predictor_info *dvi_predictor_inspect(const dvi_predictor *predictor);

/* Score a row.
 *
 * x        of as many slots as the predictor has features; ignored if it takes none
 * scratch  scratch_nbytes, aligned for any type
 * scores   of `scores` items, or one */
void dvi_predictor_score(const dvi_predictor *predictor, const dvi_features *x, void *scratch,
                         float *scores);
/* The probability that belongs to a score, of one with probabilities. */
float dvi_predictor_probability(const dvi_predictor *predictor, float score);

#endif
