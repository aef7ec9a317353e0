/* SPDX-License-Identifier: MIT */
/* datadings_words.c: finds words in an option string of datadings. */
#include "cli/args/datadings_words.h"
#include <string.h>

bool dvi_datadings_word(const char **at, dv_text *word_out)
{
    const char *p = *at + strspn(*at, " \t");
    const char *start = p;
    int depth = 0;
    for (; *p && (depth > 0 || (*p != ' ' && *p != '\t')); p++) {
        if (*p == '\\' && p[1])
            p++;
        else
            depth += (*p == '{') - (*p == '}');
    }
    *word_out = (dv_text){start, p - start};
    *at = p;
    return p > start;
}

bool dvi_datadings_is(dv_text word, const char *option)
{
    const size_t n = strlen(option);
    return (size_t)word.nbytes >= n && strncmp(word.data, option, n) == 0 &&
           ((size_t)word.nbytes == n || strchr("=+-", word.data[n]));
}

bool dvi_datadings_has(const char *options, const char *option)
{
    dv_text word;
    for (const char *at = options ? options : ""; dvi_datadings_word(&at, &word);)
        if (dvi_datadings_is(word, option))
            return true;
    return false;
}
