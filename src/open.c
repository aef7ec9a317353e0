/* SPDX-License-Identifier: MIT */
/* open.c: opens a file, bytes or a pipe as a view, by its format. */
#include "open.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "io/unpack.h"
#include "codec/msgpack.h"
#include "view/view.h"
#include "foreign.h"
#include "formats.h"
#include "open_keys.h"
#include <dataview/open.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

dv_status dvi_open_options_read(const dv_open_options *given, dv_open_options *options,
                                dv_error *err)
{
    *options = (dv_open_options)DV_OPEN_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_OPEN_OPTIONS_INIT", err));
    const int64_t least = 1;
    if (options->columns < least || options->metadata_nbytes < least ||
        options->metadata_toc_nbytes < least || options->block_nbytes < least ||
        options->cursor_nbytes < least || options->rows_without_columns < least ||
        options->nesting < least || options->message_nbytes < least ||
        options->spool_nbytes < least || options->window_nbytes < least || options->depth < least ||
        options->chain_columns < least || options->row_nbytes < least ||
        options->line_nbytes < least)
        return dvi_fail_argument(err, "open options: every limit must be at least 1");
    DVI_TRY(dvi_options_least("block_cache_nbytes", options->block_cache_nbytes, 0, err));
    if ((unsigned)options->bad_fields > DV_BAD_FIELDS_COUNT)
        return dvi_fail_argument(err, "open options: no such bad_fields: %d",
                                 (int)options->bad_fields);
    if ((unsigned)options->spool > DV_SPOOL_ALWAYS)
        return dvi_fail_argument(err, "open options: no such spool: %d", (int)options->spool);
    if ((unsigned)options->io > DV_IO_PREAD)
        return dvi_fail_argument(err, "open options: no such io: %d", (int)options->io);
    if (options->nesting > DVI_MSGPACK_NESTING)
        return dvi_fail_argument(err, "open options: nesting must be at most %d",
                                 DVI_MSGPACK_NESTING);
    return DV_OK;
}

/* Does the file have no name of its own, whose extension could tell its format? */
static bool is_nameless(const dvi_map *map)
{
    const char *name = dvi_map_name(map);
    return dvi_map_was_stream(map) || strcmp(name, "/dev/stdin") == 0 ||
           strncmp(name, "/dev/fd/", 8) == 0;
}

/* Fail if the content is something else. */
static dv_status refuse_foreign(dvi_map *map, dvi_foreign_doubt least, dv_error *err)
{
    dvi_memory *memory = NULL;
    dvi_span head;
    const dv_status status = dvi_format_head(map, &memory, &head, err);
    const dvi_foreign *what =
        status == DV_OK ? dvi_foreign_find(head.data, head.nbytes, least) : NULL;
    dvi_memory_release(&memory);
    if (!what)
        return status;
    const bool is_packed = dvi_map_stored(map) != map;
    dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content", "a known format: %s|%s%s",
             dvi_format_names_all().text, what->name, is_packed ? ", packed" : "");
    char advice[DVI_FOREIGN_ADVICE_CAP];
    dvi_error_advise(err, is_packed || is_nameless(map)
                              ? what->advice
                              : dvi_foreign_advise(what, dvi_map_name(map), advice));
    return DV_ERR_UNSUPPORTED;
}

/* The format if the content shows none. */
static dv_status imply(const dvi_format **format, dvi_map *map, const dv_open_options *options,
                       dv_error *err)
{
    const bool is_told = options->text || options->datadings;
    DVI_TRY(refuse_foreign(map, is_told ? DVI_FOREIGN_SURE : DVI_FOREIGN_ALIKE, err));
    *format = dvi_format_implied(is_nameless(map), options);
    if (*format)
        return DV_OK;
    return dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content", "a known format: %s|%s",
                    dvi_format_names_all().text,
                    dvi_map_nbytes(map) == 0 ? "an empty file" : "none");
}

/* A format that needs the bytes in any order: *map becomes a file of them. */
static dv_status leave_stream(const dvi_format *format, dvi_map **map,
                              const dv_open_options *options, dv_error *err)
{
    if (!dvi_map_is_once(*map))
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content", "text|%s, packed: unpack it",
                        format->info.name);
    DVI_REQUIRE(options->spool != DV_SPOOL_NEVER,
                dvi_fail(err, DV_ERR_IO, "", -1, "cannot be opened",
                         "a regular file|%s in a pipe: save it into a file first",
                         format->info.name));
    return dvi_map_spool(map, options->spool_nbytes, err);
}

