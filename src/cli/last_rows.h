/* SPDX-License-Identifier: MIT */
/* last_rows.h: which batches hold the last rows, when nobody knows how many there will be? */
#ifndef DVI_CLI_LAST_ROWS_H
#define DVI_CLI_LAST_ROWS_H

#include <dataview/batch.h>

/* Start from {.wanted = N}.  Batches that are held, each with a reference, in their order. */
typedef struct dvi_last_rows {
    int64_t wanted;
    const dv_batch **batch;
    size_t first, end, cap; /* of the array: batches first..end-1 are held */
    int64_t rows;           /* in these */
} dvi_last_rows;

/* Hold the batch, and let go of those that are not needed any more: together they have the last
 * `wanted` rows and less than a batch over.  false: out of memory. */
bool dvi_last_rows_keep(dvi_last_rows *last, const dv_batch *batch);

/* Rows of the first batch that are over. */
int64_t dvi_last_rows_over(const dvi_last_rows *last);

void dvi_last_rows_free(dvi_last_rows *last);

#endif
