/* SPDX-License-Identifier: MIT */
/* cache_disk.c: a view whose rows are in an .idv file of their own, which is found or written
 * (cache.h, docs/caching.md). */
#include "base/alloc.h"
#include "base/check.h"
#include "io/temp_file.h"
#include "io/writer.h"
#include "type/schema.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "cache/cache_memory.h"
#include "cache/cache_stamp.h"
#include "format/idv/idv_format.h"
#include "save/save.h"
#include <dataview/open.h>
#include <errno.h>
#include <string.h>

typedef struct cache_file {
    dv_view *source; /* whose rows it holds */
    const char *path;
    const dv_cache_options *options;
    dv_allocator allocator;
    dv_u128 identity; /* the source's, with times */
} cache_file;

/* --- An existing file ------------------------------------------------------------------------- */

static bool is_same_identity(dv_u128 a, dv_u128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* A stamp can be copied, so the columns are compared as well. */
static bool has_columns_of(const dv_view *file, const dv_view *source)
{
    const dv_schema *a = dv_view_schema(file), *b = dv_view_schema(source);
    const int64_t rows = dv_view_rows(source);
    bool same = dv_schema_columns(a) == dv_schema_columns(b) &&
                (rows == DV_ROWS_UNKNOWN || rows == dv_view_rows(file));
    for (int32_t i = 0; same && i < dv_schema_columns(b); i++)
        same = dv_type_equal(&dv_schema_column(a, i)->type, &dv_schema_column(b, i)->type);
    return same;
}

/* A damaged file is written anew; its defect is not reported. */
static bool is_damage(dv_status status)
{
    return status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT;
}

static dv_status open_rows(dv_view **rows_out, const cache_file *f, dvi_map *map, dv_error *err)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = &f->allocator;
    options.columns = INT32_MAX;
    options.block_nbytes = options.cursor_nbytes = INT64_MAX; /* no block is larger than the file */
    const dv_status status = dvi_format_idv.open(rows_out, map, &options, err);
    if (is_damage(status))
        return DV_NOT_FOUND;
    DVI_TRY(status);
    if (has_columns_of(*rows_out, f->source))
        return DV_OK;
    dv_view_release(rows_out);
    return DV_NOT_FOUND;
}

static dv_status read_file(dv_view **rows_out, const cache_file *f, dvi_map *map, dv_error *err)
{
    dvi_cache_stamp stamp;
    dv_status status = dvi_cache_stamp_read(&stamp, map, err);
    if (status == DV_OK && !is_same_identity(stamp.identity, f->identity))
        status = DV_NOT_FOUND;
    if (status == DV_OK && f->options->check)
        status = dvi_cache_stamp_check(&stamp, map, err);
    return status == DV_OK ? open_rows(rows_out, f, map, err) : status;
}

/* The rows of an existing file.  DV_NOT_FOUND: it must be written. */
static dv_status find_rows(dv_view **rows_out, const cache_file *f, dv_error *err)
{
    dvi_map *map;
    dv_error own = DV_ERROR_INIT;
    *rows_out = NULL;
    dv_status status = dvi_map_open(&map, f->path, DV_IO_AUTO, &f->allocator, &own);
    if (status == DV_ERR_IO && own.os_code == ENOENT)
        return DV_NOT_FOUND;
    if (status == DV_OK) {
        status = read_file(rows_out, f, map, &own);
        dvi_map_release(&map);
    }
    if (status < 0) {
        dvi_error_set_file(&own, f->path);
        if (err)
            *err = own;
    }
    return status;
}

/* --- Writing ---------------------------------------------------------------------------------- */

/* The source without metadata.  A defect of its rows is found while they are written. */
static const dv_view_class plain_class = {.size = sizeof plain_class,
                                          .kind = "rows of a cache",
                                          .can_shuffle = dvi_never_shuffles,
                                          .inspect = dvi_no_facts};

static dv_status name_columns(dv_schema **schema_out, const dv_schema *source,
                              const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dv_schema_create(schema_out, allocator, err));
    for (int32_t i = 0; i < dv_schema_columns(source); i++) {
        const dv_column_info *info = dv_schema_column(source, i);
        DVI_TRY(dv_schema_add(*schema_out, info->name, &info->type, NULL, err));
    }
    return DV_OK;
}

