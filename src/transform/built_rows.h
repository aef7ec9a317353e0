/* SPDX-License-Identifier: MIT */
/* built_rows.h: vectors laid out as ML.NET's builder of vectors lays them out (modelzip:S5). */
#ifndef DVI_TRANSFORM_BUILT_ROWS_H
#define DVI_TRANSFORM_BUILT_ROWS_H

#include "view/column.h"

/* Memory for one column, reused for each batch. Start from {0}. */
typedef struct dvi_built_rows {
    dvi_memory *values, *counts, *indices;
} dvi_built_rows;

/* Lay out vectors of R4 or R8 anew. A row is dense if at least half its slots, rounded down, and at
 * least one, are not 0; otherwise it is sparse, and has the values that are not 0. The items of dst start at row
 * 0. DV_OK; DV_ERR_LIMIT: as dvi_holes_check; DV_ERR_MEMORY. */
dv_status dvi_built_rows_fill(dvi_built_rows *built, dvi_column *dst, const dv_allocator *allocator,
                              dv_error *err);
void dvi_built_rows_free(dvi_built_rows *built);

#endif
