/* SPDX-License-Identifier: MIT */
/* cmd_stats.c: summarizes the values of each column. */
#include "cli/args/input.h"
#include "cli/args/select.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/progress.h"
#include "cli/verbs/commands.h"
#include "cli/verbs/stats_cell.h"
#include "cli/verbs/stats_json.h"
#include <dataview/stats.h>

#define QUARTILES_WIDTH                                                                            \
    132 /* of a screen that has room for more quantiles, and for all of them                       \
         */
#define ALL_WIDTH 220

typedef struct stats_run {
    dvi_out *out;
    const dv_schema *schema;
    const dv_stats *stats;
    dvi_progress progress;
    int64_t file_nbytes;
    int32_t width; /* of the screen; 0: as wide as the table needs */
    bool has_lengths, has_top;
} stats_run;

static const char *const quantile_names[] = {"1%", "5%", "25%", "median", "75%", "95%", "99%"};

/* Whether there is room for quantile i. */
static bool has_room(const stats_run *s, int i)
{
    if (i == DV_STATS_MEDIAN)
        return true;
    const bool is_outer = i == 0 || i == DV_STATS_QUANTILES - 1;
    return s->width == 0 || s->width >= (is_outer ? ALL_WIDTH : QUARTILES_WIDTH);
}

static const dv_type *type_of(const stats_run *s, int32_t k)
{
    return &dv_schema_column(s->schema, s->stats->column[k].column)->type;
}

/* Find out which optional columns of the table have something to show. */
static void find_columns(stats_run *s)
{
    for (int32_t k = 0; k < s->stats->columns; k++) {
        const dv_column_stats *c = &s->stats->column[k];
        const dv_type *type = type_of(s, k);
        s->has_lengths |= c->text_nbytes.least >= 0 || (dv_type_is_vector(type) && !type->size);
        s->has_top |= c->top_count > 0 && c->top[0].count > 1;
    }
}

static void add_header(const stats_run *s, dvi_table *table)
{
    const unsigned number = DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT;
    const struct {
        const char *name;
        unsigned flags;
        bool is_there;
    } columns[] = {{"column", 0, true},
                   {"type", 0, true},
                   {"NA", number, true},
                   {"min", number, true},
                   {quantile_names[0], number, has_room(s, 0)},
                   {quantile_names[1], number, has_room(s, 1)},
                   {quantile_names[2], number, has_room(s, 2)},
                   {quantile_names[3], number, has_room(s, 3)},
                   {quantile_names[4], number, has_room(s, 4)},
                   {quantile_names[5], number, has_room(s, 5)},
                   {quantile_names[6], number, has_room(s, 6)},
                   {"max", number, true},
                   {"histogram", DVI_COLUMN_FIRM, true},
                   {"distinct", number, true},
                   {"mean", number | DVI_COLUMN_OPTIONAL, true},
                   {"sd", number | DVI_COLUMN_OPTIONAL, true},
                   {"default", number | DVI_COLUMN_OPTIONAL, true},
                   {"length", DVI_COLUMN_FIRM | DVI_COLUMN_OPTIONAL, s->has_lengths},
                   {"most frequent", DVI_COLUMN_OPTIONAL, s->has_top}};
    const size_t n = sizeof columns / sizeof *columns;
    for (size_t i = 0; i < n; i++)
        if (columns[i].is_there)
            dvi_table_column_add(table, columns[i].flags);
    for (size_t i = 0; i < n; i++)
        if (columns[i].is_there)
            dvi_table_add_text(table, dv_text_of(columns[i].name));
}

