/* SPDX-License-Identifier: MIT */
/* open_many.c: opens several files, or sources, as one view. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "formats.h"
#include "open.h"
#include "open_keys.h"
#include "transform/tf_concat.h"
#include <dataview/source.h>
#include <inttypes.h>
#include <sys/stat.h>

#define CACHE_NBYTES_MOST (INT64_C(1) << 48) /* so that sums of offsets do not overflow */
#define DISK_NBYTES_LEAST (INT64_C(4) << 20) /* a few blocks */
#define DISK_NBYTES_MOST (INT64_C(1) << 60)
#define FORESEEN 64 /* sources whose ends are fetched before they are opened */

/* One of several files, while they are opened. */
typedef struct part {
    const char *path;
    dvi_map *map; /* NULL: not open, or no longer needed */
    const dvi_format *format;
} part;

static bool is_empty(const part *p)
{
    struct stat st;
    if (p->map)
        return dvi_map_nbytes(p->map) == 0;
    return stat(p->path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0;
}

/* The file that decides the columns of all: the first one that is not empty. */
static int32_t find_first(const part *parts, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (!is_empty(&parts[i]))
            return i;
    return 0;
}

/* The most rows of all files together, by the options of the first. */
static int64_t most_rows(const dv_view *first)
{
    const dvi_format *format = dvi_format_by_name(dv_view_kind(first));
    return format && format->most_rows ? format->most_rows(first) : INT64_MAX;
}

static dv_status map_part(part *p, const dv_open_options *options, dvi_map_common *common,
                          dv_error *err)
{
    if (p->format)
        return DV_OK;
    if (!p->map)
        DVI_TRY(dvi_open_path(&p->map, p->path, options, common, err));
    const dv_status status = dvi_open_prepare(&p->map, options, &p->format, err);
    return status == DV_OK ? DV_OK : dvi_open_release(&p->map, status, err);
}

/* Open one of several; `first`: the view of the first of them; NULL: this is the first. */
static dv_status open_part(dv_view **view_out, part *p, const dv_open_options *options,
                           dv_view *first, dvi_map_common *common, dv_error *err)
{
    const dv_status status = first && p->format->open_next
                                 ? p->format->open_next(view_out, p->map, options, first, err)
                                 : p->format->open(view_out, p->map, options, err);
    if (status == DV_OK)
        dvi_map_settle(p->map, common);
    return dvi_open_release(&p->map, status, err);
}

/* Open the files of that format, which decide together how each is read. */
static dv_status open_together(dv_view **views, const dvi_format *format, const part *parts,
                               int32_t n, const dv_open_options *options, dv_error *err)
{
    void *room;
    int32_t count = 0;
    const size_t nbytes = (size_t)n * (sizeof(dvi_map *) + sizeof(dv_view *));
    DVI_TRY(dvi_alloc_zeroed(options->allocator, &room, nbytes, err));
    dv_view **made = room;
    dvi_map **maps = (dvi_map **)(void *)(made + n);
    for (int32_t i = 0; i < n; i++)
        if (parts[i].format == format)
            maps[count++] = parts[i].map;
    const dv_status status = format->open_all(made, maps, count, options, err);
    for (int32_t i = 0, k = 0; i < n; i++)
        if (parts[i].format == format)
            views[i] = made[k++];
    dvi_free(options->allocator, room, nbytes);
    return status;
}

/* Sources are slow: before they are opened, their ends are fetched. */
static void foresee(const part *parts, int32_t n, int32_t from, int32_t to)
{
    for (int32_t k = from; k < to && k < n; k++)
        if (parts[k].map)
            dvi_map_announce_ends(parts[k].map);
}

/* Files that one call opens wait for each other, without their descriptors. */
static dv_status map_parts(part *parts, int32_t n, const dv_open_options *options,
                           dvi_map_common *common, dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        foresee(parts, n, i + FORESEEN, i + FORESEEN + 1);
        DVI_TRY(map_part(&parts[i], options, common, err));
        dvi_map_settle(parts[i].map, common);
    }
    return DV_OK;
}

