/* SPDX-License-Identifier: MIT */
/* open.c: who recognizes this file, and who writes it?  The only list of formats. */
#include "base/alloc.h"
#include "base/check.h"
#include "codec/msgpack.h"
#include "view/save.h"
#include "format/btable/btable_format.h"
#include "format/datadings/datadings_format.h"
#include "format/idv/idv_format.h"
#include "format/text/text_format.h"
#include "format/text/text_propose.h"
#include "transform/tf_append.h"
#include <dataview/open.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD_NBYTES 64

static const dvi_format *const formats[] = {&dvi_format_idv, &dvi_format_btable,
                                            &dvi_format_datadings, &dvi_format_text};
#define FORMATS (sizeof formats / sizeof *formats)

static dv_status read_options(const dv_open_options *given, dv_open_options *options, dv_error *err)
{
    *options = (dv_open_options)DV_OPEN_OPTIONS_INIT;
    if (given && (given->size == 0 || given->size > sizeof *options))
        return dvi_fail_argument(err, "open options of %zu bytes: start from DV_OPEN_OPTIONS_INIT",
                                 given->size);
    if (given)
        memcpy(options, given, given->size);
    const int64_t least = 1;
    if (options->columns < least || options->metadata_nbytes < least ||
        options->metadata_toc_nbytes < least || options->block_nbytes < least ||
        options->cursor_nbytes < least || options->rows_without_columns < least ||
        options->nesting < least || options->message_nbytes < least)
        return dvi_fail_argument(err, "open options: every limit is at least 1");
    if (options->nesting > DVI_MSGPACK_NESTING)
        return dvi_fail_argument(err, "open options: nesting is at most %d", DVI_MSGPACK_NESTING);
    return DV_OK;
}

static const dvi_format *find_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

/* Does the path end in one of these words? */
static bool ends_in(const char *path, const char *endings)
{
    const size_t n = strlen(path);
    for (const char *end = endings; *end; end += *end == ' ') {
        const size_t k = strcspn(end, " ");
        if (n > k && memcmp(path + n - k, end, k) == 0)
            return true;
        end += k;
    }
    return false;
}

static const dvi_format *find_by_ending(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (ends_in(path, formats[i]->endings))
            return formats[i];
    return NULL;
}

static const dvi_format *find_by_looks(dvi_map *map)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->resembles && formats[i]->resembles(map))
            return formats[i];
    return NULL;
}

/* By the first bytes; when no format knows them, by the name's ending, whose complaint is the best;
 * then by what the file looks like. */
static dv_status sniff(dvi_map *map, const dvi_format **format_out, dv_error *err)
{
    int64_t nbytes;
    dvi_memory *memory = NULL;
    dvi_span span;
    *format_out = NULL;
    DVI_TRY(dvi_map_reach(map, HEAD_NBYTES, &nbytes, err));
    const size_t n = nbytes < HEAD_NBYTES ? (size_t)nbytes : HEAD_NBYTES;
    const dv_status status = dvi_map_span(map, 0, n, &memory, &span, err);
    for (size_t i = 0; i < FORMATS && status == DV_OK && !*format_out; i++)
        if (formats[i]->recognizes(span.data, n))
            *format_out = formats[i];
    dvi_memory_release(&memory);
    DVI_TRY(status);
    if (!*format_out)
        *format_out = find_by_ending(dvi_map_name(map));
    if (!*format_out && !dvi_map_is_stream(map))
        *format_out = find_by_looks(map);
    return *format_out ? DV_OK : DV_NOT_FOUND;
}

/* Text need not show that it is text, if it comes through a pipe, as nothing else does, or if the
 * options tell how it is read; nor datadings, if they do. */
static dv_status settle(const dvi_format **format, const dvi_map *map,
                        const dv_open_options *options, dv_error *err)
{
    const bool is_stream = dvi_map_is_stream(map);
    if (!*format && (is_stream || options->text))
        *format = &dvi_format_text;
    if (!*format && options->datadings)
        *format = &dvi_format_datadings;
    if (!*format)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content",
                        "a known format: .idv, .btable, datadings, text|none");
    if (is_stream && *format != &dvi_format_text)
        return dvi_fail(err, DV_ERR_IO, "", -1, "cannot be opened",
                        "a regular file|%s in a pipe: save it into a file first", (*format)->name);
    return DV_OK;
}

/* The format that the options name, or the one that is found. */
static dv_status choose_format(dvi_map *map, const dv_open_options *options,
                               const dvi_format **format_out, dv_error *err)
{
    if (!options->format)
        return sniff(map, format_out, err);
    *format_out = find_by_name(options->format);
    return *format_out
               ? DV_OK
               : dvi_fail_argument(err,
                                   "unknown format \"%s\": there are idv, btable, datadings, text",
                                   options->format);
}

/* first: of several files, the view of the first; NULL: this is it. */
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

