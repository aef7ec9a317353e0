/* SPDX-License-Identifier: MIT */
/* feed_plan.c: what a feed was asked for. */
#include "feed/feed_plan.h"
#include "base/check.h"
#include "base/options.h"
#include "base/size.h"
#include "view/view.h"
#include "feed/feed_token.h"
#include "matrix/dense.h"
#include "order/epoch_plan.h"
#include <string.h>

/* --- Options ---------------------------------------------------------------------------------- */

static dv_status read_options(const dv_feed_options *given, dv_feed_options *options, dv_error *err)
{
    *options = (dv_feed_options)DV_FEED_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_FEED_OPTIONS_INIT", err));
    DVI_TRY(dvi_options_least("batch_rows", options->batch_rows, 1, err));
    DVI_TRY(dvi_options_least("epochs", options->epochs, -1, err));
    DVI_TRY(dvi_options_least("prefetch", options->prefetch, 0, err));
    DVI_TRY(dvi_options_least("threads", options->threads, 0, err));
    DVI_REQUIRE(options->worker >= 0 && options->worker < options->workers &&
                    options->workers <= DV_FEED_WORKERS_MOST,
                dvi_fail_argument(err, "worker %d of %d workers: there is none, or more than %d",
                                  options->worker, options->workers, DV_FEED_WORKERS_MOST));
    return DV_OK;
}

static dv_status read_order(const dv_feed_options *options, dv_epoch_options *order, dv_error *err)
{
    DVI_TRY(dvi_epoch_read_options(options->order, order, err));
    order->progress = options->progress;
    DVI_TRY(dvi_options_least("epoch", order->epoch, 0, err));
    DVI_TRY(dvi_options_least("start", order->start, 0, err));
    return dvi_options_least("shards", order->shards, 1, err);
}

/* --- Columns ---------------------------------------------------------------------------------- */

static bool is_listed(const dv_dense_options *options, int32_t column)
{
    for (int32_t k = 0; k < options->columns_count; k++)
        if (options->columns[k] == column)
            return true;
    return false;
}

/* Write the columns of a matrix into list unless it is NULL; returns how many.  For labels
 * `of_labels` is NULL. */
static int32_t list_columns(const dv_schema *schema, const dv_dense_options *options,
                            const dv_dense_options *of_labels, int32_t *list)
{
    int32_t n = 0;
    for (int32_t k = 0; options->columns_count >= 0 && k < options->columns_count; k++, n++)
        if (list)
            list[n] = options->columns[k];
    for (int32_t k = 0; options->columns_count < 0 && k < dv_schema_columns(schema); k++)
        if (!dv_schema_column(schema, k)->is_hidden && !is_listed(of_labels, k)) {
            if (list)
                list[n] = k;
            n++;
        }
    return n;
}

static dv_status check_list(const dv_schema *schema, const dv_dense_options *options, dv_error *err)
{
    DVI_REQUIRE(options->columns || options->columns_count <= 0,
                dvi_fail_argument(err, "columns is NULL, and columns_count is %d",
                                  (int)options->columns_count));
    for (int32_t k = 0; k < options->columns_count; k++)
        DVI_REQUIRE(dv_schema_column(schema, options->columns[k]),
                    dvi_fail_argument(err, "column %d of %d: there is none", options->columns[k],
                                      dv_schema_columns(schema)));
    return DV_OK;
}

/* A matrix of the n columns of the cursor from `first` on. */
static dv_status make_matrix(dvi_feed_matrix *m, dvi_feed_plan *plan, const dv_dense_options *given,
                             dv_kind items, int32_t first, int32_t n, dv_error *err)
{
    void *columns, *widths = NULL;
    DVI_REQUIRE(items == DV_KIND_R4 || items == DV_KIND_R8 || items == DV_KIND_I8,
                dvi_fail_argument(err, "items of %s: R4, R8 or I8", dv_kind_name(items)));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &columns, (size_t)n * sizeof(int32_t), err));
    for (int32_t k = 0; k < n; k++)
        ((int32_t *)columns)[k] = first + k;
    if (given->widths && n > 0) {
        DVI_TRY(dvi_arena_alloc(&plan->arena, &widths, (size_t)n * sizeof(size_t), err));
        memcpy(widths, given->widths, (size_t)n * sizeof(size_t));
    }
    m->items = items;
    m->item_nbytes = (size_t)dv_kind_width(items);
    m->dense = *given;
    m->dense.columns = columns;
    m->dense.columns_count = n;
    m->dense.widths = widths;
    m->names = (dvi_dense_names){dv_view_schema(plan->view), plan->columns};
    return dvi_dense_sum_widths(&m->width, dv_view_schema(plan->view), plan->columns,
                                plan->columns_count, &m->dense, items, err);
}

