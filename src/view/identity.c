/* SPDX-License-Identifier: MIT */
/* identity.c: the digest of everything that the rows of a view depend on (docs/resuming.md). */
#include "view/identity.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include <string.h>

#define END_NBYTES (INT64_C(64) << 10) /* of a file, at its start and at its end */

struct dv_identity {
    dv_digester *digester;
    bool with_times;
};

/* The length comes first, so that bytes cannot move from one addition to the next. */
void dv_identity_add(dv_identity *identity, const void *src, size_t n)
{
    const uint64_t nbytes = n;
    dv_digester_add(identity->digester, &nbytes, sizeof nbytes);
    dv_digester_add(identity->digester, src, n);
}

void dvi_identity_add_i8(dv_identity *identity, int64_t number)
{
    dv_identity_add(identity, &number, sizeof number);
}

void dvi_identity_add_type(dv_identity *identity, const dv_type *type)
{
    const dv_text extension = dv_text_of(type->extension);
    const int64_t fields[] = {type->kind,
                              type->is_key,
                              type->key_is_contiguous,
                              (int64_t)type->key_min,
                              (int64_t)type->key_count,
                              type->extension_width,
                              type->rank};
    dv_identity_add(identity, fields, sizeof fields);
    for (int32_t i = 0; i < type->rank; i++)
        dvi_identity_add_i8(identity, dv_type_dim(type, i));
    dv_identity_add(identity, extension.data, (size_t)dvi_max_i64(extension.nbytes, 0));
}

/* --- Views ------------------------------------------------------------------------------------ */

static void add_schema(dv_identity *identity, const dv_schema *schema)
{
    const int32_t n = dv_schema_columns(schema);
    dvi_identity_add_i8(identity, n);
    for (int32_t i = 0; i < n; i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        dv_identity_add(identity, info->name.data, (size_t)info->name.nbytes);
        dvi_identity_add_type(identity, &info->type);
    }
}

static dv_status add_view(dv_identity *identity, dv_view *view, dv_error *err)
{
    const dv_view_class *cls = dvi_view_class(view);
    dv_identity_add(identity, cls->kind, strlen(cls->kind));
    add_schema(identity, dv_view_schema(view));
    if (cls->identify)
        return cls->identify(dvi_view_self(view), identity, err);
    if (identity->with_times)
        return dvi_fail(err, DV_ERR_ARGUMENT, "docs/caching.md", -1,
                        "what tells a view from others",
                        "a class with `identify`|the view \"%s\" without",
                        dvi_show(dv_text_of(cls->kind)).text);
    dvi_identity_add_i8(identity, dv_view_rows(view));
    return DV_OK;
}

dv_status dvi_view_identity(dv_view *view, bool with_times, dv_u128 *identity_out, dv_error *err)
{
    dv_identity identity = {.with_times = with_times};
    *identity_out = (dv_u128){0, 0};
    if (!with_times && dvi_view_kept_identity(view, identity_out))
        return DV_OK;
    DVI_TRY(dv_digester_create(&identity.digester, dvi_view_allocator(view), err));
    const dv_status status = add_view(&identity, view, err);
    if (status == DV_OK) {
        *identity_out = dv_digester_result(identity.digester);
        if (!with_times)
            dvi_view_keep_identity(view, *identity_out);
    }
    dv_digester_free(&identity.digester);
    return status;
}

dv_status dv_view_identity(dv_view *view, dv_u128 *identity_out, dv_error *err)
{
    return dvi_view_identity(view, false, identity_out, err);
}

/* Adds the digest of the view, so that the additions of several views cannot be confused. */
dv_status dv_identity_add_view(dv_identity *identity, dv_view *view, dv_error *err)
{
    dv_u128 source;
    DVI_TRY(dvi_view_identity(view, identity->with_times, &source, err));
    dv_identity_add(identity, &source, sizeof source);
    return DV_OK;
}

/* --- Files ------------------------------------------------------------------------------------ */

static dv_status add_bytes(dv_identity *identity, dvi_map *map, int64_t offset, int64_t nbytes,
                           dvi_memory **memory, dv_error *err)
{
    dvi_span span;
    if (nbytes == 0)
        return DV_OK;
    DVI_TRY(dvi_map_span(map, offset, (size_t)nbytes, memory, &span, err));
    dv_identity_add(identity, span.data, span.nbytes);
    return DV_OK;
}

/* Bytes in memory have no time of change, and some sources no version, so all of them are added. */
static dv_status add_middle(dv_identity *identity, dvi_map *map, int64_t from, int64_t to,
                            dvi_memory **memory, dv_error *err)
{
    if (!identity->with_times || dvi_map_is_file(map) || dvi_map_version(map))
        return DV_OK;
    for (int64_t at = from; at < to; at += END_NBYTES)
        DVI_TRY(add_bytes(identity, map, at, dvi_min_i64(END_NBYTES, to - at), memory, err));
    return DV_OK;
}

static dv_status add_times(dv_identity *identity, const dvi_map *map, dv_error *err)
{
    int64_t times[2];
    if (!identity->with_times)
        return DV_OK;
    DVI_TRY(dvi_map_times(map, times, err));
    dv_identity_add(identity, times, sizeof times);
    const char *version = dvi_map_version(map);
    if (version)
        dv_identity_add(identity, version, strlen(version));
    return DV_OK;
}

static dv_status add_map(dv_identity *identity, dvi_map *map, dv_error *err)
{
    const int64_t nbytes = dvi_map_nbytes(map), head = dvi_min_i64(nbytes, END_NBYTES);
    const int64_t tail = dvi_max_i64(nbytes - END_NBYTES, head);
    dvi_memory *memory = NULL;
    dv_status status = DV_OK;
    if (dvi_map_is_stream(map))
        status = dvi_fail(err, DV_ERR_ARGUMENT, "docs/resuming.md", -1,
                          "what can be told from others", "a file|a pipe, whose bytes come once");
    dvi_identity_add_i8(identity, nbytes);
    if (status == DV_OK)
        status = add_bytes(identity, map, 0, head, &memory, err);
    if (status == DV_OK)
        status = add_bytes(identity, map, tail, nbytes - tail, &memory, err);
    if (status == DV_OK)
        status = add_middle(identity, map, head, tail, &memory, err);
    if (status == DV_OK)
        status = add_times(identity, map, err);
    dvi_memory_release(&memory);
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(map));
    return status;
}

/* What is packed depends on the file as it is stored, and on that alone. */
dv_status dvi_identity_add_map(dv_identity *identity, dvi_map *map, dv_error *err)
{
    return add_map(identity, dvi_map_stored(map), err);
}
