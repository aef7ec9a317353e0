/* SPDX-License-Identifier: MIT */
/* sample_plan.c: checks the options of a sample, and reads weights and classes.
 *
 * Weights become whole numbers of units, so that draws are exact: docs/shuffling.md. */
#include "order/sample_plan.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "order/epoch_view.h"
#include "order/permutation.h"
#include <dataview/cursor.h>
#include <dataview/dense.h>
#include <float.h>
#include <math.h>

#define UNITS_BITS 62

/* --- Options ---------------------------------------------------------------------------------- */

static dv_status check_options(const dv_sample_options *o, dv_error *err)
{
    const int kinds = (o->weights != NULL) + (o->weight_column >= 0) + (o->class_column >= 0);
    DVI_TRY(dvi_options_least("rows", o->rows, -1, err));
    DVI_TRY(dvi_options_least("epoch", o->epoch, -1, err));
    DVI_TRY(dvi_options_least("weight_column", o->weight_column, -1, err));
    DVI_TRY(dvi_options_least("class_column", o->class_column, -1, err));
    DVI_TRY(dvi_options_least("threads", o->threads, 0, err));
    DVI_REQUIRE(o->rows <= DVI_PERMUTATION_MOST,
                dvi_fail_argument(err, "rows is %lld: at most 2^62", (long long)o->rows));
    DVI_REQUIRE(kinds <= 1, dvi_fail_argument(err, "weights, weight_column and class_column: give "
                                                   "one of them"));
    DVI_REQUIRE(!o->in_order || !o->replace,
                dvi_fail_argument(err, "in_order with replace: rows that come again and again have "
                                       "no order of the source; leave one of them out"));
    return DV_OK;
}

/* --- Weights ---------------------------------------------------------------------------------- */

static dv_status check_weights(const double *weights, int64_t n, double *most_out, dv_error *err)
{
    double most = 0;
    for (int64_t i = 0; i < n; i++) {
        DVI_REQUIRE(weights[i] >= 0 && weights[i] <= DBL_MAX, /* NaN is neither */
                    dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "weight of a row",
                             "a finite number of at least 0 in row %lld|%g", (long long)i,
                             weights[i]));
        most = weights[i] > most ? weights[i] : most;
    }
    DVI_REQUIRE(most > 0 || n == 0,
                dvi_fail_argument(err, "the weights of all %lld rows are 0: none can be drawn",
                                  (long long)n));
    *most_out = most;
    return DV_OK;
}

/* The power of two by which weights become units, so that n of them stay below 2^62. */
static int shift_of(double most, int64_t n)
{
    int exponent, bits = 0;
    frexp(most, &exponent); /* most < 2^exponent */
    while (INT64_C(1) << bits < n)
        bits++;
    return UNITS_BITS - bits - exponent;
}

static int64_t units_of(double weight, int shift)
{
    const double units = ldexp(weight, shift); /* exact, unless it is far below 1 */
    return weight > 0 && units < 1 ? 1 : (int64_t)units;
}

/* Returns how many rows can come. */
static int64_t add_up(int64_t *ends, const double *weights, int64_t n, int shift)
{
    int64_t sum = 0, positive = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += units_of(weights[i], shift);
        positive += weights[i] > 0;
        ends[i] = sum;
    }
    return positive;
}

static dv_status set_weights(dvi_sample_plan *p, dvi_arena *arena, const double *weights,
                             int64_t *available_out, dv_error *err)
{
    void *ends;
    size_t nbytes;
    double most = 0;
    DVI_TRY(check_weights(weights, p->rows, &most, err));
    if (!dvi_size_mul((size_t)p->rows, sizeof(int64_t), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_arena_alloc(arena, &ends, nbytes, err));
    p->ends = ends;
    *available_out = add_up(p->ends, weights, p->rows, shift_of(most, p->rows));
    return DV_OK;
}

static dv_cursor_options cursor_options(const dv_sample_options *o, const int32_t *column)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = column;
    options.columns_count = 1;
    options.threads = o->threads;
    options.progress = o->progress;
    return options;
}

static dv_status check_column(const dv_view *source, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(dv_view_schema(source), column);
    DVI_REQUIRE(info,
                dvi_fail_argument(err, "weight_column is %d: the view has %d columns", (int)column,
                                  (int)dv_schema_columns(dv_view_schema(source))));
    DVI_REQUIRE(!dv_type_is_vector(&info->type),
                dvi_fail_argument(err, "column \"%s\" has vectors: expected one weight in each row",
                                  dvi_show(info->name).text));
    return DV_OK;
}

