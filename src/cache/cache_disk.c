/* SPDX-License-Identifier: MIT */
/* cache_disk.c: a view whose rows are in an .idv file of their own (cache.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/derived.h"
#include "view/identity.h"
#include "cache/cache_file.h"
#include "cache/cache_memory.h"

/* The rows of the file, under the schema of the source. */
typedef struct disk {
    dvi_derived base; /* of the file's rows */
    dv_view *source;  /* one reference */
} disk;

static void close_disk(void *self)
{
    disk *d = self;
    dv_view_release(&d->source);
    dvi_derived_close(d);
}

/* The identity includes the kind, as that of a cache in memory does: rows have other ids than the
 * source's. */
static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    return dv_identity_add_view(identity, ((const disk *)self)->source, err);
}

static const dv_view_class disk_class = {.size = sizeof disk_class,
                                         .kind = "disk cache",
                                         .close = close_disk,
                                         .can_shuffle = dvi_always_shuffles,
                                         .identify = identify};

static dv_status make_view(dv_view **view_out, dv_view *rows, const dvi_cache_file *file,
                           dv_error *err)
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

static dv_status open_view(dv_view **view_out, dvi_cache_file *file, dv_error *err)
{
    dv_view *rows;
    DVI_TRY(dvi_view_identity(file->source, true, &file->identity, err));
    DVI_TRY(dvi_cache_file_open(&rows, file, err));
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
    dvi_cache_file file = {source, path, &options, dvi_allocator_of(allocator), {0, 0}};
    const dv_status status = open_view(view_out, &file, &own);
    if (status < 0 && options.or_memory && is_no_file(status, &file.identity))
        return dv_view_cache(view_out, source, &options, allocator, err);
    if (status < 0 && err)
        *err = own;
    return status;
}
