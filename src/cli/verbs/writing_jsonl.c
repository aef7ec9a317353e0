/* SPDX-License-Identifier: MIT */
/* writing_jsonl.c: writes a table to a file of JSON lines. */
#include "cli/verbs/writing_jsonl.h"
#include "cli/print/print_rows.h"
#include "cli/terminal/out.h"
#include <dataview/writer.h>

void dvi_jsonl_check(bool (*report)(void *ctx, const dv_loss_report *report), void *ctx)
{
    const dv_text none = {"", 0};
    const dv_loss_report implied = {
        DV_LOSS_TYPES,
        true,
        -1,
        none,
        "JSON lines keep names and values as cat --format jsonl shows them, but not types, "
        "metadata and row ids; .idv keeps everything",
        -1,
        true};
    report(ctx, &implied);
}

/* A file in the making. */
typedef struct lines {
    dv_file_writer *file;
    const dv_progress *progress;
    int64_t rows;
    dv_error err; /* why the file failed */
} lines;

static bool append(void *ctx, const char *data, size_t nbytes)
{
    lines *l = ctx;
    return dv_file_writer_append(l->file, data, nbytes, &l->err) == DV_OK;
}

static bool show_progress(void *ctx, int64_t done, bool is_written)
{
    const lines *l = ctx;
    return !is_written || l->progress->report(l->progress->ctx, done, l->rows);
}

static dv_status write_lines(lines *l, dv_view *view, const dvi_selection *selection, dv_error *err)
{
    static dvi_out out;
    const dv_sink sink = {append, l};
    out = (dvi_out){.fd = -1, .sink = &sink};
    const dv_status status =
        dvi_print_rows(&out, dvi_printer_find(DVI_JSONL), view, selection, show_progress, l, err);
    if (status < 0)
        return status;
    if (dvi_out_flush(&out))
        return dv_file_writer_close(&l->file, err);
    if (l->err.status == DV_OK) /* the printer had no memory */
        return dvi_err_memory(err);
    *err = l->err;
    return err->status;
}

dv_status dvi_jsonl_save(dv_view *view, const dvi_selection *selection, const char *path,
                         const dv_save_options *options, dv_error *err)
{
    dvi_selection rows = *selection;
    lines l = {.progress = &options->progress, .rows = selection->rows, .err = DV_ERROR_INIT};
    rows.options.skip = options->skip;
    rows.options.take = options->take;
    dv_status status = dv_file_writer_open(&l.file, path, options->sync, NULL, err);
    if (status == DV_OK)
        status = write_lines(&l, view, &rows, err);
    dv_file_writer_abandon(&l.file);
    return status;
}