static dv_status open_parts(dv_view **views, part *parts, int32_t n, const dv_open_options *options,
                            int32_t *first_out, dvi_map_common *common, dv_error *err)
{
    const int32_t first = *first_out = find_first(parts, n);
    foresee(parts, n, 0, FORESEEN);
    DVI_TRY(map_part(&parts[first], options, common, err));
    if (n > 1 && parts[first].format->open_all) {
        DVI_TRY(map_parts(parts, n, options, common, err));
        DVI_TRY(open_together(views, parts[first].format, parts, n, options, err));
    } else {
        DVI_TRY(open_part(&views[first], &parts[first], options, NULL, common, err));
    }
    for (int32_t i = 0; i < n; i++) {
        foresee(parts, n, i + FORESEEN, i + FORESEEN + 1);
        if (views[i])
            continue;
        DVI_TRY(map_part(&parts[i], options, common, err));
        DVI_TRY(open_part(&views[i], &parts[i], options, views[first], common, err));
    }
    return DV_OK;
}

/* The same names as an array, for messages. */
static dv_status concat(dv_view **view_out, dv_view **views, const part *parts, int32_t n,
                        int32_t first, const dvi_key_options *keys, dv_error *err)
{
    const dv_open_options *options = &keys->files;
    const int64_t most = most_rows(views[first]);
    void *names;
    const size_t nbytes = (size_t)n * sizeof(char *);
    DVI_TRY(dvi_alloc(options->allocator, &names, nbytes, err));
    for (int32_t i = 0; i < n; i++)
        ((const char **)names)[i] = parts[i].path;
    dv_status status = dvi_open_keys(views, names, n, keys, err);
    if (status == DV_OK)
        status = dvi_concat_named(view_out, views, names, n, most, options->allocator, err);
    dvi_free(options->allocator, names, nbytes);
    return status;
}

/* Open each file, then concatenate the views, which hold the references. The maps are released. */
static dv_status open_views(dv_view **view_out, part *parts, int32_t n, const dvi_key_options *keys,
                            dv_error *err)
{
    const dv_open_options *options = &keys->files;
    void *views;
    int32_t first = 0;
    dvi_map_common common = {.device = 0};
    const size_t nbytes = (size_t)n * sizeof(dv_view *);
    dv_status status = dvi_alloc_zeroed(options->allocator, &views, nbytes, err);
    if (status == DV_OK)
        status = open_parts(views, parts, n, options, &first, &common, err);
    for (int32_t i = 0; i < n; i++)
        dvi_map_release(&parts[i].map);
    dvi_map_common_free(&common);
    if (status == DV_OK)
        status = concat(view_out, views, parts, n, first, keys, err);
    if (status == DV_OK)
        dvi_open_limit(*view_out, options);
    for (int32_t i = 0; views && i < n; i++)
        dv_view_release(&((dv_view **)views)[i]);
    dvi_free(options->allocator, views, nbytes);
    return status;
}

static dv_status open_all(dv_view **view_out, part *parts, int32_t n,
                          const dv_open_options *options, dv_error *err)
{
    dvi_key_options keys;
    dv_status status = dvi_key_options_read(&keys, parts[0].path, options, err);
    if (status == DV_OK)
        status = open_views(view_out, parts, n, &keys, err);
    dvi_key_options_free(&keys);
    return status;
}

static dv_status make_parts(part **parts_out, int32_t n, const dv_open_options *options,
                            dv_error *err)
{
    void *made;
    *parts_out = NULL;
    DVI_REQUIRE(n >= 1, dvi_fail_argument(err, "%d files: pass at least one", n));
    DVI_TRY(dvi_alloc_zeroed(options->allocator, &made, (size_t)n * sizeof(part), err));
    *parts_out = made;
    return DV_OK;
}

dv_status dv_open_many(dv_view **view_out, const char *const *paths, int32_t n,
                       const dv_open_options *given, dv_error *err)
{
    dv_open_options options;
    part *parts;
    *view_out = NULL;
    DVI_TRY(dvi_open_options_read(given, &options, err));
    DVI_TRY(make_parts(&parts, n, &options, err));
    for (int32_t i = 0; i < n; i++)
        parts[i].path = paths[i];
    const dv_status status = open_all(view_out, parts, n, &options, err);
    dvi_free(options.allocator, parts, (size_t)n * sizeof(part));
    return status;
}

