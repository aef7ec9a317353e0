/* SPDX-License-Identifier: MIT */
/* words.h: a list of words that grows. */
#ifndef DVI_CLI_WORDS_H
#define DVI_CLI_WORDS_H

#include <stdbool.h>

/* Start from {0}.  The list owns none of its words, or all of them. */
typedef struct dvi_words {
    const char **word;
    int count, cap;
} dvi_words;

/* Add a word; false: out of memory.  dvi_words_own takes ownership, also on failure; a NULL word is
 * a failed allocation. */
bool dvi_words_add(dvi_words *words, const char *word);
bool dvi_words_own(dvi_words *words, char *word);

/* Sort in byte order, from word `first` on. */
void dvi_words_sort(dvi_words *words, int first);

void dvi_words_free(dvi_words *words);     /* the list */
void dvi_words_free_all(dvi_words *words); /* the list and its words */

#endif
