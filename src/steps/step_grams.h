/* SPDX-License-Identifier: MIT */
/* step_grams.h: options of grams that several steps have. */
#ifndef DVI_STEPS_STEP_GRAMS_H
#define DVI_STEPS_STEP_GRAMS_H

#include "steps/step_class.h"
#include "transform/grams.h"

/* The names of the options of a step that describe grams. */
typedef struct dvi_gram_names {
    const char *n, *skips, *all, *max, *weight;
} dvi_gram_names;

/* Those of ngram and wordbag. */
extern const dvi_gram_names dvi_gram_plain_names;

dvi_gram_shape dvi_step_gram_shape(const dv_step *step, const dvi_gram_names *names);
/* DV_OK; DV_ERR_ARGUMENT: `max` is no list of numbers, or of more than n. */
dv_status dvi_step_gram_options(dvi_gram_options *options_out, const dv_step *step,
                                const dvi_gram_names *names, dv_error *err);

#endif
