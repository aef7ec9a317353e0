/* SPDX-License-Identifier: MIT */
/* writing.c: writes a table to files of any format. */
#include "cli/verbs/writing.h"
#include "cli/args/input.h"
#include "cli/args/reword.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/rate.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/copied_samples.h"
#include "cli/verbs/output_files.h"
#include "cli/verbs/writing_jsonl.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- Input and selection ---------------------------------------------------------------------- */

/* Is one of the inputs text?  A pipe is, and opening it here would take bytes from it. */
static dvi_exit find_text(bool *found_out, const dvi_writing *w)
{
    *found_out = w->reads_pipe;
    return *found_out ? DVI_EXIT_DONE : dvi_input_find_format(found_out, w->args, "text", false);
}

/* Pass the selection to the options of the library. */
static void set_rows(dvi_writing *w)
{
    const dv_cursor_options *rows = &w->selection.options;
    w->options.columns = rows->columns;
    w->options.columns_count = rows->columns_count;
    w->options.first_row = rows->first_row;
    w->options.end_row = rows->end_row;
    w->options.skip = rows->skip;
    w->options.take = rows->take;
    w->options.threads = rows->threads;
    w->losses.schema = w->selection.schema;
}

/* Check the outputs that the command line names, before anything is read or cached. */
static dvi_exit check_named(const dvi_args *args)
{
    if (args->verb->takes & DVI_TAKES_OUT)
        return dvi_output_files_check(args, &args->last, 1);
    return args->outs.count > 1 ? dvi_output_files_check(args, args->outs.word, args->outs.count)
                                : DVI_EXIT_DONE;
}

dvi_exit dvi_writing_open(dvi_writing *w, const dvi_args *args, dvi_out *out)
{
    dvi_args how;
    *w = (dvi_writing){.args = args, .out = out, .seed = -1, .options = args->save.options};
    bool reads_text = false;
    dvi_exit status = check_named(args);
    if (!status)
        status = dvi_copied_samples(&how, &w->how, &w->source, args);
    if (!status && !w->how)
        status = dvi_input_infer_all(&how, &w->how);
    if (status)
        return status;
    if (args->save.options.allow_loss & DV_LOSS_FIELDS)
        how.open.bad_fields = DV_BAD_FIELDS_ALLOW;
    else if (how.open.bad_fields != DV_BAD_FIELDS_ALLOW)
        how.open.bad_fields = DV_BAD_FIELDS_REFUSE;
    if (!w->source)
        status = dvi_input_open(&w->source, &how);
    if (!status)
        status = dvi_select(&w->selection, &how, w->source);
    w->reads_pipe = dvi_input_has_pipe(args);
    if (!status && args->open.text)
        status = find_text(&reads_text, w);
    if (!status && args->open.text && !reads_text)
        return dvi_say_usage("--text says how to read text, but no input is text; --to-text says "
                             "how to write it");
    if (status)
        return status;
    w->view = w->source;
    dv_view_retain(w->view);
    set_rows(w);
    w->in_nbytes = dvi_input_nbytes(args);
    w->hidden = args->hidden || args->columns.count ? 0 : dvi_count_hidden(w->selection.schema);
    return DVI_EXIT_DONE;
}

void dvi_writing_free(dvi_writing *w)
{
    dvi_loss_list_free(&w->losses);
    dvi_selection_free(&w->selection);
    dv_view_release(&w->view);
    dv_view_release(&w->source);
    free(w->how);
    w->how = NULL;
}

static dv_status count_rows(dvi_writing *w, dv_error *err)
{
    dv_cursor_options options = w->selection.options;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int64_t rows = 0;
    options.columns_count = 0;
    dv_status status = dv_cursor_open(&cursor, w->view, &options, err);
    while (status == DV_OK) {
        status = dv_cursor_next(cursor, &batch, err);
        rows += status == DV_OK ? batch->rows : 0;
    }
    dv_cursor_close(&cursor);
    if (status >= 0)
        w->selection.rows = rows;
    return status < 0 ? status : DV_OK;
}

dvi_exit dvi_writing_count(dvi_writing *w, int64_t *first_out)
{
    dv_error err = DV_ERROR_INIT;
    if (w->selection.rows < 0 && count_rows(w, &err) != DV_OK)
        return dvi_say_reworded(&err);
    *first_out = w->selection.rows ? w->options.first_row + w->options.skip : 0;
    return DVI_EXIT_DONE;
}

