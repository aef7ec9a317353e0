/* SPDX-License-Identifier: MIT */
/* cmd_counts.c: lists the most frequent values of columns. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/json.h"
#include "cli/print/json_value.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/table.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/stats_cell.h"
#include <dataview/counts.h>
#include <inttypes.h>
#include <stdio.h>

typedef struct counts_run {
    const dvi_args *args;
    dvi_out *out;
    dv_view *view;
    dvi_selection selection;
    dvi_progress progress;
    int64_t file_nbytes;
    dv_counts_options options;
} counts_run;

/* --- For people ------------------------------------------------------------------------------- */

/* An empty text would look like no text. */
static void add_value(dvi_table *table, const dv_value *value)
{
    if (value->column->layout == DV_LAYOUT_TEXT && dv_value_is_default(value))
        dvi_table_add_text(table, dv_text_of("\"\""));
    else
        dvi_table_add_value(table, value);
}

static dvi_exit write_table(const counts_run *c, const dv_counts *counts, dv_text name,
                            const dvi_screen *screen)
{
    dvi_table table;
    dvi_exit status = DVI_EXIT_DONE;
    dv_value value = dv_value_first(&counts->value);
    dvi_table_init(&table, screen, 1);
    dvi_table_column_add(&table, 0);
    dvi_table_column_add(&table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    dvi_table_column_add(&table, DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT);
    dvi_table_add_text(&table, name);
    dvi_table_add_text(&table, dv_text_of("count"));
    dvi_table_add_text(&table, dv_text_of("share"));
    for (int64_t i = 0; i < counts->n && !status; i++, dv_value_next(&value)) {
        if (dvi_table_rows(&table) == DVI_TABLE_ROWS) {
            status = dvi_table_print(&table, c->out);
            dvi_table_clear(&table);
        }
        add_value(&table, &value);
        dvi_table_add_print(&table, "%" PRId64, counts->count[i]);
        dvi_stats_add_share(&table, counts->count[i], counts->values);
    }
    if (!status)
        status = dvi_table_print(&table, c->out);
    dvi_table_free(&table);
    return status;
}

/* "600 rows, 12 distinct values, 7 NA": what the list is part of. */
static void write_summary(const counts_run *c, const dv_counts *counts, bool is_vector,
                          int32_t width)
{
    char rows[DVI_AMOUNT_CAP], text[DVI_AMOUNT_CAP], line[512];
    dvi_out_text(c->out, dvi_amount_count(rows, counts->rows, "row"));
    if (is_vector)
        dvi_out_print(c->out, ", %s", dvi_amount_count(text, counts->values, "value"));
    if (counts->na > 0)
        dvi_out_print(c->out, ", %" PRId64 " NA", counts->na);
    if (counts->distinct >= 0)
        dvi_out_print(c->out, ", %s", dvi_amount_count(text, counts->distinct, "distinct value"));
    if (counts->distinct > counts->n)
        dvi_out_print(c->out, ", %" PRId64 " shown (-n %" PRId64 " shows all)", counts->n,
                      counts->distinct);
    dvi_out_text(c->out, "\n");
    if (counts->distinct >= 0)
        return;
    snprintf(line, sizeof line,
             "not exact: too many distinct values (over %" PRId64
             ", or long texts); each count may be too low by up to %" PRId64
             ", and values that are not shown occur at most %" PRId64 " times",
             c->options.exact_distinct, counts->missed_most,
             counts->n ? counts->count[counts->n - 1] + counts->missed_most : counts->missed_most);
    dvi_wrap(c->out, width, 2, 0, line);
    dvi_out_text(c->out, "\n");
}

static dvi_exit show(const counts_run *c, const dv_counts *counts, int32_t k)
{
    const dvi_screen screen = dvi_screen_of(c->out->fd);
    const dv_column_info *info = dv_schema_column(c->selection.schema, c->selection.columns[k]);
    if (k > 0)
        dvi_out_text(c->out, "\n");
    const dvi_exit status = write_table(c, counts, info->name, &screen);
    if (!status && !c->args->quiet)
        write_summary(c, counts, dv_type_is_vector(&info->type), screen.width);
    return status;
}

/* --- For programs ----------------------------------------------------------------------------- */

static void put_counts(dvi_json *json, const dv_counts *counts)
{
    dv_value value = dv_value_first(&counts->value);
    dvi_json_open(json, dv_text_of("counts"), '[');
    for (int64_t i = 0; i < counts->n; i++, dv_value_next(&value)) {
        dvi_json_open(json, dv_text_of(NULL), '{');
        const dv_sink sink = dvi_json_member(json, dv_text_of("value"));
        dvi_json_value(&value, &sink);
        dvi_json_put(json, "count", dvi_json_count(counts->count[i]));
        dvi_json_close(json, '}');
    }
    dvi_json_close(json, ']');
}

static void put_column(const counts_run *c, dvi_json *json, const dv_counts *counts, int32_t k)
{
    const int32_t column = c->selection.columns[k];
    const dv_column_info *info = dv_schema_column(c->selection.schema, column);
    dvi_json_open(json, dv_text_of(NULL), '{');
    dvi_json_put(json, "index", dvi_json_count(column));
    dvi_json_put(json, "name", dvi_json_text(info->name));
    dvi_json_put(json, "type", dvi_json_type(&info->type));
    dvi_json_put(json, "row_count", dvi_json_count(counts->rows));
    dvi_json_put(json, "value_count", dvi_json_count(counts->values));
    dvi_json_put(json, "na_count", dvi_json_count(counts->na));
    dvi_json_put(json, "distinct_count", dvi_json_count(counts->distinct));
    dvi_json_put(json, "missed_most", dvi_json_count(counts->missed_most));
    put_counts(json, counts);
    dvi_json_close(json, '}');
}

/* --- The verb --------------------------------------------------------------------------------- */

static bool step(void *ctx, int64_t done, int64_t all)
{
    counts_run *c = ctx;
    dvi_progress_table(&c->progress, done, all, c->file_nbytes);
    return !c->out->os_code;
}

static dvi_exit count_column(counts_run *c, dvi_json *json, int32_t k)
{
    dv_counts *counts;
    dv_error err = DV_ERROR_INIT;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_progress_start(&c->progress, c->args->progress, c->args->quiet);
    const dv_status made =
        dv_counts_create(&counts, c->view, c->selection.columns[k], &c->options, &err);
    dvi_progress_clear(&c->progress);
    if (made != DV_OK)
        return made == DV_ERR_STOPPED ? DVI_EXIT_DONE : dvi_say_reworded(&err);
    if (json)
        put_column(c, json, counts, k);
    else
        status = show(c, counts, k);
    dv_counts_free(&counts);
    return status;
}

static dvi_exit count_columns(counts_run *c)
{
    dvi_json json;
    dvi_exit status = DVI_EXIT_DONE;
    const bool is_json = c->args->json;
    if (is_json) {
        dvi_json_begin(&json, "counts", c->args);
        dvi_json_open(&json, dv_text_of("columns"), '[');
    }
    for (int32_t k = 0; k < c->selection.count && !status && !c->out->os_code; k++)
        status = count_column(c, is_json ? &json : NULL, k);
    if (!is_json)
        return status;
    dvi_json_close(&json, ']');
    if (!status)
        return dvi_json_end(&json, c->out);
    dvi_json_free(&json);
    return status;
}

dvi_exit dvi_cmd_counts(const dvi_args *args, dvi_out *out)
{
    counts_run c = {.args = args, .out = out, .options = DV_COUNTS_OPTIONS_INIT};
    if (!args->columns.count)
        return dvi_say_usage("counts needs a column: dataview counts %s", args->verb->arguments);
    dvi_exit status = dvi_input_open(&c.view, args);
    if (!status)
        status = dvi_select(&c.selection, args, c.view);
    if (!status) {
        c.file_nbytes = dvi_input_nbytes(args);
        c.options.cursor = &c.selection.options;
        c.options.most =
            args->lines < c.options.exact_distinct ? args->lines : c.options.exact_distinct;
        c.options.progress = (dv_progress){step, &c};
        status = count_columns(&c);
    }
    dvi_selection_free(&c.selection);
    dv_view_release(&c.view);
    return status;
}
