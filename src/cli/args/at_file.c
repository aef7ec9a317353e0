/* SPDX-License-Identifier: MIT */
/* at_file.c: splits an option file into words, in place. */
#include "cli/args/at_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MIB 1 /* at most */
#define TEXT_MIB 64
#define BLANKS " \t\r\n"

static dvi_exit fail_read(const char *path)
{
    dvi_say("%s: cannot be read: %s", path, strerror(errno));
    return DVI_EXIT_SYSTEM;
}

/* Read the whole file and end it with a NUL. */
static dvi_exit read_text(char **text_out, const char *path, int most)
{
    const size_t nbytes = (size_t)most << 20;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return fail_read(path);
    char *text = *text_out = malloc(nbytes + 1);
    const size_t n = text ? fread(text, 1, nbytes, file) : 0;
    dvi_exit status = DVI_EXIT_DONE;
    if (!text)
        status = dvi_say_memory();
    else if (ferror(file))
        status = fail_read(path);
    else if (n == nbytes)
        status = dvi_say_usage("%s: an option file has at most %d MiB", path, most);
    else if (memchr(text, 0, n))
        status = dvi_say_usage("%s: not an option file: it contains a NUL byte", path);
    else
        text[n] = 0;
    fclose(file);
    return status;
}

/* The start of the next word, or the end. */
static char *skip_blanks(char *at)
{
    at += strspn(at, BLANKS);
    while (*at == '#') {
        at += strcspn(at, "\n");
        at += strspn(at, BLANKS);
    }
    return at;
}

/* Remove quotes and backslashes from the word at *at, in place, and move past it; false: a quote is
 * not closed. */
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
    const dvi_exit status = read_text(text_out, path, WORDS_MIB);
    if (status || !*text_out)
        return status;
    for (char *at = skip_blanks(*text_out); *at; at = skip_blanks(at)) {
        char *const word = at;
        const int line = line_of(*text_out, at);
        if (!unquote(&at))
            return dvi_say_usage("%s, line %d: a quote is not closed", path, line);
        if (!dvi_words_add(words, word))
            return dvi_say_memory();
    }
    return DVI_EXIT_DONE;
}

dvi_exit dvi_at_file_text(char **text_out, const char *path)
{
    *text_out = NULL;
    return read_text(text_out, path, TEXT_MIB);
}
