/* SPDX-License-Identifier: MIT */
/* datadings_words.h: the words of an option string of datadings. */
#ifndef DVI_CLI_DATADINGS_WORDS_H
#define DVI_CLI_DATADINGS_WORDS_H

#include <dataview/type.h>

/* Get the next word, which points into the string, and move *at after it.  Blanks divide words, but
 * not within braces.  false: there is none. */
bool dvi_datadings_word(const char **at, dv_text *word_out);

/* Is the word this option, with or without a value?  Has the string (NULL: "") such a word? */
bool dvi_datadings_is(dv_text word, const char *option);
bool dvi_datadings_has(const char *options, const char *option);

#endif
