/* SPDX-License-Identifier: MIT */
/* text_targets.h: maps source columns to the columns that use them. */
#ifndef DVI_FORMAT_TEXT_TARGETS_H
#define DVI_FORMAT_TEXT_TARGETS_H

#include "format/text/read/text_layout.h"

/* A segment of the k-th requested column. */
typedef struct dvi_text_target {
    int32_t column, segment;
    int64_t first; /* source column of the segment's first slot */
} dvi_text_target;

/* Source columns up to `end` that have the same targets. */
typedef struct dvi_text_interval {
    int64_t end;
    size_t first, n; /* targets */
} dvi_text_interval;

/* Intervals from source column 0 on. No column uses those after the last interval. */
typedef struct dvi_text_targets {
    dvi_text_interval *intervals;
    size_t intervals_count;
    dvi_text_target *targets;
} dvi_text_targets;

/* DV_OK; DV_ERR_LIMIT: too many columns share source columns; DV_ERR_MEMORY. */
dv_status dvi_text_targets_make(dvi_text_targets *targets_out, const dvi_text_layout *layout,
                                const int32_t *columns, int32_t columns_count, dvi_arena *arena,
                                dv_error *err);

#endif