/* The format named in the options, or the one found. */
static dv_status choose_format(dvi_map *map, const dv_open_options *options,
                               const dvi_format **format_out, dv_error *err)
{
    if (!options->format)
        return dvi_format_by_content(map, options, format_out, err);
    *format_out = dvi_format_by_name(options->format);
    if (!*format_out)
        return dvi_fail_argument(err, "unknown format \"%s\": use one of %s", options->format,
                                 dvi_format_names_all().text);
    return DV_OK;
}

/* If the bytes are packed text, or may be: *map becomes what is packed. */
static dv_status unpack(dvi_map **map, const dv_open_options *options, dv_error *err)
{
    const dv_format_info *named = options->format ? dv_format_find(options->format) : NULL;
    dvi_memory *memory = NULL;
    dvi_map *unpacked = NULL;
    dvi_span head;
    if (options->format && !(named && named->can_stream))
        return DV_OK;
    dv_status status = dvi_format_head(*map, &memory, &head, err);
    const dvi_packing packing =
        status == DV_OK ? dvi_packing_of(head.data, head.nbytes) : DVI_PACKING_NONE;
    if (packing != DVI_PACKING_NONE)
        status = dvi_map_open_packed(&unpacked, *map, packing, options->window_nbytes, err);
    dvi_memory_release(&memory);
    if (!unpacked)
        return status;
    dvi_map_release(map);
    *map = unpacked;
    return DV_OK;
}

dv_status dvi_open_prepare(dvi_map **map, const dv_open_options *options,
                           const dvi_format **format_out, dv_error *err)
{
    if (options->spool == DV_SPOOL_ALWAYS)
        DVI_TRY(dvi_map_spool(map, options->spool_nbytes, err));
    DVI_TRY(unpack(map, options, err));
    DVI_TRY(choose_format(*map, options, format_out, err));
    if (!*format_out)
        DVI_TRY(imply(format_out, *map, options, err));
    if (dvi_map_is_stream(*map) && !(*format_out)->info.can_stream)
        DVI_TRY(leave_stream(*format_out, map, options, err));
    return DV_OK;
}

void dvi_open_limit(dv_view *view, const dv_open_options *options)
{
    const dvi_view_limits limits = {options->depth, options->chain_columns, options->row_nbytes,
                                    options->block_cache_nbytes};
    dvi_view_set_limits(view, &limits);
}

dv_status dvi_open_release(dvi_map **map, dv_status status, dv_error *err)
{
    if (status < 0 && *map)
        dvi_error_set_file(err, dvi_map_name(*map));
    dvi_map_release(map);
    return status;
}

/* Open the map, and release the reference to it. */
static dv_status finish(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                        dvi_map_common *common, dv_error *err)
{
    const dvi_format *format = NULL;
    dv_status status = dvi_open_prepare(&map, options, &format, err);
    if (status == DV_OK)
        status = format->open(view_out, map, options, err);
    if (status == DV_OK)
        dvi_open_limit(*view_out, options);
    if (status == DV_OK)
        dvi_map_settle(map, common);
    dvi_map_common_free(common);
    return dvi_open_release(&map, status, err);
}

