/* SPDX-License-Identifier: MIT */
/* stats_cell.c: statistics as what is seen of them. */
#include "cli/stats_cell.h"
#include "cli/sketch.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICKS_PER_SECOND 1e7
#define TICKS_PER_DAY 864e9
#define MANY 10        /* days, or seconds */
#define DATE_NBYTES 10 /* 2020-01-31 */
#define WHOLE_MOST 11  /* columns of a whole number */
#define TOP_LEAST 2    /* a value that is there once is not frequent */

/* --- One value -------------------------------------------------------------------------------- */

/* A value that is neither a real nor DZ, as the library prints it. */
static void write_exact(dvi_ink *ink, const dv_type *type, dv_stats_value value)
{
    const dv_buffer bytes = {.data = &value, .nbytes = sizeof value, .is_aligned = true};
    dv_column_view view = {.type = dv_type_item(type), .layout = DV_LAYOUT_FIXED, .rows = 1};
    view.as.fixed.values = bytes;
    const dv_value shown = dv_value_first(&view);
    dvi_sketch_scalar(ink, &shown);
}

static void write_real(dvi_ink *ink, double number)
{
    char text[32];
    snprintf(text, sizeof text, "%.5g", number);
    if (isinf(number))
        dvi_ink_text(ink, number < 0 ? "-\u221e" : "\u221e");
    else
        dvi_ink_text(ink, isnan(number) ? "" : text);
}

/* A time span: days when it has many, whole seconds when they are many. */
static void write_span(dvi_ink *ink, double ticks)
{
    char text[32];
    const dv_type type = dv_type_of(DV_KIND_TS);
    if (fabs(ticks) >= MANY * TICKS_PER_DAY) {
        snprintf(text, sizeof text, "%.5g d", ticks / TICKS_PER_DAY);
        dvi_ink_text(ink, text);
        return;
    }
    if (fabs(ticks) >= MANY * TICKS_PER_SECOND)
        ticks = TICKS_PER_SECOND * round(ticks / TICKS_PER_SECOND);
    if (!isnan(ticks))
        write_exact(ink, &type, (dv_stats_value){.i8 = (int64_t)ticks});
}

/* A date, and its time where the dates of the column are few. */
static void write_date(dvi_ink *ink, const dv_column_stats *stats, int64_t ticks)
{
    const double range = (double)stats->max.i8 - (double)stats->min.i8;
    const bool is_wide = range >= MANY * TICKS_PER_DAY;
    const dv_type type = dv_type_of(DV_KIND_DT);
    dvi_ink full = {.most = DVI_INK_UNLIMITED};
    write_exact(&full, &type, (dv_stats_value){.i8 = ticks - ticks % (int64_t)TICKS_PER_SECOND});
    ink->is_failed |= full.is_failed;
    dvi_ink_write(ink, full.text, is_wide && full.nbytes > DATE_NBYTES ? DATE_NBYTES : full.nbytes);
    dvi_ink_free(&full);
}

/* A whole number, in 5 digits when it is too long. */
static void write_whole(dvi_ink *ink, const dv_type *type, const dv_column_stats *stats,
                        dv_stats_value value)
{
    const size_t nbytes = ink->nbytes;
    const int32_t columns = ink->columns;
    write_exact(ink, type, value);
    if (ink->columns - columns <= WHOLE_MOST)
        return;
    dvi_ink_rewind(ink, nbytes, columns);
    write_real(ink, stats->form == DV_STATS_I8 ? (double)value.i8 : (double)value.u8);
}

static void write_value(dvi_ink *ink, const dv_type *type, const dv_column_stats *stats,
                        dv_stats_value value)
{
    if (stats->form == DV_STATS_R8)
        write_real(ink, value.r8);
    else if (type->kind == DV_KIND_TS)
        write_span(ink, (double)value.i8);
    else if (type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ)
        write_date(ink, stats, value.i8);
    else
        write_whole(ink, type, stats, value);
}

void dvi_stats_add_value(dvi_table *table, const dv_type *type, const dv_column_stats *stats,
                         dv_stats_value value)
{
    dvi_ink ink = {.most = table->most};
    if (stats->form != DV_STATS_NONE && stats->ordered > 0)
        write_value(&ink, type, stats, value);
    dvi_table_add_ink(table, &ink);
}

/* Doubles near the last date pass it. */
static void write_mean_date(dvi_ink *ink, const dv_column_stats *stats)
{
    if (!isnan(stats->mean))
        write_date(ink, stats,
                   stats->mean < (double)stats->max.i8 ? (int64_t)stats->mean : stats->max.i8);
}

