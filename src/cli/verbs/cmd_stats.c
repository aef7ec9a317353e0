/* SPDX-License-Identifier: MIT */
/* cmd_stats.c: summarizes the values of each column. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/print/print_plan.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/stats_json.h"
#include "cli/verbs/stats_table.h"
#include <dataview/stats.h>
#include <stdlib.h>

typedef struct stats_run {
    dvi_out *out;
    const dv_schema *schema;
    dvi_progress progress;
    int64_t file_nbytes;
} stats_run;

static bool step(void *ctx, int64_t done, int64_t all)
{
    stats_run *s = ctx;
    if (all > 0)
        dvi_progress_bytes(&s->progress, (double)done / (double)all, s->file_nbytes);
    else
        dvi_progress_rows(&s->progress, done, -1);
    return !s->out->os_code;
}

/* List the selected vectors that --columns names: their slots have statistics of their own.  Those
 * beyond the limit of slots have a line as a whole, with a note. */
static int32_t find_slot_columns(const dvi_args *args, const dvi_selection *selection,
                                 int32_t *found)
{
    int64_t slots = 0;
    int32_t n = 0;
    for (int32_t k = 0; k < selection->count; k++) {
        const dv_column_info *info = dv_schema_column(selection->schema, selection->columns[k]);
        if (!dv_type_is_vector(&info->type) || info->type.size == 0 ||
            !dvi_select_is_named(args, info->name))
            continue;
        if (slots + info->type.size <= DV_STATS_SLOTS_MOST) {
            slots += info->type.size;
            found[n++] = selection->columns[k];
        } else if (!args->quiet) {
            dvi_say("column \"%.*s\": one line for all of its %d slots; a line each is for %d at "
                    "most",
                    (int)(info->name.nbytes < 256 ? info->name.nbytes : 256), info->name.data,
                    (int)info->type.size, DV_STATS_SLOTS_MOST);
        }
    }
    return n;
}

static dvi_exit gather(stats_run *s, dv_view *view, const dvi_args *args)
{
    dvi_selection selection = {0};
    dv_stats *stats = NULL;
    dv_error err = DV_ERROR_INIT;
    dvi_exit status = dvi_select(&selection, args, view);
    int32_t *slot_columns =
        status ? NULL : calloc((size_t)selection.count + 1, sizeof *slot_columns);
    if (!status && !slot_columns)
        status = dvi_say_memory();
    if (!status && args->plan)
        status = dvi_print_plan(s->out, view, &selection);
    else if (!status) {
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        options.cursor = &selection.options;
        options.slot_columns = slot_columns;
        options.slot_columns_count = find_slot_columns(args, &selection, slot_columns);
        options.progress = (dv_progress){step, s};
        dvi_progress_start(&s->progress, args->progress, args->quiet);
        const dv_status made = dv_stats_create(&stats, view, &options, &err);
        dvi_progress_clear(&s->progress);
        if (made < 0)
            status = dvi_say_reworded(&err);
        else if (made == DV_OK)
            status =
                (args->json ? dvi_stats_json : dvi_stats_table)(stats, s->schema, args, s->out);
    }
    dv_stats_free(&stats);
    free(slot_columns);
    dvi_selection_free(&selection);
    return status;
}

dvi_exit dvi_cmd_stats(const dvi_args *args, dvi_out *out)
{
    dv_view *view = NULL;
    stats_run s = {.out = out};
    dvi_exit status = dvi_input_open(&view, args);
    if (!status) {
        s.schema = dv_view_schema(view);
        s.file_nbytes = dvi_input_nbytes(args);
        status = gather(&s, view, args);
    }
    dv_view_release(&view);
    return status;
}