/* Is it a pipe that may hold a format that can be read from pipes? */
static bool is_pipe(const char *path, const dv_open_options *options)
{
    struct stat st;
    const dv_format_info *named = options->format ? dv_format_find(options->format) : NULL;
    if (options->format && options->spool == DV_SPOOL_NEVER && !(named && named->can_stream))
        return false;
    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

/* Most paths lead to files: whether one is a pipe is asked where it is no file. */
static dv_status open_path(dvi_map **map_out, const char *path, const dv_open_options *options,
                           dvi_map_common *common, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    const dv_status status =
        dvi_map_open_held(map_out, path, options->io, common, options->allocator, &own);
    if (own.os_code == ESPIPE && is_pipe(path, options))
        return dvi_map_open_stream(map_out, path, options->allocator, err);
    if (status < 0 && err)
        *err = own;
    return status;
}

dv_status dvi_open_path(dvi_map **map_out, const char *path, const dv_open_options *options,
                        dvi_map_common *common, dv_error *err)
{
    DVI_TRY(open_path(map_out, path, options, common, err));
    const dv_status status = options->drop_behind ? dvi_map_drop_behind(*map_out, err) : DV_OK;
    if (status < 0)
        dvi_map_release(map_out);
    return status;
}

dv_status dv_open(dv_view **view_out, const char *path, const dv_open_options *given, dv_error *err)
{
    dvi_map *map;
    dvi_map_common common = {.device = 0};
    dv_open_options options;
    *view_out = NULL;
    dvi_key_options keys;
    DVI_TRY(dvi_open_options_read(given, &options, err));
    dv_status status = dvi_key_options_read(&keys, path, &options, err);
    if (status == DV_OK)
        status = dvi_open_path(&map, path, &keys.files, &common, err);
    if (status == DV_OK)
        status = finish(view_out, map, &keys.files, &common, err);
    if (status == DV_OK)
        status = dvi_open_keys(view_out, &path, 1, &keys, err);
    dvi_key_options_free(&keys);
    if (status < 0)
        dv_view_release(view_out);
    return status;
}

/* The format of what is in the map, which may be packed. */
static dv_status find_format(dvi_map **map, const dv_open_options *options,
                             const dvi_format **format_out, dv_error *err)
{
    DVI_TRY(unpack(map, options, err));
    return choose_format(*map, options, format_out, err);
}

/* What cannot be unpacked has no known format: a directory may hold anything. */
dv_status dvi_open_format(const dvi_format **format_out, bool *is_packed_out, const char *path,
                          const dv_open_options *options, dv_error *err)
{
    dvi_map *map;
    const dvi_format *format = NULL;
    dv_error own = DV_ERROR_INIT;
    *format_out = NULL;
    DVI_TRY(dvi_map_open(&map, path, options->io, options->allocator, err));
    dv_status status = find_format(&map, options, &format, &own);
    *is_packed_out = dvi_map_stored(map) != map;
    if (status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT)
        status = DV_NOT_FOUND;
    if (status < 0 && err)
        *err = own;
    if (status == DV_OK)
        *format_out = format;
    return dvi_open_release(&map, status, err);
}

dv_status dv_open_format(const char **format_out, const char *path, const dv_open_options *given,
                         dv_error *err)
{
    dv_open_options options;
    const dvi_format *format;
    bool is_packed;
    *format_out = NULL;
    DVI_TRY(dvi_open_options_read(given, &options, err));
    const dv_status status = dvi_open_format(&format, &is_packed, path, &options, err);
    if (status == DV_OK)
        *format_out = format->info.name;
    return status;
}

dv_status dv_open_propose(dv_buffer *text_out, const char *path, const dv_open_options *given,
                          dv_error *err)
{
    dvi_map *map;
    dv_open_options options;
    const dvi_format *format = NULL;
    dvi_map_common common = {.device = 0};
    *text_out = (dv_buffer){0};
    DVI_TRY(dvi_open_options_read(given, &options, err));
    DVI_TRY(dvi_open_path(&map, path, &options, &common, err));
    dv_status status = find_format(&map, &options, &format, err);
    if (status == DV_NOT_FOUND && dvi_map_is_stream(map)) {
        status = refuse_foreign(map, DVI_FOREIGN_ALIKE, err);
        status = status == DV_ERR_UNSUPPORTED ? DV_NOT_FOUND : status;
        format = dvi_format_implied(true, &options);
    }
    if (status == DV_OK)
        status = format->propose ? format->propose(text_out, map, options.text, err) : DV_NOT_FOUND;
    return dvi_open_release(&map, status, err);
}

dv_status dv_open_memory(dv_view **view_out, const void *data, size_t nbytes,
                         void (*release)(void *ctx), void *ctx, const char *name,
                         const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    dvi_map *map = NULL;
    *view_out = NULL;
    dv_status status = dvi_open_options_read(given, &options, err);
    if (status == DV_OK)
        status = dvi_map_open_memory(&map, data, nbytes, release, ctx, name, options.io,
                                     options.allocator, err);
    dvi_map_common none = {.device = 0};
    if (status == DV_OK)
        return finish(view_out, map, &options, &none, err);
    if (release)
        release(ctx);
    return status;
}
