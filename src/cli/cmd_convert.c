/* SPDX-License-Identifier: MIT */
/* cmd_convert.c: a table as a file of any format. */
#include "cli/amount.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/json.h"
#include "cli/loss_list.h"
#include "cli/progress.h"
#include "cli/rate.h"
#include "cli/reword.h"
#include "cli/screen.h"
#include "cli/select.h"
#include "cli/wrap.h"
#include <dataview/inspect.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONG_SECONDS 1.0 /* what takes longer is told with its time */

typedef struct convert {
    const dvi_args *args;
    dvi_out *out;
    dv_view *view;
    dvi_selection selection;
    dv_save_options options;
    dvi_loss_list losses;
    dvi_json json;
    dvi_progress progress;
    int64_t rows, in_nbytes, out_nbytes;
    int32_t hidden;  /* columns that are left out */
    int32_t columns; /* of the file that was written; -1: there is none */
    const char *format;
    double seconds;
    bool is_saved;
} convert;

/* --- What is read and what is written --------------------------------------------------------- */

static bool is_same_file(const struct stat *a, const char *path)
{
    struct stat b;
    return stat(path, &b) == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* OUT in a folder that is read, or matched by a pattern: once there it would be read as well. */
static dvi_exit refuse_itself(const dvi_args *args)
{
    struct stat out;
    bool is_read = false, is_named = false;
    if (stat(args->last, &out) != 0)
        return DVI_EXIT_DONE;
    for (int i = 0; i < args->paths.count; i++)
        is_read = is_read || is_same_file(&out, args->paths.word[i]);
    for (int i = 0; i < args->files.count; i++)
        is_named = is_named || is_same_file(&out, args->files.word[i]);
    if (is_read && !is_named)
        return dvi_say_usage("%s is there and is among the %d files that are read; write to "
                             "another place, or name the files one by one",
                             args->last, args->paths.count);
    return DVI_EXIT_DONE;
}

/* --text tells how text is read; where none is, how it is written. */
static bool reads_text(const convert *c)
{
    const char *format = NULL;
    for (int i = 0; i < c->args->paths.count; i++)
        if (dv_open_format(&format, c->args->paths.word[i], &c->args->open, NULL) == DV_OK &&
            strcmp(format, "text") == 0)
            return true;
    return false;
}

/* Everything that was asked for, as the library takes it. */
static dvi_exit prepare(convert *c)
{
    dvi_exit status = refuse_itself(c->args);
    if (!status)
        status = dvi_input_open(&c->view, c->args);
    if (!status)
        status = dvi_select(&c->selection, c->args, c->view);
    if (status)
        return status;
    const dv_cursor_options *rows = &c->selection.options;
    c->options = c->args->save.options;
    c->options.columns = rows->columns;
    c->options.columns_count = rows->columns_count;
    c->options.first_row = rows->first_row;
    c->options.end_row = rows->end_row;
    c->options.skip = rows->skip;
    c->options.take = rows->take;
    c->options.threads = rows->threads;
    if (!c->options.text && !reads_text(c))
        c->options.text = c->args->open.text;
    c->losses.schema = c->selection.schema;
    c->in_nbytes = dvi_input_nbytes(c->args);
    c->hidden = c->args->hidden || c->args->columns.count ? 0 : dvi_count_hidden(c->losses.schema);
    return DVI_EXIT_DONE;
}

/* --- Refusals --------------------------------------------------------------------------------- */

static dvi_exit say_error(const dv_error *err)
{
    char message[2 * sizeof err->message];
    dvi_reword(message, sizeof message, err->message);
    dvi_say("%s", message);
    return dvi_exit_of(err->status);
}

static void write_line(dvi_out *out, int32_t width, const char *line)
{
    dvi_wrap(out, width, 2, 0, line);
    dvi_out_text(out, "\n");
}

/* The whole list, and which options would let it through; on standard error. */
static void write_refusal(const convert *c)
{
    char needed[DVI_LOSS_NEEDED_CAP];
    char line[1024];
    static dvi_out out = {.fd = STDERR_FILENO};
    const int32_t width = dvi_screen_of(out.fd).width;
    snprintf(line, sizeof line,
             "dataview: %s: not written, because it cannot hold:", c->args->last);
    write_line(&out, width, line);
    dvi_loss_list_write(&c->losses, false, width, &out);
    if (*dvi_loss_list_needed(&c->losses, needed)) {
        snprintf(line, sizeof line, "to write it without these: --allow-loss %s", needed);
        write_line(&out, width, line);
    }
    dvi_out_flush(&out);
}

/* What was there, but cannot be read, is no part of the view: nobody else would miss it. */
static void report_dead(convert *c, dv_loss loss, int32_t dead, const char *noun)
{
    char count[DVI_AMOUNT_CAP], sentence[128];
    const dv_text none = {"", 0};
    const bool is_allowed = c->options.allow_loss & (uint32_t)loss;
    const dv_loss_report report = {loss, is_allowed, -1, none, sentence};
    snprintf(sentence, sizeof sentence, "%s of the input, of an unknown type or compression",
             dvi_amount_count(count, dead, noun));
    if (dead > 0)
        dvi_loss_list_take(&c->losses, &report);
}

/* What is known to be wrong with the input. */
static dv_status check_input(convert *c, dv_error *err)
{
    dv_facts *facts;
    const dv_status status = dv_inspect(&facts, c->view, err);
    if (status != DV_OK)
        return status;
    for (int32_t i = 0; i < facts->warnings && !c->args->quiet; i++)
        dvi_say("warning: %s", facts->warning[i]);
    if (!c->args->columns.count)
        report_dead(c, DV_LOSS_COLUMNS, facts->dead_columns, "column");
    report_dead(c, DV_LOSS_METADATA, facts->dead_metadata, "metadata value");
    dv_facts_free(&facts);
    return DV_OK;
}

/* What is known before a row is read. */
static dv_status check(convert *c, dv_error *err)
{
    dv_status status = check_input(c, err);
    if (status == DV_OK)
        status =
            dv_save_check(c->view, c->args->last, &c->options, dvi_loss_list_take, &c->losses, err);
    if (c->losses.is_failed)
        return dvi_err_memory(err);
    return status == DV_OK && c->losses.refused ? DV_ERR_LOSS : status;
}

/* --- Saving ----------------------------------------------------------------------------------- */

static bool step(void *ctx, int64_t done, int64_t all)
{
    convert *c = ctx;
    c->rows = done;
    dvi_progress_table(&c->progress, done, all, c->in_nbytes);
    return !dvi_interrupt_waits();
}

/* What was made of the table, as others will see it. */
static void look_at_result(convert *c)
{
    struct stat facts;
    dv_view *view;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    const char *path = c->args->last;
    options.format = c->options.format;
    if (stat(path, &facts) == 0)
        c->out_nbytes = (int64_t)facts.st_size;
    dv_open_format(&c->format, path, &options, NULL);
    if (dv_open(&view, path, &options, NULL) != DV_OK)
        return;
    c->columns = dv_schema_columns(dv_view_schema(view));
    dv_view_release(&view);
}

/* A signal meanwhile stops the saving, which then takes its temporary file away; after that the
 * command ends by that signal. */
static dv_status save(convert *c, dv_error *err)
{
    const double start = dvi_rate_clock();
    c->options.progress = step;
    c->options.ctx = c;
    dvi_progress_start(&c->progress, c->args);
    dvi_interrupt_defer();
    const dv_status status = dv_save(c->view, c->args->last, &c->options, err);
    dvi_progress_clear(&c->progress);
    dvi_interrupt_resume();
    c->seconds = dvi_rate_clock() - start;
    c->is_saved = status == DV_OK;
    if (c->is_saved)
        look_at_result(c);
    return status;
}

/* --- What it comes to ------------------------------------------------------------------------- */

/* "out.idv: 600 rows, 5 columns, 27.4 KiB; read 11.3 KiB", and the time when that is long. */
static void write_summary(convert *c)
{
    const int32_t width = dvi_screen_of(c->out->fd).width;
    char rows[DVI_AMOUNT_CAP], columns[DVI_AMOUNT_CAP], size[DVI_AMOUNT_CAP], time[DVI_RATE_CAP];
    char rate[DVI_RATE_CAP], line[1024];
    const bool is_told = c->columns >= 0; /* not by text without a schema */
    const int n = snprintf(line, sizeof line, "%.700s: %s, %s%s%s", c->args->last,
                           dvi_amount_count(rows, c->rows, "row"),
                           is_told ? dvi_amount_count(columns, c->columns, "column") : "",
                           is_told ? ", " : "", dvi_amount_bytes(size, c->out_nbytes));
    if (c->seconds > LONG_SECONDS)
        snprintf(line + n, sizeof line - (size_t)n, ", %s, %s", dvi_rate_seconds(time, c->seconds),
                 dvi_rate_text(rate, (double)c->in_nbytes / c->seconds, "B"));
    write_line(c->out, width, line);
    if (c->hidden)
        dvi_out_print(c->out, "left out: %s (--hidden)\n",
                      dvi_amount_count(rows, c->hidden, "hidden column"));
    if (c->losses.allowed) {
        dvi_out_text(c->out, "lost, as allowed:\n");
        dvi_loss_list_write(&c->losses, true, width, c->out);
    }
}

static dvi_exit run_text(convert *c)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status checked = check(c, &err);
    if (checked == DV_ERR_LOSS)
        write_refusal(c);
    if (checked < 0)
        return checked == DV_ERR_LOSS ? DVI_EXIT_DATA : say_error(&err);
    if (save(c, &err) < 0)
        return say_error(&err);
    if (!c->args->quiet)
        write_summary(c);
    return DVI_EXIT_DONE;
}

