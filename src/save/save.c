/* SPDX-License-Identifier: MIT */
/* save.c: saves a view: reads options, reports losses, and calls the format's saver. */
#include "save/save.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "io/pack.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "save/losses.h"
#include "save/resolved.h"

/* --- Options ---------------------------------------------------------------------------------- */

static dv_cursor_options cursor_options_of(const dv_save_options *options)
{
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = options->columns;
    cursor.columns_count = options->columns_count;
    cursor.first_row = options->first_row;
    cursor.end_row = options->end_row;
    cursor.skip = options->skip;
    cursor.take = options->take;
    cursor.threads = options->threads;
    return cursor;
}

static bool is_power_of_two(int32_t n)
{
    return n > 0 && (n & (n - 1)) == 0;
}

#define LOSS_BIT(member, bit, name, sentence) | (uint32_t)DV_LOSS_##member
#define LOSS_BITS (0u DV_LOSS_LIST(LOSS_BIT))

static dv_status check_options(const dv_save_options *options, dv_error *err)
{
    const dv_cursor_options given = cursor_options_of(options);
    dv_cursor_options ignored;
    DVI_TRY(dvi_cursor_read_options(&given, &ignored, err));
    DVI_REQUIRE((options->allow_loss & ~LOSS_BITS) == 0,
                dvi_fail_argument(err, "allow_loss has bits that are not a dv_loss"));
    DVI_TRY(dvi_options_least("memory_nbytes", options->memory_nbytes, 0, err));
    DVI_TRY(dvi_options_least("rows_per_block", options->rows_per_block, 0, err));
    DVI_TRY(dvi_options_least("block_nbytes", options->block_nbytes, 0, err));
    DVI_REQUIRE((int)options->compression >= DV_COMPRESSION_NONE &&
                    options->compression <= DV_COMPRESSION_ZLIB,
                dvi_fail_argument(err, "unknown compression %d", options->compression));
    DVI_REQUIRE(options->level >= 0 && options->level <= 12,
                dvi_fail_argument(err, "level %d: use 1 to 12, or 0", options->level));
    DVI_REQUIRE(
        is_power_of_two(options->align) && options->align >= 8 && options->align <= 4096,
        dvi_fail_argument(err, "align %d: use a power of two from 8 to 4096", options->align));
    return DV_OK;
}

dv_status dvi_save_read_options(const dv_save_options *given, dv_save_options *options,
                                dv_error *err)
{
    *options = (dv_save_options)DV_SAVE_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_SAVE_OPTIONS_INIT", err));
    return check_options(options, err);
}

/* --- What is saved ---------------------------------------------------------------------------- */

static dv_status list_all_columns(dvi_resolved *r, dv_error *err)
{
    void *made;
    const int32_t n = dv_schema_columns(r->saving.schema);
    DVI_TRY(dvi_alloc(r->saving.allocator, &made, (size_t)n * sizeof *r->columns, err));
    r->columns = made;
    r->saving.columns_count = n;
    for (int32_t i = 0; i < n; i++)
        r->columns[i] = i;
    return DV_OK;
}

dv_status dvi_resolved_make(dvi_resolved *r, dv_view *view, const dv_schema *schema, int64_t rows,
                            const dv_save_options *options, dv_error *err)
{
    const dv_cursor_options cursor = cursor_options_of(options);
    *r = (dvi_resolved){.saving = {.view = view,
                                   .path = "",
                                   .schema = schema,
                                   .rows = rows,
                                   .threads = dvi_cursor_read_threads(&cursor),
                                   .options = options,
                                   .allocator = options->allocator}};
    const bool all = options->hidden && !options->columns && options->columns_count < 0;
    const dv_status status =
        all ? list_all_columns(r, err)
            : dvi_cursor_read_columns(schema, &cursor, r->saving.allocator, &r->columns,
                                      &r->saving.columns_count, err);
    r->saving.columns = r->columns;
    return status;
}

