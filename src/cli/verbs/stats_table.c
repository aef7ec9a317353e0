/* SPDX-License-Identifier: MIT */
/* stats_table.c: writes statistics as a table, and names what the screen has no room for. */
#include "cli/verbs/stats_table.h"
#include "cli/args/select.h"
#include "cli/terminal/amount.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/wrap.h"
#include "cli/verbs/slot_names.h"
#include "cli/verbs/stats_cell.h"
#include <stdio.h>
#include <string.h>

/* Widths of a screen that has room for more quantiles, and for all of them. */
#define QUARTILES_WIDTH 132
#define ALL_WIDTH 220

#define TOP_LEAST_COLUMNS 8 /* to which frequent values may be cut */

#define NUMBER (DVI_COLUMN_FIRM | DVI_COLUMN_RIGHT)
#define MORE DVI_COLUMN_OPTIONAL

/* Id, name, properties of the table column. */
#define FIGURE_LIST(X)                                                                             \
    X(COLUMN, "column", 0)                                                                         \
    X(TYPE, "type", 0)                                                                             \
    X(NA, "NA", NUMBER)                                                                            \
    X(MIN, "min", NUMBER)                                                                          \
    X(Q1, "1%", NUMBER)                                                                            \
    X(Q5, "5%", NUMBER)                                                                            \
    X(Q25, "25%", NUMBER)                                                                          \
    X(MEDIAN, "median", NUMBER)                                                                    \
    X(Q75, "75%", NUMBER)                                                                          \
    X(Q95, "95%", NUMBER)                                                                          \
    X(Q99, "99%", NUMBER)                                                                          \
    X(MAX, "max", NUMBER)                                                                          \
    X(HISTOGRAM, "histogram", DVI_COLUMN_FIRM)                                                     \
    X(DISTINCT, "distinct", NUMBER)                                                                \
    X(TOP, "frequent", MORE)                                                                       \
    X(MEAN, "mean", NUMBER | MORE)                                                                 \
    X(SD, "sd", NUMBER | MORE)                                                                     \
    X(DEFAULT, "default", NUMBER | MORE)                                                           \
    X(LENGTH, "length", DVI_COLUMN_FIRM | MORE)

#define FIGURE_ID(id, name, flags) FIGURE_##id,
typedef enum figure { FIGURE_LIST(FIGURE_ID) FIGURES } figure;
#undef FIGURE_ID

#define FIGURE_COLUMN(id, name, flags) {name, flags},
static const struct {
    const char *name;
    unsigned flags;
} figures[FIGURES] = {FIGURE_LIST(FIGURE_COLUMN)};

_Static_assert(FIGURE_Q1 + DV_STATS_MEDIAN == FIGURE_MEDIAN &&
                   FIGURE_Q1 + DV_STATS_QUANTILES == FIGURE_MAX,
               "the quantiles are those of stats.h, in this order");

typedef struct stats_table {
    dvi_out *out;
    const dv_schema *schema;
    const dv_stats *stats;
    dvi_slot_names names;
    int32_t width;                                /* of the screen; 0: as wide as needed */
    bool is_there[FIGURES], is_left_out[FIGURES]; /* has a column; found no room */
    bool has_frequent_text;
} stats_table;

static const dv_type *type_of(const stats_table *t, int32_t k)
{
    return &dv_schema_column(t->schema, t->stats->column[k].column)->type;
}

/* --- Which figures ---------------------------------------------------------------------------- */

/* The least width of a screen for this figure. */
static int32_t least_width(figure id)
{
    switch (id) {
    case FIGURE_Q1:
    case FIGURE_Q99:
        return ALL_WIDTH;
    case FIGURE_Q5:
    case FIGURE_Q25:
    case FIGURE_Q75:
    case FIGURE_Q95:
        return QUARTILES_WIDTH;
    default:
        return 0;
    }
}

/* Find out which figures have something to show, and which of them have room. */
static void choose_figures(stats_table *t)
{
    bool has[FIGURES], has_lengths = false, has_top = false, has_order = false;
    for (int32_t k = 0; k < t->stats->columns; k++) {
        const dv_column_stats *c = &t->stats->column[k];
        const dv_type *type = type_of(t, k);
        has_lengths |= dvi_stats_has_length(type, c);
        has_top |= c->top_count > 0 && c->top[0].count > 1;
        t->has_frequent_text |=
            c->top_count > 0 && c->top[0].count > 1 && c->top[0].text.nbytes >= 0;
        has_order |= c->ordered > 0;
    }
    for (int i = 0; i < FIGURES; i++)
        has[i] = true;
    has[FIGURE_LENGTH] = has_lengths;
    has[FIGURE_TOP] = has_top;
    for (int i = 0; i < FIGURES; i++) {
        const bool has_room = t->width == 0 || t->width >= least_width((figure)i);
        t->is_there[i] = has[i] && has_room;
        t->is_left_out[i] = has_order && !has_room;
    }
}

