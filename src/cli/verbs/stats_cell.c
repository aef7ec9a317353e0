/* SPDX-License-Identifier: MIT */
/* stats_cell.c: formats statistics for people. */
#include "cli/verbs/stats_cell.h"
#include "cli/terminal/brief.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define TICKS_PER_SECOND 1e7
#define TICKS_PER_DAY 864e9
#define MANY 10        /* days, or seconds */
#define DATE_NBYTES 10 /* 2020-01-31 */
#define WHOLE_MOST 11  /* columns of a whole number that must be short */
#define REAL_MOST 11   /* columns of a real of the column that is written in full */
#define DIGITS 5       /* of a number that is rounded */
#define MEAN_DIGITS 12 /* more would show how the sum was rounded */
#define TOP_LEAST 2    /* a value that occurs once is not frequent */

/* --- One value -------------------------------------------------------------------------------- */

/* Write a value other than DZ, as the library prints it. */
static void write_exact(dvi_clip *clip, const dv_type *type, dv_stats_value value)
{
    const dv_buffer bytes = {.data = &value, .nbytes = sizeof value, .is_aligned = true};
    dv_column_view view = {.type = dv_type_item(type), .layout = DV_LAYOUT_FIXED, .rows = 1};
    view.as.fixed.values = bytes;
    const dv_value shown = dv_value_first(&view);
    dvi_brief_scalar(clip, &shown);
}

/* Write a number with so many significant digits, and at least those before the point. */
static void write_rounded(dvi_clip *clip, double number, int digits)
{
    char text[40];
    const double size = fabs(number);
    if (size >= pow(10, digits) && size < 1e15)
        snprintf(text, sizeof text, "%.0f", number);
    else
        snprintf(text, sizeof text, "%.*g", digits, number);
    if (isinf(number))
        dvi_clip_text(clip, number < 0 ? "-\u221e" : "\u221e");
    else
        dvi_clip_text(clip, isnan(number) ? "" : text);
}

/* Write a real of the column: all its digits, as `head` shows them, unless they are too many. */
static void write_real(dvi_clip *clip, const dv_type *type, double number)
{
    const size_t nbytes = clip->nbytes;
    const int32_t columns = clip->columns;
    const float narrow = type->kind == DV_KIND_R4 ? (float)number : 0; /* exact: it was a float */
    dv_stats_value value = {.r8 = number};
    if (type->kind == DV_KIND_R4)
        memcpy(&value, &narrow, sizeof narrow);
    if (isfinite(number))
        write_exact(clip, type, value);
    if (isfinite(number) && clip->columns - columns <= REAL_MOST)
        return;
    dvi_clip_rewind(clip, nbytes, columns);
    write_rounded(clip, number, DIGITS);
}

/* Write a time span: in days if it has many, in whole seconds if it has many. */
static void write_span(dvi_clip *clip, double ticks)
{
    const dv_type type = dv_type_of(DV_KIND_TS);
    if (fabs(ticks) >= MANY * TICKS_PER_DAY) {
        write_rounded(clip, ticks / TICKS_PER_DAY, DIGITS);
        dvi_clip_text(clip, " d");
        return;
    }
    if (fabs(ticks) >= MANY * TICKS_PER_SECOND)
        ticks = TICKS_PER_SECOND * round(ticks / TICKS_PER_SECOND);
    if (!isnan(ticks))
        write_exact(clip, &type, (dv_stats_value){.i8 = (int64_t)ticks});
}

/* Write a date, and its time if the dates of the column span few days. */
static void write_date(dvi_clip *clip, const dv_column_stats *stats, int64_t ticks)
{
    const double range = (double)stats->max.i8 - (double)stats->min.i8;
    const bool is_wide = range >= MANY * TICKS_PER_DAY;
    const dv_type type = dv_type_of(DV_KIND_DT);
    dvi_clip full = {.most = DVI_CLIP_UNLIMITED};
    write_exact(&full, &type, (dv_stats_value){.i8 = ticks - ticks % (int64_t)TICKS_PER_SECOND});
    clip->is_failed |= full.is_failed;
    dvi_clip_write(clip, full.text,
                   is_wide && full.nbytes > DATE_NBYTES ? DATE_NBYTES : full.nbytes);
    dvi_clip_free(&full);
}

/* Write a whole number, rounded if it must be short and is not. */
static void write_whole(dvi_clip *clip, const dv_type *type, const dv_column_stats *stats,
                        dv_stats_value value, bool is_short)
{
    const size_t nbytes = clip->nbytes;
    const int32_t columns = clip->columns;
    char text[32];
    write_exact(clip, type, value);
    if (!is_short || clip->columns - columns <= WHOLE_MOST)
        return;
    dvi_clip_rewind(clip, nbytes, columns);
    snprintf(text, sizeof text, "%.*g", DIGITS,
             stats->form == DV_STATS_I8 ? (double)value.i8 : (double)value.u8);
    dvi_clip_text(clip, text);
}

