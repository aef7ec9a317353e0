/* SPDX-License-Identifier: MIT */
/* cmd_split.c: a table as several files. */
#include "cli/option_value.h"
#include "cli/writing.h"
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARTS_MOST 1000000

/* --- Where it is cut -------------------------------------------------------------------------- */

/* Parts that end before each position, and the last one: `at` are rows of the whole. */
static dvi_exit cut(dvi_part **part_out, int *parts_out, const int64_t *at, int64_t n, int64_t rows)
{
    dvi_part *part = calloc((size_t)n + 1, sizeof *part);
    if (!part)
        return dvi_say_memory();
    for (int64_t i = 0; i <= n; i++) {
        part[i].skip = i ? at[i - 1] : 0;
        part[i].take = (i < n ? at[i] : rows) - part[i].skip;
    }
    *part_out = part;
    *parts_out = (int)n + 1;
    return DVI_EXIT_DONE;
}

/* The positions of the command line; each has to leave something on both sides. */
static dvi_exit read_positions(int64_t *at, const dvi_args *args, int64_t rows)
{
    for (int i = 0; i < args->numbers.count; i++) {
        const char *word = args->numbers.word[i];
        const dvi_exit status = dvi_set_count("a position", word, INT64_MAX, &at[i]);
        if (status)
            return status;
        if (i && at[i] <= at[i - 1])
            return dvi_say_usage("position %s is not behind %s", word, args->numbers.word[i - 1]);
        if (at[i] < 1 || at[i] >= rows)
            return dvi_say_usage("a position is 1 to %" PRId64 ", since there are %" PRId64
                                 " rows; not %s",
                                 rows - 1, rows, word);
    }
    return DVI_EXIT_DONE;
}

static int64_t count_positions(const dvi_args *args, int64_t rows)
{
    if (args->every < 0)
        return args->numbers.count;
    return rows ? (rows - 1) / args->every : 0;
}

static dvi_exit make_parts(dvi_part **part_out, int *parts_out, const dvi_args *args, int64_t rows)
{
    const int64_t n = count_positions(args, rows);
    if (n >= PARTS_MOST)
        return dvi_say_usage("that were %" PRId64 " files; %d is the most", n + 1, PARTS_MOST);
    int64_t *at = calloc((size_t)n + 1, sizeof *at);
    if (!at)
        return dvi_say_memory();
    dvi_exit status = args->every < 0 ? read_positions(at, args, rows) : DVI_EXIT_DONE;
    for (int64_t i = 0; i < n && !status && args->every >= 0; i++)
        at[i] = (i + 1) * args->every;
    if (!status)
        status = cut(part_out, parts_out, at, n, rows);
    free(at);
    return status;
}

/* --- What they are called --------------------------------------------------------------------- */

/* NAME.EXT as NAME-I.EXT; the numbers have as many digits as the last one. */
static char *numbered(const char *path, int i, int parts)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *point = strrchr(name, '.');
    const int stem = (int)((point && point > name ? point : path + strlen(path)) - path);
    const int digits = snprintf(NULL, 0, "%d", parts - 1);
    const size_t cap = strlen(path) + (size_t)digits + 2;
    char *made = malloc(cap);
    if (made)
        snprintf(made, cap, "%.*s-%0*d%s", stem, path, digits, i, path + stem);
    return made;
}

/* The name that stands for all of them; NULL: each has its own, or it was told what is wrong. */
static const char *find_base(const dvi_args *args, int parts, dvi_exit *status_out)
{
    const int named = args->outs.count;
    const bool is_one =
        args->paths.count == 1 && strcmp(args->paths.word[0], *args->files.word) == 0;
    *status_out = DVI_EXIT_DONE;
    if (named == 1)
        return args->outs.word[0];
    if (named == 0 && is_one)
        return args->paths.word[0];
    if (named == 0)
        *status_out = dvi_say_usage("what is read has no name of its own: say -o NAME.EXT for "
                                    "NAME-0.EXT and so on");
    else if (named != parts)
        *status_out = dvi_say_usage("%d files are written, but %d named with -o; once is enough: "
                                    "-o NAME.EXT for NAME-0.EXT and so on",
                                    parts, named);
    return NULL;
}

/* No file is written twice, and all of them in one format. */
static dvi_exit check_names(const dvi_part *part, int parts, const dvi_args *args)
{
    dvi_words sorted = {0};
    dvi_exit status = DVI_EXIT_DONE;
    const char *format = dvi_save_args_format(&args->save, part->path);
    for (int i = 0; i < parts && !status; i++) {
        status = dvi_save_args_check(&args->save, part[i].path);
        if (!status && strcmp(dvi_save_args_format(&args->save, part[i].path), format) != 0)
            status = dvi_say_usage("%s and %s are of different formats; --to says which",
                                   part->path, part[i].path);
        if (!status && !dvi_words_add(&sorted, part[i].path))
            status = dvi_say_memory();
    }
    dvi_words_sort(&sorted, 0);
    for (int i = 1; i < sorted.count && !status; i++)
        if (strcmp(sorted.word[i - 1], sorted.word[i]) == 0)
            status = dvi_say_usage("-o %s is there twice", sorted.word[i]);
    dvi_words_free(&sorted);
    return status;
}

/* Name the parts; the names become words of *names, which owns them. */
static dvi_exit name_parts(dvi_part *part, int parts, const dvi_args *args, dvi_words *names)
{
    dvi_exit status;
    const char *base = find_base(args, parts, &status);
    for (int i = 0; i < parts && !status; i++) {
        assert(base || args->outs.word[i]);
        char *name = base ? numbered(base, i, parts) : strdup(args->outs.word[i]);
        if (!dvi_words_own(names, name))
            return dvi_say_memory();
        part[i].path = name;
    }
    return status ? status : check_names(part, parts, args);
}

/* --- All of it -------------------------------------------------------------------------------- */

static dvi_exit run(dvi_writing *w)
{
    dvi_part *part = NULL;
    dvi_words names = {0};
    int64_t first;
    int parts = 0;
    dvi_exit status = dvi_writing_count(w, &first);
    if (!status)
        status = make_parts(&part, &parts, w->args, w->selection.rows);
    if (!status)
        status = name_parts(part, parts, w->args, &names);
    if (!status)
        status = dvi_writing_run(w, part, parts);
    dvi_words_free_all(&names);
    free(part);
    return status;
}

dvi_exit dvi_cmd_split(const dvi_args *args, dvi_out *out)
{
    dvi_writing w;
    if (args->every == 0)
        return dvi_say_usage("--every takes 1 at least");
    if ((args->every < 0) == (args->numbers.count == 0))
        return dvi_say_usage("split needs either positions or --every N: dataview split %s",
                             args->verb->arguments);
    dvi_exit status = dvi_writing_open(&w, args, out);
    if (!status)
        status = run(&w);
    dvi_writing_free(&w);
    return status;
}
