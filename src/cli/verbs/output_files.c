/* SPDX-License-Identifier: MIT */
/* output_files.c: checks that each file that a verb writes is a file of its own. */
#include "cli/verbs/output_files.h"
#include <dataview/format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return path && stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* The file that the verb reads and that is this one; NULL: none. */
static const char *find_input(const dvi_args *args, const char *path)
{
    struct stat out;
    if (stat(path, &out) != 0)
        return NULL;
    for (int i = 0; i < args->paths.count; i++)
        if (is_same_file(&out, args->paths.word[i]))
            return args->paths.word[i];
    const char *const others[] = {args->fit_on, args->model, args->pipe_file};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_same_file(&out, others[i]))
            return others[i];
    return NULL;
}

dvi_exit dvi_output_files_keep_inputs(const dvi_args *args, const char *path)
{
    const char *input = find_input(args, path);
    if (!input)
        return DVI_EXIT_DONE;
    return dvi_say_usage("%s is read, and %s would replace it: write to another file", input,
                         strcmp(path, input) == 0 ? "the output" : path);
}

/* Refuse to write a file that a directory or pattern of the input matches: the next run would read
 * it. */
static dvi_exit refuse_matched(const dvi_args *args, const char *path)
{
    struct stat out;
    bool is_read = false, is_named = false;
    if (stat(path, &out) != 0)
        return DVI_EXIT_DONE;
    for (int i = 0; i < args->paths.count; i++)
        is_read = is_read || is_same_file(&out, args->paths.word[i]);
    for (int i = 0; i < args->files.count; i++)
        is_named = is_named || is_same_file(&out, args->files.word[i]);
    if (is_read && !is_named)
        return dvi_say_usage("%s exists and is one of the %d input files; write to another "
                             "directory, or name the input files one by one",
                             path, args->paths.count);
    return DVI_EXIT_DONE;
}

/* Add the names of the side files that the format of a path has. */
static bool add_side_files(dvi_words *sides, const dvi_args *args, const char *path)
{
    const dv_format_info *format = dv_format_find(dvi_save_args_format(&args->save, path));
    const char *suffix = format ? format->side_files : "";
    bool ok = true;
    while (*suffix && ok) {
        const size_t n = strcspn(suffix, " ");
        char *side;
        ok = asprintf(&side, "%s%.*s", path, (int)n, suffix) >= 0 && dvi_words_own(sides, side);
        suffix += n + strspn(suffix + n, " ");
    }
    return ok;
}

/* Check files that a save would replace. */
static dvi_exit compare(const dvi_words *files)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_save_check_paths(files->word, files->count, NULL, &err);
    if (status == DV_ERR_ARGUMENT)
        return dvi_say_usage("%s", err.message);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

static bool list(dvi_words *files, const dvi_args *args, const dvi_words *sides,
                 const char *const *paths, int n)
{
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = dvi_words_add(files, paths[i]);
    for (int i = 0; i < sides->count && ok; i++)
        ok = dvi_words_add(files, sides->word[i]);
    if (ok && args->cache && strcmp(args->cache, "memory") != 0)
        ok = dvi_words_add(files, args->cache);
    return ok;
}

/* A save alone reports by itself what is wrong with its path. */
static dvi_exit check(const dvi_args *args, const dvi_words *sides, const char *const *paths, int n)
{
    dvi_words files = {0};
    dvi_exit status = DVI_EXIT_DONE;
    for (int i = 0; i < n && !status; i++)
        status = refuse_matched(args, paths[i]);
    for (int i = 0; i < sides->count && !status; i++)
        status = dvi_output_files_keep_inputs(args, sides->word[i]);
    if (!status && !list(&files, args, sides, paths, n))
        status = dvi_say_memory();
    if (!status && files.count > 1)
        status = compare(&files);
    dvi_words_free(&files);
    return status;
}

dvi_exit dvi_output_files_check(const dvi_args *args, const char *const *paths, int n)
{
    dvi_words sides = {0};
    bool ok = true;
    for (int i = 0; i < n && ok; i++)
        ok = add_side_files(&sides, args, paths[i]);
    const dvi_exit status = ok ? check(args, &sides, paths, n) : dvi_say_memory();
    dvi_words_free_all(&sides);
    return status;
}