static void write_value(dvi_clip *clip, const dv_type *type, const dv_column_stats *stats,
                        dv_stats_value value, bool is_short)
{
    if (stats->form == DV_STATS_R8)
        write_real(clip, type, value.r8);
    else if (type->kind == DV_KIND_TS)
        write_span(clip, (double)value.i8);
    else if (type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ)
        write_date(clip, stats, value.i8);
    else
        write_whole(clip, type, stats, value, is_short);
}

void dvi_stats_add_value(dvi_table *table, const dv_type *type, const dv_column_stats *stats,
                         dv_stats_value value, bool is_short)
{
    dvi_clip clip = {.most = table->most};
    if (stats->form != DV_STATS_NONE && stats->ordered > 0)
        write_value(&clip, type, stats, value, is_short);
    dvi_table_add_clip(table, &clip);
}

/* A mean rounded to double can be past the last date. */
static void write_mean_date(dvi_clip *clip, const dv_column_stats *stats)
{
    if (!isnan(stats->mean))
        write_date(clip, stats,
                   stats->mean < (double)stats->max.i8 ? (int64_t)stats->mean : stats->max.i8);
}

void dvi_stats_add_mean(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    dvi_clip clip = {.most = table->most};
    if (type->kind == DV_KIND_TS)
        write_span(&clip, stats->mean);
    else if (type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ)
        write_mean_date(&clip, stats);
    else
        write_rounded(&clip, stats->mean, MEAN_DIGITS);
    dvi_table_add_clip(table, &clip);
}

void dvi_stats_add_sd(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    const bool is_time =
        type->kind == DV_KIND_TS || type->kind == DV_KIND_DT || type->kind == DV_KIND_DZ;
    dvi_clip clip = {.most = table->most};
    if (is_time)
        write_span(&clip, stats->sd);
    else
        write_rounded(&clip, stats->sd, DIGITS);
    dvi_table_add_clip(table, &clip);
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

void dvi_stats_write_bars(char text[DVI_STATS_BARS_CAP], const dv_column_stats *stats)
{
    static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                       "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t most = 0;
    int last = -1;
    *text = 0;
    for (int i = 0; i < DV_STATS_BINS; i++) {
        most = stats->bin[i] > most ? stats->bin[i] : most;
        last = stats->bin[i] > 0 ? i : last;
    }
    for (int i = 0; i <= last; i++)
        strcat(text, bars[(int)ceil(8 * ((double)stats->bin[i] / (double)most))]);
}

void dvi_stats_add_bins(dvi_table *table, const dv_column_stats *stats)
{
    char text[DVI_STATS_BARS_CAP];
    dvi_stats_write_bars(text, stats);
    dvi_table_add_text(table, dv_text_of(text));
}

static void add_lengths(dvi_table *table, const dv_stats_lengths *length)
{
    char text[64];
    dvi_clip clip = {.most = table->most};
    snprintf(text, sizeof text, "%" PRId64 "..%" PRId64 ", mean ", length->least, length->most);
    dvi_clip_text(&clip, text);
    write_rounded(&clip, length->mean, 3);
    dvi_table_add_clip(table, &clip);
}

/* The lengths to show: of vectors of varying length, or of texts. */
static const dv_stats_lengths *find_lengths(const dv_type *type, const dv_column_stats *stats)
{
    const bool varies = dv_type_is_vector(type) && type->size == 0;
    return varies ? &stats->vector_length : &stats->text_nbytes;
}

bool dvi_stats_has_length(const dv_type *type, const dv_column_stats *stats)
{
    return find_lengths(type, stats)->least >= 0;
}

void dvi_stats_add_length(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    const dv_stats_lengths *length = find_lengths(type, stats);
    if (length->least < 0)
        dvi_table_add_text(table, dv_text_of(""));
    else if (length->least == length->most)
        dvi_table_add_print(table, "%" PRId64, length->least);
    else
        add_lengths(table, length);
}

/* --- Frequent values -------------------------------------------------------------------------- */

static void write_top(dvi_clip *clip, const dv_type *type, const dv_column_stats *stats,
                      const dv_stats_top *top)
{
    if (top->text.nbytes < 0)
        write_value(clip, type, stats, top->value, false);
    else if (top->text_nbytes == 0)
        dvi_clip_text(clip, "\"\"");
    else
        dvi_clip_write(clip, top->text.data, (size_t)top->text.nbytes);
    if (top->text.nbytes < top->text_nbytes)
        dvi_clip_text(clip, "\u2026");
    char count[32];
    snprintf(count, sizeof count, " \u00d7%" PRId64, top->count);
    dvi_clip_text(clip, count);
}

void dvi_stats_add_top(dvi_table *table, const dv_type *type, const dv_column_stats *stats)
{
    dvi_clip clip = {.most = table->most};
    for (int32_t i = 0; i < stats->top_count && stats->top[i].count >= TOP_LEAST; i++) {
        dvi_clip_text(&clip, i > 0 ? ", " : "");
        write_top(&clip, type, stats, &stats->top[i]);
    }
    dvi_table_add_clip(table, &clip);
}