static dv_status make_labels(dvi_feed_plan *plan, const dv_dense_options *given, dv_kind items,
                             int32_t first, int32_t n, dv_error *err)
{
    const dv_status status = make_matrix(&plan->labels, plan, given, items, first, n, err);
    if (status < 0)
        dvi_error_within(err, "labels");
    return status;
}

static dv_status make_matrices(dvi_feed_plan *plan, const dv_feed_options *options, dv_error *err)
{
    void *list;
    dv_dense_options x, y;
    const dv_schema *schema = dv_view_schema(plan->view);
    DVI_TRY(dvi_dense_read_options(options->features, &x, err));
    DVI_TRY(dvi_dense_read_options(options->labels, &y, err));
    if (!options->labels)
        y.columns_count = 0;
    DVI_REQUIRE(y.columns_count >= 0, dvi_fail_argument(err, "labels: name the columns"));
    DVI_TRY(check_list(schema, &x, err));
    DVI_TRY(check_list(schema, &y, err));
    const int32_t features = list_columns(schema, &x, &y, NULL), labels = y.columns_count;
    DVI_REQUIRE(labels <= INT32_MAX - features, dvi_fail_argument(err, "too many columns"));
    plan->columns_count = features + labels;
    DVI_TRY(
        dvi_arena_alloc(&plan->arena, &list, (size_t)plan->columns_count * sizeof(int32_t), err));
    plan->columns = list;
    list_columns(schema, &x, &y, plan->columns);
    list_columns(schema, &y, NULL, plan->columns + features);
    DVI_TRY(make_matrix(&plan->features, plan, &x, options->feature_items, 0, features, err));
    return make_labels(plan, &y, options->label_items, features, labels, err);
}

/* --- The plan --------------------------------------------------------------------------------- */

dv_status dvi_feed_plan_make(dvi_feed_plan *plan, dv_view *view, const dv_feed_options *given,
                             dv_error *err)
{
    dv_feed_options options;
    memset(plan, 0, sizeof *plan);
    dvi_arena_init(&plan->arena, dvi_view_allocator(view));
    dv_view_retain(view);
    plan->view = view;
    DVI_TRY(read_options(given, &options, err));
    DVI_TRY(read_order(&options, &plan->order, err));
    DVI_TRY(make_matrices(plan, &options, err));
    const int64_t rows = dv_view_rows(view);
    plan->batch_rows = options.batch_rows;
    plan->most_rows = rows == DV_ROWS_UNKNOWN
                          ? options.batch_rows
                          : dvi_min_i64(options.batch_rows, dvi_max_i64(rows, 1));
    plan->drop_last = options.drop_last;
    plan->ids = options.ids;
    plan->lent = options.lent;
    plan->prefetch = (int32_t)dvi_min_i64(options.prefetch, DV_FEED_PREFETCH_MOST);
    plan->threads = options.threads;
    plan->worker = options.worker;
    plan->workers = options.workers;
    plan->first = (dvi_feed_position){.epoch = plan->order.epoch, .start = plan->order.start};
    if (options.epochs < 0 ||
        __builtin_add_overflow(plan->order.epoch, options.epochs, &plan->end_epoch))
        plan->end_epoch = INT64_MAX;
    return options.token ? dvi_feed_token_read(&plan->first, plan, options.token, err) : DV_OK;
}

void dvi_feed_plan_free(dvi_feed_plan *plan)
{
    dv_view_release(&plan->view);
    dvi_arena_free(&plan->arena);
}

bool dvi_feed_plan_has(const dvi_feed_plan *plan, const dvi_feed_position *at)
{
    return (at->batches - plan->first.batches) % plan->workers == plan->worker;
}

bool dvi_feed_plan_is_straight(const dvi_feed_plan *plan)
{
    return plan->order.shuffle == DV_SHUFFLE_NONE && plan->order.shards == 1;
}
