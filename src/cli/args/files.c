/* SPDX-License-Identifier: MIT */
/* files.c: finds the files of directories and patterns. */
#include "cli/args/files.h"
#include <dataview/names.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* FOLDER/NAME, or NULL; an empty folder is the current one. */
static char *join(const char *folder, const char *name)
{
    char *path;
    const size_t n = strlen(folder);
    const char *slash = n == 0 || folder[n - 1] == '/' ? "" : "/";
    return asprintf(&path, "%s%s%s", folder, slash, name) < 0 ? NULL : path;
}

static bool is_kind(const char *path, mode_t kind)
{
    struct stat facts;
    return stat(path, &facts) == 0 && (facts.st_mode & S_IFMT) == kind;
}

/* --- Directories ------------------------------------------------------------------------------ */

static dvi_exit take_folder(dvi_words *paths, const char *folder, const dv_open_options *open)
{
    dv_error err = DV_ERROR_INIT;
    dv_buffer found;
    dvi_exit status = DVI_EXIT_DONE;
    if (dv_open_list(&found, folder, open, &err) < 0)
        return dvi_say_error(&err);
    const char *at = found.data;
    for (const char *end = at + found.nbytes; at < end && !status; at += strlen(at) + 1)
        status = dvi_words_own(paths, strdup(at)) ? DVI_EXIT_DONE : dvi_say_memory();
    dv_buffer_release(&found);
    return status;
}

/* --- Patterns --------------------------------------------------------------------------------- */

static bool match_below(dvi_words *found, const char *folder, const char *pattern);

/* Continue after `path`, which has been matched; rest starts with / or is empty. */
static bool match_rest(dvi_words *found, char *path, const char *rest)
{
    struct stat facts;
    if (!path)
        return false;
    const char *next = rest + strspn(rest, "/");
    bool ok = true;
    if (*rest && is_kind(path, S_IFDIR))
        ok = *next ? match_below(found, path, next) : dvi_words_own(found, strdup(path));
    else if (!*rest && stat(path, &facts) == 0)
        ok = dvi_words_own(found, strdup(path));
    free(path);
    return ok;
}

/* Match the name with n characters of the pattern.  A leading dot must be given in the pattern. */
static bool match_name(const char *pattern, size_t n, const char *name)
{
    return (name[0] != '.' || pattern[0] == '.') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0 &&
           dv_glob_match((dv_text){pattern, (int64_t)n}, dv_text_of(name));
}

/* Add what the pattern matches below a folder; false: out of memory. */
static bool match_below(dvi_words *found, const char *folder, const char *pattern)
{
    const size_t n = strcspn(pattern, "/");
    bool ok = true;
    if (!dv_glob_is_pattern((dv_text){pattern, (int64_t)n})) {
        char *name = strndup(pattern, n);
        ok = name && match_rest(found, join(folder, name), pattern + n);
        free(name);
        return ok;
    }
    DIR *dir = opendir(*folder ? folder : "."); /* one that cannot be read has no match */
    const struct dirent *entry;
    if (!dir && errno == ENOMEM)
        return false;
    while (ok && dir && (entry = readdir(dir)))
        if (match_name(pattern, n, entry->d_name))
            ok = match_rest(found, join(folder, entry->d_name), pattern + n);
    if (dir)
        closedir(dir);
    return ok;
}

static dvi_exit take_path(dvi_words *paths, const char *path, const dv_open_options *open)
{
    if (is_kind(path, S_IFDIR))
        return take_folder(paths, path, open);
    return dvi_words_own(paths, strdup(path)) ? DVI_EXIT_DONE : dvi_say_memory();
}

static dvi_exit take_pattern(dvi_words *paths, const char *pattern, const dv_open_options *open)
{
    dvi_words found = {0};
    dvi_exit status = DVI_EXIT_DONE;
    const bool is_absolute = *pattern == '/';
    if (!match_below(&found, is_absolute ? "/" : "", pattern + strspn(pattern, "/")))
        status = dvi_say_memory();
    dvi_words_sort(&found, 0);
    if (!status && found.count == 0) {
        dvi_say("%s: no file matches this pattern", pattern);
        status = DVI_EXIT_SYSTEM;
    }
    for (int i = 0; i < found.count && !status; i++)
        status = take_path(paths, found.word[i], open);
    dvi_words_free_all(&found);
    return status;
}

dvi_exit dvi_files_find(dvi_words *paths, const dvi_words *words, const dv_open_options *open)
{
    dvi_exit status = DVI_EXIT_DONE;
    for (int i = 0; i < words->count && !status; i++) {
        const char *word = words->word[i];
        struct stat facts;
        const bool is_pattern = dv_glob_is_pattern(dv_text_of(word)) && lstat(word, &facts) != 0;
        status = (is_pattern ? take_pattern : take_path)(paths, word, open);
    }
    return status;
}
