/* SPDX-License-Identifier: MIT */
/* writing_told.c: what is told of files that were written. */
#include "cli/amount.h"
#include "cli/rate.h"
#include "cli/screen.h"
#include "cli/wrap.h"
#include "cli/writing.h"
#include <stdio.h>

#define LONG_SECONDS 1.0 /* what takes longer is told with its time */

/* "out.idv: 600 rows, 5 columns, 27.4 KiB; read 11.3 KiB", and the time when that is long. */
static void tell_part(const dvi_writing *w, const dvi_part *part, int32_t width)
{
    char rows[DVI_AMOUNT_CAP], columns[DVI_AMOUNT_CAP], size[DVI_AMOUNT_CAP], time[DVI_RATE_CAP];
    char rate[DVI_RATE_CAP], line[1024];
    const bool is_told = part->columns >= 0; /* not by text without a schema */
    const int n = snprintf(line, sizeof line, "%.700s: %s, %s%s%s", part->path,
                           dvi_amount_count(rows, part->rows, "row"),
                           is_told ? dvi_amount_count(columns, part->columns, "column") : "",
                           is_told ? ", " : "", dvi_amount_bytes(size, part->nbytes));
    const double share = w->parts > 1 ? (double)part->rows / (double)w->selection.rows : 1;
    if (part->seconds > LONG_SECONDS)
        snprintf(line + n, sizeof line - (size_t)n, ", %s, %s",
                 dvi_rate_seconds(time, part->seconds),
                 dvi_rate_text(rate, share * (double)w->in_nbytes / part->seconds, "B"));
    dvi_wrap(w->out, width, 2, 0, line);
    dvi_out_text(w->out, "\n");
}

void dvi_writing_tell(const dvi_writing *w)
{
    char count[DVI_AMOUNT_CAP];
    const int32_t width = dvi_screen_of(w->out->fd).width;
    for (int i = 0; i < w->parts; i++)
        tell_part(w, &w->part[i], width);
    if (w->hidden)
        dvi_out_print(w->out, "left out: %s (--hidden)\n",
                      dvi_amount_count(count, w->hidden, "hidden column"));
    if (w->losses.allowed) {
        dvi_out_text(w->out, "lost, as allowed:\n");
        dvi_loss_list_write(&w->losses, true, width, w->out);
    }
}

static void tell_part_json(dvi_json *json, const dvi_part *part)
{
    dvi_json_put(json, "out", dvi_json_cstr(part->path));
    dvi_json_put(json, "format", dvi_json_cstr(part->format));
    dvi_json_put(json, "rows", dvi_json_count(part->is_saved ? part->rows : -1));
    dvi_json_put(json, "column_count", dvi_json_count(part->columns));
    dvi_json_put(json, "out_nbytes", dvi_json_count(part->nbytes));
    dvi_json_put(json, "time_ns", part->is_saved ? dvi_json_ns(part->seconds) : json_null());
}

void dvi_writing_tell_json(dvi_writing *w)
{
    dvi_json *json = &w->json;
    const bool is_list = w->args->verb->takes & DVI_TAKES_PARTS;
    if (is_list)
        dvi_json_open(json, dv_text_of("parts"), '[');
    for (int i = 0; i < w->parts; i++) {
        if (is_list)
            dvi_json_open(json, dv_text_of(NULL), '{');
        tell_part_json(json, &w->part[i]);
        if (is_list)
            dvi_json_close(json, '}');
    }
    if (is_list)
        dvi_json_close(json, ']');
    if (w->args->verb->takes & DVI_TAKES_ORDER)
        dvi_json_put(json, "seed", dvi_json_count(w->seed));
    dvi_json_put(json, "hidden_column_count", dvi_json_count(w->hidden));
    dvi_json_put(json, "file_nbytes", dvi_json_count(w->in_nbytes));
    dvi_json_put(json, "is_saved", json_boolean(w->parts && w->part[w->parts - 1].is_saved));
}
