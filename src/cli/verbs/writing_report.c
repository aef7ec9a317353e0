/* SPDX-License-Identifier: MIT */
/* writing_report.c: reports the files that were written. */
#include "cli/terminal/amount.h"
#include "cli/terminal/rate.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/writing.h"
#include <stdio.h>

#define LONG_SECONDS 1.0 /* longer times are shown */

/* Write "out.idv: 600 rows, 5 columns, 27.4 KiB", with time and rate if it took long. */
static void report_output(const dvi_writing *w, const dvi_output *output, int32_t width)
{
    char rows[DVI_AMOUNT_CAP], columns[DVI_AMOUNT_CAP], size[DVI_AMOUNT_CAP], time[DVI_RATE_CAP];
    char rate[DVI_RATE_CAP], line[1024];
    const bool has_columns = output->columns >= 0; /* text without a schema has none */
    const int n = snprintf(line, sizeof line, "%.700s: %s, %s%s%s", output->path,
                           dvi_amount_count(rows, output->rows, "row"),
                           has_columns ? dvi_amount_count(columns, output->columns, "column") : "",
                           has_columns ? ", " : "", dvi_amount_bytes(size, output->nbytes));
    const double share = w->outputs > 1 ? (double)output->rows / (double)w->selection.rows : 1;
    if (output->seconds > LONG_SECONDS)
        snprintf(line + n, sizeof line - (size_t)n, ", %s, %s",
                 dvi_rate_seconds(time, output->seconds),
                 dvi_rate_text(rate, share * (double)w->in_nbytes / output->seconds, "B"));
    dvi_wrap(w->out, width, 2, 0, line);
    dvi_out_text(w->out, "\n");
}

void dvi_writing_report(const dvi_writing *w)
{
    char count[DVI_AMOUNT_CAP];
    const int32_t width = dvi_screen_of(w->out->fd).width;
    for (int i = 0; i < w->outputs; i++)
        report_output(w, &w->output[i], width);
    if (w->hidden)
        dvi_out_print(w->out, "left out: %s (--hidden keeps them)\n",
                      dvi_amount_count(count, w->hidden, "hidden column"));
    if (w->losses.allowed) {
        dvi_out_text(w->out, "lost, as allowed:\n");
        dvi_loss_list_write(&w->losses, true, width, w->out);
    }
}

static void report_output_json(dvi_json *json, const dvi_output *output)
{
    dvi_json_put(json, "out", dvi_json_cstr(output->path));
    dvi_json_put(json, "format", dvi_json_cstr(output->format));
    dvi_json_put(json, "rows", dvi_json_count(output->is_saved ? output->rows : -1));
    dvi_json_put(json, "column_count", dvi_json_count(output->columns));
    dvi_json_put(json, "out_nbytes", dvi_json_count(output->nbytes));
    dvi_json_put(json, "time_ns", output->is_saved ? dvi_json_ns(output->seconds) : json_null());
}

void dvi_writing_report_json(dvi_writing *w)
{
    dvi_json *json = &w->json;
    const bool is_list = w->args->verb->takes & DVI_TAKES_OUTPUTS;
    if (is_list)
        dvi_json_open(json, dv_text_of("outputs"), '[');
    for (int i = 0; i < w->outputs; i++) {
        if (is_list)
            dvi_json_open(json, dv_text_of(NULL), '{');
        report_output_json(json, &w->output[i]);
        if (is_list)
            dvi_json_close(json, '}');
    }
    if (is_list)
        dvi_json_close(json, ']');
    if (w->args->verb->takes & DVI_TAKES_ORDER)
        dvi_json_put(json, "seed", dvi_json_count(w->seed));
    dvi_json_put(json, "hidden_column_count", dvi_json_count(w->hidden));
    dvi_json_put(json, "file_nbytes", dvi_json_count(w->in_nbytes));
    dvi_json_put(json, "is_saved", json_boolean(w->outputs && w->output[w->outputs - 1].is_saved));
}
