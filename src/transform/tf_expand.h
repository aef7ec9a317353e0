/* SPDX-License-Identifier: MIT */
/* tf_expand.h: texts of terms and their frequencies, such as "a:2;b", as the terms themselves, "a a
 * b " (semantics:7.11; ML.NET: WordBags with termSeparator and freqSeparator). */
#ifndef DVI_TRANSFORM_TF_EXPAND_H
#define DVI_TRANSFORM_TF_EXPAND_H

#include "transform/mapper.h"
#include "transform/word_reader.h"

/* The most bytes that a text becomes. */
#define DVI_EXPANDED_NBYTES (1 << 20)

/* Plan a column TX of a column of TX: each term as often as its frequency says, a blank behind
 * each.
 *
 * separators  end a term. Terms lose the blanks around them, and empty ones are none. In the arena
 * frequency   stands before the frequency, an integer; in a term with several, the last one does.
 *             A term without it comes once, one with 0 or less never. In the arena
 *
 * A text is NA if it was, if a frequency is no integer, or if it would be too long.
 *
 * DV_OK; DV_ERR_ARGUMENT: another type, or `frequency` is empty; DV_ERR_MEMORY. */
dv_status dvi_expand_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                          int32_t column, const dvi_separators *separators, dv_text frequency,
                          dv_error *err);

#endif
