/* SPDX-License-Identifier: MIT */
/* stats_truth.c: statistics by brute force. */
#include "support/stats_truth.h"
#include "support/produce.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double shares[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/* --- As text ---------------------------------------------------------------------------------- */

static void print_column(dvt_lines *lines, const dv_column_stats *c)
{
    dvt_lines_print(lines, "column %d: %" PRId64 " values, %" PRId64 " NA, %" PRId64 " defaults\n",
                    c->column, c->values, c->na, c->defaults);
    dvt_lines_print(lines, "vectors %" PRId64 " %" PRId64 " %a, texts %" PRId64 " %" PRId64 " %a\n",
                    c->vector_length.least, c->vector_length.most, c->vector_length.mean,
                    c->text_nbytes.least, c->text_nbytes.most, c->text_nbytes.mean);
    dvt_lines_print(lines, "form %d, %" PRId64 " ordered, %" PRId64 " %" PRId64 " infinite\n",
                    (int)c->form, c->ordered, c->negative_infinities, c->positive_infinities);
    dvt_lines_print(lines, "%" PRIx64 "..%" PRIx64 ":", c->min.u8, c->max.u8);
    for (int i = 0; i < DV_STATS_QUANTILES; i++)
        dvt_lines_print(lines, " %" PRIx64, c->quantile[i].u8);
    dvt_lines_print(lines, " +- %a\nmean %a sd %a\nbins %" PRIx64 "..%" PRIx64 ":", c->rank_error,
                    c->mean, c->sd, c->bin_low.u8, c->bin_high.u8);
    for (int i = 0; i < DV_STATS_BINS; i++)
        dvt_lines_print(lines, " %" PRId64, c->bin[i]);
    dvt_lines_print(lines, "\ndistinct %" PRId64 " +- %a\n", c->distinct, c->distinct_error);
    for (int32_t i = 0; i < c->top_count; i++) {
        const dv_stats_top *t = &c->top[i];
        dvt_lines_print(lines, "%" PRId64 " of %" PRIx64 " %" PRId64 " ", t->count, t->value.u8,
                        t->text_nbytes);
        dvt_lines_string(lines, c->form == DV_STATS_NONE ? dv_text_of(NULL) : t->text);
        dvt_lines_add(lines, t->text.data ? t->text.data : "",
                      t->text.nbytes > 0 ? (size_t)t->text.nbytes : 0);
        dvt_lines_print(lines, "\n");
    }
}

void dvt_stats_print(dvt_lines *lines, const dv_stats *stats)
{
    dvt_lines_print(lines, "%" PRId64 " rows, %d columns\n", stats->rows, stats->columns);
    for (int32_t k = 0; k < stats->columns; k++)
        print_column(lines, &stats->column[k]);
}

/* --- By brute force --------------------------------------------------------------------------- */

/* A value that is ordered, as a long double, which holds any of them, and in the exact form. */
typedef struct truth {
    int64_t rows, values, na, defaults, vectors, texts;
    int64_t vector_least, vector_most, vector_sum, text_least, text_most, text_sum;
    long double *number;
    char **text; /* of each value that is not NA: a key that identifies it */
    size_t numbers, texts_n, cap;
} truth;

static void see_length(int64_t *n, int64_t *least, int64_t *most, int64_t *sum, int64_t length)
{
    *least = *n == 0 || length < *least ? length : *least;
    *most = *n == 0 || length > *most ? length : *most;
    *sum += length;
    ++*n;
}

static long double number_of(const dv_value *v)
{
    const dv_type *type = &v->column->type;
    switch (type->kind) {
    case DV_KIND_I1:
        return dv_value_i1(v);
    case DV_KIND_I2:
        return dv_value_i2(v);
    case DV_KIND_I4:
        return dv_value_i4(v);
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
        return dv_value_i8(v);
    case DV_KIND_DZ:
        return dv_value_dz(v).ticks - dv_value_dz(v).minutes * INT64_C(600000000);
    case DV_KIND_R4:
        return dv_value_r4(v);
    case DV_KIND_R8:
        return dv_value_r8(v);
    case DV_KIND_BL:
        return dv_value_i1(v);
    case DV_KIND_U1:
    case DV_KIND_U2:
    case DV_KIND_U4:
    case DV_KIND_U8:
        return dv_value_key(v);
    default:
        return NAN;
    }
}

static char *text_of(const dv_value *v)
{
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    if (v->column->type.kind == DV_KIND_DZ) /* the same time in another zone is the same */
        dvt_lines_print(&lines, "%Lf", number_of(v));
    else
        dv_value_write(v, DV_STYLE_EXACT, &sink);
    return lines.data ? lines.data : strdup("");
}

