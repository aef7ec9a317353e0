/* SPDX-License-Identifier: MIT */
/* map_source.c: the backend of bytes that the caller reads (source.h), in pieces. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "base/stop.h"
#include "io/map_priv.h"
#include <inttypes.h>
#include <string.h>

#define END_NBYTES (INT64_C(64) << 10)
#define SOURCE_NBYTES_MOST (INT64_C(1) << 60) /* what a server says may be anything */

typedef struct fetched {
    dvi_map map;
    dv_source source;
    char *version;          /* a copy; NULL: none */
    dvi_piece_cache *cache; /* that of the pieces */
    dvi_pieces *pieces;     /* NULL: not open */
} fetched;

void dv_set_stop_check(bool (*check)(void))
{
    dvi_stop_set_check(check);
}

dv_status dv_source_fail(dv_error *err, dv_status status, const char *sentence)
{
    return dvi_fail(err, status, "", -1, "not read", "%s", sentence);
}

static dv_status span_source(dvi_map *map, int64_t offset, size_t nbytes, dvi_memory **memory,
                             dvi_span *span_out, dv_error *err)
{
    DVI_TRY(dvi_memory_reserve(memory, &map->allocator, nbytes, err));
    DVI_TRY(dvi_pieces_read(((fetched *)map)->pieces, offset, nbytes, (*memory)->data, err));
    *span_out = (dvi_span){(*memory)->data, nbytes, offset, &(*memory)->owner, false};
    return DV_OK;
}

/* What was read was there. */
static dv_status check_source(dvi_map *map, dv_error *err)
{
    (void)map;
    (void)err;
    return DV_OK;
}

static void advise_source(dvi_map *map, int64_t offset, int64_t nbytes)
{
    dvi_pieces_advise(((fetched *)map)->pieces, &(dvi_range){offset, nbytes}, 1);
}

static void close_source(dvi_map *map)
{
    fetched *f = (fetched *)map;
    dvi_pieces_free(&f->pieces);
    if (f->version)
        dvi_free(&map->allocator, f->version, strlen(f->version) + 1);
    if (f->source.release)
        f->source.release(f->source.ctx);
}

/* Without a name of its own it has that of `map` and the suffix. */
static dv_status open_named(dvi_map **map_out, const dvi_map *map, const char *suffix,
                            dv_source *source, dv_error *err)
{
    const size_t n = strlen(map->name), m = strlen(suffix) + 1;
    void *name = NULL;
    dv_status status = dvi_alloc(&map->allocator, &name, n + m, err);
    if (status < 0) {
        if (source->release)
            source->release(source->ctx);
        return status;
    }
    memcpy(name, map->name, n);
    memcpy((char *)name + n, suffix, m);
    if (!source->name)
        source->name = name;
    status =
        dvi_map_open_source(map_out, source, ((const fetched *)map)->cache, &map->allocator, err);
    dvi_free(&map->allocator, name, n + m);
    return status;
}

static dv_status beside_source(const dvi_map *map, const char *suffix, dvi_map **map_out,
                               dv_error *err)
{
    const dv_source *source = &((const fetched *)map)->source;
    dv_source found = DV_SOURCE_INIT;
    *map_out = NULL;
    if (!source->beside)
        return DV_NOT_FOUND;
    const dv_status status = source->beside(source->ctx, suffix, &found, err);
    return status == DV_OK ? open_named(map_out, map, suffix, &found, err) : status;
}

static const dvi_map_backend source_backend = {.span = span_source,
                                               .check = check_source,
                                               .advise = advise_source,
                                               .close = close_source,
                                               .beside = beside_source};

static const fetched *as_source(const dvi_map *map)
{
    return map->backend == &source_backend ? (const fetched *)map : NULL;
}

static dv_status ask_length(const dv_source *source, int64_t *nbytes_out, dv_error *err)
{
    DVI_TRY(source->length(source->ctx, nbytes_out, err));
    DVI_REQUIRE(*nbytes_out >= 0 && *nbytes_out <= SOURCE_NBYTES_MOST,
                dvi_fail_argument(err, "a source of %" PRId64 " bytes", *nbytes_out));
    return DV_OK;
}

