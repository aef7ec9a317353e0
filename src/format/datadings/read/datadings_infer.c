/* SPDX-License-Identifier: MIT */
/* datadings_infer.c: which columns do the samples tell?  (datadings:12)
 *
 * A sample that is broken tells nothing, or what of it is sound: it is told as a warning, and the
 * cursor that comes to it fails there. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>

#define RUN_NBYTES (INT64_C(1) << 20)

typedef struct look {
    dvi_datadings_file *file;
    dvi_datadings_fields *fields;
    int64_t sample;
    bool is_broken;
    int32_t *touched; /* fields that have a value in the maps that are open */
    size_t n, cap;
} look;

/* Bytes are wrong: remember the first time.  Anything else is the end. */
static dv_status note(look *l, dv_status status, const dv_error *found, dv_error *err)
{
    dvi_datadings_file *file = l->file;
    if (status == DV_OK)
        return DV_OK;
    if (status != DV_ERR_CORRUPT && status != DV_ERR_LIMIT) {
        if (err)
            *err = *found;
        return status;
    }
    if (file->unread == 0 && !l->is_broken) {
        file->broken = *found;
        dvi_error_within(&file->broken, "sample %" PRId64, l->sample);
    }
    l->is_broken = true;
    return DV_OK;
}

static dv_status touch(look *l, int32_t child, const uint8_t *at, dv_error *err)
{
    dvi_datadings_field *f = &l->fields->field[child];
    f->at = at;
    if (f->sample == l->sample)
        return DV_OK; /* the key is there twice: the last one wins */
    void *array = l->touched;
    const dv_status status =
        dvi_array_reserve(&l->file->allocator, &array, &l->cap, l->n + 1, sizeof(int32_t), err);
    l->touched = array;
    DVI_TRY(status);
    f->sample = l->sample;
    l->touched[l->n++] = child;
    return DV_OK;
}

/* A key that may be new. */
static dv_status meet(look *l, int32_t parent, const dvi_msgpack_reader *r, const dvi_msgpack *key,
                      dv_error *err)
{
    const dv_text text = {(const char *)key->data, key->n};
    int32_t child = dvi_datadings_fields_find(l->fields, parent, text);
    if (key->n == 0 && parent == 0) {
        l->file->has_unnamed = true;
        return DV_OK;
    }
    if (child < 0 && !dvi_msgpack_is_utf8(key)) {
        dv_error found = DV_ERROR_INIT;
        const int64_t at = r->offset + (key->data - r->start);
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.29", at, "key", "UTF-8|\"%s\"",
                 dvi_show(text).text);
        return note(l, DV_ERR_CORRUPT, &found, err);
    }
    if (child < 0) {
        const int64_t most = l->file->limits.columns;
        DVI_REQUIRE((int64_t)l->fields->n <= most,
                    dvi_fail(err, DV_ERR_LIMIT, "columns", dvi_msgpack_offset(r), "keys",
                             "at most %" PRId64 "|more", most));
        DVI_TRY(dvi_datadings_fields_add(l->fields, parent, text, &child, err));
    }
    return touch(l, child, r->at, err);
}

static dv_status look_at_map(look *l, int32_t parent, dvi_msgpack_reader r, dv_error *err);

/* The value that a field has in this sample. */
static dv_status look_at_value(look *l, int32_t field, dvi_msgpack_reader r, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    dvi_datadings_profile *sight = &l->fields->field[field].sight;
    r.at = l->fields->field[field].at;
    const uint16_t before = sight->forms;
    sight->forms = 0;
    const dv_status status = dvi_datadings_profile_add(sight, &r, &l->fields->arena, &found);
    const bool is_map = sight->forms == DVI_PROFILE_MAP;
    sight->forms |= before;
    if (is_map && l->fields->field[field].level + 1 < DVI_DATADINGS_LEVELS)
        return look_at_map(l, field, r, err);
    if (is_map)
        sight->forms |= DVI_PROFILE_OTHER;
    return note(l, status, &found, err);
}

/* First all keys, since a later one of the same name takes the place of an earlier; then the
 * values.
 */
static dv_status look_at_map(look *l, int32_t parent, dvi_msgpack_reader r, dv_error *err)
{
    const size_t first = l->n;
    dvi_msgpack map = {.n = 0}, key;
    dvi_msgpack_read(&r, &map);
    for (uint32_t i = 0; i < map.n; i++) {
        dvi_msgpack_read(&r, &key);
        if (key.kind == DVI_MSGPACK_STR)
            DVI_TRY(meet(l, parent, &r, &key, err));
        else if (parent > 0)
            l->fields->field[parent].sight.forms |= DVI_PROFILE_OTHER;
        dvi_msgpack_skip(&r, 0);
    }
    const size_t end = l->n;
    for (size_t i = first; i < end; i++)
        DVI_TRY(look_at_value(l, l->touched[i], r, err));
    l->n = first;
    return DV_OK;
}

static dv_status check_message(const dvi_msgpack_reader *message, dv_error *err)
{
    dvi_msgpack_reader r = *message;
    DVI_TRY(dvi_datadings_check_map(message, err));
    if (!dvi_msgpack_skip(&r, 0))
        return dvi_msgpack_failure(&r, err);
    return dvi_datadings_check_end(&r, err);
}

static dv_status look_at_sample(look *l, dvi_msgpack_reader message, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    l->is_broken = false;
    const dv_status status = check_message(&message, &found);
    message.nesting = DVI_MSGPACK_NESTING;
    DVI_TRY(status == DV_OK ? look_at_map(l, 0, message, err) : note(l, status, &found, err));
    l->file->inferred++;
    l->file->unread += l->is_broken;
    return DV_OK;
}

static dv_status look_at_samples(look *l, dvi_datadings_source *source, int64_t row, int64_t end,
                                 dv_error *err)
{
    while (row < end) {
        int64_t n;
        DVI_TRY(dvi_datadings_source_run(source, row, end, RUN_NBYTES, INT64_MAX, &n, err));
        for (int64_t i = 0; i < n; i++, row++) {
            l->sample = row;
            DVI_TRY(look_at_sample(l, dvi_datadings_source_message(source, row), err));
        }
    }
    return DV_OK;
}

/* The first ones, and the last one. */
static dv_status look_at_all(look *l, dvi_datadings_source *source, dv_error *err)
{
    const int64_t rows = dvi_datadings_rows(l->file->set);
    const int64_t first = dvi_min_i64(rows, l->file->options.infer);
    DVI_TRY(look_at_samples(l, source, 0, first, err));
    return look_at_samples(l, source, dvi_max_i64(first, rows - 1), rows, err);
}

dv_status dvi_datadings_infer(dvi_datadings_file *file, dv_error *err)
{
    void *source;
    look l = {.file = file, .fields = &file->fields};
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &source, sizeof(dvi_datadings_source), err));
    ((dvi_datadings_source *)source)->file = file;
    const dv_status status = look_at_all(&l, source, err);
    dvi_datadings_source_free(source);
    dvi_free(&file->allocator, source, sizeof(dvi_datadings_source));
    dvi_free(&file->allocator, l.touched, l.cap * sizeof(int32_t));
    DVI_TRY(status);
    if (file->unread == 0 || file->fields.n > 1)
        return DV_OK;
    if (err)
        *err = file->broken; /* there is nothing else to tell */
    return file->broken.status;
}
