/* SPDX-License-Identifier: MIT */
/* cmd_pipe.c: lists the steps of pipelines; checks, fits, shows and compares pipelines. */
#include "cli/args/input.h"
#include "cli/args/pipe_args.h"
#include "cli/args/select.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/clip.h"
#include "cli/terminal/table.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/output_files.h"
#include "cli/verbs/pipe_diff.h"
#include "cli/verbs/pipe_json.h"
#include "cli/verbs/pipe_parts.h"
#include "cli/verbs/stats_cell.h"
#include <dataview/image.h>
#include <dataview/names.h>
#include <dataview/transform.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WIDTH_MOST 100 /* of lines to read */
#define TERMS_SHOWN 5
#define CHECK_ROWS 1000

/* --- Lists ------------------------------------------------------------------------------------ */

static int32_t width_of(const dvi_out *out)
{
    const int32_t screen = dvi_screen_of(out->fd).width;
    return screen && screen < WIDTH_MOST ? screen : WIDTH_MOST;
}

static void write_item(dvi_out *out, int32_t indent, const char *label, const char *text)
{
    dvi_out_print(out, "%-*s", (int)indent, label);
    dvi_wrap(out, width_of(out), indent, indent, text);
    dvi_out_text(out, "\n");
}

static dvi_exit list_steps(dvi_out *out)
{
    for (int32_t i = 0; i < dv_transform_count(); i++)
        write_item(out, 12, dv_transform_at(i)->name, dv_transform_at(i)->summary);
    dvi_out_text(out, "dataview pipe list STEP shows the options of a step\n");
    return DVI_EXIT_DONE;
}

/* "name=N", as it is written in a pipeline. */
static void write_label(char *dst, size_t cap, const dv_step_option *option)
{
    static const char *const forms[] = {
        [DV_STEP_OPTION_FLAG] = "+",      [DV_STEP_OPTION_INTEGER] = "=N",
        [DV_STEP_OPTION_NUMBER] = "=X",   [DV_STEP_OPTION_WORD] = "=",
        [DV_STEP_OPTION_TEXT] = "=TEXT",  [DV_STEP_OPTION_TEXTS] = "=[A B C]",
        [DV_STEP_OPTION_TABLE] = "=@FILE"};
    const bool is_on = option->kind == DV_STEP_OPTION_FLAG && strcmp(option->initial, "+") == 0;
    snprintf(dst, cap, "%s%s%s", option->name, is_on ? "-" : forms[option->kind],
             option->words ? option->words : "");
}

static void write_summary(char *dst, size_t cap, const dv_step_option *option)
{
    char range[64] = "", initial[64] = "";
    const bool is_flag = option->kind == DV_STEP_OPTION_FLAG;
    if (option->kind == DV_STEP_OPTION_INTEGER)
        snprintf(range, sizeof range, "; %" PRId64 " to %" PRId64, option->least, option->most);
    if (*option->initial && !is_flag)
        snprintf(initial, sizeof initial, " (default %s)", option->initial);
    snprintf(dst, cap, "%s%s%s%s", is_flag && strcmp(option->initial, "+") == 0 ? "not: " : "",
             option->summary, range, initial);
}

static dvi_exit describe_step(const dv_transform_info *info, dvi_out *out)
{
    static const char *const columns[] = {[DV_STEP_COLUMNS_ONE] = " NEW:SOURCE...",
                                          [DV_STEP_COLUMNS_MANY] = " NEW:A,B...",
                                          [DV_STEP_COLUMNS_NAMES] = " COLUMN...",
                                          [DV_STEP_COLUMNS_NONE] = ""};
    dvi_out_print(out, "%s%s%s\n", info->name, columns[info->columns],
                  info->options_count ? " OPTIONS" : "");
    dvi_out_text(out, info->summary);
    if (*info->ml_net) /* else ML.NET has no such step */
        dvi_out_print(out, " (ML.NET: %s)", info->ml_net);
    dvi_out_text(out, "\n");
    for (int32_t i = 0; i < info->options_count; i++) {
        char label[64], summary[256];
        write_label(label, sizeof label, &info->options[i]);
        write_summary(summary, sizeof summary, &info->options[i]);
        dvi_out_text(out, "  ");
        dvi_out_print(out, "%-24s%s", label, strlen(label) < 24 ? "" : "  ");
        dvi_wrap(out, width_of(out), 26, strlen(label) < 24 ? 26 : (int32_t)strlen(label) + 4,
                 summary);
        dvi_out_text(out, "\n");
    }
    return DVI_EXIT_DONE;
}