static dv_status set_up(fetched *f, const dv_source *source, dvi_piece_cache *cache, dv_error *err)
{
    void *copy = NULL;
    if (source->version) {
        DVI_TRY(dvi_alloc(&f->map.allocator, &copy, strlen(source->version) + 1, err));
        f->version = memcpy(copy, source->version, strlen(source->version) + 1);
    }
    f->source.version = f->version;
    f->source.name = f->map.name;
    f->cache = cache;
    return dvi_pieces_create(&f->pieces, cache, &f->source, f->map.nbytes, err);
}

/* With DV_OK the map owns the source. */
static dv_status open_source(dvi_map **map_out, const dv_source *source, dvi_piece_cache *cache,
                             const dv_allocator *allocator, dv_error *err)
{
    int64_t nbytes;
    DVI_TRY(ask_length(source, &nbytes, err));
    DVI_TRY(dvi_map_create(map_out, sizeof(fetched), &source_backend, nbytes,
                           source->name ? source->name : "", allocator, err));
    fetched *f = (fetched *)*map_out;
    f->map.is_copied = true;
    f->source = *source;
    f->source.release = NULL; /* by the caller, after a failure */
    const dv_status status = set_up(f, source, cache, err);
    if (status < 0)
        dvi_map_release(map_out);
    else
        f->source.release = source->release;
    return status;
}

static dv_status check_functions(const dv_source *source, dv_error *err)
{
    DVI_REQUIRE(
        source->length && source->read_at,
        dvi_fail_argument(err, "a source without %s", source->length ? "read_at" : "length"));
    return DV_OK;
}

dv_status dvi_map_open_source(dvi_map **map_out, const dv_source *given, dvi_piece_cache *cache,
                              const dv_allocator *allocator, dv_error *err)
{
    dv_source source = DV_SOURCE_INIT;
    *map_out = NULL;
    dv_status status = dvi_options_read(&source, sizeof source, given, "DV_SOURCE_INIT", err);
    if (status == DV_OK)
        status = check_functions(&source, err);
    if (status == DV_OK)
        status = open_source(map_out, &source, cache, allocator, err);
    if (status == DV_OK)
        return DV_OK;
    dvi_error_set_file(err, source.name ? source.name : "");
    if (source.release)
        source.release(source.ctx);
    return status;
}

/* --- What only sources have ------------------------------------------------------------------- */

bool dvi_map_is_source(const dvi_map *map)
{
    return as_source(map) != NULL;
}

bool dvi_map_has_name(const dvi_map *map)
{
    const fetched *f = as_source(map);
    return f ? f->source.beside != NULL : dvi_map_is_file(map);
}

const char *dvi_map_version(const dvi_map *map)
{
    const fetched *f = as_source(map);
    return f ? f->version : NULL;
}

int64_t dvi_map_ahead(const dvi_map *map)
{
    const fetched *f = as_source(map);
    return f ? dvi_piece_cache_ahead(f->cache) : 0;
}

dvi_piece_counts dvi_map_counts(const dvi_map *map)
{
    const fetched *f = as_source(map);
    return f ? dvi_pieces_counts(f->pieces) : (dvi_piece_counts){.disk_note = ""};
}

void dvi_map_announce(dvi_map *map, const dvi_range *ranges, size_t n)
{
    const fetched *f = as_source(map);
    if (f)
        dvi_pieces_advise(f->pieces, ranges, n);
    else if (n == 1)
        dvi_map_hold(map, ranges);
}

void dvi_map_announce_ends(dvi_map *map)
{
    const int64_t nbytes = dvi_map_nbytes(map), end = dvi_min_i64(nbytes, END_NBYTES);
    dvi_map_announce(map, (const dvi_range[]){{0, end}, {nbytes - end, end}}, nbytes > end ? 2 : 1);
}
