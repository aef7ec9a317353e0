/* SPDX-License-Identifier: MIT */
/* at_file.c: words from a file. */
#include "cli/at_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_NBYTES ((size_t)1 << 20) /* at most */
#define BLANKS " \t\r\n"

static dvi_exit fail_read(const char *path)
{
    dvi_say("%s: cannot be read: %s", path, strerror(errno));
    return DVI_EXIT_SYSTEM;
}

/* All of the file, with a NUL behind it. */
static dvi_exit read_text(char **text_out, const char *path)
{
    FILE *file = fopen(path, "rbe");
    if (!file)
        return fail_read(path);
    char *text = *text_out = malloc(TEXT_NBYTES + 1);
    const size_t n = text ? fread(text, 1, TEXT_NBYTES, file) : 0;
    dvi_exit status = DVI_EXIT_DONE;
    if (!text)
        status = dvi_say_memory();
    else if (ferror(file))
        status = fail_read(path);
    else if (n == TEXT_NBYTES)
        status = dvi_say_usage("%s: too long for a file of options", path);
    else if (memchr(text, 0, n))
        status = dvi_say_usage("%s: a file of options is text, without NUL", path);
    else
        text[n] = 0;
    fclose(file);
    return status;
}

/* Where the next word starts, or the end. */
static char *skip_blanks(char *at)
{
    at += strspn(at, BLANKS);
    while (*at == '#') {
        at += strcspn(at, "\n");
        at += strspn(at, BLANKS);
    }
    return at;
}

/* Take quotes and backslashes out of the word at *at, in its place, and step behind it; false: a
 * quote does not end. */
static bool unquote(char **at)
{
    char *from = *at, *to = *at, quote = 0;
    for (; *from && (quote || !strchr(BLANKS, *from)); from++) {
        if (quote ? *from == quote : *from == '\'' || *from == '"')
            quote = quote ? 0 : *from;
        else if (*from == '\\' && quote != '\'' && from[1])
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *at = from + (*from != 0);
    *to = 0;
    return !quote;
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

dvi_exit dvi_at_file_read(dvi_words *words, char **text_out, const char *path)
{
    *text_out = NULL;
    const dvi_exit status = read_text(text_out, path);
    if (status || !*text_out)
        return status;
    for (char *at = skip_blanks(*text_out); *at; at = skip_blanks(at)) {
        char *const word = at;
        const int line = line_of(*text_out, at);
        if (!unquote(&at))
            return dvi_say_usage("%s, line %d: a quote that does not end", path, line);
        if (!dvi_words_add(words, word))
            return dvi_say_memory();
    }
    return DVI_EXIT_DONE;
}