static dv_status read_weights(dvi_sample_plan *p, dvi_arena *arena, dv_view *source,
                              const dv_sample_options *o, int64_t *available_out, dv_error *err)
{
    const dv_allocator *allocator = &arena->allocator;
    const dv_cursor_options cursor = cursor_options(o, &o->weight_column);
    void *weights;
    size_t nbytes;
    int64_t rows;
    DVI_TRY(check_column(source, o->weight_column, err));
    if (!dvi_size_mul((size_t)p->rows, sizeof(double), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_alloc(allocator, &weights, nbytes, err)); /* not zeroed: a file may claim rows */
    dv_status status =
        dv_view_dense(source, DV_KIND_R8, weights, p->rows, 1, &cursor, NULL, &rows, err);
    if (status == DV_OK)
        status = set_weights(p, arena, weights, available_out, err);
    dvi_free(allocator, weights, nbytes);
    return status;
}

/* --- Classes ---------------------------------------------------------------------------------- */

static dv_status read_classes(dvi_sample_plan *p, dvi_arena *arena, dv_view *source,
                              const dv_sample_options *o, int64_t *available_out, dv_error *err)
{
    const dv_cursor_options cursor = cursor_options(o, &o->class_column);
    DVI_TRY(
        dvi_row_classes_read(&p->classes, arena, p->rows, source, o->class_column, &cursor, err));
    p->fewest = p->rows;
    for (int64_t i = 0; i < p->classes.n; i++) {
        int64_t count;
        dvi_row_class(&p->classes, i, &count);
        p->fewest = dvi_min_i64(p->fewest, count);
    }
    *available_out = p->classes.n * p->fewest; /* not more than there are rows */
    return DV_OK;
}

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status read_column(dvi_sample_plan *p, dvi_arena *arena, dv_view *source,
                             const dv_sample_options *o, int64_t *available_out, dv_error *err)
{
    *available_out = p->rows;
    p->kind = o->class_column >= 0                  ? DVI_SAMPLE_BALANCED
              : o->weights || o->weight_column >= 0 ? DVI_SAMPLE_WEIGHTED
                                                    : DVI_SAMPLE_EQUAL;
    if (p->kind == DVI_SAMPLE_BALANCED)
        return read_classes(p, arena, source, o, available_out, err);
    if (o->weight_column >= 0)
        return read_weights(p, arena, source, o, available_out, err);
    if (!o->weights)
        return DV_OK;
    DVI_REQUIRE(o->weights_count == p->rows,
                dvi_fail_argument(err, "%lld weights of %lld rows: one of each is expected",
                                  (long long)o->weights_count, (long long)p->rows));
    return set_weights(p, arena, o->weights, available_out, err);
}

/* How many rows the sample has, of those that can come. */
static dv_status set_count(dvi_sample_plan *p, int64_t asked, int64_t available, dv_error *err)
{
    if (p->replace) {
        p->count = asked >= 0 ? asked : p->rows;
        DVI_REQUIRE(
            p->count == 0 || available > 0,
            dvi_fail_argument(err, "%lld rows of a view that has none", (long long)p->count));
        return DV_OK;
    }
    p->count = asked >= 0 ? asked : available;
    DVI_REQUIRE(p->count <= available,
                dvi_fail_argument(err,
                                  "%lld rows, each at most once, of %lld rows that can come: ask "
                                  "for fewer, or set replace",
                                  (long long)p->count, (long long)available));
    return DV_OK;
}

dv_status dvi_sample_plan_make(dvi_sample_plan *p, dvi_arena *arena, dv_view *source,
                               const dv_sample_options *given, dv_error *err)
{
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    int64_t available;
    DVI_TRY(dvi_options_read(&o, sizeof o, given, "DV_SAMPLE_OPTIONS_INIT", err));
    DVI_TRY(check_options(&o, err));
    DVI_REQUIRE(o.in_order || dv_view_block_rows(source) > 0,
                dvi_fail_argument(err, "a sample in the order of its draws: the rows are reached "
                                       "only in sequence; materialize the view "
                                       "(dv_view_materialize), cache it, or set in_order"));
    *p = (dvi_sample_plan){
        .replace = o.replace, .in_order = o.in_order, .seed = o.seed, .epoch = o.epoch};
    DVI_TRY(dvi_epoch_count_rows(source, &o.progress, &p->rows, err));
    DVI_REQUIRE(p->rows <= DVI_PERMUTATION_MOST,
                dvi_fail(err, DV_ERR_LIMIT, "sample", -1, "rows to draw from", "%lld at most|%lld",
                         (long long)DVI_PERMUTATION_MOST, (long long)p->rows));
    DVI_TRY(read_column(p, arena, source, &o, &available, err));
    return set_count(p, o.rows, available, err);
}
