/* SPDX-License-Identifier: MIT */
/* open_list.c: finds the files of a folder that are tables. */
#include "base/alloc.h"
#include "base/arena.h"
#include "base/check.h"
#include "base/owner.h"
#include "formats.h"
#include "open.h"
#include <dataview/open.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Kinds of files: of the first three, the first kind that exists is chosen. */
typedef enum kind { TABLES, LINES, NOTES, TEXTS, OTHERS, KINDS } kind;

typedef struct paths {
    const char **list;
    size_t n, cap;
} paths;

#define DEPTH_MOST 32 /* folders KEY=VALUE below each other */

typedef struct listing {
    const dv_open_options *options;
    int depth;
    dvi_arena arena; /* holds the paths */
    paths of[KINDS];
    const char *root; /* the folder */
} listing;

/* --- Files ------------------------------------------------------------------------------------ */

static bool ends_in_txt(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && strcasecmp(dot, ".txt") == 0;
}

/* Many folders hold notes: names in .txt count as tables if there are no others. */
static kind kind_by_extension(const char *path)
{
    const dvi_format *format = dvi_format_by_extension(path);
    if (!format)
        return OTHERS;
    if (!format->info.can_stream)
        return TABLES;
    return ends_in_txt(path) ? NOTES : LINES;
}

/* The kind of a file whose name ends in no known extension. */
static dv_status find_kind(listing *l, kind *kind_out, const char *path, dv_error *err)
{
    const dvi_format *format;
    bool is_packed;
    dv_text stem;
    const char *dot = strrchr(path, '.');
    const dv_status status = dvi_open_format(&format, &is_packed, path, l->options, err);
    *kind_out = OTHERS;
    if (status == DV_NOT_FOUND)
        return DV_OK;
    DVI_TRY(status);
    *kind_out = format->info.can_stream ? TEXTS : TABLES;
    if (!is_packed)
        return DV_OK;
    /* x.csv.gz: the extension before the last one counts */
    DVI_TRY(dvi_arena_text(&l->arena, &stem, (dv_text){path, dot ? dot - path : 0}, err));
    const kind named = kind_by_extension(stem.data);
    if (named != OTHERS)
        *kind_out = named;
    return DV_OK;
}

/* Whether the file belongs to another one of the folder, as a.msgpack.keys to a.msgpack. */
static dv_status find_side_file(listing *l, bool *is_side_out, const char *path, dv_error *err)
{
    size_t n;
    dv_text stem;
    struct stat facts;
    bool is_packed;
    const dvi_format *found, *format = dvi_format_by_side_file(path, &n);
    *is_side_out = false;
    if (!format)
        return DV_OK;
    DVI_TRY(dvi_arena_text(&l->arena, &stem, (dv_text){path, (int64_t)n}, err));
    if (stat(stem.data, &facts) != 0 || !S_ISREG(facts.st_mode))
        return DV_OK;
    const dv_status status = dvi_open_format(&found, &is_packed, stem.data, l->options, err);
    *is_side_out = found == format;
    return status == DV_NOT_FOUND ? DV_OK : status;
}

static dv_status add(listing *l, kind of, const char *path, dv_error *err)
{
    paths *p = &l->of[of];
    void *list = (void *)p->list;
    DVI_TRY(dvi_array_reserve(&l->arena.allocator, &list, &p->cap, p->n + 1, sizeof *p->list, err));
    p->list = list;
    p->list[p->n++] = path;
    return DV_OK;
}

/* Links do not count, since they may lead back. */
static bool is_folder(const char *folder, const char *name)
{
    struct stat facts;
    DIR *dir = opendir(folder);
    const int fd = dir ? dirfd(dir) : -1;
    const bool is =
        fd >= 0 && fstatat(fd, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(facts.st_mode);
    if (dir)
        closedir(dir);
    return is;
}

static dv_status read_folder(listing *l, const char *folder, dv_error *err);

static dv_status offer(listing *l, const char *folder, const char *name, dv_error *err)
{
    void *made;
    struct stat facts;
    const size_t n = strlen(folder), k = strlen(name);
    const bool has_slash = n > 0 && folder[n - 1] == '/';
    const bool is_key = strchr(name, '=') && is_folder(folder, name);
    /* a folder KEY=VALUE of the root is marked (open.h) */
    const char *between = has_slash ? "" : "/";
    if (folder == l->root && is_key)
        between = has_slash ? "./" : "/./";
    const size_t b = strlen(between);
    DVI_TRY(dvi_arena_alloc(&l->arena, &made, n + b + k + 1, err));
    char *path = made;
    memcpy(path, folder, n);
    memcpy(path + n, between, b);
    memcpy(path + n + b, name, k + 1);
    if (stat(path, &facts) != 0) {
        dvi_fail_os(err, errno, "cannot be opened");
        dvi_error_set_file(err, path);
        return DV_ERR_IO;
    }
    if (is_key && *name != '=')
        return read_folder(l, path, err);
    if (!S_ISREG(facts.st_mode))
        return DV_OK;
    bool is_side;
    DVI_TRY(find_side_file(l, &is_side, path, err));
    if (is_side)
        return DV_OK;
    kind of = l->options->format ? TABLES : kind_by_extension(path);
    if (of == OTHERS)
        DVI_TRY(find_kind(l, &of, path, err));
    return add(l, of, path, err);
}

/* The mark of a job that has not written all of its files, in their folder (open.h). */
#define UNFINISHED ".unfinished"

static dv_status check_finished(DIR *dir, const char *folder, dv_error *err)
{
    struct stat facts;
    const int fd = dirfd(dir);
    if (fd < 0 || fstatat(fd, UNFINISHED, &facts, AT_SYMLINK_NOFOLLOW) != 0)
        return DV_OK;
    dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "directory",
             "a job that wrote all of its files|" UNFINISHED);
    dvi_error_advise(err, "run the job again, or name the files that are to be read");
    dvi_error_set_file(err, folder);
    return DV_ERR_UNSUPPORTED;
}

