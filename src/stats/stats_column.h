/* SPDX-License-Identifier: MIT */
/* stats_column.h: summarises the values of a column in a run of rows. */
#ifndef DVI_VIEW_STATS_COLUMN_H
#define DVI_VIEW_STATS_COLUMN_H

#include "stats/stats_distinct.h"
#include "stats/stats_tree.h"

/* Counts stop here; the result reports them as INT64_MAX. */
#define DVI_COUNT_MOST (INT64_MAX / 2)

/* least and most are set if count > 0. */
typedef struct dvi_length_sum {
    int64_t count, total, least, most;
} dvi_length_sum;

typedef struct dvi_stats_column {
    const dv_type *type; /* index in the schema */
    dv_type item;        /* of its values */
    dv_stats_form form;
    int64_t rows; /* in the open leaf */
    int64_t values, na, defaults;
    int64_t zeros; /* equal to 0 in the order: not in the tree */
    int64_t negative_infinities, positive_infinities;
    uint64_t low, high; /* of the values in the tree; low > high: none */
    dvi_length_sum vectors, texts;
    bool has_distinct;
    dvi_tree tree;
    dvi_distinct distinct;
} dvi_stats_column;

/* Limits, as in dv_stats_options. */
void dvi_stats_column_init(dvi_stats_column *column, const dv_type *type, size_t exact_values,
                           size_t exact_distinct, atomic_bool *many, const dv_allocator *allocator);
void dvi_stats_column_free(dvi_stats_column *column);
/* Reset to no rows of another column, with the same limits. */
void dvi_stats_column_reset(dvi_stats_column *column, const dv_type *type, atomic_bool *many);

/* Add all rows of a column view. */
dv_status dvi_stats_column_add(dvi_stats_column *column, const dv_column_view *view, dv_error *err);
/* Add all rows of a column view to n parts of its column: all of it if slot is -1, and n is 1; else
 * n slots from `slot` on.  The parts have had the same rows before. */
dv_status dvi_stats_part_add(dvi_stats_column *part, int32_t n, int32_t slot,
                             const dv_column_view *view, dv_error *err);
/* End the rows. */
dv_status dvi_stats_column_end(dvi_stats_column *column, dv_error *err);

/* Add the rows that follow, which have ended; reset `next` before using it again. */
dv_status dvi_stats_column_absorb(dvi_stats_column *column, dvi_stats_column *next, dv_error *err);

/* The value of a number of the tree, and the reverse; -0 becomes 0. */
dv_stats_value dvi_stats_value_of(dv_stats_form form, uint64_t key);
uint64_t dvi_stats_key_of(dv_stats_form form, dv_stats_value value);
double dvi_stats_number_of(dv_stats_form form, uint64_t key);

#endif
