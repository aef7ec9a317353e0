/* SPDX-License-Identifier: MIT */
/* tf_word_keys.h: columns of the numbers of words, straight from texts: what the steps tokenize and
 * term make, one after the other. */
#ifndef DVI_TRANSFORM_TF_WORD_KEYS_H
#define DVI_TRANSFORM_TF_WORD_KEYS_H

#include "transform/mapper.h"
#include "transform/terms.h"
#include "transform/word_reader.h"

/* Let a column of keys be made of its sources, which are texts. `words` and `terms` outlive it.
 * DV_OK; DV_ERR_MEMORY. */
dv_status dvi_word_keys_map(dvi_mapped *mapped, dvi_arena *arena, const dvi_words *words,
                            const dvi_terms *terms, dv_error *err);

#endif