/* --- Sources ---------------------------------------------------------------------------------- */

static dv_status check_source_options(const dv_source_options *o, dv_error *err)
{
    DVI_REQUIRE(
        o->requests >= 1 && o->requests <= 256,
        dvi_fail_argument(err, "source options: requests must be 1 to 256, not %d", o->requests));
    DVI_REQUIRE(o->attempts >= 1, dvi_fail_argument(err, "source options: attempts must be at "
                                                         "least 1"));
    DVI_REQUIRE(o->piece_nbytes >= 1 && (o->piece_nbytes & (o->piece_nbytes - 1)) == 0,
                dvi_fail_argument(err, "source options: piece_nbytes must be a power of two"));
    DVI_REQUIRE(o->request_nbytes >= o->piece_nbytes && o->request_nbytes <= o->cache_nbytes / 2 &&
                    o->least_nbytes >= 0 && o->least_nbytes <= o->request_nbytes &&
                    o->cache_nbytes <= CACHE_NBYTES_MOST,
                dvi_fail_argument(err, "source options: request_nbytes must be at least "
                                       "piece_nbytes and least_nbytes, and at most half of "
                                       "cache_nbytes, which is at most 2^48"));
    DVI_REQUIRE(o->disk_nbytes >= DISK_NBYTES_LEAST && o->disk_nbytes <= DISK_NBYTES_MOST,
                dvi_fail_argument(err, "source options: disk_nbytes must be 4 MiB to 2^60"));
    return DV_OK;
}

static dv_status read_source_options(const dv_source_options *given, dv_source_options *options,
                                     dv_error *err)
{
    *options = (dv_source_options)DV_SOURCE_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_SOURCE_OPTIONS_INIT", err));
    DVI_TRY(check_source_options(options, err));
    options->request_nbytes -= options->request_nbytes % options->piece_nbytes;
    return DV_OK;
}

/* Open the maps of all sources; *taken_out: how many sources are no longer the caller's. */
static dv_status map_sources(part *parts, const dv_source *sources, int32_t n,
                             const dv_source_options *source_options,
                             const dv_open_options *options, int32_t *taken_out, dv_error *err)
{
    dvi_piece_cache *cache;
    DVI_TRY(dvi_piece_cache_create(&cache, source_options, options->allocator, err));
    dv_status status = DV_OK;
    for (int32_t i = 0; i < n && status == DV_OK; i++) {
        *taken_out = i + 1;
        status = dvi_map_open_source(&parts[i].map, &sources[i], cache, options->allocator, err);
        if (status == DV_OK)
            parts[i].path = dvi_map_name(parts[i].map);
    }
    dvi_piece_cache_release(&cache);
    return status;
}

static dv_status open_sources(dv_view **view_out, const dv_source *sources, int32_t n,
                              const dv_source_options *given, const dv_open_options *options,
                              int32_t *taken_out, dv_error *err)
{
    dv_source_options source_options;
    part *parts;
    DVI_TRY(read_source_options(given, &source_options, err));
    DVI_TRY(make_parts(&parts, n, options, err));
    dv_status status = map_sources(parts, sources, n, &source_options, options, taken_out, err);
    if (status == DV_OK)
        status = open_all(view_out, parts, n, options, err);
    for (int32_t i = 0; i < n; i++)
        dvi_map_release(&parts[i].map);
    dvi_free(options->allocator, parts, (size_t)n * sizeof(part));
    return status;
}

dv_status dv_open_source(dv_view **view_out, const dv_source *sources, int32_t n,
                         const dv_source_options *source_options, const dv_open_options *given,
                         dv_error *err)
{
    dv_open_options options;
    int32_t taken = 0;
    *view_out = NULL;
    dv_status status = dvi_open_options_read(given, &options, err);
    if (status == DV_OK)
        status = open_sources(view_out, sources, n, source_options, &options, &taken, err);
    for (int32_t i = taken; i < n; i++)
        if (sources[i].size == sizeof *sources && sources[i].release)
            sources[i].release(sources[i].ctx);
    return status;
}