static dv_status read_folder(listing *l, const char *folder, dv_error *err)
{
    const struct dirent *entry;
    dv_status status = DV_OK;
    if (l->depth == DEPTH_MOST) {
        dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "directory",
                 "at most %d folders KEY=VALUE in it|more", DEPTH_MOST - 1);
        dvi_error_set_file(err, folder);
        return DV_ERR_UNSUPPORTED;
    }
    DIR *dir = opendir(folder);
    if (!dir) {
        dvi_fail_os(err, errno, "cannot be opened");
        dvi_error_set_file(err, folder);
        return DV_ERR_IO;
    }
    status = check_finished(dir, folder, err);
    l->depth++;
    while (status == DV_OK && (entry = readdir(dir)))
        if (entry->d_name[0] != '.')
            status = offer(l, folder, entry->d_name, err);
    l->depth--;
    closedir(dir);
    return status;
}

/* --- The list --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Say what is there instead of a table. */
static dv_status fail_none(const listing *l, const char *folder, dv_error *err)
{
    dv_view *view = NULL;
    dv_error own = DV_ERROR_INIT;
    const paths *texts = &l->of[TEXTS], *others = &l->of[OTHERS];
    if (others->n > 0 && texts->n == 0)
        dv_open(&view, others->list[0], l->options, &own);
    dv_view_release(&view);
    if (own.status < 0 && strcmp(own.found, "none") != 0) { /* it is named */
        if (err)
            *err = own;
        return own.status;
    }
    const char *name = texts->n > 0 ? base_name(texts->list[0]) : NULL;
    dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "directory", "files of a known format|none%s%s",
             name ? ", but " : "", name ? dvi_show(dv_text_of(name)).text : "");
    if (name)
        dvi_error_advise(err, "name the files that are text");
    dvi_error_set_file(err, folder);
    return DV_ERR_UNSUPPORTED;
}

static dv_status fail_mixed(const listing *l, const char *folder, dv_error *err)
{
    dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "directory",
             "tables of one kind: name the files|%s and %s",
             dvi_show(dv_text_of(base_name(l->of[TABLES].list[0]))).text,
             dvi_show(dv_text_of(base_name(l->of[LINES].list[0]))).text);
    dvi_error_set_file(err, folder);
    return DV_ERR_UNSUPPORTED;
}

/* The paths in one buffer, with a NUL after each. */
static dv_status give(dv_buffer *out, const listing *l, const paths *p, dv_error *err)
{
    dvi_memory *memory = NULL;
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const size_t k = strlen(p->list[i]) + 1;
        const dv_status status = dvi_memory_extend(&memory, n, n + k, &l->arena.allocator, err);
        if (status < 0) {
            dvi_memory_release(&memory);
            return status;
        }
        memcpy(memory->data + n, p->list[i], k);
        n += k;
    }
    *out = dvi_memory_buffer(memory, 0, n, 1);
    return DV_OK;
}

static dv_status choose(dv_buffer *out, listing *l, const char *folder, dv_error *err)
{
    kind of = TABLES;
    for (int i = 0; i < KINDS; i++)
        if (l->of[i].n > 1)
            qsort((void *)l->of[i].list, l->of[i].n, sizeof *l->of[i].list, compare);
    while (of < TEXTS && l->of[of].n == 0)
        of++;
    DVI_REQUIRE(of < TEXTS, fail_none(l, folder, err));
    DVI_REQUIRE(of != TABLES || l->of[LINES].n == 0, fail_mixed(l, folder, err));
    return give(out, l, &l->of[of], err);
}

dv_status dv_open_list(dv_buffer *paths_out, const char *folder, const dv_open_options *given,
                       dv_error *err)
{
    dv_open_options options;
    *paths_out = (dv_buffer){0};
    DVI_TRY(dvi_open_options_read(given, &options, err));
    listing l = {.options = &options, .root = folder};
    dvi_arena_init(&l.arena, options.allocator);
    dv_status status = read_folder(&l, folder, err);
    if (status == DV_OK)
        status = choose(paths_out, &l, folder, err);
    for (int i = 0; i < KINDS; i++)
        dvi_free(&l.arena.allocator, (void *)l.of[i].list, l.of[i].cap * sizeof *l.of[i].list);
    dvi_arena_free(&l.arena);
    return status;
}
