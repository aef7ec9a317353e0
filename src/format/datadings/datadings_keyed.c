/* SPDX-License-Identifier: MIT */
/* datadings_keyed.c: the public functions that look up samples by key and return messages. */
#include "base/check.h"
#include "view/view.h"
#include "scan/several.h"
#include "format/datadings/read/datadings_priv.h"
#include "save/save.h"
#include <dataview/datadings.h>
#include <inttypes.h>

#define KEYS_AT_ONCE 256 /* that are looked for in one file after another */

/* The view of one file, or those of several that are joined. */
typedef struct files {
    dv_view *const *views;
    int32_t n;
} files;

static dv_status refuse(const dv_view *view, dv_error *err)
{
    return dvi_fail_argument(err, "a view of %s has no keys: open a datadings file",
                             dv_view_kind(view));
}

/* DV_ERR_ARGUMENT: a view is not of this format. `view` must outlive the files. */
static dv_status files_of(files *f, dv_view *const *view, dv_error *err)
{
    f->n = dvi_several_joined(*view, &f->views);
    if (f->n == 0)
        *f = (files){view, 1};
    for (int32_t i = 0; i < f->n; i++)
        DVI_REQUIRE(dvi_datadings_file_of(f->views[i]), refuse(*view, err));
    return DV_OK;
}

static dvi_datadings_file *file_at(const files *f, int32_t i)
{
    return dvi_datadings_file_of(f->views[i]);
}

/* Add the data file to an error without a file. */
static dv_status name_file(const dvi_datadings_file *file, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(file->map));
    return status;
}

/* --- Keys ------------------------------------------------------------------------------------- */

dv_status dv_datadings_find(dv_view *view, dv_text key, int64_t *row_out, dv_error *err)
{
    files f;
    int64_t before = 0;
    dvi_datadings_sought sought = {.key = key};
    *row_out = -1;
    DVI_TRY(files_of(&f, &view, err));
    for (int32_t i = 0; i < f.n; i++) {
        const dvi_datadings_file *file = file_at(&f, i);
        const bool confirm = file->options.confirm;
        const dv_status status =
            f.n == 1 ? dvi_datadings_find(file->set, key, confirm, row_out, err)
                     : dvi_datadings_find_among(file->set, &sought, confirm, row_out, err);
        *row_out += status == DV_OK ? before : 0;
        if (status != DV_NOT_FOUND)
            return name_file(file, status, err);
        before += dvi_datadings_rows(file->set);
    }
    return DV_NOT_FOUND;
}

/* Look in one of several files for the keys that are not found yet, at most KEYS_AT_ONCE; its rows
 * follow `before` others. */
static dv_status find_rest(const dvi_datadings_file *file, int64_t before, const dv_text *keys,
                           size_t n, int64_t *rows, dv_error *err)
{
    dv_text rest[KEYS_AT_ONCE];
    int64_t found[KEYS_AT_ONCE];
    size_t place[KEYS_AT_ONCE], count = 0;
    for (size_t i = 0; i < n; i++)
        if (rows[i] < 0) {
            rest[count] = keys[i];
            found[count] = -1;
            place[count++] = i;
        }
    DVI_TRY(name_file(
        file, dvi_datadings_find_many(file->set, rest, count, file->options.confirm, found, err),
        err));
    for (size_t i = 0; i < count; i++)
        if (found[i] >= 0)
            rows[place[i]] = before + found[i];
    return DV_OK;
}

static dv_status find_among_all(const files *f, const dv_text *keys, size_t n, int64_t *rows,
                                dv_error *err)
{
    for (size_t i = 0, here; i < n; i += here) {
        int64_t before = 0;
        here = n - i < KEYS_AT_ONCE ? n - i : KEYS_AT_ONCE;
        for (int32_t k = 0; k < f->n; k++) {
            const dvi_datadings_file *file = file_at(f, k);
            DVI_TRY(find_rest(file, before, keys + i, here, rows + i, err));
            before += dvi_datadings_rows(file->set);
        }
    }
    return DV_OK;
}

dv_status dv_datadings_find_many(dv_view *view, const dv_text *keys, size_t n, int64_t *rows_out,
                                 dv_error *err)
{
    files f;
    for (size_t i = 0; i < n; i++)
        rows_out[i] = -1;
    DVI_TRY(files_of(&f, &view, err));
    const dvi_datadings_file *first = file_at(&f, 0);
    const dv_status status =
        f.n > 1 ? find_among_all(&f, keys, n, rows_out, err)
                : name_file(first,
                            dvi_datadings_find_many(first->set, keys, n, first->options.confirm,
                                                    rows_out, err),
                            err);
    for (size_t i = 0; status < 0 && i < n; i++)
        rows_out[i] = -1;
    return status;
}

dv_status dv_datadings_contains(dv_view *view, dv_text key, bool *does_out, dv_error *err)
{
    files f;
    *does_out = false;
    DVI_TRY(files_of(&f, &view, err));
    for (int32_t i = 0; i < f.n && !*does_out; i++) {
        const dvi_datadings_file *file = file_at(&f, i);
        DVI_TRY(name_file(
            file, dvi_datadings_contains(file->set, key, file->options.confirm, does_out, err),
            err));
    }
    return DV_OK;
}

/* --- Bytes ------------------------------------------------------------------------------------ */

typedef dv_status read_bytes(dvi_datadings_set *set, int64_t row, dv_buffer *bytes_out,
                             dv_error *err);

static dv_status refuse_row(const dv_view *view, int64_t row, dv_error *err)
{
    const int64_t rows = dv_view_rows(view);
    return dvi_fail_argument(err, "row %" PRId64 " does not exist: the view has %" PRId64 " row%s",
                             row, rows, DVI_S(rows));
}

static dv_status read_row(dv_view *view, int64_t row, read_bytes *read, dv_buffer *bytes_out,
                          dv_error *err)
{
    files f;
    *bytes_out = (dv_buffer){0};
    DVI_TRY(files_of(&f, &view, err));
    int64_t left = row;
    for (int32_t i = 0; i < f.n && left >= 0; i++) {
        const dvi_datadings_file *file = file_at(&f, i);
        const int64_t rows = dvi_datadings_rows(file->set);
        if (left < rows)
            return name_file(file, read(file->set, left, bytes_out, err), err);
        left -= rows;
    }
    return refuse_row(view, row, err);
}

dv_status dv_datadings_key(dv_view *view, int64_t row, dv_buffer *key_out, dv_error *err)
{
    return read_row(view, row, dvi_datadings_key, key_out, err);
}

dv_status dv_datadings_message(dv_view *view, int64_t row, dv_buffer *message_out, dv_error *err)
{
    return read_row(view, row, dvi_datadings_message, message_out, err);
}

dv_status dv_datadings_index(dv_view *view, const struct dv_save_options *given, dv_error *err)
{
    dv_save_options options;
    const dvi_datadings_file *file = dvi_datadings_file_of(view);
    DVI_REQUIRE(file, refuse(view, err));
    DVI_TRY(dvi_save_read_options(given, &options, err));
    return name_file(file, dvi_datadings_rebuild(file->set, &options, err), err);
}
