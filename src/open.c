/* SPDX-License-Identifier: MIT */
/* open.c: opens files, bytes and pipes as views, each by its format. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "codec/msgpack.h"
#include "formats.h"
#include "transform/tf_concat.h"
#include <dataview/open.h>
#include <sys/stat.h>

static dv_status read_options(const dv_open_options *given, dv_open_options *options, dv_error *err)
{
    *options = (dv_open_options)DV_OPEN_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_OPEN_OPTIONS_INIT", err));
    const int64_t least = 1;
    if (options->columns < least || options->metadata_nbytes < least ||
        options->metadata_toc_nbytes < least || options->block_nbytes < least ||
        options->cursor_nbytes < least || options->rows_without_columns < least ||
        options->nesting < least || options->message_nbytes < least)
        return dvi_fail_argument(err, "open options: every limit must be at least 1");
    if ((unsigned)options->bad_fields > DV_BAD_FIELDS_COUNT)
        return dvi_fail_argument(err, "open options: no such bad_fields: %d",
                                 (int)options->bad_fields);
    if ((unsigned)options->io > DV_IO_PREAD)
        return dvi_fail_argument(err, "open options: no such io: %d", (int)options->io);
    if (options->nesting > DVI_MSGPACK_NESTING)
        return dvi_fail_argument(err, "open options: nesting must be at most %d",
                                 DVI_MSGPACK_NESTING);
    return DV_OK;
}

/* Decide the format to open the map with; *format: that of its content, or NULL. */
static dv_status settle(const dvi_format **format, const dvi_map *map,
                        const dv_open_options *options, dv_error *err)
{
    const bool is_stream = dvi_map_is_stream(map);
    if (!*format)
        *format = dvi_format_implied(is_stream, options);
    if (!*format)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content", "a known format: %s|none",
                        dvi_format_names_all().text);
    if (is_stream && !(*format)->info.can_stream)
        return dvi_fail(err, DV_ERR_IO, "", -1, "cannot be opened",
                        "a regular file|%s in a pipe: save it into a file first",
                        (*format)->info.name);
    return DV_OK;
}

/* The format named in the options, or the one found. */
static dv_status choose_format(dvi_map *map, const dv_open_options *options,
                               const dvi_format **format_out, dv_error *err)
{
    if (!options->format)
        return dvi_format_by_content(map, format_out, err);
    *format_out = dvi_format_by_name(options->format);
    if (!*format_out)
        return dvi_fail_argument(err, "unknown format \"%s\": use one of %s", options->format,
                                 dvi_format_names_all().text);
    return DV_OK;
}

/* first: the view of the first of several files; NULL: this is the first. */
static dv_status open_map(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                          dv_view *first, dv_error *err)
{
    const dvi_format *format = NULL;
    const dv_status status = choose_format(map, options, &format, err);
    DVI_TRY(status < 0 ? status : settle(&format, map, options, err));
    if (first && format->open_next)
        return format->open_next(view_out, map, options, first, err);
    return format->open(view_out, map, options, err);
}

/* Open the map, and release the reference to it. */
static dv_status finish(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                        dv_view *first, dv_error *err)
{
    const dv_status status = open_map(view_out, map, options, first, err);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    dvi_map_release(&map);
    return status;
}