static dv_status resolve(dvi_resolved *r, dv_view *view, const dv_save_options *options,
                         dv_error *err)
{
    const dv_cursor_options cursor = cursor_options_of(options);
    int64_t first, end;
    dvi_cursor_read_rows(view, &cursor, &first, &end);
    const int64_t rows = dv_view_rows(view) == DV_ROWS_UNKNOWN ? DV_ROWS_UNKNOWN : end - first;
    return dvi_resolved_make(r, view, dv_view_schema(view), rows, options, err);
}

void dvi_resolved_free(dvi_resolved *r)
{
    dvi_free(r->saving.allocator, r->columns, (size_t)r->saving.columns_count * sizeof *r->columns);
}

dv_status dvi_resolved_check(const dvi_resolved *r, const dvi_format *format,
                             bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                             dv_error *err)
{
    dvi_losses losses = {.schema = r->saving.schema,
                         .allow = r->saving.options->allow_loss,
                         .report = report,
                         .ctx = ctx,
                         .is_possible = true};
    if (format->check_save)
        DVI_TRY(format->check_save(&r->saving, &losses, err));
    return dvi_losses_verdict(&losses, format->info.name, err);
}

/* --- For savers ------------------------------------------------------------------------------- */

bool dvi_saving_allows(const dvi_saving *saving, dv_loss loss)
{
    return (saving->options->allow_loss & (uint32_t)loss) != 0;
}

dv_status dvi_saving_report(const dvi_saving *saving, dv_loss loss, int64_t row,
                            const char *sentence, dv_error *err)
{
    const dv_save_options *options = saving->options;
    const dv_loss_report report = {loss, true, -1, {"", 0}, sentence, row, false};
    if (options->report && !options->report(options->report_ctx, &report))
        return dvi_fail(err, DV_ERR_STOPPED, "", -1, "not saved", "%s", "stopped on request");
    return DV_OK;
}

