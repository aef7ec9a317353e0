/* SPDX-License-Identifier: MIT */
/* datadings_infer.c: infers columns from samples (datadings:12).
 *
 * A broken sample contributes nothing, or its sound part. dv_inspect warns about it, and a cursor
 * fails at it. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "format/datadings/read/datadings_priv.h"
#include <inttypes.h>

#define RUN_NBYTES (INT64_C(1) << 20)

typedef struct inference {
    dvi_datadings_file *file;
    dvi_datadings_fields *fields;
    int64_t sample;
    bool is_broken;
    int32_t *fields_set; /* fields with a value in the maps that are being read */
    size_t n, cap;
} inference;

/* Keep the first error about the bytes of samples, and go on. Return other errors. */
static dv_status note_failure(inference *in, dv_status status, const dv_error *found, dv_error *err)
{
    dvi_datadings_file *file = in->file;
    if (status == DV_OK)
        return DV_OK;
    if (status != DV_ERR_CORRUPT && status != DV_ERR_LIMIT) {
        if (err)
            *err = *found;
        return status;
    }
    if (file->unread == 0 && !in->is_broken) {
        file->broken = *found;
        dvi_error_within(&file->broken, "sample %" PRId64, in->sample);
    }
    in->is_broken = true;
    return DV_OK;
}

static dv_status set_value(inference *in, int32_t child, const uint8_t *at, dv_error *err)
{
    dvi_datadings_field *f = &in->fields->field[child];
    f->at = at;
    if (f->sample == in->sample)
        return DV_OK; /* the map has the key twice: the last value counts */
    void *array = in->fields_set;
    const dv_status status =
        dvi_array_reserve(&in->file->allocator, &array, &in->cap, in->n + 1, sizeof(int32_t), err);
    in->fields_set = array;
    DVI_TRY(status);
    f->sample = in->sample;
    in->fields_set[in->n++] = child;
    return DV_OK;
}

/* Add the key as a field unless it is one; its value is at the reader. */
static dv_status add_key(inference *in, int32_t parent, const dvi_msgpack_reader *r,
                         const dvi_msgpack *key, dv_error *err)
{
    const dv_text text = {(const char *)key->data, key->n};
    int32_t child = dvi_datadings_fields_find(in->fields, parent, text);
    if (key->n == 0 && parent == 0) {
        in->file->has_unnamed = in->file->has_hidden = true;
        return DV_OK;
    }
    if (child < 0 && !dvi_msgpack_is_utf8(key)) {
        dv_error found = DV_ERROR_INIT;
        const int64_t at = r->offset + (key->data - r->start);
        dvi_fail(&found, DV_ERR_CORRUPT, "datadings:8.29", at, "key", "UTF-8|\"%s\"",
                 dvi_show(text).text);
        return note_failure(in, DV_ERR_CORRUPT, &found, err);
    }
    if (child < 0) {
        const int64_t most = in->file->limits.columns;
        DVI_REQUIRE((int64_t)in->fields->n <= most,
                    dvi_fail(err, DV_ERR_LIMIT, "columns", dvi_msgpack_offset(r), "keys",
                             "at most %" PRId64 "|more", most));
        DVI_TRY(dvi_datadings_fields_add(in->fields, parent, text, &child, err));
    }
    return set_value(in, child, r->at, err);
}

static dv_status profile_map(inference *in, int32_t parent, dvi_msgpack_reader r, dv_error *err);

static dv_status profile_value(inference *in, int32_t field, dvi_msgpack_reader r, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    dvi_datadings_profile *profile = &in->fields->field[field].profile;
    r.at = in->fields->field[field].at;
    const uint16_t before = profile->forms;
    in->fields->field[field].present++;
    profile->forms = 0;
    const dv_status status = dvi_datadings_profile_add(profile, &r, &in->fields->arena, &found);
    const bool is_map = profile->forms == DVI_PROFILE_MAP;
    profile->forms |= before;
    if (is_map && in->fields->field[field].level + 1 < DVI_DATADINGS_LEVELS)
        return profile_map(in, field, r, err);
    if (is_map)
        profile->forms |= DVI_PROFILE_OTHER;
    return note_failure(in, status, &found, err);
}