static void see(truth *t, const dv_value *v)
{
    const dv_kind kind = v->column->type.kind;
    t->values++;
    t->na += dv_value_is_na(v);
    t->defaults += dv_value_is_default(v);
    if (dv_value_is_na(v))
        return;
    if (kind == DV_KIND_TX || kind == DV_KIND_BY)
        see_length(&t->texts, &t->text_least, &t->text_most, &t->text_sum, dv_value_tx(v).nbytes);
    if (t->numbers == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 1024;
        t->number = realloc(t->number, t->cap * sizeof *t->number);
        t->text = realloc(t->text, t->cap * sizeof *t->text);
        DVT_MUST(t->number && t->text);
    }
    const bool is_real = kind == DV_KIND_R4 || kind == DV_KIND_R8;
    t->text[t->numbers] = is_real ? NULL : text_of(v);
    t->number[t->numbers++] = number_of(v);
}

/* All slots of a vector; those without an item as one that holds the default. */
static void see_vector(truth *t, const dv_value *v)
{
    static const uint64_t zeros[2];
    const dv_buffer buffer = {.data = zeros, .nbytes = sizeof zeros};
    dv_column_view hole = {.type = v->column->as.vector.items->type,
                           .layout = v->column->as.vector.items->layout,
                           .rows = 1};
    if (hole.layout == DV_LAYOUT_ZONED)
        hole.as.zoned = (dv_zoned_layout){buffer, buffer};
    else if (hole.layout == DV_LAYOUT_FIXED)
        hole.as.fixed.values = buffer;
    else
        hole.as.text.ends = buffer;
    const dv_value none = dv_value_first(&hole);
    see_length(&t->vectors, &t->vector_least, &t->vector_most, &t->vector_sum, v->length);
    for (int32_t i = 0; i < dv_value_items(v); i++) {
        const dv_value item = dv_value_item(v, i);
        see(t, &item);
    }
    for (int32_t i = dv_value_items(v); i < v->length; i++)
        see(t, &none);
}

static void read_column(truth *t, dv_view *view, const dv_cursor_options *given, int32_t column)
{
    dv_cursor_options options = *given;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.columns = &column;
    options.columns_count = 1;
    DVT_MUST(dv_cursor_open(&cursor, view, &options, NULL) == DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        dv_value v = dv_value_first(dv_batch_column(batch, 0));
        t->rows += batch->rows;
        for (int64_t row = 0; row < batch->rows; row++) {
            if (dv_type_is_vector(&v.column->type))
                see_vector(t, &v);
            else
                see(t, &v);
            if (row + 1 < batch->rows)
                dv_value_next(&v);
        }
    }
    dv_cursor_close(&cursor);
}