static void add_line(const stats_run *s, dvi_table *table, int32_t k)
{
    const dv_column_stats *c = &s->stats->column[k];
    const dv_type *type = type_of(s, k);
    dvi_table_add_name(table, dv_schema_column(s->schema, c->column));
    dvi_table_add_type(table, type);
    dvi_stats_add_share(table, c->na, c->values);
    dvi_stats_add_value(table, type, c, c->min);
    for (int i = 0; i < DV_STATS_QUANTILES; i++)
        if (has_room(s, i))
            dvi_stats_add_value(table, type, c, c->quantile[i]);
    dvi_stats_add_value(table, type, c, c->max);
    dvi_stats_add_bins(table, c);
    dvi_stats_add_distinct(table, c);
    dvi_stats_add_mean(table, type, c);
    dvi_stats_add_sd(table, type, c);
    dvi_stats_add_share(table, c->defaults, c->values);
    if (s->has_lengths)
        dvi_stats_add_length(table, type, c);
    if (s->has_top)
        dvi_stats_add_top(table, type, c);
}

static dvi_exit write_columns(const stats_run *s, const dvi_screen *screen)
{
    dvi_table table;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_table_init(&table, screen, 1);
    add_header(s, &table);
    for (int32_t k = 0; k < s->stats->columns && !status; k++) {
        if (dvi_table_rows(&table) == DVI_TABLE_ROWS) {
            status = dvi_table_print(&table, s->out);
            dvi_table_clear(&table);
        }
        add_line(s, &table, k);
    }
    if (!status)
        status = dvi_table_print(&table, s->out);
    dvi_table_free(&table);
    return status;
}

/* Write "600 rows, 5 columns", and which figures are not exact. */
static void write_summary(const stats_run *s)
{
    char text[DVI_AMOUNT_CAP];
    int32_t estimated = 0, sketched = 0;
    double distinct_error = 0, rank_error = 0;
    for (int32_t k = 0; k < s->stats->columns; k++) {
        const dv_column_stats *c = &s->stats->column[k];
        estimated += c->distinct_error > 0;
        sketched += c->rank_error > 0;
        distinct_error = c->distinct_error > 0 ? c->distinct_error : distinct_error;
        rank_error = c->rank_error > rank_error ? c->rank_error : rank_error;
    }
    dvi_out_print(s->out, "%s, ", dvi_amount_count(text, s->stats->rows, "row"));
    dvi_out_print(s->out, "%s\n", dvi_amount_count(text, s->stats->columns, "column"));
    if (estimated)
        dvi_out_print(s->out, "distinct counts of %s are estimates: standard error %.2g %%\n",
                      dvi_amount_count(text, estimated, "column"), 100 * distinct_error);
    if (sketched)
        dvi_out_print(
            s->out,
            "quantiles and histograms of %s come from a sketch: rank error at most %.2g %%\n",
            dvi_amount_count(text, sketched, "column"), 100 * rank_error);
}

static bool step(void *ctx, int64_t done, int64_t all)
{
    stats_run *s = ctx;
    if (all > 0)
        dvi_progress_bytes(&s->progress, (double)done / (double)all, s->file_nbytes);
    else
        dvi_progress_rows(&s->progress, done, -1);
    return !s->out->os_code;
}

static dvi_exit show(stats_run *s, bool quiet)
{
    const dvi_screen screen = dvi_screen_of(s->out->fd);
    s->width = screen.width;
    dvi_exit status = DVI_EXIT_DONE;
    find_columns(s);
    if (s->stats->columns > 0)
        status = write_columns(s, &screen);
    if (!status && !quiet)
        write_summary(s);
    return status;
}

static dvi_exit gather(stats_run *s, dv_view *view, const dvi_args *args)
{
    dvi_selection selection = {0};
    dv_stats *stats = NULL;
    dv_error err = DV_ERROR_INIT;
    dvi_exit status = dvi_select(&selection, args, view);
    if (!status) {
        dv_stats_options options = DV_STATS_OPTIONS_INIT;
        options.cursor = &selection.options;
        options.progress = (dv_progress){step, s};
        dvi_progress_start(&s->progress, args->progress, args->quiet);
        const dv_status made = dv_stats_create(&stats, view, &options, &err);
        dvi_progress_clear(&s->progress);
        s->stats = stats;
        if (made < 0)
            status = dvi_say_error(&err);
        else if (made == DV_OK)
            status =
                args->json ? dvi_stats_json(stats, s->schema, args, s->out) : show(s, args->quiet);
    }
    dv_stats_free(&stats);
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