/* Open what is behind the map, and give the map's reference back. */
static dv_status finish(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                        dv_view *first, dv_error *err)
{
    const dv_status status = open_map(view_out, map, options, first, err);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    dvi_map_release(&map);
    return status;
}

/* Could it be text in a pipe? */
static bool is_pipe(const char *path, const dv_open_options *options)
{
    struct stat st;
    if (options->format && strcmp(options->format, dvi_format_text.name) != 0)
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

/* Open the file and choose its format.  The map must be released, after a failure too. */
static dv_status look_at(dvi_map **map_out, const dvi_format **format_out, const char *path,
                         const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    *map_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    DVI_TRY(dvi_map_open(map_out, path, options.io, options.allocator, err));
    return choose_format(*map_out, &options, format_out, err);
}

/* The end of that: an error names the file. */
static dv_status end_look(dvi_map **map, dv_status status, dv_error *err)
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
    const dv_status status = look_at(&map, &format, path, given, err);
    if (status == DV_OK)
        *format_out = format->name;
    return end_look(&map, status, err);
}

dv_status dv_open_propose(dv_buffer *text_out, const char *path, const dv_open_options *given,
                          dv_error *err)
{
    dvi_map *map;
    const dvi_format *format = NULL;
    *text_out = (dv_buffer){0};
    dv_status status = look_at(&map, &format, path, given, err);
    if (status == DV_OK)
        status = format == &dvi_format_text ? dvi_text_propose(text_out, map, err) : DV_NOT_FOUND;
    return end_look(&map, status, err);
}

/* Which file tells what all are?  The first that has something in it. */
static int32_t find_first(const char *const *paths, int32_t n)
{
    struct stat st;
    for (int32_t i = 0; i < n; i++)
        if (stat(paths[i], &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > 0)
            return i;
    return 0;
}

/* Open each, then all as one; the references of this call end with it. */
static dv_status open_views(dv_view **view_out, const char *const *paths, int32_t n,
                            const dv_open_options *options, dv_view **views, dv_error *err)
{
    const int32_t first = find_first(paths, n);
    dv_status status = open_path(&views[first], paths[first], options, NULL, err);
    for (int32_t i = 0; i < n && status == DV_OK; i++)
        if (i != first)
            status = open_path(&views[i], paths[i], options, views[first], err);
    if (status == DV_OK)
        status = dvi_append_named(view_out, views, paths, n, dvi_text_most_rows(views[first]),
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
        return dvi_fail_argument(err, "%d files are no view", n);
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

/* --- Saving ----------------------------------------------------------------------------------- */

/* "idv, btable": what a refusal offers. */
typedef struct offer {
    char text[64];
} offer;

static offer writable_formats(void)
{
    offer all = {""};
    size_t n = 0;
    for (size_t i = 0; i < FORMATS && n < sizeof all.text; i++)
        if (formats[i]->save)
            n += (size_t)snprintf(all.text + n, sizeof all.text - n, "%s%s", n ? ", " : "",
                                  formats[i]->name);
    return n ? all : (offer){"none yet"};
}

/* The format that the options name, or that of the path's ending, if it can be written. */
static dv_status choose_writable(const dvi_format **format_out, const char *path,
                                 const dv_save_options *options, dv_error *err)
{
    const dvi_format *format = NULL;
    if (options->format)
        format = find_by_name(options->format);
    else if (path)
        format = find_by_ending(path);
    if (!format && options->format)
        return dvi_fail_argument(err, "unknown format \"%s\": what can be written: %s",
                                 options->format, writable_formats().text);
    if (!format)
        return dvi_fail_argument(err, "which format? end the name so, or name it: %s",
                                 writable_formats().text);
    if (!format->save)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "saving", "one of: %s|%s",
                        writable_formats().text, format->name);
    *format_out = format;
    return DV_OK;
}

/* Options and format; a failure names the path. */
static dv_status begin_save(const dvi_format **format_out, const char *path,
                            const dv_save_options *given, dv_save_options *options, dv_error *err)
{
    DVI_TRY(dvi_save_read_options(given, options, err));
    const dv_status status = choose_writable(format_out, path, options, err);
    if (status != DV_OK && path)
        dvi_error_set_file(err, path);
    return status;
}

dv_status dv_save(dv_view *view, const char *path, const dv_save_options *given, dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_file(view, format, path, &options, err);
}

dv_status dv_save_memory(dv_view *view, dv_buffer *buffer_out, const dv_save_options *given,
                         dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    *buffer_out = (dv_buffer){0};
    DVI_TRY(begin_save(&format, NULL, given, &options, err));
    return dvi_save_memory(view, format, buffer_out, &options, err);
}

dv_status dv_save_check(dv_view *view, const char *path, const dv_save_options *given,
                        bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                        dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_check(view, format, &options, report, ctx, err);
}
