/* SPDX-License-Identifier: MIT */
/* words.h: a list of words that grows. */
#ifndef DVI_CLI_WORDS_H
#define DVI_CLI_WORDS_H

#include <stdbool.h>

/* Start from {0}.  The words belong to somebody else, or all of them to the list. */
typedef struct dvi_words {
    const char **word;
    int count, cap;
} dvi_words;

/* Add a word; or one that the list then owns, which is freed when there is no memory (NULL: there
 * was none for it).  false: out of memory. */
bool dvi_words_add(dvi_words *words, const char *word);
bool dvi_words_own(dvi_words *words, char *word);

/* In the order of their bytes, from word `first` on. */
void dvi_words_sort(dvi_words *words, int first);

void dvi_words_free(dvi_words *words);     /* the list */
void dvi_words_free_all(dvi_words *words); /* and the words, which it owns */

#endif