static dvi_exit list(const char *name, const dvi_args *args, dvi_out *out)
{
    dv_nearest best = DV_NEAREST_INIT;
    if (!name)
        return args->json ? dvi_pipe_json_list(NULL, out) : list_steps(out);
    for (int32_t i = 0; i < dv_transform_count(); i++) {
        const dv_transform_info *info = dv_transform_at(i);
        if (strcmp(info->name, name) == 0)
            return args->json ? dvi_pipe_json_list(info, out) : describe_step(info, out);
        if (strcasecmp(info->ml_net, name) == 0)
            return dvi_say_usage("there is no step %s; ML.NET's %s is %s here", name, info->ml_net,
                                 info->name);
        dv_nearest_offer(&best, dv_text_of(name), dv_text_of(info->name));
    }
#define REFUSE(step)                                                                               \
    if (strcmp(name, #step) == 0)                                                                  \
        return dvi_say_usage("this program has no steps for pictures, such as " #step              \
                             ": they need a build with libturbojpeg and libpng (Debian: "          \
                             "libturbojpeg0-dev, libpng-dev)");
    DV_IMAGE_STEP_LIST(REFUSE)
#undef REFUSE
    return best.name.data
               ? dvi_say_usage("there is no step %s; did you mean %s?", name, best.name.data)
               : dvi_say_usage("there is no step %s; dataview pipe list lists all", name);
}

/* --- What was learned ------------------------------------------------------------------------- */

/* The first values of the last column of a table. */
static dv_status add_values(dvi_clip *clip, dv_view *table, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int32_t column = dv_schema_columns(dv_view_schema(table)) - 1;
    const dv_sink sink = dvi_clip_sink(clip);
    options.columns = &column;
    options.columns_count = 1;
    options.take = TERMS_SHOWN;
    dv_status status = dv_cursor_open(&cursor, table, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        dv_value value = dv_value_first(dv_batch_column(batch, 0));
        for (int64_t i = 0; i < batch->rows; i++, dv_value_next(&value)) {
            dvi_clip_text(clip, i > 0 || batch->first_row > 0 ? " " : ": ");
            dv_value_write(&value, DV_STYLE_TEXT, &sink);
        }
    }
    dv_cursor_close(&cursor);
    if (dv_view_rows(table) > TERMS_SHOWN)
        dvi_clip_text(clip, " \u2026");
    return status == DV_END ? DV_OK : status;
}

/* How the numbers of the last column of a table are spread: one for each slot, or bin. */
static dv_status add_bars(dvi_clip *clip, dv_view *table, dv_error *err)
{
    char bars[DVI_STATS_BARS_CAP];
    dv_stats *stats = NULL;
    dv_stats_options options = DV_STATS_OPTIONS_INIT;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    const int32_t column = dv_schema_columns(dv_view_schema(table)) - 1;
    cursor.columns = &column;
    cursor.columns_count = 1;
    options.cursor = &cursor;
    const dv_status status = dv_stats_create(&stats, table, &options, err);
    if (status == DV_OK) {
        dvi_stats_write_bars(bars, &stats->column[0]);
        dvi_clip_text(clip, *bars ? " " : "");
        dvi_clip_text(clip, bars);
    }
    dv_stats_free(&stats);
    return status;
}

/* Do the rows of such a table stand for slots, rather than for values that were found? */
static bool is_of_slots(const dv_fitted_state *state)
{
    static const char *const names[] = {"scales", "deviations", "bounds",
                                        "values", "counts",     "scores"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(state->name, names[i]) == 0)
            return dv_view_rows(state->view) > TERMS_SHOWN;
    return false;
}

/* The type of the only column of a table. */
static void add_type(dvi_clip *clip, dv_view *table)
{
    char type[64];
    dv_type_print(&dv_schema_column(dv_view_schema(table), 0)->type, type, sizeof type);
    dvi_clip_text(clip, "type ");
    dvi_clip_text(clip, type);
}

/* What step i has learned, from all its columns. */
static dv_status describe(dvi_clip *clip, dv_fitted *fitted, int32_t i, dv_error *err)
{
    const int32_t first = dv_fitted_first_table(fitted, i);
    const int32_t end = dv_fitted_first_table(fitted, i + 1);
    dv_status status = DV_OK;
    for (int32_t t = first; t < end && status == DV_OK; t++) {
        dv_fitted_state state;
        char amount[DVI_AMOUNT_CAP], noun[16];
        status = dv_fitted_table(&state, fitted, t, err);
        if (status != DV_OK)
            break;
        dvi_clip_text(clip, t == first ? "" : "; ");
        if (strcmp(state.name, "column") == 0 || strcmp(state.name, "label") == 0) {
            add_type(clip, state.view);
        } else {
            snprintf(noun, sizeof noun, "%.*s", (int)strlen(state.name) - 1, state.name);
            dvi_clip_text(clip, dvi_amount_count(amount, dv_view_rows(state.view), noun));
            status = add_values(clip, state.view, err);
            if (status == DV_OK && is_of_slots(&state))
                status = add_bars(clip, state.view, err);
        }
        dv_view_release(&state.view);
    }
    return status;
}

static dv_status add_step(dvi_table *table, dv_fitted *fitted, int32_t i, dv_error *err)
{
    dvi_clip text = {.most = DVI_CLIP_UNLIMITED}, learned = {.most = DVI_CLIP_UNLIMITED};
    const dv_sink sink = dvi_clip_sink(&text);
    dvi_table_add_print(table, "%d", (int)i + 1);
    dv_pipeline_write_step(dv_fitted_pipeline(fitted), i, &sink);
    dvi_table_add_clip(table, &text);
    const dv_status status = describe(&learned, fitted, i, err);
    dvi_table_add_clip(table, &learned);
    return status;
}

static void write_passes(dvi_out *out, dv_fitted_info info)
{
    char rows[DVI_AMOUNT_CAP];
    dvi_amount_count(rows, info.rows, "row");
    if (info.passes == 0)
        dvi_out_text(out, "nothing to learn, no row read\n");
    else if (info.passes == 1)
        dvi_out_print(out, "%s read\n", rows);
    else
        dvi_out_print(out, "%s read, in %d passes\n", rows, (int)info.passes);
}

/* The columns that a table must have, as options write them: NAME:TYPE. */
static void write_inputs(const dv_fitted *fitted, dvi_out *out)
{
    const int32_t n = dv_fitted_inputs(fitted);
    for (int32_t i = 0; i < n; i++) {
        const dv_fitted_input input = dv_fitted_input_at(fitted, i);
        dvi_out_text(out, i == 0 ? "takes " : " ");
        dvi_out_shown(out, input.name.data, (size_t)input.name.nbytes);
        dvi_out_print(out, ":%.*s", (int)input.type.nbytes, input.type.data);
    }
    dvi_out_text(out, n > 0 ? "\n" : "");
}

static dvi_exit show(dv_fitted *fitted, const dvi_args *args, dvi_out *out)
{
    if (args->json)
        return dvi_pipe_json_fitted(fitted, args, out);
    dvi_table table;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    const dvi_screen screen = dvi_screen_of(out->fd);
    dvi_table_init(&table, &screen, 1);
    dvi_table_column_add(&table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    dvi_table_column_add(&table, 0);
    dvi_table_column_add(&table, 0);
    dvi_table_add_text(&table, dv_text_of("#"));
    dvi_table_add_text(&table, dv_text_of("step"));
    dvi_table_add_text(&table, dv_text_of("learned"));
    for (int32_t i = 0; i < dv_pipeline_steps(dv_fitted_pipeline(fitted)) && status == DV_OK; i++)
        status = add_step(&table, fitted, i, &err);
    const dvi_exit exit = status < 0 ? dvi_say_error(&err) : dvi_table_print(&table, out);
    dvi_table_free(&table);
    if (!exit && !args->quiet && strcmp(args->action, "show") == 0)
        write_inputs(fitted, out);
    if (!exit && !args->quiet)
        write_passes(out, dv_fitted_inspect(fitted));
    return exit;
}

/* --- The verb --------------------------------------------------------------------------------- */

/* What each step takes at most while it learns. */
static dvi_exit write_needs(dv_pipeline *pipeline, const dv_fit_need *needs, dvi_out *out)
{
    static const char *const titles[] = {"#", "step", "memory, at most", "texts"};
    static const unsigned flags[] = {DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT, 0,
                                     DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT,
                                     DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT};
    dvi_table table;
    const dvi_screen screen = dvi_screen_of(out->fd);
    dvi_table_init(&table, &screen, 1);
    for (int i = 0; i < 4; i++)
        dvi_table_column_add(&table, flags[i]);
    for (int i = 0; i < 4; i++)
        dvi_table_add_text(&table, dv_text_of(titles[i]));
    for (int32_t i = 0; i < dv_pipeline_steps(pipeline); i++) {
        char amount[DVI_AMOUNT_CAP] = "";
        dvi_clip text = {.most = DVI_CLIP_UNLIMITED};
        const dv_sink sink = dvi_clip_sink(&text);
        if (needs[i].nbytes != 0)
            dvi_amount_bytes(amount, needs[i].nbytes);
        dvi_table_add_print(&table, "%d", (int)i + 1);
        dv_pipeline_write_step(pipeline, i, &sink);
        dvi_table_add_clip(&table, &text);
        dvi_table_add_text(&table, dv_text_of(amount));
        if (needs[i].texts > 0)
            dvi_table_add_print(&table, "%" PRId64, needs[i].texts);
        else
            dvi_table_add_text(&table, dv_text_of(""));
    }
    const dvi_exit status = dvi_table_print(&table, out);
    dvi_table_free(&table);
    return status;
}

static void write_size(const dv_fitted *fitted, const dv_schema *schema, dvi_out *out)
{
    char columns[DVI_AMOUNT_CAP], steps[DVI_AMOUNT_CAP];
    const int32_t shown = dv_schema_columns(schema) - dvi_count_hidden(schema);
    dvi_out_print(out, "%s, %s\n",
                  dvi_amount_count(steps, dv_pipeline_steps(dv_fitted_pipeline(fitted)), "step"),
                  dvi_amount_count(columns, shown, "column"));
}

/* The columns that the pipeline makes, fitted on a few rows: on none some steps learn nothing that
 * the next one could take. */
static dvi_exit check(dv_view *view, const dvi_args *args, dvi_out *out)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *few = NULL;
    dv_fitted *fitted = NULL;
    dv_fit_need *needs = NULL;
    if (dv_view_slice(&few, view, 0, CHECK_ROWS, NULL, &err) != DV_OK)
        return dvi_say_error(&err);
    dvi_exit status = dvi_pipe_fit(&fitted, few, args);
    if (!status)
        status = dvi_pipe_apply(&few, fitted);
    if (!status && args->need_rows >= 0)
        status = dvi_pipe_needs(&needs, view, args);
    if (!status && args->json)
        status = dvi_pipe_json_check(fitted, few, needs, out);
    else if (!status)
        write_size(fitted, dv_view_schema(few), out);
    if (!status && needs && !args->json)
        status = write_needs(dv_fitted_pipeline(fitted), needs, out);
    free(needs);
    dv_view_release(&few);
    return status;
}

static dvi_exit save(dv_fitted *fitted, const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    if (!args->model_out || dv_fitted_save(fitted, args->model_out, NULL, &err) == DV_OK)
        return DVI_EXIT_DONE;
    return dvi_say_error(&err);
}

static dvi_exit compare(const dvi_args *args, dvi_out *out)
{
    dvi_pipe_side sides[2] = {{NULL, NULL}, {NULL, NULL}};
    dvi_exit status = dvi_pipe_open(&sides[0].pipeline, &sides[0].fitted, args, false);
    if (!status)
        status = dvi_pipe_open(&sides[1].pipeline, &sides[1].fitted, args, true);
    if (!status)
        status = dvi_pipe_diff(sides, args, out);
    for (int i = 0; i < 2; i++) {
        dv_pipeline_release(&sides[i].pipeline);
        dv_fitted_release(&sides[i].fitted);
    }
    return status;
}

/* pipe merge: files are parts. */
static dvi_exit merge(const dvi_args *args, dvi_out *out)
{
    dv_fitted *fitted = NULL;
    dvi_exit status = DVI_EXIT_DONE;
    if (args->model_out)
        status = dvi_output_files_keep_inputs(args, args->model_out);
    if (!status)
        status = dvi_pipe_parts_merge(&fitted, args);
    if (!status)
        status = save(fitted, args);
    if (!status)
        status = show(fitted, args, out);
    dv_fitted_release(&fitted);
    return status;
}

dvi_exit dvi_cmd_pipe(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    dv_fitted *fitted = NULL;
    if (strcmp(args->action, "list") == 0)
        return list(args->last, args, out);
    if (strcmp(args->action, "diff") == 0)
        return compare(args, out);
    if (strcmp(args->action, "merge") == 0)
        return merge(args, out);
    if (strcmp(args->action, "show") == 0) {
        const dvi_exit opened = dvi_pipe_fit(&fitted, NULL, args);
        return opened ? opened : show(fitted, args, out);
    }
    dvi_exit status = DVI_EXIT_DONE;
    if (args->model_out)
        status = dvi_output_files_keep_inputs(args, args->model_out);
    if (!status)
        status = dvi_input_open_files(&view, args);
    if (!status && strcmp(args->action, "check") == 0) {
        status = check(view, args, out);
    } else if (!status && strcmp(args->action, "part") == 0) {
        status = dvi_pipe_parts_make(view, args, out);
    } else if (!status) {
        status = dvi_pipe_fit(&fitted, view, args);
        if (!status)
            status = save(fitted, args);
        if (!status)
            status = show(fitted, args, out);
    }
    dv_view_release(&view);
    return status;
}
