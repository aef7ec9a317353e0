/* SPDX-License-Identifier: MIT */
/* step_needs.h: the most memory that learners take, from what they keep of each value.
 *
 * Buffers that grow have room for twice as many items, and while one grows, its old memory is there
 * too: three times an item.  Tests compare with what fitting has asked for. */
#ifndef DVI_STEPS_STEP_NEEDS_H
#define DVI_STEPS_STEP_NEEDS_H

#include "steps/step_class.h"
#include "transform/grams.h"

/* Distinct values, at most `most` of them. */
void dvi_need_terms(dv_fit_need *need, const dvi_step_amounts *amounts, const dv_type *item,
                    int64_t most);
/* Grams, as many as the options say. */
void dvi_need_grams(dv_fit_need *need, const dvi_gram_options *options);
/* `nbytes` for each slot. */
void dvi_need_slots(dv_fit_need *need, const dvi_step_amounts *amounts, int64_t nbytes);
/* The distinct numbers of each slot. */
void dvi_need_tally(dv_fit_need *need, const dvi_step_amounts *amounts, int64_t rows_most);

#endif
