/* SPDX-License-Identifier: MIT */
/* pipe_json.c: writes steps and their learned tables as JSON documents. */
#include "cli/verbs/pipe_json.h"
#include "cli/print/json.h"
#include "cli/print/json_value.h"
#include "cli/terminal/clip.h"
#include <dataview/cursor.h>
#include <stdlib.h>
#include <string.h>

static void begin(dvi_json *json, const char *action)
{
    dvi_json_begin(json, "pipe", NULL);
    dvi_json_put(json, "action", dvi_json_cstr(action));
}

/* --- The list --------------------------------------------------------------------------------- */

/* "a|b|c" as a list. */
static void put_words(dvi_json *json, const char *words)
{
    const dv_sink sink = dvi_json_member(json, dv_text_of("words"));
    sink.write(sink.ctx, "[", 1);
    for (size_t n; *words; words += n + (words[n] == '|')) {
        n = strcspn(words, "|");
        dv_text_write_json((dv_text){words, (int64_t)n}, &sink);
        if (words[n] == '|')
            sink.write(sink.ctx, ",", 1);
    }
    sink.write(sink.ctx, "]", 1);
}

static void put_option(dvi_json *json, const dv_step_option *option)
{
    static const char *const kinds[] = {
        [DV_STEP_OPTION_FLAG] = "flag",     [DV_STEP_OPTION_INTEGER] = "integer",
        [DV_STEP_OPTION_NUMBER] = "number", [DV_STEP_OPTION_WORD] = "word",
        [DV_STEP_OPTION_TEXT] = "text",     [DV_STEP_OPTION_TEXTS] = "texts",
        [DV_STEP_OPTION_TABLE] = "table"};
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(option->name));
    dvi_json_put(json, "kind", dvi_json_cstr(kinds[option->kind]));
    dvi_json_put(json, "initial", *option->initial ? dvi_json_cstr(option->initial) : json_null());
    dvi_json_put(json, "summary", dvi_json_cstr(option->summary));
    if (option->kind == DV_STEP_OPTION_INTEGER) {
        dvi_json_put(json, "least", json_integer(option->least));
        dvi_json_put(json, "most", json_integer(option->most));
    }
    if (option->words)
        put_words(json, option->words);
    dvi_json_close(json, '}');
}

static void put_kind(dvi_json *json, const dv_transform_info *info)
{
    static const char *const columns[] = {[DV_STEP_COLUMNS_ONE] = "one",
                                          [DV_STEP_COLUMNS_MANY] = "many",
                                          [DV_STEP_COLUMNS_NAMES] = "names",
                                          [DV_STEP_COLUMNS_NONE] = "none"};
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(info->name));
    dvi_json_put(json, "ml_net", *info->ml_net ? dvi_json_cstr(info->ml_net) : json_null());
    dvi_json_put(json, "summary", dvi_json_cstr(info->summary));
    dvi_json_put(json, "columns", dvi_json_cstr(columns[info->columns]));
    dvi_json_open(json, dv_text_of("options"), '[');
    for (int32_t i = 0; i < info->options_count; i++)
        put_option(json, &info->options[i]);
    dvi_json_close(json, ']');
    dvi_json_close(json, '}');
}

dvi_exit dvi_pipe_json_list(const dv_transform_info *only, dvi_out *out)
{
    dvi_json json;
    begin(&json, "list");
    dvi_json_open(&json, dv_text_of("steps"), '[');
    for (int32_t i = 0; i < dv_transform_count(); i++)
        if (!only || only == dv_transform_at(i))
            put_kind(&json, dv_transform_at(i));
    dvi_json_close(&json, ']');
    return dvi_json_end(&json, out);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static void put_columns(dvi_json *json, const dv_schema *schema)
{
    dvi_json_open(json, dv_text_of("columns"), '[');
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        if (info->is_hidden)
            continue;
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "name", dvi_json_text(info->name));
        dvi_json_put(json, "type", dvi_json_type(&info->type));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

dvi_exit dvi_pipe_json_check(dv_fitted *fitted, const dv_view *made, const dv_fit_need *needs,
                             dvi_out *out)
{
    dvi_json json;
    begin(&json, "check");
    dvi_json_open(&json, dv_text_of("needs"), '[');
    for (int32_t i = 0; needs && i < dv_pipeline_steps(dv_fitted_pipeline(fitted)); i++) {
        dvi_json_open(&json, dv_text_of(NULL), '{');
        dvi_json_put(&json, "nbytes", dvi_json_count(needs[i].nbytes));
        dvi_json_put(&json, "texts", dvi_json_count(needs[i].texts));
        dvi_json_close(&json, '}');
    }
    dvi_json_close(&json, ']');
    dvi_json_put(&json, "step_count",
                 dvi_json_count(dv_pipeline_steps(dv_fitted_pipeline(fitted))));
    put_columns(&json, dv_view_schema(made));
    return dvi_json_end(&json, out);
}

/* --- What was learned ------------------------------------------------------------------------- */

static void put_row(dvi_json *json, const dv_schema *schema, const dv_batch *batch, int64_t row)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    for (int32_t k = 0; k < batch->columns; k++) {
        char *owned = NULL;
        const dv_value value = dv_value_at(dv_batch_column(batch, k), row);
        const dv_text key = dvi_json_key(schema, k, &owned);
        const dv_sink sink = dvi_json_member(json, key);
        dvi_json_cell(schema, k, &value, &sink);
        json->is_failed |= key.nbytes < 0;
        free(owned);
    }
    dvi_json_close(json, '}');
}