static dv_status make_plain(dv_view **view_out, const cache_file *f, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_derived), f->source, &f->allocator, err));
    const dv_status status = name_columns(&schema, dv_view_schema(f->source), &f->allocator, err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &plain_class, made, schema, err);
    dv_schema_free(&schema);
    dvi_derived_close(made);
    return status;
}

/* The source must still be what it was when its identity was taken. */
static dv_status check_source(const cache_file *f, dv_error *err)
{
    dv_u128 now;
    DVI_TRY(dvi_view_identity(f->source, true, &now, err));
    if (is_same_identity(now, f->identity))
        return DV_OK;
    return dvi_fail(err, DV_ERR_IO, "docs/caching.md", -1, "source",
                    "unchanged while it is read|changed");
}

static dv_status write_stamp(const cache_file *f, dvi_writer *writer, const dv_digester *digester,
                             dv_error *err)
{
    uint8_t header[DVI_CACHE_HEADER_NBYTES];
    const dvi_cache_stamp stamp = {dvi_writer_offset(writer), f->identity,
                                   dv_digester_result(digester)};
    DVI_TRY(dvi_writer_read_back(writer, 0, header, sizeof header, err));
    dvi_cache_stamp_write(header, &stamp);
    return dvi_writer_write_at(writer, 0, header, sizeof header, err);
}

static dv_status write_rows(const cache_file *f, dv_view *plain, dvi_writer *writer,
                            const dv_save_options *options, dv_error *err)
{
    dv_digester *digester;
    DVI_TRY(dv_digester_create(&digester, &f->allocator, err));
    dvi_writer_watch(writer, digester);
    dv_status status = dvi_save_into(plain, &dvi_format_idv, f->path, writer, options, err);
    if (status == DV_OK)
        status = write_stamp(f, writer, digester, err);
    if (status == DV_OK)
        status = check_source(f, err);
    if (status == DV_OK)
        status = dvi_writer_commit(writer, err);
    dvi_writer_watch(writer, NULL);
    dv_digester_free(&digester);
    return status;
}

/* Keys that do not count from 0 without gaps exist only in the codec of old readers. */
static bool has_old_keys(const dv_schema *schema)
{
    bool has = false;
    for (int32_t i = 0; i < dv_schema_columns(schema) && !has; i++) {
        const dv_type *type = &dv_schema_column(schema, i)->type;
        has = type->is_key && (type->key_min > 0 || !type->key_is_contiguous);
    }
    return has;
}

static dv_save_options save_options(const cache_file *f)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allocator = &f->allocator;
    options.hidden = true;
    options.threads = f->options->threads;
    options.progress = f->options->progress;
    options.idv_bool_2bit = true; /* they have NA */
    options.idv_old_keys = has_old_keys(dv_view_schema(f->source));
    return options;
}

/* Columns that the format cannot hold are reported before a file is touched. */
static dv_status write_file(const cache_file *f, dv_error *err)
{
    dv_view *plain;
    dvi_writer *writer = NULL;
    const dv_save_options options = save_options(f);
    DVI_TRY(make_plain(&plain, f, err));
    dv_status status = dvi_save_check(plain, &dvi_format_idv, "", &options, NULL, NULL, err);
    if (status == DV_OK)
        status = dvi_writer_create(&writer, f->path, true, &f->allocator, err);
    else
        dvi_error_set_file(err, f->path);
    if (status == DV_OK)
        status = write_rows(f, plain, writer, &options, err);
    dvi_writer_close(&writer);
    dv_view_release(&plain);
    return status;
}

/* Look again under the lock: another process may have written the file. */
static dv_status find_or_write(dv_view **rows_out, const cache_file *f, dv_error *err)
{
    dv_status status = find_rows(rows_out, f, err);
    if (status != DV_NOT_FOUND)
        return status;
    DVI_TRY(write_file(f, err));
    status = find_rows(rows_out, f, err);
    if (status != DV_NOT_FOUND)
        return status;
    dvi_fail(err, DV_ERR_IO, "docs/caching.md", -1, "file that was just written",
             "still there|replaced by another process");
    dvi_error_set_file(err, f->path);
    return DV_ERR_IO;
}

