/* SPDX-License-Identifier: MIT */
/* normalizer.h: columns of numbers that are brought to one scale, slot by slot, by what was learned
 * of them (semantics:7.12). */
#ifndef DVI_TRANSFORM_NORMALIZER_H
#define DVI_TRANSFORM_NORMALIZER_H

#include "transform/learned_table.h"
#include "transform/mapper.h"

/* What is learned: a row for each slot, of a scalar one; of bounds a row for each bin. */
extern const dvi_learned_columns dvi_scales;     /* Offset, Scale: (x - offset) * scale */
extern const dvi_learned_columns dvi_deviations; /* Mean, Deviation: of x, or of ln x */
extern const dvi_learned_columns dvi_bounds;     /* Slot, Bound: the greatest value of each bin */

typedef struct dvi_normalizer_options {
    const dvi_learned_table *learned; /* outlives the view */
    bool is_log;                      /* deviations: of ln x */
    bool fixes_zero;                  /* bounds: 0 stays 0 */
    bool is_built;                    /* lay vectors out as ML.NET does (built_rows.h) */
} dvi_normalizer_options;

/* Plan the column (mapper.h). options: dvi_normalizer_options. DV_ERR_ARGUMENT: the column has
 * another type or other slots than the one that was learned from. DV_ERR_MEMORY. */
dv_status dvi_normalizer_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                              int32_t column, const void *options, dv_error *err);

/* Check a column that is to be normalized: R4 or R8, a scalar or a vector of known size.
 * DV_ERR_ARGUMENT; also too many slots. */
dv_status dvi_normalizer_check(const dv_type *type, dv_error *err);

/* Check a table that may come from anyone (docs/spec/dvp.md). DV_ERR_CORRUPT. */
dv_status dvi_normalizer_check_table(const dvi_learned_table *learned, dv_error *err);

#endif
