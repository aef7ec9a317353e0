/* SPDX-License-Identifier: MIT */
/* format_words.c: lists format names from the library's table of formats. */
#include "cli/args/format_words.h"
#include <dataview/format.h>
#include <stddef.h>

#define WORDS_CAP 32

/* Fill the list anew: the same words each time, for the library's table does not change. */
static const char *const *list_words(const char *words[WORDS_CAP], bool only_saved)
{
    int n = 0;
    for (int32_t i = 0; i < dv_format_count() && n < WORDS_CAP - 1; i++)
        if (!only_saved || dv_format_at(i)->can_save)
            words[n++] = dv_format_at(i)->name;
    words[n] = NULL;
    return words;
}

const char *const *dvi_format_words(void)
{
    static const char *words[WORDS_CAP];
    return list_words(words, false);
}

const char *const *dvi_saved_format_words(void)
{
    static const char *words[WORDS_CAP];
    return list_words(words, true);
}
