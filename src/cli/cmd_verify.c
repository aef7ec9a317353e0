/* SPDX-License-Identifier: MIT */
/* cmd_verify.c: read every byte, list every defect. */
#include "cli/amount.h"
#include "cli/input.h"
#include "cli/progress.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <string.h>

typedef struct verify {
    dvi_out *out;
    const char *file; /* what is checked */
    bool is_many;     /* that is several files */
    dvi_progress progress;
    int64_t defects, warnings, file_nbytes;
    char first_file[sizeof((dv_error *)NULL)->file]; /* of the first defect */
    int64_t first_offset;
} verify;

static void write_file(const verify *v)
{
    dvi_out_shown(v->out, v->file, strlen(v->file));
    dvi_out_text(v->out, ": ");
}

/* "FILE: offset 4096: ..."; the message mostly names the file itself. */
static bool write_defect(void *ctx, const dv_error *what)
{
    verify *v = ctx;
    const bool is_warning = what->status == DV_OK;
    if (!is_warning && v->defects == 0) {
        memcpy(v->first_file, what->file, sizeof v->first_file);
        v->first_offset = what->offset;
    }
    v->warnings += is_warning;
    v->defects += !is_warning;
    dvi_out_text(v->out, is_warning ? "warning: " : "");
    if (!*what->file)
        write_file(v);
    dvi_out_print(v->out, "%s\n", what->message);
    if (v->out->is_terminal) {
        dvi_progress_clear(&v->progress);
        dvi_out_flush(v->out);
    }
    return !v->out->os_code;
}

static bool step(void *ctx, int64_t done, int64_t all)
{
    verify *v = ctx;
    if (all > 0)
        dvi_progress_step(&v->progress, (double)done / (double)all, v->file_nbytes);
    return !v->out->os_code;
}

/* "FILE: sound: 600 rows, 5 columns, 4.0 KiB, 1 warning", or what was found. */
static void write_verdict(const verify *v, dv_view *view)
{
    char text[DVI_AMOUNT_CAP];
    const int64_t rows = dv_view_rows(view);
    const int32_t columns = dv_schema_columns(dv_view_schema(view));
    write_file(v);
    if (v->defects) {
        dvi_out_print(v->out, "%s, ", dvi_amount_count(text, v->defects, "defect"));
    } else {
        dvi_out_text(v->out, "sound: ");
        if (rows >= 0)
            dvi_out_print(v->out, "%s, ", dvi_amount_count(text, rows, "row"));
        dvi_out_print(v->out, "%s, ", dvi_amount_count(text, columns, "column"));
    }
    if (v->warnings)
        dvi_out_print(v->out, "%s, ", dvi_amount_count(text, v->warnings, "warning"));
    dvi_out_text(v->out, dvi_amount_bytes(text, v->file_nbytes));
    dvi_out_text(v->out, v->defects ? " checked\n" : "\n");
}

static dvi_exit check(verify *v, dv_view *view, bool quiet)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = write_defect;
    options.progress = step;
    options.ctx = v;
    dv_error err = DV_ERROR_INIT;
    dvi_progress_start(&v->progress, quiet);
    const dv_status status = dv_verify(view, &options, &err);
    dvi_progress_clear(&v->progress);
    if (status < 0) {
        dvi_out_flush(v->out);
        return dvi_say_error(&err);
    }
    if (!quiet && status == DV_OK)
        write_verdict(v, view);
    if (v->defects && !v->out->is_terminal) /* why it fails, where the list goes elsewhere */
        dvi_say("%s: not sound: the first defect is at offset %" PRId64,
                v->is_many && *v->first_file ? v->first_file : v->file, v->first_offset);
    return v->defects ? DVI_EXIT_DATA : DVI_EXIT_DONE;
}

dvi_exit dvi_cmd_verify(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    char buffer[DVI_TITLE_CAP];
    verify v = {.out = out, .file = dvi_input_title(args, buffer)};
    v.is_many = args->paths.count > 1;
    dvi_exit status = dvi_input_open(&view, args);
    v.file_nbytes = dvi_input_nbytes(args);
    if (!status)
        status = check(&v, view, args->quiet);
    dv_view_release(&view);
    return status;
}