/* One process at a time. */
static dv_status write_alone(dv_view **rows_out, const cache_file *f, dv_error *err)
{
    dvi_target target;
    dvi_temp_file hold = {.fd = -1};
    dv_status status = dvi_target_open(&target, f->path, err);
    if (status == DV_OK)
        status = dvi_temp_file_hold(&hold, &target, err);
    if (status < 0)
        dvi_error_set_file(err, f->path);
    else
        status = find_or_write(rows_out, f, err);
    dvi_temp_file_discard(&hold, &target);
    dvi_target_close(&target);
    return status;
}

/* The rows of the file, as a view without metadata. They are written if the file is missing, or is
 * an old or damaged one. */
static dv_status open_file(dv_view **rows_out, const cache_file *f, dv_error *err)
{
    const dv_status status = find_rows(rows_out, f, err);
    return status == DV_NOT_FOUND ? write_alone(rows_out, f, err) : status;
}

/* --- The view --------------------------------------------------------------------------------- */

/* The rows of the file, under the schema of the source. */
typedef struct disk {
    dvi_derived base; /* its source is the file */
    dv_view *source;  /* one reference */
} disk;

static void close_disk(void *self)
{
    disk *d = self;
    dv_view_release(&d->source);
    dvi_derived_close(d);
}

/* The identity includes the kind, as it does for a cache in memory: rows have new ids. */
static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    return dv_identity_add_view(identity, ((const disk *)self)->source, err);
}

static const dv_view_class disk_class = {.size = sizeof disk_class,
                                         .kind = "disk cache",
                                         .close = close_disk,
                                         .can_shuffle = dvi_always_shuffles,
                                         .identify = identify};

static dv_status make_view(dv_view **view_out, dv_view *rows, const cache_file *file, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(disk), rows, &file->allocator, err));
    disk *d = made;
    dv_view_retain(file->source);
    d->source = file->source;
    dv_status status = dv_schema_create(&schema, &d->base.arena.allocator, err);
    if (status == DV_OK)
        status = dvi_schema_add_columns(schema, dv_view_schema(file->source), err);
    if (status == DV_OK)
        return dvi_derived_view(view_out, &disk_class, d, schema, err);
    dv_schema_free(&schema);
    close_disk(d);
    return status;
}

static dv_status open_view(dv_view **view_out, cache_file *file, dv_error *err)
{
    dv_view *rows;
    DVI_TRY(dvi_view_identity(file->source, true, &file->identity, err));
    DVI_TRY(open_file(&rows, file, err));
    const dv_status status = make_view(view_out, rows, file, err);
    dv_view_release(&rows);
    return status;
}

/* Has the call failed because no file can be made?  Another file at the path is a mistake that is
 * reported. */
static bool is_no_file(dv_status status, const dv_u128 *identity)
{
    const bool has_none = identity->lo == 0 && identity->hi == 0;
    return status == DV_ERR_IO || status == DV_ERR_LOSS || (status == DV_ERR_ARGUMENT && has_none);
}

dv_status dv_view_cache_disk(dv_view **view_out, dv_view *source, const char *path,
                             const dv_cache_options *given, const dv_allocator *allocator,
                             dv_error *err)
{
    dv_cache_options options;
    dv_error own = DV_ERROR_INIT;
    *view_out = NULL;
    DVI_TRY(dvi_cache_read_options(given, &options, err));
    if (dv_schema_columns(dv_view_schema(source)) == 0)
        return dv_view_cache(view_out, source, &options, allocator, err);
    cache_file file = {source, path, &options, dvi_allocator_of(allocator), {0, 0}};
    const dv_status status = open_view(view_out, &file, &own);
    if (status < 0 && options.or_memory && is_no_file(status, &file.identity))
        return dv_view_cache(view_out, source, &options, allocator, err);
    if (status < 0 && err)
        *err = own;
    return status;
}
