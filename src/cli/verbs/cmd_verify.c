/* SPDX-License-Identifier: MIT */
/* cmd_verify.c: reads every byte and lists every defect. */
#include "cli/args/input.h"
#include "cli/args/reword.h"
#include "cli/print/json.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/commands.h"
#include <dataview/inspect.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct verify {
    dvi_out *out;
    dvi_json *json;   /* the list; NULL: it is text */
    const char *file; /* the title of what is checked */
    bool is_many;     /* several files */
    dvi_progress progress;
    int64_t defects, warnings, file_nbytes, rows;
    char first_file[sizeof((dv_error *)NULL)->file]; /* the file of the first defect */
    int64_t first_offset;
} verify;

static void write_file(const verify *v)
{
    dvi_out_shown(v->out, v->file, strlen(v->file));
    dvi_out_text(v->out, ": ");
}

/* Write "FILE: offset 4096: ..."; most messages name the file already. */
static void write_defect(verify *v, const dv_error *what)
{
    const dvi_screen screen = dvi_screen_of(v->out->fd);
    const char *label = what->status == DV_OK ? "warning: " : "";
    char line[PATH_MAX + 2 * sizeof what->message + 3], message[2 * sizeof what->message];
    dvi_reword(message, sizeof message, what->message);
    snprintf(line, sizeof line, "%s%s%s", *what->file ? "" : v->file, *what->file ? "" : ": ",
             message);
    dvi_out_text(v->out, label);
    dvi_wrap(v->out, screen.is_terminal ? screen.width : 0, 2, (int32_t)strlen(label), line);
    dvi_out_text(v->out, "\n");
    if (v->out->is_terminal) {
        dvi_progress_clear(&v->progress);
        dvi_out_flush(v->out);
    }
}

/* A text, or null if it is empty. */
static json_t *text_or_null(const char *text)
{
    return dvi_json_cstr(*text ? text : NULL);
}

static void add_json_defect(dvi_json *json, const dv_error *what)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "is_warning", json_boolean(what->status == DV_OK));
    dvi_json_put(json, "status", dvi_json_cstr(dv_status_name(what->status)));
    dvi_json_put(json, "file", text_or_null(what->file));
    dvi_json_put(json, "offset", dvi_json_count(what->offset));
    dvi_json_put(json, "rule", text_or_null(what->rule));
    dvi_json_put(json, "expected", text_or_null(what->expected));
    dvi_json_put(json, "found", text_or_null(what->found));
    dvi_json_put(json, "message", text_or_null(what->message));
    dvi_json_close(json, '}');
}

static bool add_defect(void *ctx, const dv_error *what)
{
    verify *v = ctx;
    const bool is_warning = what->status == DV_OK;
    if (!is_warning && v->defects == 0) {
        memcpy(v->first_file, what->file, sizeof v->first_file);
        v->first_offset = what->offset;
    }
    v->warnings += is_warning;
    v->defects += !is_warning;
    if (v->json)
        add_json_defect(v->json, what);
    else
        write_defect(v, what);
    return !v->out->os_code;
}

static bool step(void *ctx, int64_t done, int64_t all)
{
    verify *v = ctx;
    if (all > 0)
        dvi_progress_bytes(&v->progress, (double)done / (double)all, v->file_nbytes);
    return !v->out->os_code;
}

/* Write "FILE: sound: 600 rows, 5 columns, 1 warning, 4.0 KiB", or the number of defects. */
static void write_verdict(const verify *v, dv_view *view)
{
    char text[DVI_AMOUNT_CAP];
    const int64_t rows = v->rows;
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

/* Add the totals. */
static void add_json_verdict(const verify *v, dv_view *view)
{
    dvi_json_put(v->json, "file_nbytes", dvi_json_count(v->file_nbytes));
    dvi_json_put(v->json, "rows", dvi_json_count(v->rows));
    dvi_json_put(v->json, "column_count", dvi_json_count(dv_schema_columns(dv_view_schema(view))));
    dvi_json_put(v->json, "defect_count", dvi_json_count(v->defects));
    dvi_json_put(v->json, "warning_count", dvi_json_count(v->warnings));
    dvi_json_put(v->json, "is_sound", json_boolean(v->defects == 0));
}

/* Find all defects. */
static dv_status find_defects(verify *v, dv_view *view, const dvi_args *args, dv_error *err)
{
    dv_verify_options options = DV_VERIFY_OPTIONS_INIT;
    options.defect = add_defect;
    options.ctx = v;
    options.progress = (dv_progress){step, v};
    dvi_progress_start(&v->progress, args->progress, args->quiet);
    const dv_status status = dv_verify(view, &options, err);
    dvi_progress_clear(&v->progress);
    return status;
}

/* Set the number of rows; formats that do not store it can count rows of a sound file. */
static dv_status count_rows(verify *v, dv_view *view, dv_error *err)
{
    dv_facts *facts = NULL;
    v->rows = dv_view_rows(view);
    if (v->rows >= 0 || v->defects)
        return DV_OK;
    const dv_status status = dv_inspect(&facts, view, err);
    if (status == DV_OK)
        v->rows = facts->rows;
    dv_facts_free(&facts);
    return status;
}

static dvi_exit exit_of(const verify *v)
{
    if (v->defects &&
        !v->out->is_terminal) /* explains the exit status if the list goes elsewhere */
        dvi_say("%s: not sound: the first defect is at offset %" PRId64,
                v->is_many && *v->first_file ? v->first_file : v->file, v->first_offset);
    return v->defects ? DVI_EXIT_DATA : DVI_EXIT_DONE;
}

static dvi_exit check(verify *v, dv_view *view, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    const dv_status status = find_defects(v, view, args, &err);
    const dv_status counted = status < 0 || args->quiet ? status : count_rows(v, view, &err);
    if (counted < 0) {
        dvi_out_flush(v->out);
        return dvi_say_error(&err);
    }
    if (!args->quiet && status == DV_OK)
        write_verdict(v, view);
    return exit_of(v);
}

static dvi_exit check_json(verify *v, dv_view *view, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    dvi_json json;
    v->json = &json;
    dvi_json_begin(&json, "verify", args);
    dvi_json_open(&json, dv_text_of("findings"), '[');
    if (find_defects(v, view, args, &err) < 0 || count_rows(v, view, &err) < 0) {
        dvi_json_free(&json);
        return dvi_say_error(&err);
    }
    dvi_json_close(&json, ']');
    add_json_verdict(v, view);
    const dvi_exit status = dvi_json_end(&json, v->out);
    return status ? status : exit_of(v);
}

dvi_exit dvi_cmd_verify(const dvi_args *given, dvi_out *out)
{
    dv_view *view = NULL;
    char *text = NULL;
    char buffer[DVI_TITLE_CAP];
    dvi_args how = *given;
    const dvi_args *args = &how;
    verify v = {.out = out, .file = dvi_input_title(args, buffer)};
    v.is_many = args->paths.count > 1;
    how.open.bad_fields = DV_BAD_FIELDS_REFUSE; /* writing verbs do too */
    dvi_exit status = dvi_input_infer_all(&how, &text);
    if (!status)
        status = dvi_input_open(&view, args);
    v.file_nbytes = dvi_input_nbytes(args);
    if (!status)
        status = (args->json ? check_json : check)(&v, view, args);
    dv_view_release(&view);
    free(text);
    return status;
}
