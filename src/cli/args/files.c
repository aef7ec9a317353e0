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

static dvi_exit fail_system(const char *path)
{
    dvi_say("%s: %s", path, strerror(errno));
    return DVI_EXIT_SYSTEM;
}

/* --- Directories ------------------------------------------------------------------------------ */

/* Text is recognized by its name alone, and many folders hold notes: text only counts if asked for.
 */
static bool is_wanted(const char *format, const dv_open_options *open)
{
    return strcmp(format, "text") != 0 || open->text || open->format;
}

/* Files of a directory that are left out: of each kind the first by name. */
typedef struct left_out {
    char *text, *other;
} left_out;

static void keep_first(char **first, char *path)
{
    const bool is_first = !*first || strcmp(path, *first) < 0;
    free(is_first ? *first : path);
    *first = is_first ? path : *first;
}

/* Add the file if its format is known. */
static dvi_exit offer_file(dvi_words *paths, char *path, const dv_open_options *open,
                           left_out *rest)
{
    dv_error err = DV_ERROR_INIT;
    const char *format;
    struct stat facts;
    dvi_exit status = DVI_EXIT_DONE;
    if (!path)
        return dvi_say_memory();
    if (stat(path, &facts) != 0) {
        status = fail_system(path);
    } else if (S_ISREG(facts.st_mode)) {
        const dv_status found = dv_open_format(&format, path, open, &err);
        if (found == DV_OK && is_wanted(format, open))
            return dvi_words_own(paths, path) ? DVI_EXIT_DONE : dvi_say_memory();
        if (found >= 0) {
            keep_first(found == DV_OK ? &rest->text : &rest->other, path);
            return DVI_EXIT_DONE;
        }
        status = dvi_say_error(&err);
    }
    free(path);
    return status;
}

/* Say what is there instead of a table. */
static dvi_exit say_none(const char *folder, const left_out *rest, const dv_open_options *open)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    if (rest->text) {
        dvi_say("%s: no file of a known format in this directory but text, such as %s: name the "
                "files, or say --from text",
                folder, rest->text);
        return DVI_EXIT_DATA;
    }
    dvi_say("%s: no file of a known format in this directory", folder);
    if (rest->other && dv_open(&view, rest->other, open, &err) < 0)
        dvi_say_error(&err);
    dv_view_release(&view);
    return err.status == DV_ERR_MEMORY ? dvi_exit_of(err.status) : DVI_EXIT_DATA;
}

static dvi_exit take_folder(dvi_words *paths, const char *folder, const dv_open_options *open)
{
    const int first = paths->count;
    const struct dirent *entry;
    left_out rest = {NULL, NULL};
    dvi_exit status = DVI_EXIT_DONE;
    DIR *dir = opendir(folder);
    if (!dir)
        return fail_system(folder);
    while (!status && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            status = offer_file(paths, join(folder, entry->d_name), open, &rest);
    closedir(dir);
    dvi_words_sort(paths, first);
    if (!status && paths->count == first)
        status = say_none(folder, &rest, open);
    free(rest.text);
    free(rest.other);
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