static dv_status put_rows(dvi_json *json, dv_view *table, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status = dv_cursor_open(&cursor, table, NULL, err);
    dvi_json_open(json, dv_text_of("values"), '[');
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        for (int64_t i = 0; i < batch->rows && !json->is_failed; i++)
            put_row(json, dv_view_schema(table), batch, i);
    dvi_json_close(json, ']');
    dv_cursor_close(&cursor);
    return status == DV_END ? DV_OK : status;
}

static dv_status put_table(dvi_json *json, const dv_fitted_state *state, dv_error *err)
{
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "column", dvi_json_text(state->column));
    dvi_json_put(json, "name", dvi_json_cstr(state->name));
    dvi_json_put(json, "rows", dvi_json_count(dv_view_rows(state->view)));
    put_columns(json, dv_view_schema(state->view));
    const dv_status status = put_rows(json, state->view, err);
    dvi_json_close(json, '}');
    return status;
}

static dv_status put_step(dvi_json *json, dv_fitted *fitted, int32_t step, dv_error *err)
{
    const int32_t end = dv_fitted_first_table(fitted, step + 1);
    dv_pipeline *pipeline = dv_fitted_pipeline(fitted);
    dvi_clip text = {.most = DVI_CLIP_UNLIMITED};
    const dv_sink sink = dvi_clip_sink(&text);
    dv_status status = DV_OK;
    dv_pipeline_write_step(pipeline, step, &sink);
    json->is_failed |= text.is_failed;
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "name", dvi_json_cstr(dv_pipeline_step(pipeline, step)->name));
    dvi_json_put(json, "text", dvi_json_text((dv_text){text.text, (int64_t)text.nbytes}));
    dvi_json_open(json, dv_text_of("tables"), '[');
    for (int32_t t = dv_fitted_first_table(fitted, step); t < end && status == DV_OK; t++) {
        dv_fitted_state state;
        status = dv_fitted_table(&state, fitted, t, err);
        if (status == DV_OK)
            status = put_table(json, &state, err);
        dv_view_release(&state.view);
    }
    dvi_json_close(json, ']');
    dvi_json_close(json, '}');
    dvi_clip_free(&text);
    return status;
}

static void put_inputs(dvi_json *json, const dv_fitted *fitted)
{
    dvi_json_open(json, dv_text_of("inputs"), '[');
    for (int32_t i = 0; i < dv_fitted_inputs(fitted); i++) {
        const dv_fitted_input input = dv_fitted_input_at(fitted, i);
        dvi_json_open(json, dv_text_of(NULL), '{');
        dvi_json_put(json, "name", dvi_json_text(input.name));
        dvi_json_put(json, "type", dvi_json_text(input.type));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

dvi_exit dvi_pipe_json_fitted(dv_fitted *fitted, const dvi_args *args, dvi_out *out)
{
    dvi_json json;
    dv_error err = DV_ERROR_INIT;
    dv_status status = DV_OK;
    const dv_fitted_info info = dv_fitted_inspect(fitted);
    const dv_text left_out = dv_fitted_left_out(fitted);
    begin(&json, args->action);
    dvi_json_put(&json, "rows", dvi_json_count(info.rows));
    dvi_json_put(&json, "passes", dvi_json_count(info.passes));
    dvi_json_put(&json, "left_out", left_out.nbytes > 0 ? dvi_json_text(left_out) : json_null());
    put_inputs(&json, fitted);
    dvi_json_open(&json, dv_text_of("steps"), '[');
    for (int32_t i = 0; status == DV_OK && i < dv_pipeline_steps(dv_fitted_pipeline(fitted)); i++)
        status = put_step(&json, fitted, i, &err);
    dvi_json_close(&json, ']');
    if (status == DV_OK)
        return dvi_json_end(&json, out);
    dvi_json_free(&json);
    return dvi_say_error(&err);
}
