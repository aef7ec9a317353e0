/* SPDX-License-Identifier: MIT */
/* cache_disk.c: the rows of a view in an .idv file of their own, written once (cache.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "io/temp_file.h"
#include "io/writer.h"
#include "view/batch.h"
#include "view/cursor.h"
#include "view/derived.h"
#include "view/identity.h"
#include "view/inherit.h"
#include "cache/cache_memory.h"
#include "cache/cache_stamp.h"
#include "format/idv/idv_format.h"
#include "save/save.h"
#include <dataview/cache.h>
#include <dataview/open.h>
#include <errno.h>
#include <string.h>

/* --- The same rows under another schema ------------------------------------------------------- */

/* The source without metadata, to be written; or the file, under the schema of the source. */
typedef struct dressed {
    dvi_derived base;  /* of whose rows they are */
    dv_view *original; /* whose schema it has, one reference; NULL: nobody's */
} dressed;

static void close_dressed(void *self)
{
    dressed *d = self;
    dv_view_release(&d->original);
    dvi_derived_close(d);
}

/* The kind is in it, as it is in that of a cache in memory: rows have other ids than the source's.
 */
static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    return dv_identity_add_view(identity, ((const dressed *)self)->original, err);
}

/* A defect of the rows to be written is found while they are written. */
static const dv_view_class plain_class = {.size = sizeof plain_class,
                                          .kind = "rows of a cache",
                                          .close = close_dressed,
                                          .can_shuffle = dvi_never_shuffles,
                                          .inspect = dvi_no_facts};

static const dv_view_class disk_class = {.size = sizeof disk_class,
                                         .kind = "disk cache",
                                         .close = close_dressed,
                                         .can_shuffle = dvi_always_shuffles,
                                         .identify = identify};

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

/* original: NULL, a view without metadata; else one with the schema of that view. */
static dv_status dress(dv_view **view_out, dv_view *rows, dv_view *original,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made;
    dv_schema *schema = NULL;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(dressed), rows, allocator, err));
    dressed *d = made;
    if (original)
        dv_view_retain(original);
    d->original = original;
    const dv_allocator *own = &d->base.arena.allocator;
    dv_status status;
    if (original) {
        status = dv_schema_create(&schema, own, err);
        if (status == DV_OK)
            status = dvi_inherit_columns(schema, dv_view_schema(original), err);
    } else {
        status = name_columns(&schema, dv_view_schema(rows), own, err);
    }
    if (status == DV_OK)
        return dvi_derived_view(view_out, original ? &disk_class : &plain_class, d, schema, err);
    dv_schema_free(&schema);
    close_dressed(d);
    return status;
}

/* --- A file that is there --------------------------------------------------------------------- */

typedef struct job {
    dv_view *source;
    const char *path;
    const dv_cache_options *options;
    dv_allocator allocator;
    dv_u128 identity;
} job;

static bool is_same_identity(dv_u128 a, dv_u128 b)
{
    return a.lo == b.lo && a.hi == b.hi;
}

/* What the file says of itself must be what is looked for; a stamp can be copied. */
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

/* Of what is wrong with the bytes of an old file nobody need hear. */
static bool is_damage(dv_status status)
{
    return status == DV_ERR_CORRUPT || status == DV_ERR_UNSUPPORTED || status == DV_ERR_LIMIT;
}

static dv_status open_rows(dv_view **rows_out, const job *j, dvi_map *map, dv_error *err)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.allocator = &j->allocator;
    options.columns = INT32_MAX;
    options.block_nbytes = options.cursor_nbytes = INT64_MAX; /* no block is larger than the file */
    const dv_status status = dvi_format_idv.open(rows_out, map, &options, err);
    if (is_damage(status))
        return DV_NOT_FOUND;
    DVI_TRY(status);
    if (has_columns_of(*rows_out, j->source))
        return DV_OK;
    dv_view_release(rows_out);
    return DV_NOT_FOUND;
}

static dv_status read_file(dv_view **rows_out, const job *j, dvi_map *map, dv_error *err)
{
    dvi_cache_stamp stamp;
    dv_status status = dvi_cache_stamp_read(&stamp, map, err);
    if (status == DV_OK && !is_same_identity(stamp.identity, j->identity))
        status = DV_NOT_FOUND;
    if (status == DV_OK && j->options->check)
        status = dvi_cache_stamp_check(&stamp, map, err);
    return status == DV_OK ? open_rows(rows_out, j, map, err) : status;
}

/* The rows, if they are there.  DV_NOT_FOUND: they must be written. */
static dv_status find_rows(dv_view **rows_out, const job *j, dv_error *err)
{
    dvi_map *map;
    dv_error own = DV_ERROR_INIT;
    *rows_out = NULL;
    dv_status status = dvi_map_open(&map, j->path, DV_IO_MMAP, &j->allocator, &own);
    if (status == DV_ERR_IO && own.os_code == ENOENT)
        return DV_NOT_FOUND;
    if (status == DV_OK) {
        status = read_file(rows_out, j, map, &own);
        dvi_map_release(&map);
    }
    if (status < 0) {
        dvi_error_set_file(&own, j->path);
        if (err)
            *err = own;
    }
    return status;
}

/* --- Writing it ------------------------------------------------------------------------------- */

