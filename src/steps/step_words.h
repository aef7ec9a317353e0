/* SPDX-License-Identifier: MIT */
/* step_words.h: options of texts that several steps have. */
#ifndef DVI_STEPS_STEP_WORDS_H
#define DVI_STEPS_STEP_WORDS_H

#include "steps/step_class.h"
#include "transform/word_reader.h"

/* `sep`, a blank unless it is given; in the arena. DV_OK; DV_ERR_ARGUMENT: it is empty;
 * DV_ERR_MEMORY. */
dv_status dvi_step_read_separators(const dvi_separators **separators_out, const dv_step *step,
                                   dvi_arena *arena, dv_error *err);
/* case, diacritics, punctuation and numbers. */
dvi_text_norm_options dvi_step_text_norm(const dv_step *step);

#endif