void dvi_stats_add_mean(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    dvi_ink ink = {.most = table->most};
    if (type->kind == DV_KIND_TS)
        write_span(&ink, stats->mean);
    else if (type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ)
        write_mean_date(&ink, stats);
    else
        write_real(&ink, stats->mean);
    dvi_table_add_ink(table, &ink);
}

void dvi_stats_add_sd(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    const bool is_time =
        type->kind == DV_KIND_TS || type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ;
    dvi_ink ink = {.most = table->most};
    if (is_time)
        write_span(&ink, stats->sd);
    else
        write_real(&ink, stats->sd);
    dvi_table_add_ink(table, &ink);
}

/* --- Counts ----------------------------------------------------------------------------------- */

void dvi_stats_add_share(dvi_table *table, int64_t part, int64_t whole)
{
    const double share = whole > 0 ? (double)part / (double)whole : 0;
    if (whole == 0)
        dvi_table_add_text(table, dv_text_of(""));
    else if (part == 0 || part == whole)
        dvi_table_add_text(table, dv_text_of(part ? "100 %" : "0"));
    else if (share < 0.001)
        dvi_table_add_text(table, dv_text_of("<0.1 %"));
    else
        dvi_table_add_print(table, "%.1f %%", 100 * (share < 0.999 ? share : 0.999));
}

void dvi_stats_add_distinct(dvi_table *table, const dv_column_stats *stats)
{
    static const char *const prefixes[] = {"", " k", " M", " G", " T", " P", " E"};
    double count = (double)stats->distinct;
    if (stats->distinct < 0) {
        dvi_table_add_text(table, dv_text_of(""));
        return;
    }
    if (stats->distinct_error == 0) {
        dvi_table_add_print(table, "%" PRId64, stats->distinct);
        return;
    }
    size_t i = 0;
    for (; count >= 999.5 && i + 1 < sizeof prefixes / sizeof *prefixes; i++)
        count /= 1000;
    dvi_table_add_print(table, "~%.*f%s",
                        i == 0 || count >= 99.95 ? 0
                        : count < 9.995          ? 2
                                                 : 1,
                        count, prefixes[i]);
}

void dvi_stats_add_bins(dvi_table *table, const dv_column_stats *stats)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    char text[3 * DV_STATS_BINS + 1] = "";
    int64_t most = 0;
    int last = -1;
    for (int i = 0; i < DV_STATS_BINS; i++) {
        most = stats->bin[i] > most ? stats->bin[i] : most;
        last = stats->bin[i] > 0 ? i : last;
    }
    for (int i = 0; i <= last; i++)
        strcat(text, bars[(int)ceil(8 * ((double)stats->bin[i] / (double)most))]);
    dvi_table_add_text(table, dv_text_of(text));
}

void dvi_stats_add_length(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    const bool is_vector = dv_type_is_vector(type);
    const dv_stats_lengths *length = is_vector ? &stats->vector_length : &stats->text_nbytes;
    if (length->least < 0 || (is_vector && type->size > 0))
        dvi_table_add_text(table, dv_text_of(""));
    else if (length->least == length->most)
        dvi_table_add_print(table, "%" PRId64, length->least);
    else
        dvi_table_add_print(table, "%" PRId64 "..%" PRId64 ", mean %.3g", length->least,
                            length->most, length->mean);
}

/* --- Frequent values -------------------------------------------------------------------------- */

static void write_top(dvi_ink *ink, const dv_type *type, const dv_column_stats *stats,
                      const dv_stats_top *top)
{
    if (top->text.nbytes < 0)
        write_value(ink, type, stats, top->value);
    else if (top->text_nbytes == 0)
        dvi_ink_text(ink, "\"\"");
    else
        dvi_ink_write(ink, top->text.data, (size_t)top->text.nbytes);
    if (top->text.nbytes < top->text_nbytes)
        dvi_ink_text(ink, "\u2026");
    char count[32];
    snprintf(count, sizeof count, " \u00d7%" PRId64, top->count);
    dvi_ink_text(ink, count);
}

void dvi_stats_add_top(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    dvi_ink ink = {.most = table->most};
    for (int32_t i = 0; i < stats->top_count && stats->top[i].count >= TOP_LEAST; i++) {
        dvi_ink_text(&ink, i > 0 ? ", " : "");
        write_top(&ink, type, stats, &stats->top[i]);
    }
    dvi_table_add_ink(table, &ink);
}
