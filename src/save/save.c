/* SPDX-License-Identifier: MIT */
/* save.c: saves a view: reads options, reports losses, and calls the format's saver. */
#include "save/save.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "view/cursor.h"
#include "save/losses.h"

/* What a call owns. */
typedef struct resolved {
    dvi_saving saving;
    int32_t *columns;
} resolved;

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
    DVI_REQUIRE(options->memory_nbytes >= 0 && options->rows_per_block >= 0 &&
                    options->block_nbytes >= 0,
                dvi_fail_argument(err, "a save option is negative"));
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

static dv_status list_all_columns(resolved *r, dv_error *err)
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

static dv_status resolve(resolved *r, dv_view *view, const dv_save_options *options, dv_error *err)
{
    const dv_cursor_options cursor = cursor_options_of(options);
    int64_t first, end;
    dvi_cursor_read_rows(view, &cursor, &first, &end);
    *r = (resolved){
        .saving = {.view = view,
                   .path = "",
                   .schema = dv_view_schema(view),
                   .rows = dv_view_rows(view) == DV_ROWS_UNKNOWN ? DV_ROWS_UNKNOWN : end - first,
                   .threads = dvi_cursor_read_threads(&cursor),
                   .options = options,
                   .allocator = options->allocator}};
    const bool all = options->hidden && !options->columns && options->columns_count < 0;
    const dv_status status =
        all ? list_all_columns(r, err)
            : dvi_cursor_read_columns(r->saving.schema, &cursor, r->saving.allocator, &r->columns,
                                      &r->saving.columns_count, err);
    r->saving.columns = r->columns;
    return status;
}

static void release(resolved *r)
{
    dvi_free(r->saving.allocator, r->columns, (size_t)r->saving.columns_count * sizeof *r->columns);
}

static dv_status check(const resolved *r, const dvi_format *format,
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

dv_status dvi_saving_open_cursor(const dvi_saving *saving, dv_cursor **cursor_out,
                                 const int32_t *columns, int32_t n, int64_t batch_rows,
                                 int32_t threads, dv_error *err)
{
    dv_cursor_options options = cursor_options_of(saving->options);
    options.columns = columns;
    options.columns_count = n;
    options.batch_rows = batch_rows;
    options.threads = threads > 0 ? threads : saving->threads;
    return dv_cursor_open(cursor_out, saving->view, &options, err);
}

dv_status dvi_saving_progress(const dvi_saving *saving, int64_t rows_done, dv_error *err)
{
    return dvi_report_progress(&saving->options->progress, "not saved", rows_done, saving->rows,
                               err);
}

/* --- Saving ----------------------------------------------------------------------------------- */

static dv_status write_rows(const resolved *r, const dvi_format *format, dvi_writer *writer,
                            dv_error *err)
{
    DVI_TRY(dvi_saving_progress(&r->saving, 0, err));
    return format->save(&r->saving, writer, err);
}

static dv_status write_all(const resolved *r, const dvi_format *format, dvi_writer *writer,
                           dv_error *err)
{
    DVI_TRY(write_rows(r, format, writer, err));
    return dvi_writer_commit(writer, err);
}

/* Errors that cannot come from the source. (A limit may be a cursor's.) */
static bool is_ours(dv_status status)
{
    return status == DV_ERR_LOSS || status == DV_ERR_STOPPED;
}

static dv_status save_file(const resolved *r, const dvi_format *format, const char *path,
                           dv_error *err)
{
    dvi_writer *writer;
    DVI_TRY(check(r, format, NULL, NULL, err));
    DVI_TRY(dvi_writer_create(&writer, path, r->saving.options->sync, r->saving.allocator, err));
    const dv_status status = write_all(r, format, writer, err);
    dvi_writer_close(&writer);
    return status;
}

dv_status dvi_save_file(dv_view *view, const dvi_format *format, const char *path,
                        const dv_save_options *options, dv_error *err)
{
    resolved r;
    dv_status status = resolve(&r, view, options, err);
    r.saving.path = path;
    if (status == DV_OK)
        status = save_file(&r, format, path, err);
    if (is_ours(status))
        dvi_error_set_file(err, path);
    release(&r);
    return status;
}

dv_status dvi_save_into(dv_view *view, const dvi_format *format, const char *path,
                        dvi_writer *writer, const dv_save_options *options, dv_error *err)
{
    resolved r;
    dv_status status = resolve(&r, view, options, err);
    r.saving.path = path;
    if (status == DV_OK)
        status = check(&r, format, NULL, NULL, err);
    if (status == DV_OK)
        status = write_rows(&r, format, writer, err);
    if (is_ours(status))
        dvi_error_set_file(err, path);
    release(&r);
    return status;
}

static dv_status save_memory(const resolved *r, const dvi_format *format, dv_buffer *buffer_out,
                             dv_error *err)
{
    dvi_writer *writer;
    DVI_TRY(check(r, format, NULL, NULL, err));
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
    resolved r;
    *buffer_out = (dv_buffer){0};
    dv_status status = resolve(&r, view, options, err);
    if (status == DV_OK)
        status = save_memory(&r, format, buffer_out, err);
    release(&r);
    return status;
}

dv_status dvi_save_check(dv_view *view, const dvi_format *format, const dv_save_options *options,
                         bool (*report)(void *ctx, const dv_loss_report *report), void *ctx,
                         dv_error *err)
{
    resolved r;
    dv_status status = resolve(&r, view, options, err);
    if (status == DV_OK)
        status = check(&r, format, report, ctx, err);
    release(&r);
    return status;
}
