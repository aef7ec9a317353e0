/* SPDX-License-Identifier: MIT */
/* open.c: who recognizes this file?  The only list of formats. */
#include "base/check.h"
#include "format/idv/idv_format.h"
#include <dataview/open.h>
#include <string.h>

#define HEAD_NBYTES 64

static const dvi_format *const formats[] = {&dvi_format_idv};
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
        options->cursor_nbytes < least || options->rows_without_columns < least)
        return dvi_fail_argument(err, "open options: every limit is at least 1");
    return DV_OK;
}

static const dvi_format *find_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static const dvi_format *find_by_ending(const char *path)
{
    const size_t n = strlen(path);
    for (size_t i = 0; i < FORMATS; i++) {
        const size_t k = strlen(formats[i]->ending);
        if (n > k && strcmp(path + n - k, formats[i]->ending) == 0)
            return formats[i];
    }
    return NULL;
}

/* By content; when no format knows it, the name's ending tells whose complaint is the best. */
static dv_status sniff(dvi_map *map, const dvi_format **format_out, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map);
    const size_t n = nbytes < HEAD_NBYTES ? (size_t)nbytes : HEAD_NBYTES;
    dvi_memory *memory = NULL;
    dvi_span span;
    const dv_status status = dvi_map_span(map, 0, n, &memory, &span, err);
    *format_out = NULL;
    for (size_t i = 0; i < FORMATS && status == DV_OK && !*format_out; i++)
        if (formats[i]->recognizes(span.data, n))
            *format_out = formats[i];
    dvi_memory_release(&memory);
    DVI_TRY(status);
    if (!*format_out)
        *format_out = find_by_ending(dvi_map_name(map));
    if (!*format_out)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", 0, "content", "a known format: .idv|none");
    return DV_OK;
}

static dv_status open_map(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                          dv_error *err)
{
    const dvi_format *format = NULL;
    if (options->format) {
        format = find_by_name(options->format);
        if (!format)
            return dvi_fail_argument(err, "unknown format \"%s\": there is idv", options->format);
    }
    if (!format)
        DVI_TRY(sniff(map, &format, err));
    return format->open(view_out, map, options, err);
}

/* Open what is behind the map, and give the map's reference back. */
static dv_status finish(dv_view **view_out, dvi_map *map, const dv_open_options *options,
                        dv_error *err)
{
    const dv_status status = open_map(view_out, map, options, err);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    dvi_map_release(&map);
    return status;
}

dv_status dv_open(dv_view **view_out, const char *path, const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    dvi_map *map;
    *view_out = NULL;
    DVI_TRY(read_options(given, &options, err));
    DVI_TRY(dvi_map_open(&map, path, options.io, options.allocator, err));
    return finish(view_out, map, &options, err);
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
        return finish(view_out, map, &options, err);
    if (release)
        release(ctx);
    return status;
}
