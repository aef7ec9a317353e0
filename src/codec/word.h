/* SPDX-License-Identifier: MIT */
/* word.h: compares text with words, ignoring the case of ASCII letters. */
#ifndef DVI_CODEC_WORD_H
#define DVI_CODEC_WORD_H

#include <stdbool.h>
#include <stddef.h>

static inline char dvi_to_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static inline bool dvi_is_letter(char c)
{
    return dvi_to_lower(c) >= 'a' && dvi_to_lower(c) <= 'z';
}

/* Whether the text is this lower-case word. Only ASCII letters have a case. */
static inline bool dvi_is_word(const char *src, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (word[i] == '\0' || dvi_to_lower(src[i]) != word[i])
            return false;
    return word[n] == '\0';
}

#endif
