/* SPDX-License-Identifier: MIT */
/* diff_rows.h: which values of two tables differ, row by row? */
#ifndef DVI_CLI_DIFF_ROWS_H
#define DVI_CLI_DIFF_ROWS_H

#include "cli/contrast.h"
#include "cli/match.h"

/* Start from the first five members, add columns, compare. */
typedef struct dvi_diff_rows {
    const dvi_contrast *contrast;
    /* A value that differs, of the column that was added as `id`; another status than DVI_EXIT_DONE
     * ends it. */
    dvi_exit (*found)(void *ctx, int64_t row, int32_t id, const dvi_difference *what);
    /* So many rows of all (-1: unknown) have been compared; false: enough. */
    bool (*step)(void *ctx, int64_t done, int64_t all);
    void *ctx;

    int32_t count, cap;
    int32_t *column[2], *id; /* `count` each; owned */

    int64_t rows[2]; /* of each table, counted where nobody knows */
    int64_t compared, different;
    bool is_stopped; /* by `step`: what is behind was not even counted */
} dvi_diff_rows;

/* Add a column of both; false: out of memory. */
bool dvi_diff_rows_add(dvi_diff_rows *rows, int32_t id, const dvi_pair *pair);

/* Compare the rows that args ask for, of both views.  DVI_EXIT_DONE, or another status when told
 * what is wrong. */
dvi_exit dvi_diff_rows_compare(dvi_diff_rows *rows, dv_view *const view[2], const dvi_args *args);

void dvi_diff_rows_free(dvi_diff_rows *rows);

#endif
