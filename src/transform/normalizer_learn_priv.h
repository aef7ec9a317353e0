/* SPDX-License-Identifier: MIT */
/* normalizer_learn_priv.h: what the files that learn to normalize share. */
#ifndef DVI_TRANSFORM_NORMALIZER_LEARN_PRIV_H
#define DVI_TRANSFORM_NORMALIZER_LEARN_PRIV_H

#include "transform/labels.h"
#include "transform/normalizer_learn.h"
#include "transform/slot_statistics.h"
#include "transform/tally.h"
#include "transform/vector_rows.h"

struct dvi_normalizer_learner {
    dv_allocator allocator;
    dvi_normalizer_how how;
    dv_kind real;
    int32_t slots, labels;
    int64_t rows;
    void *statistics; /* dvi_extremes or dvi_moments of each slot */
    dvi_tally tally;  /* bins, and robust */
    void *label_rows; /* int64_t of each label: rows that count */
};

/* Make the table of bounds. */
dv_status dvi_normalizer_finish_bounds(dvi_normalizer_learner *learner,
                                       dvi_learned_table **table_out, dv_error *err);

#endif