/* --- The table -------------------------------------------------------------------------------- */

/* Texts have little else to show than the most frequent one, which then comes before histograms. */
static unsigned flags_of(const stats_table *t, figure id)
{
    if (t->has_frequent_text && id == FIGURE_TOP)
        return figures[id].flags & ~(unsigned)MORE;
    return figures[id].flags | (t->has_frequent_text && id == FIGURE_HISTOGRAM ? MORE : 0);
}

static void add_header(const stats_table *t, dvi_table *table)
{
    for (int i = 0; i < FIGURES; i++)
        if (t->is_there[i])
            dvi_table_column_add(table, flags_of(t, (figure)i));
    for (int i = 0; i < FIGURES; i++)
        if (t->is_there[i])
            dvi_table_add_text(table, dv_text_of(figures[i].name));
}

static void add_name(const stats_table *t, dvi_table *table, const dv_column_stats *c)
{
    const dv_column_info *info = dv_schema_column(t->schema, c->column);
    dvi_clip clip = {.most = table->most};
    if (c->slot < 0) {
        dvi_table_add_name(table, info);
        return;
    }
    dvi_slot_names_write(&t->names, info, c->slot, &clip);
    dvi_table_add_clip(table, &clip);
}

static void add_cell(const stats_table *t, dvi_table *table, int32_t k, figure id, bool is_short)
{
    const dv_column_stats *c = &t->stats->column[k];
    const dv_type *type = type_of(t, k);
    const dv_type item = dv_type_item(type);
    switch (id) {
    case FIGURE_COLUMN:
        add_name(t, table, c);
        break;
    case FIGURE_TYPE:
        dvi_table_add_type(table, c->slot < 0 ? type : &item);
        break;
    case FIGURE_NA:
        dvi_stats_add_share(table, c->na, c->values);
        break;
    case FIGURE_MIN:
        dvi_stats_add_value(table, type, c, c->min, is_short);
        break;
    case FIGURE_MAX:
        dvi_stats_add_value(table, type, c, c->max, is_short);
        break;
    case FIGURE_HISTOGRAM:
        dvi_stats_add_bins(table, c);
        break;
    case FIGURE_DISTINCT:
        dvi_stats_add_distinct(table, c);
        break;
    case FIGURE_MEAN:
        dvi_stats_add_mean(table, type, c);
        break;
    case FIGURE_SD:
        dvi_stats_add_sd(table, type, c);
        break;
    case FIGURE_DEFAULT:
        dvi_stats_add_share(table, c->defaults, c->values);
        break;
    case FIGURE_LENGTH:
        dvi_stats_add_length(table, type, c);
        break;
    case FIGURE_TOP:
        dvi_stats_add_top(table, type, c);
        break;
    default:
        dvi_stats_add_value(table, type, c, c->quantile[id - FIGURE_Q1], is_short);
    }
}

/* Add a cell, or a dash for a figure that is not counted. */
static void add_counted(const stats_table *t, dvi_table *table, int32_t k, figure id, bool is_short)
{
    const size_t before = table->used;
    add_cell(t, table, k, id, is_short);
    if (table->used > before && id == FIGURE_TOP)
        table->cells[before].least = TOP_LEAST_COLUMNS;
    if (table->used == before || table->cells[before].nbytes > 0 || id == FIGURE_COLUMN)
        return;
    dvi_cell_free(&table->cells[before]);
    table->used = before;
    dvi_table_add_text(table, dv_text_of("-"));
}

static dvi_exit add_lines(stats_table *t, dvi_table *table, int32_t first, int32_t end,
                          bool is_short)
{
    dvi_exit status = DVI_EXIT_DONE;
    for (int32_t k = first; k < end && !status; k++) {
        const dv_column_stats *c = &t->stats->column[k];
        if (c->slot >= 0)
            status = dvi_slot_names_read(&t->names, t->schema, c->column);
        for (int i = 0; i < FIGURES && !status; i++)
            if (t->is_there[i])
                add_counted(t, table, k, (figure)i, is_short);
    }
    return status;
}

/* Remember the figures without room. */
static void note_left_out(stats_table *t, const dvi_table *table)
{
    for (int i = 0, column = 0; i < FIGURES; i++)
        if (t->is_there[i])
            t->is_left_out[i] |= table->columns[column++].width == 0;
}