/* Write another view, all columns and rows of it. */
static void set_view(dvi_writing *w, dv_view *view, int64_t rows)
{
    dv_cursor_options *options = &w->selection.options;
    dv_view_release(&w->view);
    w->view = view;
    options->first_row = options->skip = 0;
    options->end_row = options->take = -1;
    w->selection.schema = dv_view_schema(view);
    w->selection.rows = rows;
    set_rows(w);
}

/* Messages of datadings can be read at any row; of any other input, the selection is read once,
 * into memory. */
dvi_exit dvi_writing_materialize(dvi_writing *w)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *held;
    bool reads_messages;
    const dvi_exit status = dvi_input_find_format(&reads_messages, w->args, "datadings", true);
    if (status || reads_messages)
        return status;
    if (dv_view_materialize(&held, w->view,
                            &(dv_materialize_options){.size = sizeof(dv_materialize_options),
                                                      .cursor = &w->selection.options},
                            NULL, &err) != DV_OK)
        return dvi_say_reworded(&err);
    for (int32_t k = 0; k < w->selection.count; k++)
        w->selection.columns[k] = k;
    set_view(w, held, dv_view_rows(held));
    return DVI_EXIT_DONE;
}

dvi_exit dvi_writing_order(dvi_writing *w, const int64_t *rows, int64_t n, int64_t seed)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *taken;
    if (dv_view_take(&taken, w->view, rows, n, NULL, &err) != DV_OK)
        return dvi_say_error(&err);
    set_view(w, taken, n);
    w->seed = seed;
    return DVI_EXIT_DONE;
}

/* --- Refusals --------------------------------------------------------------------------------- */

static void write_line(dvi_out *out, int32_t width, const char *line)
{
    dvi_wrap(out, width, 2, 0, line);
    dvi_out_text(out, "\n");
}

/* Write the whole list and the options that allow it, to standard error. */
static void write_refusal(const dvi_writing *w)
{
    char needed[DVI_LOSS_NEEDED_CAP];
    char line[1024];
    static dvi_out out = {.fd = STDERR_FILENO};
    const int32_t width = dvi_screen_of(out.fd).width;
    snprintf(line, sizeof line, "dataview: %s: not written, because its format cannot hold:",
             w->checked ? w->checked : w->output[0].path);
    write_line(&out, width, line);
    dvi_loss_list_write(&w->losses, false, width, &out);
    if (*dvi_loss_list_needed(&w->losses, needed)) {
        snprintf(line, sizeof line, "to write it with these losses: --allow-loss %s", needed);
        write_line(&out, width, line);
    }
    dvi_out_flush(&out);
}

/* Columns and metadata that cannot be read are not in the view: report their loss here. */
static void report_dead(dvi_writing *w, dv_loss loss, int32_t dead, const char *noun)
{
    char count[DVI_AMOUNT_CAP], sentence[128];
    const dv_text none = {"", 0};
    const bool is_allowed = w->options.allow_loss & (uint32_t)loss;
    const dv_loss_report report = {loss, is_allowed, -1, none, sentence, -1, false};
    snprintf(sentence, sizeof sentence, "%s of the input with an unknown type or compression",
             dvi_amount_count(count, dead, noun));
    if (dead > 0)
        dvi_loss_list_add(&w->losses, &report);
}

/* The format can hold them, and we read them. */
static void warn_of_old_ids(const dvi_writing *w)
{
    const dvi_selection *s = &w->selection;
    const char *version = w->options.idv_version;
    if (w->args->quiet || !version || strcmp(version, "1.1.1.5") != 0)
        return;
    for (int32_t k = 0; k < s->count; k++) {
        const dv_column_info *info = dv_schema_column(s->schema, s->columns[k]);
        if (!dv_type_is_vector(&info->type) || info->type.kind != DV_KIND_UG)
            continue;
        dvi_say(
            "warning: column \"%.*s\": ML.NET refuses a file with a vector of row ids as version "
            "1.1.1.5 has them; it reads version 1.1.1.6",
            (int)(info->name.nbytes < 256 ? info->name.nbytes : 256), info->name.data);
        return;
    }
}

