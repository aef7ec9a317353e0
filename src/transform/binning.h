/* SPDX-License-Identifier: MIT */
/* binning.h: where the distinct values of a slot are cut into bins (semantics:7.12,
 * semantics:7.18). */
#ifndef DVI_TRANSFORM_BINNING_H
#define DVI_TRANSFORM_BINNING_H

#include "transform/tally.h"

/* Cuts: before which distinct values, counted from 0, a bin begins; the first bin has none. */
typedef struct dvi_cuts {
    size_t *cut; /* ascending, at most bins - 1 of them, which the caller provides */
    size_t n;
} dvi_cuts;

/* Cut n distinct values, with their counts, into at most `bins` bins of nearly equal mass.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_binning_equal(dvi_cuts *cuts, const int64_t *counts, size_t n, size_t bins,
                            const dv_allocator *allocator, dv_error *err);

/* Cut values so that the bins tell the labels apart.
 *
 * entries  n of them, sorted by value, then label
 * labels   the labels are 0..labels-1
 * least    rows of a bin that is cut */
dv_status dvi_binning_labels(dvi_cuts *cuts, const dvi_tally_entry *entries, size_t n,
                             int32_t labels, size_t bins, int64_t least,
                             const dv_allocator *allocator, dv_error *err);

/* The bound between two values, a < b, of R4 or R8: it belongs to the lower bin. */
double dvi_binning_bound(double a, double b, dv_kind kind);

#endif
