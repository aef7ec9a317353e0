/* SPDX-License-Identifier: MIT */
/* datadings_keyed.c: the public functions that look up samples by key and return messages. */
#include "base/check.h"
#include "view/view.h"
#include "format/datadings/read/datadings_priv.h"
#include "save/save.h"
#include <dataview/datadings.h>
#include <inttypes.h>

/* DV_ERR_ARGUMENT: the view is not of this format. */
static dv_status file_of(dvi_datadings_file **file_out, const dv_view *view, dv_error *err)
{
    *file_out = dvi_datadings_file_of(view);
    DVI_REQUIRE(*file_out, dvi_fail_argument(err, "a view of %s has no keys: open a datadings file",
                                             dv_view_kind(view)));
    return DV_OK;
}

static dv_status check_row(const dvi_datadings_file *file, int64_t row, dv_error *err)
{
    const int64_t rows = dvi_datadings_rows(file->set);
    if (row < 0 || row >= rows)
        return dvi_fail_argument(err,
                                 "row %" PRId64 " does not exist: the view has %" PRId64 " row%s",
                                 row, rows, DVI_S(rows));
    return DV_OK;
}

/* Add the data file to an error without a file. */
static dv_status name_file(const dvi_datadings_file *file, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_set_file(err, dvi_map_name(file->map));
    return status;
}

dv_status dv_datadings_find(dv_view *view, dv_text key, int64_t *row_out, dv_error *err)
{
    dvi_datadings_file *file;
    *row_out = -1;
    DVI_TRY(file_of(&file, view, err));
    return name_file(file, dvi_datadings_find(file->set, key, file->options.confirm, row_out, err),
                     err);
}

dv_status dv_datadings_find_many(dv_view *view, const dv_text *keys, size_t n, int64_t *rows_out,
                                 dv_error *err)
{
    dvi_datadings_file *file;
    for (size_t i = 0; i < n; i++)
        rows_out[i] = -1;
    DVI_TRY(file_of(&file, view, err));
    const dv_status status =
        dvi_datadings_find_many(file->set, keys, n, file->options.confirm, rows_out, err);
    for (size_t i = 0; status < 0 && i < n; i++)
        rows_out[i] = -1;
    return name_file(file, status, err);
}

dv_status dv_datadings_contains(dv_view *view, dv_text key, bool *does_out, dv_error *err)
{
    dvi_datadings_file *file;
    *does_out = false;
    DVI_TRY(file_of(&file, view, err));
    return name_file(
        file, dvi_datadings_contains(file->set, key, file->options.confirm, does_out, err), err);
}

dv_status dv_datadings_key(dv_view *view, int64_t row, dv_buffer *key_out, dv_error *err)
{
    dvi_datadings_file *file;
    *key_out = (dv_buffer){0};
    DVI_TRY(file_of(&file, view, err));
    DVI_TRY(check_row(file, row, err));
    return name_file(file, dvi_datadings_key(file->set, row, key_out, err), err);
}

dv_status dv_datadings_message(dv_view *view, int64_t row, dv_buffer *message_out, dv_error *err)
{
    dvi_datadings_file *file;
    *message_out = (dv_buffer){0};
    DVI_TRY(file_of(&file, view, err));
    DVI_TRY(check_row(file, row, err));
    return name_file(file, dvi_datadings_message(file->set, row, message_out, err), err);
}

dv_status dv_datadings_index(dv_view *view, const struct dv_save_options *given, dv_error *err)
{
    dvi_datadings_file *file;
    dv_save_options options;
    DVI_TRY(file_of(&file, view, err));
    DVI_TRY(dvi_save_read_options(given, &options, err));
    return name_file(file, dvi_datadings_rebuild(file->set, &options, err), err);
}