/* Report the known defects of the input. */
static dv_status check_input(dvi_writing *w, dv_error *err)
{
    dv_facts *facts;
    const dv_status status = dv_inspect(&facts, w->source, err);
    if (status != DV_OK)
        return status;
    for (int32_t i = 0; i < facts->warnings && !w->args->quiet; i++)
        dvi_say("warning: %s", facts->warning[i]);
    if (!w->args->columns.count)
        report_dead(w, DV_LOSS_COLUMNS, facts->dead_columns, "column");
    report_dead(w, DV_LOSS_METADATA, facts->dead_metadata, "metadata value");
    dv_facts_free(&facts);
    return DV_OK;
}

/* The extension: ".idv", and ".csv.gz" of x.csv.gz. */
static const char *extension_of(const char *path)
{
    const char *name = strrchr(path, '/'), *point = strrchr(name ? name : path, '.');
    const bool is_packed = point && (!strcasecmp(point, ".gz") || !strcasecmp(point, ".zst"));
    for (const char *p = point; is_packed && p > (name ? name : path); p--)
        if (p[-1] == '.')
            return p - 1;
    return point ? point : "";
}

/* Has an output before this one the same extension, and so the same form? */
static bool is_alike(const dvi_writing *w, int output)
{
    const char *extension = extension_of(w->output[output].path);
    bool is_found = false;
    for (int i = output - 1; i >= 0 && !is_found; i--)
        is_found = strcmp(extension_of(w->output[i].path), extension) == 0;
    return is_found;
}

/* Report what the format cannot hold, before a row is read.  All outputs have the same columns, and
 * an extension can choose the form of a file. */
static dv_status check(dvi_writing *w, dv_error *err)
{
    dv_status status = check_input(w, err);
    for (int i = 0; i < w->outputs && status == DV_OK && !w->losses.refused; i++) {
        w->checked = w->output[i].path;
        if (dvi_save_args_is_jsonl(&w->options, w->checked))
            dvi_jsonl_check(dvi_loss_list_add, &w->losses);
        else if (!is_alike(w, i))
            status =
                dv_save_check(w->view, w->checked, &w->options, dvi_loss_list_add, &w->losses, err);
    }
    if (w->losses.is_failed)
        return dvi_err_memory(err);
    if (status == DV_OK && !w->losses.refused)
        warn_of_old_ids(w);
    return status == DV_OK && w->losses.refused ? DV_ERR_LOSS : status;
}

/* --- Saving ----------------------------------------------------------------------------------- */

static bool step(void *ctx, int64_t done, int64_t all)
{
    dvi_writing *w = ctx;
    w->output[w->now].rows = done;
    dvi_progress_table(&w->progress, w->before + done, w->outputs > 1 ? w->selection.rows : all,
                       w->in_nbytes);
    return !dvi_interrupt_waits();
}

/* Read the facts of the written file.  Text without a schema stays without a number of columns. */
static dvi_exit look_at_result(const dvi_writing *w, dvi_output *output)
{
    dv_error err = DV_ERROR_INIT;
    struct stat facts;
    dv_view *view = NULL;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.format = w->options.format;
    if (stat(output->path, &facts) == 0)
        output->nbytes = (int64_t)facts.st_size;
    if (dvi_save_args_is_jsonl(&w->options, output->path)) {
        output->format = DVI_JSONL;
        output->columns = w->selection.count;
        return DVI_EXIT_DONE;
    }
    dv_status status = dv_open_format(&output->format, output->path, &options, &err);
    if (status != DV_ERR_MEMORY)
        status = dv_open(&view, output->path, &options, &err);
    if (status == DV_OK && !dv_view_proposal(view))
        output->columns = dv_schema_columns(dv_view_schema(view));
    dv_view_release(&view);
    return status == DV_ERR_MEMORY ? dvi_say_error(&err) : DVI_EXIT_DONE;
}

/* Add a loss that only the rows show.  Rows are counted in each file. */
static bool add_loss(void *ctx, const dv_loss_report *report)
{
    dvi_writing *w = ctx;
    char sentence[1024];
    dv_loss_report named = *report;
    snprintf(sentence, sizeof sentence, "%.400s: %s", w->output[w->now].path, report->sentence);
    if (w->outputs > 1)
        named.sentence = sentence;
    return dvi_loss_list_add(&w->losses, &named);
}

