/* SPDX-License-Identifier: MIT */
/* last_rows.h: keeps the batches with the last rows of a view of unknown length. */
#ifndef DVI_CLI_LAST_ROWS_H
#define DVI_CLI_LAST_ROWS_H

#include <dataview/batch.h>

/* Start from {.wanted = N}.  Holds a reference to each kept batch, in order. */
typedef struct dvi_last_rows {
    int64_t wanted;
    const dv_batch **batch;
    size_t first, end, cap; /* batches first to end - 1 of the array are kept */
    int64_t rows;           /* in these */
} dvi_last_rows;

/* Keep the batch, and release those no longer needed: together they have the last `wanted` rows,
 * and at most part of a batch more.  false: out of memory. */
bool dvi_last_rows_keep(dvi_last_rows *last, const dv_batch *batch);

/* Rows at the start of the first batch that are not wanted. */
int64_t dvi_last_rows_over(const dvi_last_rows *last);

void dvi_last_rows_free(dvi_last_rows *last);

#endif