/* Write a table of the columns first to end - 1: with whole numbers in full if what everybody
 * wants to see then fits. */
static dvi_exit write_part(stats_table *t, dvi_table *table, int32_t first, int32_t end)
{
    dvi_exit status = add_lines(t, table, first, end, false);
    if (!status && !dvi_table_fits(table)) {
        dvi_table_clear(table);
        status = add_lines(t, table, first, end, true);
    }
    if (!status)
        status = dvi_table_print(table, t->out);
    if (!status)
        note_left_out(t, table);
    dvi_table_clear(table);
    return status;
}

static dvi_exit write_columns(stats_table *t, const dvi_screen *screen)
{
    dvi_table table;
    dvi_exit status = DVI_EXIT_DONE;
    dvi_table_init(&table, screen, 1);
    add_header(t, &table);
    const int32_t columns = t->stats->columns;
    for (int32_t k = 0; k < columns && !status; k += DVI_TABLE_ROWS)
        status =
            write_part(t, &table, k, columns - k < DVI_TABLE_ROWS ? columns : k + DVI_TABLE_ROWS);
    dvi_table_free(&table);
    return status;
}

/* --- What is said below it -------------------------------------------------------------------- */

/* "... 3 more figures: sd, default, length (--json has them all)" */
static void write_left_out(const stats_table *t)
{
    char line[256], count[DVI_AMOUNT_CAP];
    int n = 0;
    for (int i = 0; i < FIGURES; i++)
        n += t->is_left_out[i];
    if (n == 0)
        return;
    dvi_amount_count(count, n, "more figure");
    size_t used = (size_t)snprintf(line, sizeof line, "\u2026 %s: ", count);
    for (int i = 0; i < FIGURES; i++)
        if (t->is_left_out[i])
            used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", figures[i].name,
                                     --n ? ", " : "");
    snprintf(line + used, sizeof line - used, " (in a wider terminal, or with --json)");
    dvi_wrap(t->out, t->width, 2, 0, line);
    dvi_out_text(t->out, "\n");
}

/* Write "600 rows, 5 columns", and which figures are not exact. */
static void write_summary(const stats_table *t, int32_t hidden)
{
    char text[DVI_AMOUNT_CAP];
    int32_t estimated = 0, sketched = 0, columns = 0, slots = 0;
    double distinct_error = 0, rank_error = 0;
    for (int32_t k = 0; k < t->stats->columns; k++) {
        const dv_column_stats *c = &t->stats->column[k];
        columns += c->slot <= 0;
        slots += c->slot >= 0;
        estimated += c->distinct_error > 0;
        sketched += c->rank_error > 0;
        distinct_error = c->distinct_error > 0 ? c->distinct_error : distinct_error;
        rank_error = c->rank_error > rank_error ? c->rank_error : rank_error;
    }
    dvi_out_print(t->out, "%s, ", dvi_amount_count(text, t->stats->rows, "row"));
    dvi_out_text(t->out, dvi_amount_count(text, columns, "column"));
    if (slots)
        dvi_out_print(t->out, ", %s", dvi_amount_count(text, slots, "slot"));
    dvi_out_text(t->out, "\n");
    if (hidden)
        dvi_out_print(t->out, "left out: %s (--hidden shows %s)\n",
                      dvi_amount_count(text, hidden, "hidden column"), hidden == 1 ? "it" : "them");
    if (estimated)
        dvi_out_print(t->out, "distinct counts of %s are estimates: standard error %.2g %%\n",
                      dvi_amount_count(text, estimated, slots ? "line" : "column"),
                      100 * distinct_error);
    if (sketched)
        dvi_out_print(
            t->out,
            "quantiles and histograms of %s come from a sketch: rank error at most %.2g %%\n",
            dvi_amount_count(text, sketched, slots ? "line" : "column"), 100 * rank_error);
}

dvi_exit dvi_stats_table(const dv_stats *stats, const dv_schema *schema, const dvi_args *args,
                         dvi_out *out)
{
    stats_table t = {.out = out, .schema = schema, .stats = stats, .names = {.column = -1}};
    const dvi_screen screen = dvi_screen_of(out->fd);
    const bool is_all = !args->hidden && !args->columns.count && !args->drop.count;
    dvi_exit status = DVI_EXIT_DONE;
    t.width = screen.width;
    choose_figures(&t);
    if (stats->columns > 0)
        status = write_columns(&t, &screen);
    dvi_slot_names_free(&t.names);
    if (status || args->quiet)
        return status;
    if (stats->columns > 0)
        write_left_out(&t);
    write_summary(&t, is_all ? dvi_count_hidden(schema) : 0);
    return DVI_EXIT_DONE;
}