/* Read all keys before any value: of equal keys the last one counts. */
static dv_status profile_map(inference *in, int32_t parent, dvi_msgpack_reader r, dv_error *err)
{
    const size_t first = in->n;
    const dvi_msgpack map = dvi_msgpack_next(&r);
    for (uint32_t i = 0; i < map.n && map.kind == DVI_MSGPACK_MAP; i++) {
        const dvi_msgpack key = dvi_msgpack_next(&r);
        if (key.kind == DVI_MSGPACK_STR)
            DVI_TRY(add_key(in, parent, &r, &key, err));
        else if (parent > 0)
            in->fields->field[parent].profile.forms |= DVI_PROFILE_OTHER;
        else
            in->file->has_hidden = true;
        dvi_msgpack_skip(&r, 0);
    }
    const size_t end = in->n;
    for (size_t i = first; i < end; i++)
        DVI_TRY(profile_value(in, in->fields_set[i], r, err));
    in->n = first;
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

static dv_status profile_sample(inference *in, dvi_msgpack_reader message, dv_error *err)
{
    dv_error found = DV_ERROR_INIT;
    in->is_broken = false;
    const dv_status status = check_message(&message, &found);
    message.nesting = DVI_MSGPACK_NESTING;
    DVI_TRY(status == DV_OK ? profile_map(in, 0, message, err)
                            : note_failure(in, status, &found, err));
    in->file->inferred++;
    in->file->unread += in->is_broken;
    return DV_OK;
}

static dv_status profile_samples(inference *in, dvi_datadings_source *source, int64_t row,
                                 int64_t end, dv_error *err)
{
    while (row < end) {
        int64_t n;
        DVI_TRY(dvi_datadings_source_run(source, row, end, RUN_NBYTES, INT64_MAX, &n, err));
        for (int64_t i = 0; i < n; i++, row++) {
            in->sample = row;
            DVI_TRY(profile_sample(in, dvi_datadings_source_message(source, row), err));
        }
    }
    return DV_OK;
}

/* Profile the first samples and the last one. */
static dv_status profile_all(inference *in, dvi_datadings_source *source, dv_error *err)
{
    const int64_t rows = dvi_datadings_rows(in->file->set);
    const int64_t first = dvi_min_i64(rows, in->file->options.infer);
    DVI_TRY(profile_samples(in, source, 0, first, err));
    return profile_samples(in, source, dvi_max_i64(first, rows - 1), rows, err);
}

/* Add the column `key`, which a set without samples, or without keys in its messages, has, too. */
static dv_status add_listed_key(dvi_datadings_file *file, dv_error *err)
{
    int32_t field;
    if (dvi_datadings_rows(file->set) > 0 && !dvi_datadings_lists_keys(file->set))
        return DV_OK;
    DVI_TRY(dvi_datadings_fields_add(&file->fields, 0, dv_text_of("key"), &field, err));
    if (file->fields.field[field].present > 0)
        return DV_OK;
    file->fields.field[field].profile.forms |= DVI_PROFILE_SCALAR;
    file->fields.field[field].profile.items |= DVI_PROFILE_STR;
    return DV_OK;
}

static dv_status profile_file(dvi_datadings_file *file, dv_error *err)
{
    void *source;
    inference in = {.file = file, .fields = &file->fields};
    DVI_TRY(dvi_alloc_zeroed(&file->allocator, &source, sizeof(dvi_datadings_source), err));
    ((dvi_datadings_source *)source)->file = file;
    const dv_status status = profile_all(&in, source, err);
    dvi_datadings_source_free(source);
    dvi_free(&file->allocator, source, sizeof(dvi_datadings_source));
    dvi_free(&file->allocator, in.fields_set, in.cap * sizeof(int32_t));
    return status;
}

dv_status dvi_datadings_infer(dvi_datadings_file *file, dv_error *err)
{
    DVI_TRY(profile_file(file, err));
    file->seen = file->inferred;
    if (file->unread == 0 || file->fields.n > 1)
        return add_listed_key(file, err);
    if (err)
        *err = file->broken;
    return file->broken.status;
}

/* --- Several files ---------------------------------------------------------------------------- */

/* What all files have: fields, and what they say of samples. */
static dv_status collect(dvi_datadings_file *all, dvi_datadings_file *const *files, int32_t n,
                         int32_t *blamed_out, dv_error *err)
{
    for (int32_t i = 0; i < n; i++) {
        const dvi_datadings_file *file = files[i];
        const int64_t most = file->limits.columns;
        *blamed_out = i;
        DVI_TRY(dvi_datadings_fields_join(&all->fields, &file->fields, err));
        DVI_REQUIRE((int64_t)all->fields.n - 1 <= most,
                    dvi_fail(err, DV_ERR_LIMIT, "columns", -1, "keys of all files",
                             "at most %" PRId64 "|more", most));
        all->seen += file->seen;
        if (__builtin_add_overflow(all->samples, file->samples, &all->samples))
            all->samples = INT64_MAX; /* of sparse files: not all are seen */
        all->has_hidden |= file->has_hidden;
    }
    return DV_OK;
}

static dv_status share(const dvi_datadings_file *all, dvi_datadings_file *file, dv_error *err)
{
    dvi_datadings_fields_clear(&file->fields);
    file->seen = all->seen;
    file->samples = all->samples;
    file->has_hidden = all->has_hidden;
    return dvi_datadings_fields_join(&file->fields, &all->fields, err);
}

dv_status dvi_datadings_unite(dvi_datadings_file **files, int32_t n, int32_t *blamed_out,
                              dv_error *err)
{
    dvi_datadings_file all = {.seen = 0};
    *blamed_out = 0;
    if (n < 2 || files[0]->options.raw || files[0]->options.specs_count > 0)
        return DV_OK;
    dv_status status = dvi_datadings_fields_init(&all.fields, &files[0]->allocator, err);
    if (status == DV_OK)
        status = collect(&all, files, n, blamed_out, err);
    for (int32_t i = 0; i < n && status == DV_OK; i++)
        status = share(&all, files[i], err);
    dvi_datadings_fields_free(&all.fields);
    return status;
}