static void add_facts(convert *c)
{
    dvi_json *json = &c->json;
    dvi_json_put(json, "format", dvi_json_cstr(c->format));
    dvi_json_put(json, "rows", dvi_json_count(c->is_saved ? c->rows : -1));
    dvi_json_put(json, "column_count", dvi_json_count(c->columns));
    dvi_json_put(json, "hidden_column_count", dvi_json_count(c->hidden));
    dvi_json_put(json, "file_nbytes", dvi_json_count(c->in_nbytes));
    dvi_json_put(json, "out_nbytes", dvi_json_count(c->out_nbytes));
    dvi_json_put(json, "time_ns", c->is_saved ? dvi_json_ns(c->seconds) : json_null());
    dvi_json_put(json, "is_saved", json_boolean(c->is_saved));
}

/* A refusal is a document too: what would be lost is what was asked. */
static dvi_exit run_json(convert *c)
{
    dv_error err = DV_ERROR_INIT;
    c->losses.json = &c->json;
    dvi_json_begin(&c->json, "convert", c->args);
    dvi_json_put(&c->json, "out", dvi_json_cstr(c->args->last));
    dvi_json_open(&c->json, dv_text_of("losses"), '[');
    dv_status status = check(c, &err);
    dvi_json_close(&c->json, ']');
    const bool is_refused = status == DV_ERR_LOSS;
    if (is_refused)
        write_refusal(c);
    else if (status == DV_OK)
        status = save(c, &err);
    if (status < 0 && !is_refused) {
        dvi_json_free(&c->json);
        return say_error(&err);
    }
    add_facts(c);
    const dvi_exit written = dvi_json_end(&c->json, c->out);
    return is_refused && !written ? DVI_EXIT_DATA : written;
}

dvi_exit dvi_cmd_convert(const dvi_args *args, dvi_out *out)
{
    convert c = {.args = args, .out = out, .out_nbytes = -1, .columns = -1};
    dvi_exit status = prepare(&c);
    if (!status)
        status = (args->json ? run_json : run_text)(&c);
    dvi_loss_list_free(&c.losses);
    dvi_selection_free(&c.selection);
    dv_view_release(&c.view);
    return status;
}
