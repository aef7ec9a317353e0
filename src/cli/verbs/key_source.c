/* SPDX-License-Identifier: MIT */
/* key_source.c: reads keys from the command line and from a file, in portions. */
#include "cli/verbs/key_source.h"
#include "cli/terminal/say.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PORTION_NBYTES ((size_t)1 << 20) /* a longer key is a portion of its own */

void dvi_key_source_init(dvi_key_source *source, const dvi_args *args)
{
    *source = (dvi_key_source){.args = args, .is_last = !args->key_file && !args->keys.count};
}

void dvi_key_source_free(dvi_key_source *source)
{
    if (source->file && source->file != stdin)
        fclose(source->file);
    free(source->line);
    free(source->bytes);
    dvi_key_source_init(source, source->args);
}

static dvi_exit fail_read(const dvi_key_source *source)
{
    dvi_say("%s: cannot be read: %s", source->args->key_file, strerror(errno));
    return DVI_EXIT_SYSTEM;
}

static dvi_exit open_file(dvi_key_source *source)
{
    const char *path = source->args->key_file;
    if (source->file)
        return DVI_EXIT_DONE;
    source->file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    return source->file ? DVI_EXIT_DONE : fail_read(source);
}

/* Read a line without its line feed.  *n_out: -1 at the end. */
static dvi_exit read_line(dvi_key_source *source, ssize_t *n_out)
{
    errno = 0;
    *n_out = getline(&source->line, &source->line_cap, source->file);
    if (*n_out < 0 && errno == ENOMEM)
        return dvi_say_memory();
    if (*n_out < 0 && ferror(source->file))
        return fail_read(source);
    if (*n_out > 0 && source->line[*n_out - 1] == '\n')
        --*n_out;
    return DVI_EXIT_DONE;
}

/* Append the line.  Keys get their bytes once all of the portion are read. */
static bool add_line(dvi_key_source *source, size_t n, size_t *used)
{
    if (n > source->bytes_cap - *used) {
        const size_t cap = 2 * (*used + n) + 4096;
        char *bytes = realloc(source->bytes, cap);
        if (!bytes)
            return false;
        source->bytes = bytes;
        source->bytes_cap = cap;
    }
    if (n > 0)
        memcpy(source->bytes + *used, source->line, n);
    source->key[source->n++].nbytes = (int64_t)n;
    *used += n;
    return true;
}

static dvi_exit read_lines(dvi_key_source *source)
{
    const int first = source->n;
    size_t used = 0;
    dvi_exit status = open_file(source);
    while (!status && !source->is_last && source->n < DVI_KEYS_AT_ONCE && used < PORTION_NBYTES) {
        ssize_t n = 0;
        status = read_line(source, &n);
        source->is_last = n < 0;
        if (!status && n >= 0 && !add_line(source, (size_t)n, &used))
            status = dvi_say_memory();
    }
    used = 0;
    for (int i = first; i < source->n; i++) {
        source->key[i].data = source->bytes ? source->bytes + used : "";
        used += (size_t)source->key[i].nbytes;
    }
    return status;
}

dvi_exit dvi_key_source_next(dvi_key_source *source)
{
    const dvi_words *words = &source->args->keys;
    source->n = 0;
    while (source->next < words->count && source->n < DVI_KEYS_AT_ONCE)
        source->key[source->n++] = dv_text_of(words->word[source->next++]);
    if (source->next < words->count)
        return DVI_EXIT_DONE;
    if (source->args->key_file)
        return read_lines(source);
    source->is_last = true;
    return DVI_EXIT_DONE;
}
