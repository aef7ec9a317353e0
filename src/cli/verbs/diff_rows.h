/* SPDX-License-Identifier: MIT */
/* diff_rows.h: finds the values of two tables that differ, row by row. */
#ifndef DVI_CLI_DIFF_ROWS_H
#define DVI_CLI_DIFF_ROWS_H

#include "cli/verbs/diff_columns.h"
#include "cli/verbs/diff_value.h"

/* Set the first five members, add columns, compare. */
typedef struct dvi_diff_rows {
    const dvi_diff_rule *rule;
    /* Called for each value that differs, of the column added as `id`; a status other than
     * DVI_EXIT_DONE ends the comparison. */
    dvi_exit (*found)(void *ctx, int64_t row, int32_t id, const dvi_difference *what);
    /* Called with the rows compared so far and all rows (-1: unknown); false ends it. */
    bool (*step)(void *ctx, int64_t done, int64_t all);
    void *ctx;

    int32_t count, cap;
    int32_t *column[2], *id; /* `count` each; owned */

    int64_t rows[2]; /* of each table, counted if unknown */
    int64_t compared, different;
    bool is_stopped; /* by `step`: later rows are not counted */
} dvi_diff_rows;

/* Add a column of both; false: out of memory. */
bool dvi_diff_rows_add(dvi_diff_rows *rows, int32_t id, const dvi_pair *pair);

/* Compare the selected rows of both views.  DVI_EXIT_DONE, or another status after a message. */
dvi_exit dvi_diff_rows_compare(dvi_diff_rows *rows, dv_view *const view[2], const dvi_args *args);

void dvi_diff_rows_free(dvi_diff_rows *rows);

#endif
