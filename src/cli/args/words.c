/* SPDX-License-Identifier: MIT */
/* words.c: a list of words that grows. */
#include "cli/args/words.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

bool dvi_words_add(dvi_words *words, const char *word)
{
    if (words->count == words->cap) {
        const int cap = words->cap ? 2 * words->cap : 8;
        const char **more = realloc(words->word, (size_t)cap * sizeof *more);
        if (!more)
            return false;
        words->word = more;
        words->cap = cap;
    }
    words->word[words->count++] = word;
    return true;
}

bool dvi_words_own(dvi_words *words, char *word)
{
    if (word && dvi_words_add(words, word))
        return true;
    free(word);
    return false;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void dvi_words_sort(dvi_words *words, int first)
{
    if (words->count > first)
        qsort(words->word + first, (size_t)(words->count - first), sizeof *words->word, compare);
}

void dvi_words_free(dvi_words *words)
{
    free(words->word);
    *words = (dvi_words){0};
}

void dvi_words_free_all(dvi_words *words)
{
    for (int i = 0; i < words->count; i++)
        free((char *)(uintptr_t)words->word[i]);
    dvi_words_free(words);
}