static dv_status save_output(dvi_writing *w, dvi_output *output, dv_error *err)
{
    const double start = dvi_rate_clock();
    dv_save_options options = w->options;
    options.skip += output->skip;
    options.take = output->take < 0 ? options.take : output->take;
    options.progress = (dv_progress){step, w};
    options.report = add_loss;
    options.report_ctx = w;
    const bool is_jsonl = dvi_save_args_is_jsonl(&options, output->path);
    dv_status status = is_jsonl
                           ? dvi_jsonl_save(w->view, &w->selection, output->path, &options, err)
                           : dv_save(w->view, output->path, &options, err);
    if (w->losses.is_failed)
        status = dvi_err_memory(err);
    output->seconds = dvi_rate_clock() - start;
    output->is_saved = status == DV_OK;
    return status;
}

/* Report which files are there, in spite of an error. */
static void say_written(const dvi_writing *w, int saved)
{
    const char *be = saved == 1 ? "is" : "are";
    if (w->outputs == 1 && saved == 1)
        dvi_say("%s is written", w->output->path);
    else if (saved > 0)
        dvi_say("%d of the %d files %s written: %s%s%s", saved, w->outputs, be, w->output->path,
                saved == 1 ? "" : " to ", saved == 1 ? "" : w->output[saved - 1].path);
    else if (w->outputs > 1)
        dvi_say("none of the %d files is written", w->outputs);
}

/* Report the error and the files written so far.  A signal needs no message. */
static void say_failure(const dvi_writing *w, const dv_error *err)
{
    if (err->status != DV_ERR_STOPPED)
        dvi_say_reworded(err);
    say_written(w, w->now);
}

/* A signal stops the saving, which removes its temporary file; then the command ends by that
 * signal. */
static dvi_exit save(dvi_writing *w)
{
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    dvi_progress_start(&w->progress, w->args->progress, w->args->quiet);
    dvi_interrupt_defer();
    for (w->now = 0; w->now < w->outputs; w->now++) {
        status = save_output(w, &w->output[w->now], &err);
        if (status != DV_OK)
            break;
        w->before += w->output[w->now].rows;
    }
    dvi_progress_clear(&w->progress);
    if (status != DV_OK)
        say_failure(w, &err);
    dvi_interrupt_resume();
    if (status != DV_OK)
        return dvi_exit_of(status);
    dvi_exit looked = DVI_EXIT_DONE;
    for (int i = 0; i < w->outputs && !looked; i++)
        looked = look_at_result(w, &w->output[i]);
    if (looked)
        say_written(w, w->outputs);
    return looked;
}

static dvi_exit run_text(dvi_writing *w)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status checked = check(w, &err);
    if (checked == DV_ERR_LOSS)
        write_refusal(w);
    if (checked < 0)
        return checked == DV_ERR_LOSS ? DVI_EXIT_DATA : dvi_say_reworded(&err);
    if (w->losses.implied && !w->args->quiet)
        dvi_say("%s", w->losses.implied);
    const dvi_exit status = save(w);
    if (!status && !w->args->quiet)
        dvi_writing_report(w);
    return status;
}

/* A refusal is a document too, with the list of losses. */
static dvi_exit run_json(dvi_writing *w)
{
    dv_error err = DV_ERROR_INIT;
    w->losses.json = &w->json;
    dvi_json_begin(&w->json, w->args->verb->name, w->args);
    dvi_json_open(&w->json, dv_text_of("losses"), '[');
    const dv_status checked = check(w, &err);
    const bool is_refused = checked == DV_ERR_LOSS;
    dvi_exit status = DVI_EXIT_DONE;
    if (is_refused)
        write_refusal(w);
    else if (checked < 0)
        status = dvi_say_reworded(&err);
    else
        status = w->json.is_failed ? dvi_say_memory() : save(w);
    if (status) {
        dvi_json_free(&w->json);
        return status;
    }
    dvi_json_close(&w->json, ']');
    dvi_writing_report_json(w);
    status = dvi_json_end(&w->json, w->out);
    if (status && !is_refused)
        say_written(w, w->outputs);
    return is_refused && !status ? DVI_EXIT_DATA : status;
}

dvi_exit dvi_writing_run(dvi_writing *w, dvi_output *output, int outputs)
{
    w->output = output;
    w->outputs = outputs;
    for (int i = 0; i < outputs; i++)
        output[i].nbytes = output[i].columns = -1;
    return (w->args->json ? run_json : run_text)(w);
}
