/* SPDX-License-Identifier: MIT */
/* cmd_index.c: rebuilds the files beside a datadings file. */
#include "cli/print/json.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/commands.h"
#include <dataview/datadings.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <stdio.h>
#include <string.h>

typedef struct index_job {
    const dvi_args *args;
    dvi_out *out;
    dvi_progress progress;
    dvi_json json;
} index_job;

static bool step(void *ctx, int64_t done, int64_t all)
{
    index_job *job = ctx;
    dvi_progress_rows(&job->progress, done, all);
    return !dvi_interrupt_waits();
}

/* A signal stops this before the first change or after the last. */
static dv_status make_files(index_job *job, dv_view *view, dv_error *err)
{
    dv_save_options options = job->args->save.options;
    options.progress = (dv_progress){step, job};
    dvi_progress_start(&job->progress, job->args->progress, job->args->quiet);
    dvi_interrupt_defer();
    const dv_status status = dv_datadings_index(view, &options, err);
    dvi_progress_clear(&job->progress);
    dvi_interrupt_resume();
    return status;
}

static void report(index_job *job, const char *path, int64_t rows)
{
    char count[DVI_AMOUNT_CAP];
    if (job->args->json) {
        dvi_json_open(&job->json, dv_text_of(NULL), '{');
        dvi_json_put(&job->json, "file", dvi_json_cstr(path));
        dvi_json_put(&job->json, "rows", dvi_json_count(rows));
        dvi_json_close(&job->json, '}');
    } else if (!job->args->quiet) {
        dvi_out_print(job->out, "%s: %s, files beside it rebuilt\n", path,
                      dvi_amount_count(count, rows, "sample"));
    }
}

static dvi_exit index_file(index_job *job, const char *path)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options options = job->args->open;
    dv_view *view = NULL;
    const char *format;
    dv_status status = dv_open_format(&format, path, &options, &err);
    if (status == DV_OK && strcmp(format, "datadings") != 0)
        return dvi_say_usage("%s: index needs a datadings file, but this is %s", path, format);
    if (!options.datadings)
        options.datadings = "raw"; /* the contents of messages do not matter here */
    if (status != DV_ERR_MEMORY)
        status = dv_open(&view, path, &options, &err);
    if (status == DV_OK)
        status = make_files(job, view, &err);
    if (status == DV_OK)
        report(job, path, dv_view_rows(view));
    dv_view_release(&view);
    return status < 0 ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

dvi_exit dvi_cmd_index(const dvi_args *args, dvi_out *out)
{
    index_job job = {.args = args, .out = out};
    dvi_exit status = DVI_EXIT_DONE;
    if (args->json) {
        dvi_json_begin(&job.json, args->verb->name, args);
        dvi_json_open(&job.json, dv_text_of("indexed"), '[');
    }
    for (int i = 0; i < args->paths.count && !status; i++)
        status = index_file(&job, args->paths.word[i]);
    if (args->json && !status) {
        dvi_json_close(&job.json, ']');
        return dvi_json_end(&job.json, out);
    }
    dvi_json_free(&job.json);
    return status;
}