/* The source is now what it was when its identity was taken. */
static dv_status check_source(const job *j, dv_error *err)
{
    dv_u128 now;
    DVI_TRY(dvi_view_identity(j->source, true, &now, err));
    if (is_same_identity(now, j->identity))
        return DV_OK;
    return dvi_fail(err, DV_ERR_IO, "docs/caching.md", -1, "what is cached",
                    "the same from the first row to the last|changed while it was read");
}

static dv_status put_stamp(const job *j, dvi_writer *writer, const dv_digester *digester,
                           dv_error *err)
{
    uint8_t header[DVI_CACHE_HEADER_NBYTES];
    const dvi_cache_stamp stamp = {dvi_writer_offset(writer), j->identity,
                                   dv_digester_result(digester)};
    DVI_TRY(dvi_writer_read_back(writer, 0, header, sizeof header, err));
    dvi_cache_stamp_put(header, &stamp);
    return dvi_writer_write_at(writer, 0, header, sizeof header, err);
}

static dv_status write_rows(const job *j, dv_view *plain, dvi_writer *writer,
                            const dv_save_options *options, dv_error *err)
{
    dv_digester *digester;
    DVI_TRY(dv_digester_create(&digester, &j->allocator, err));
    dvi_writer_watch(writer, digester);
    dv_status status = dvi_save_into(plain, &dvi_format_idv, j->path, writer, options, err);
    if (status == DV_OK)
        status = put_stamp(j, writer, digester, err);
    if (status == DV_OK)
        status = check_source(j, err);
    if (status == DV_OK)
        status = dvi_writer_commit(writer, err);
    dvi_writer_watch(writer, NULL);
    dv_digester_free(&digester);
    return status;
}

/* Keys that do not count from 0 without a gap are only in the codec of old readers. */
static bool has_old_keys(const dv_schema *schema)
{
    bool has = false;
    for (int32_t i = 0; i < dv_schema_columns(schema) && !has; i++) {
        const dv_type *type = &dv_schema_column(schema, i)->type;
        has = type->is_key && (type->key_min > 0 || !type->key_is_contiguous);
    }
    return has;
}

static dv_save_options save_options(const job *j)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.allocator = &j->allocator;
    options.hidden = true;
    options.threads = j->options->threads;
    options.progress = j->options->progress;
    options.idv_bool_2bit = true; /* they have NA */
    options.idv_old_keys = has_old_keys(dv_view_schema(j->source));
    return options;
}

/* What cannot be written is told before anything is touched. */
static dv_status write_file(const job *j, dv_error *err)
{
    dv_view *plain;
    dvi_writer *writer = NULL;
    const dv_save_options options = save_options(j);
    DVI_TRY(dress(&plain, j->source, NULL, &j->allocator, err));
    dv_status status = dvi_save_check(plain, &dvi_format_idv, &options, NULL, NULL, err);
    if (status == DV_OK)
        status = dvi_writer_create(&writer, j->path, true, &j->allocator, err);
    else
        dvi_error_set_file(err, j->path);
    if (status == DV_OK)
        status = write_rows(j, plain, writer, &options, err);
    dvi_writer_close(&writer);
    dv_view_release(&plain);
    return status;
}

/* The rows as others left them meanwhile, or as we write them. */
static dv_status find_or_write(dv_view **rows_out, const job *j, dv_error *err)
{
    dv_status status = find_rows(rows_out, j, err);
    if (status != DV_NOT_FOUND)
        return status;
    DVI_TRY(write_file(j, err));
    status = find_rows(rows_out, j, err);
    if (status != DV_NOT_FOUND)
        return status;
    dvi_fail(err, DV_ERR_IO, "docs/caching.md", -1, "what was written",
             "still there|replaced by others");
    dvi_error_set_file(err, j->path);
    return DV_ERR_IO;
}

/* One process after the other. */
static dv_status write_alone(dv_view **rows_out, const job *j, dv_error *err)
{
    dvi_target target;
    dvi_temp_file hold = {.fd = -1};
    dv_status status = dvi_target_open(&target, j->path, err);
    if (status == DV_OK)
        status = dvi_temp_file_hold(&hold, &target, err);
    if (status < 0)
        dvi_error_set_file(err, j->path);
    else
        status = find_or_write(rows_out, j, err);
    dvi_temp_file_discard(&hold, &target);
    dvi_target_close(&target);
    return status;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status make(dv_view **view_out, job *j, dv_error *err)
{
    dv_view *rows;
    DVI_TRY(dvi_view_identity(j->source, true, &j->identity, err));
    dv_status status = find_rows(&rows, j, err);
    if (status == DV_NOT_FOUND)
        status = write_alone(&rows, j, err);
    DVI_TRY(status);
    status = dress(view_out, rows, j->source, &j->allocator, err);
    dv_view_release(&rows);
    return status;
}

/* Is it for want of a file that there is no view?  Another file at that place is a mistake that is
 * better told. */
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
    job j = {source, path, &options, dvi_allocator_of(allocator), {0, 0}};
    const dv_status status = make(view_out, &j, &own);
    if (status < 0 && options.or_memory && is_no_file(status, &j.identity))
        return dv_view_cache(view_out, source, &options, allocator, err);
    if (status < 0 && err)
        *err = own;
    return status;
}