/* Is it a pipe that may hold a format that can be read from pipes? */
static bool is_pipe(const char *path, const dv_open_options *options)
{
    struct stat st;
    const dv_format_info *named = options->format ? dv_format_find(options->format) : NULL;
    if (options->format && !(named && named->can_stream))
        return false;
    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

static dv_status open_path(dv_view **view_out, const char *path, const dv_open_options *options,
                           dv_view *first, dv_error *err)
{
    dvi_map *map;
    DVI_TRY(is_pipe(path, options)
                ? dvi_map_open_stream(&map, path, options->allocator, err)
                : dvi_map_open(&map, path, options->io, options->allocator, err));
    return finish(view_out, map, options, first, err);
}

dv_status dv_open(dv_view **view_out, const char *path, const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    *view_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    return open_path(view_out, path, &options, NULL, err);
}

/* Map the file and choose its format.  The caller releases the map, after a failure too. */
static dv_status map_and_choose(dvi_map **map_out, const dvi_format **format_out, const char *path,
                                const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    *map_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    DVI_TRY(dvi_map_open(map_out, path, options.io, options.allocator, err));
    return choose_format(*map_out, &options, format_out, err);
}

/* Release the map; an error names its file. */
static dv_status release_map(dvi_map **map, dv_status status, dv_error *err)
{
    if (status < 0 && *map)
        dvi_error_set_file(err, dvi_map_name(*map));
    dvi_map_release(map);
    return status;
}

dv_status dv_open_format(const char **format_out, const char *path, const dv_open_options *given,
                         dv_error *err)
{
    dvi_map *map;
    const dvi_format *format = NULL;
    *format_out = NULL;
    const dv_status status = map_and_choose(&map, &format, path, given, err);
    if (status == DV_OK)
        *format_out = format->info.name;
    return release_map(&map, status, err);
}

dv_status dv_open_propose(dv_buffer *text_out, const char *path, const dv_open_options *given,
                          dv_error *err)
{
    dvi_map *map;
    dv_open_options options;
    const dvi_format *format = NULL;
    *text_out = (dv_buffer){0};
    DVI_TRY(read_options(given, &options, err));
    dv_status status = map_and_choose(&map, &format, path, &options, err);
    if (status == DV_OK)
        status = format->propose ? format->propose(text_out, map, options.text, err) : DV_NOT_FOUND;
    return release_map(&map, status, err);
}

/* The file that decides the columns of all: the first one that is not empty. */
static int32_t find_first(const char *const *paths, int32_t n)
{
    struct stat st;
    for (int32_t i = 0; i < n; i++)
        if (stat(paths[i], &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 0)
            return i;
    return 0;
}

/* The most rows of all files together, by the options of the first. */
static int64_t most_rows(const dv_view *first)
{
    const dvi_format *format = dvi_format_by_name(dv_view_kind(first));
    return format && format->most_rows ? format->most_rows(first) : INT64_MAX;
}

/* Open each file, then concatenate the views, which hold the references. */
static dv_status open_views(dv_view **view_out, const char *const *paths, int32_t n,
                            const dv_open_options *options, dv_view **views, dv_error *err)
{
    const int32_t first = find_first(paths, n);
    dv_status status = open_path(&views[first], paths[first], options, NULL, err);
    for (int32_t i = 0; i < n && status == DV_OK; i++)
        if (i != first)
            status = open_path(&views[i], paths[i], options, views[first], err);
    if (status == DV_OK)
        status = dvi_concat_named(view_out, views, paths, n, most_rows(views[first]),
                                  options->allocator, err);
    for (int32_t i = 0; i < n; i++)
        dv_view_release(&views[i]);
    return status;
}

dv_status dv_open_many(dv_view **view_out, const char *const *paths, int32_t n,
                       const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    void *views;
    *view_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    if (n < 1)
        return dvi_fail_argument(err, "%d files: pass at least one path", n);
    const size_t nbytes = (size_t)n * sizeof(dv_view *);
    DVI_TRY(dvi_alloc_zeroed(options.allocator, &views, nbytes, err));
    const dv_status status = open_views(view_out, paths, n, &options, views, err);
    dvi_free(options.allocator, views, nbytes);
    return status;
}

dv_status dv_open_memory(dv_view **view_out, const void *data, size_t nbytes,
                         void (*release)(void *ctx), void *ctx, const char *name,
                         const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    dvi_map *map = NULL;
    *view_out = NULL;
    dv_status status = read_options(given, &options, err);
    if (status == DV_OK)
        status = dvi_map_open_memory(&map, data, nbytes, release, ctx, name, options.io,
                                     options.allocator, err);
    if (status == DV_OK)
        return finish(view_out, map, &options, NULL, err);
    if (release)
        release(ctx);
    return status;
}
