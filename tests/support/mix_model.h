/* SPDX-License-Identifier: MIT */
/* mix_model.h: the order of a mix, written from docs/shuffling.md without the library's code, row
 * by row. */
#ifndef DVT_MIX_MODEL_H
#define DVT_MIX_MODEL_H

#include <dataview/mix.h>

/* The mix of n sources with these rows. */
typedef struct dvt_mix {
    int32_t n;
    const int64_t *counts;
    dv_mix_options options;
} dvt_mix;

/* A row of a source. */
typedef struct dvt_mixed_row {
    int32_t source;
    int64_t row;
} dvt_mixed_row;

/* The first rows of an epoch, `most` at most; returns how many. */
int64_t dvt_mix_rows(dvt_mixed_row *out, int64_t most, const dvt_mix *mix, int64_t epoch);

/* The shares of the weights. */
void dvt_mix_shares(int64_t *shares_out, const double *weights, int32_t n);

#endif
