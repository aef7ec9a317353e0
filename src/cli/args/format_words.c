/* SPDX-License-Identifier: MIT */
/* format_words.c: lists format names from the library's table of formats. */
#include "cli/args/format_words.h"
#include "cli/args/option_value.h"
#include <dataview/format.h>
#include <stdio.h>
#include <strings.h>

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

dvi_exit dvi_set_format(const char *option, const char *text, const char *const *known,
                        const char **name_out)
{
    char path[32];
    const int n = snprintf(path, sizeof path, "x.%s", text);
    const dv_format_info *meant = n > 2 && (size_t)n < sizeof path ? dv_format_of_path(path) : NULL;
    if (!meant || strcasecmp(meant->name, text) == 0)
        return dvi_set_name(option, text, known, name_out);
    return dvi_say_usage("%s does not accept '%s', an extension; the format is %s", option, text,
                         meant->name);
}