static int compare_numbers(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static long double reported(const dv_column_stats *c, dv_stats_value value)
{
    if (c->form == DV_STATS_R8)
        return value.r8;
    return c->form == DV_STATS_I8 ? (long double)value.i8 : (long double)value.u8;
}

static bool is_near(double a, long double b, long double scale)
{
    return (isnan(a) && isnan(b)) || (double)b == a ||
           fabsl((long double)a - b) <= 1e-12L * (fabsl(b) + scale);
}

/* bool expressions in, the first that does not hold out. */
#define AGREE(condition)                                                                           \
    if (!(condition))                                                                              \
    return #condition

static const char *check_lengths(const dv_column_stats *c, const truth *t)
{
    const dv_stats_lengths *v = &c->vector_length, *x = &c->text_nbytes;
    AGREE(t->vectors ? v->least == t->vector_least && v->most == t->vector_most
                     : v->least == -1 && v->most == -1);
    AGREE(is_near(v->mean, t->vectors ? (long double)t->vector_sum / t->vectors : NAN, 0));
    AGREE(t->texts ? x->least == t->text_least && x->most == t->text_most
                   : x->least == -1 && x->most == -1);
    AGREE(is_near(x->mean, t->texts ? (long double)t->text_sum / t->texts : NAN, 0));
    return NULL;
}

static const char *check_moments(const dv_column_stats *c, const truth *t)
{
    long double sum = 0, squares = 0, most = 0;
    for (size_t i = 0; i < t->numbers; i++) {
        sum += t->number[i];
        most = fabsl(t->number[i]) > most ? fabsl(t->number[i]) : most;
    }
    const long double mean = sum / (long double)t->numbers;
    for (size_t i = 0; i < t->numbers; i++)
        squares += (t->number[i] - mean) * (t->number[i] - mean);
    const long double variance = t->numbers > 1 ? squares / (long double)(t->numbers - 1) : NAN;
    AGREE(is_near(c->mean, mean, most));
    AGREE(variance > 1e300L || is_near(c->sd, sqrtl(variance), most));
    return NULL;
}

__extension__ typedef __int128 i128;

/* The number of a whole type, in steps that need no runtime of the compiler. */
static i128 whole_of(long double number)
{
    return number < 0 ? (i128)(int64_t)number : (i128)(uint64_t)number;
}

/* Which bin should hold the number? */
static int bin_of(const dv_column_stats *c, long double number)
{
    const long double low = reported(c, c->bin_low), high = reported(c, c->bin_high);
    int bin = DV_STATS_BINS - 1;
    if (low == high)
        return 0;
    for (; bin > 0; bin--) {
        const double share = bin / 10.0;
        if (c->form == DV_STATS_R8
                ? (double)number >= (double)low * (1 - share) + (double)high * share
                : (whole_of(number) - whole_of(low)) * 10 >=
                      (whole_of(high) - whole_of(low) + 1) * bin)
            break;
    }
    return bin;
}

/* Sorts the numbers. */
static const char *check_order(const dv_column_stats *c, const truth *t)
{
    const size_t n = t->numbers;
    qsort(t->number, n, sizeof *t->number, compare_numbers);
    AGREE(reported(c, c->min) == t->number[0]);
    AGREE(reported(c, c->max) == t->number[n - 1]);
    AGREE(c->rank_error == 0);
    for (int i = 0; i < DV_STATS_QUANTILES; i++) {
        const size_t percent = (size_t)(100 * shares[i] + 0.5), rank = (percent * n + 99) / 100;
        AGREE(reported(c, c->quantile[i]) == t->number[rank - 1]);
    }
    int64_t finite = 0, bins[DV_STATS_BINS] = {0}, sum = 0;
    for (size_t i = 0; i < n; i++) {
        if (c->form == DV_STATS_R8 && isinf((double)t->number[i]))
            continue;
        finite++;
        bins[bin_of(c, t->number[i])]++;
    }
    for (int i = 0; i < DV_STATS_BINS; i++) {
        sum += c->bin[i];
        AGREE(c->bin[i] == bins[i]);
    }
    AGREE(sum == finite);
    return NULL;
}

/* Sorts the texts. */
static const char *check_distinct(const dv_column_stats *c, const truth *t)
{
    int64_t distinct = 0, run = 0, most = 0;
    if (c->distinct < 0)
        return c->form == DV_STATS_R8 ? NULL : "distinct was not counted";
    if (t->numbers > 0)
        qsort(t->text, t->numbers, sizeof *t->text, compare_texts);
    for (size_t i = 0; i < t->numbers; i++) {
        const bool is_new = i == 0 || strcmp(t->text[i], t->text[i - 1]) != 0;
        distinct += is_new;
        run = is_new ? 1 : run + 1;
        most = run > most ? run : most;
    }
    AGREE(c->distinct == distinct);
    AGREE(c->distinct_error == 0);
    AGREE(c->top_count == 0 || c->top[0].count == most);
    for (int32_t i = 1; i < c->top_count; i++)
        AGREE(c->top[i].count <= c->top[i - 1].count);
    return NULL;
}

static const char *check(const dv_column_stats *c, const truth *t)
{
    AGREE(c->values == t->values);
    AGREE(c->na == t->na);
    AGREE(c->defaults == t->defaults);
    AGREE(c->ordered == (c->form == DV_STATS_NONE ? 0 : (int64_t)t->numbers));
    const char *why = check_lengths(c, t);
    if (!why && c->ordered > 0)
        why = check_order(c, t);
    if (!why && c->ordered > 0 && !isnan(c->mean))
        why = check_moments(c, t);
    return why ? why : check_distinct(c, t);
}

bool dvt_stats_agree(const dv_stats *stats, dv_view *view, const dv_cursor_options *options,
                     char message_out[256])
{
    bool ok = true;
    for (int32_t k = 0; k < stats->columns && ok; k++) {
        truth t = {0};
        const int32_t column = stats->column[k].column;
        read_column(&t, view, options, column);
        const char *why = t.rows == stats->rows ? check(&stats->column[k], &t) : "rows";
        ok = !why;
        if (why)
            snprintf(message_out, 256, "column %d: %s", column, why);
        for (size_t i = 0; i < t.numbers; i++)
            free(t.text[i]);
        free(t.number);
        free(t.text);
    }
    return ok;
}

double dvt_rank_distance(const double *sorted, int64_t n, double p, double value)
{
    int64_t below = 0, up_to;
    while (below < n && sorted[below] < value)
        below++;
    for (up_to = below; up_to < n && sorted[up_to] <= value;)
        up_to++;
    if (up_to == below)
        return INFINITY; /* no such value */
    const double low = (double)below / (double)n - p, high = p - (double)up_to / (double)n;
    return low > 0 ? low : high > 0 ? high : 0;
}
