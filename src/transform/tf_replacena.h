/* SPDX-License-Identifier: MIT */
/* tf_replacena.h: values in place of missing ones (semantics:7.13; ML.NET: MissingValueReplacing,
 * and with the indicators of isna beside them MissingValueHandling). */
#ifndef DVI_TRANSFORM_TF_REPLACENA_H
#define DVI_TRANSFORM_TF_REPLACENA_H

#include "transform/learned_table.h"
#include "transform/mapper.h"

/* What stands for NA: Value, a row for each slot, or one for all. */
extern const dvi_learned_columns dvi_replacements;

/* Plan a column of the same type (mapper.h). options: a dvi_learned_table, which outlives the view.
 * DV_ERR_ARGUMENT: neither R4 nor R8, or other slots than those that were learned from. */
dv_status dvi_replacena_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const void *options, dv_error *err);

/* Plan a column of vectors of twice as many slots: the values so replaced, then 1 for each that was
 * missing, else 0. */
dv_status dvi_handlena_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            int32_t column, const void *options, dv_error *err);

#endif
