/* SPDX-License-Identifier: MIT */
/* gathered_rows.h: rows of kept batches, copied one after the other into columns that grow. */
#ifndef DVI_GATHER_GATHERED_ROWS_H
#define DVI_GATHER_GATHERED_ROWS_H

#include "gather/block.h"
#include "gather/row_ref.h"

/* The columns of a request; its ids are one more, after the others. */
typedef struct dvi_gathered_rows {
    const dv_cursor_request *request; /* outlives them */
    int32_t columns;
    int32_t first; /* column 0 is this one of the references, and of batches */
    dvi_growing_column *column;
} dvi_gathered_rows;

/* Zeroed before.  DV_OK; DV_ERR_MEMORY: as after dvi_gathered_free. */
dv_status dvi_gathered_make(dvi_gathered_rows *rows, const dv_cursor_request *request,
                            dv_error *err);
void dvi_gathered_free(dvi_gathered_rows *rows); /* zeroed is fine */

/* Copy n rows into `count` columns from column k on.
 * DV_OK
 * DV_ERR_MEMORY, DV_ERR_LIMIT  more text than one column holds: nothing was copied
 * DV_ERR_CORRUPT               the file changes: no row may be delivered */
dv_status dvi_gathered_add(dvi_gathered_rows *rows, int32_t k, int32_t count,
                           const dvi_row_ref *refs, int64_t n, dv_error *err);
/* The same, of the rows of a batch, for all columns. */
dv_status dvi_gathered_add_batch(dvi_gathered_rows *rows, const dv_batch *batch, dv_error *err);

/* Keep the memory, and drop the rows. */
void dvi_gathered_reset(dvi_gathered_rows *rows);

/* The bytes of column k; of all columns. */
int64_t dvi_gathered_nbytes_of(const dvi_gathered_rows *rows, int32_t k);
int64_t dvi_gathered_nbytes(const dvi_gathered_rows *rows);

/* Let a batch have `count` columns from column k on.  It was started with their rows. */
void dvi_gathered_lend(const dvi_gathered_rows *rows, int32_t k, int32_t count, dv_batch *batch);

/* Keep the rows as a batch, whose memory they share until the next reset.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_gathered_keep(const dvi_gathered_rows *rows, dvi_kept_batch **kept_out,
                            dv_error *err);

#endif
