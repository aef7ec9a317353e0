/* SPDX-License-Identifier: MIT */
/* saving.c: saves views, each in the format that the options or the path name. */
#include "base/alloc.h"
#include "base/check.h"
#include "formats.h"
#include "save/table_writer.h"
#include <dataview/cursor.h>
#include <inttypes.h>
#include <string.h>

/* The format that the options name, or that of the path's extension, if it can be saved. */
static dv_status choose_format(const dvi_format **format_out, const char *path,
                               const dv_save_options *options, dv_error *err)
{
    const dvi_format *format = NULL;
    dvi_packing packing = DVI_PACKING_NONE;
    if (path)
        format = dvi_format_by_saved_name(path, &packing);
    if (options->format)
        format = dvi_format_by_name(options->format);
    if (!format && options->format)
        return dvi_fail_argument(err, "unknown format \"%s\": use one of %s", options->format,
                                 dvi_format_names_saved().text);
    if (!format)
        return dvi_fail_argument(err,
                                 "which format? give the name a known extension, or name one of %s",
                                 dvi_format_names_saved().text);
    if (!format->info.can_save)
        return dvi_fail(err, DV_ERR_UNSUPPORTED, "", -1, "saving", "one of %s|%s",
                        dvi_format_names_saved().text, format->info.name);
    if (packing != DVI_PACKING_NONE && !format->info.can_stream)
        return dvi_fail_argument(err,
                                 "only text is written compressed, as x.csv.gz or x.tsv.zst; %s "
                                 "needs a name without .gz or .zst",
                                 format->info.name);
    *format_out = format;
    return DV_OK;
}

/* Options and format; a failure names the path. */
static dv_status begin_save(const dvi_format **format_out, const char *path,
                            const dv_save_options *given, dv_save_options *options, dv_error *err)
{
    DVI_TRY(dvi_save_read_options(given, options, err));
    const dv_status status = choose_format(format_out, path, options, err);
    if (status != DV_OK && path)
        dvi_error_set_file(err, path);
    return status;
}

dv_status dv_save(dv_view *view, const char *path, const dv_save_options *given, dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_file(view, format, path, &options, err);
}

dv_status dv_writer_open(dv_writer **writer_out, const char *path, const dv_schema *schema,
                         int64_t rows, const dv_save_options *given, dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    *writer_out = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_table_writer_open(writer_out, format, path, schema, rows, &options, err);
}

static dv_status check_columns(const dv_schema *schema, const dv_table_column *columns, int32_t n,
                               dv_error *err)
{
    if (n != dv_schema_columns(schema))
        return dvi_fail_argument(err, "%" PRId32 " columns: the schema has %" PRId32, n,
                                 dv_schema_columns(schema));
    for (int32_t k = 0; k < n; k++) {
        const dv_text is = dv_schema_column(schema, k)->name;
        const char *name = columns[k].name ? columns[k].name : "";
        if (strlen(name) != (size_t)is.nbytes || memcmp(name, is.data, (size_t)is.nbytes) != 0)
            return dvi_fail_argument(err, "column %" PRId32 ": the schema calls it \"%s\"", k,
                                     dvi_show(is).text);
    }
    return DV_OK;
}

/* Append all columns of a view, hidden ones too. */
static dv_status append_view(dv_writer *writer, dv_view *view, dv_error *err)
{
    const dv_allocator *allocator = dvi_table_writer_allocator(writer);
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const dv_batch *batch;
    dv_cursor *cursor = NULL;
    void *made;
    DVI_TRY(dvi_alloc(allocator, &made, (size_t)n * sizeof(int32_t), err));
    int32_t *columns = made;
    for (int32_t k = 0; k < n; k++)
        columns[k] = k;
    options.columns = columns;
    options.columns_count = n;
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        status = dv_writer_append(writer, batch, err);
    dv_cursor_close(&cursor);
    dvi_free(allocator, made, (size_t)n * sizeof(int32_t));
    return status == DV_END ? DV_OK : status;
}

static dv_status append_columns(dv_writer *writer, const dv_table_column *columns, int32_t n,
                                int64_t rows, dv_error *err)
{
    dv_view *view;
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    options.allocator = dvi_table_writer_allocator(writer);
    DVI_TRY(check_columns(dvi_table_writer_schema(writer), columns, n, err));
    DVI_TRY(dv_table_create(&view, columns, n, rows, &options, err));
    const dv_status status = append_view(writer, view, err);
    dv_view_release(&view);
    return status;
}

dv_status dv_writer_append_columns(dv_writer *writer, const dv_table_column *columns, int32_t n,
                                   int64_t rows, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    DVI_TRY(dvi_table_writer_failure(writer, err));
    const dv_status status = append_columns(writer, columns, n, rows, &own);
    if (status == DV_OK)
        return DV_OK;
    dvi_table_writer_fail(writer, status, &own);
    return dvi_table_writer_failure(writer, err);
}

dv_status dv_save_memory(dv_view *view, dv_buffer *buffer_out, const dv_save_options *given,
                         dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    *buffer_out = (dv_buffer){0};
    DVI_TRY(begin_save(&format, NULL, given, &options, err));
    return dvi_save_memory(view, format, buffer_out, &options, err);
}

dv_status dv_save_check(dv_view *view, const char *path, const dv_save_options *given,
                        bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                        dv_error *err)
{
    dv_save_options options;
    const dvi_format *format = NULL;
    DVI_TRY(begin_save(&format, path, given, &options, err));
    return dvi_save_check(view, format, path ? path : "", &options, report, ctx, err);
}
