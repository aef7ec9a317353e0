/* SPDX-License-Identifier: MIT */
/* tf_words.h: columns of the words of texts: what the steps tokenize, stopwords and, for vectors,
 * textnorm make (semantics:7.8, semantics:7.17; ML.NET: WordTokenizing, StopWordsRemoving,
 * TextNormalizing). */
#ifndef DVI_TRANSFORM_TF_WORDS_H
#define DVI_TRANSFORM_TF_WORDS_H

#include "transform/mapper.h"
#include "transform/word_reader.h"

/* Plan a column V<TX,*> of the words of n columns of texts or vectors of texts, one column after
 * the other. `words` and what it points to are in the arena. DV_OK; DV_ERR_ARGUMENT: another type;
 * DV_ERR_MEMORY. */
dv_status dvi_words_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         const int32_t *columns, int32_t n, const dvi_words *words, dv_error *err);

/* How the column is made of texts; NULL: it has no words of texts. */
const dvi_words *dvi_words_of(const dvi_mapped *mapped);

/* Check that a column has texts or vectors of texts. */
dv_status dvi_words_check(const dv_schema *source, int32_t column, dv_error *err);

/* Plan a column of normalized texts: of texts TX, in which NA stays; of vectors V<TX,*>, without
 * the texts of which nothing is left. Statuses as above. */
dv_status dvi_text_norm_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const dvi_text_norm_options *options, dv_error *err);

#endif