dv_status dvi_saving_progress(const dvi_saving *saving, int64_t rows_done, dv_error *err)
{
    return dvi_report_progress(&saving->options->progress, "not saved", rows_done, saving->rows,
                               err);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static dv_status open_cursor(const dvi_resolved *r, const dvi_saver *saver, dv_cursor **cursor_out,
                             dv_error *err)
{
    dv_cursor_options options = cursor_options_of(r->saving.options);
    options.columns = saver->columns;
    options.columns_count = saver->columns_count;
    options.batch_rows = saver->batch_rows;
    options.threads = saver->threads > 0 ? saver->threads : r->saving.threads;
    return dv_cursor_open(cursor_out, r->saving.view, &options, err);
}

/* The rows that the saver keeps are written if they can still be read, although the source failed.
 */
static dv_status drain(const dvi_resolved *r, dvi_saver *saver, dv_status source, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    if (!saver->drain)
        return DV_OK;
    dv_status status = dvi_view_check(r->saving.view, &own);
    if (status < 0 && source < 0)
        return DV_OK;
    if (status == DV_OK)
        status = saver->drain(saver, &own);
    if (status < 0 && err)
        *err = own;
    return status;
}

static dv_status put_rows(const dvi_resolved *r, dvi_saver *saver, dv_cursor *cursor, dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        DVI_TRY(saver->put(saver, batch, err));
    DVI_TRY(drain(r, saver, status, err));
    return status == DV_END ? saver->end(saver, err) : status;
}

static dv_status write_rows(const dvi_resolved *r, const dvi_format *format, dvi_writer *writer,
                            dv_error *err)
{
    dvi_saver *saver;
    dv_cursor *cursor;
    DVI_TRY(dvi_saving_progress(&r->saving, 0, err));
    DVI_TRY(format->begin_save(&saver, &r->saving, writer, err));
    dv_status status = open_cursor(r, saver, &cursor, err);
    if (status == DV_OK)
        status = put_rows(r, saver, cursor, err);
    saver->free(saver);
    dv_cursor_close(&cursor);
    return status;
}

static dv_status write_all(const dvi_resolved *r, const dvi_format *format, dvi_writer *writer,
                           dv_error *err)
{
    DVI_TRY(write_rows(r, format, writer, err));
    return dvi_writer_commit(writer, err);
}

bool dvi_is_own_failure(dv_status status)
{
    return status == DV_ERR_LOSS || status == DV_ERR_STOPPED;
}

dv_status dvi_save_create(dvi_writer **writer_out, const dvi_format *format, const char *path,
                          const dv_save_options *options, dv_error *err)
{
    size_t stem_nbytes;
    const dvi_packing named = dvi_packing_of_path(path, &stem_nbytes);
    const dvi_packing packing = format->info.can_stream ? named : DVI_PACKING_NONE;
    DVI_TRY(dvi_writer_create(writer_out, path, options->sync, options->allocator, err));
    const dv_status status = dvi_writer_pack(*writer_out, packing, err);
    if (status != DV_OK)
        dvi_writer_close(writer_out);
    return status;
}

static dv_status save_file(const dvi_resolved *r, const dvi_format *format, const char *path,
                           dv_error *err)
{
    dvi_writer *writer;
    DVI_TRY(dvi_resolved_check(r, format, NULL, NULL, err));
    DVI_TRY(dvi_save_create(&writer, format, path, r->saving.options, err));
    const dv_status status = write_all(r, format, writer, err);
    dvi_writer_close(&writer);
    return status;
}

dv_status dvi_save_file(dv_view *view, const dvi_format *format, const char *path,
                        const dv_save_options *options, dv_error *err)
{
    dvi_resolved r;
    dv_status status = resolve(&r, view, options, err);
    r.saving.path = path;
    if (status == DV_OK)
        status = save_file(&r, format, path, err);
    if (dvi_is_own_failure(status))
        dvi_error_set_file(err, path);
    dvi_resolved_free(&r);
    return status;
}

dv_status dvi_save_into(dv_view *view, const dvi_format *format, const char *path,
                        dvi_writer *writer, const dv_save_options *options, dv_error *err)
{
    dvi_resolved r;
    dv_status status = resolve(&r, view, options, err);
    r.saving.path = path;
    if (status == DV_OK)
        status = dvi_resolved_check(&r, format, NULL, NULL, err);
    if (status == DV_OK)
        status = write_rows(&r, format, writer, err);
    if (dvi_is_own_failure(status))
        dvi_error_set_file(err, path);
    dvi_resolved_free(&r);
    return status;
}

static dv_status save_memory(const dvi_resolved *r, const dvi_format *format, dv_buffer *buffer_out,
                             dv_error *err)
{
    dvi_writer *writer;
    DVI_TRY(dvi_resolved_check(r, format, NULL, NULL, err));
    DVI_TRY(dvi_writer_create_memory(&writer, r->saving.options->memory_nbytes, "memory_nbytes",
                                     r->saving.allocator, err));
    const dv_status status = write_all(r, format, writer, err);
    if (status == DV_OK)
        dvi_writer_take(writer, buffer_out);
    dvi_writer_close(&writer);
    return status;
}

dv_status dvi_save_memory(dv_view *view, const dvi_format *format, dv_buffer *buffer_out,
                          const dv_save_options *options, dv_error *err)
{
    dvi_resolved r;
    *buffer_out = (dv_buffer){0};
    dv_status status = resolve(&r, view, options, err);
    if (status == DV_OK)
        status = save_memory(&r, format, buffer_out, err);
    dvi_resolved_free(&r);
    return status;
}

dv_status dvi_save_check(dv_view *view, const dvi_format *format, const char *path,
                         const dv_save_options *options,
                         bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                         dv_error *err)
{
    dvi_resolved r;
    dv_status status = resolve(&r, view, options, err);
    r.saving.path = path;
    if (status == DV_OK)
        status = dvi_resolved_check(&r, format, report, ctx, err);
    dvi_resolved_free(&r);
    return status;
}
