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

/* Is a column named by one of the matrices? */
static bool is_listed(const dv_dense_options *matrices, int32_t n, int32_t column)
{
    for (int32_t m = 0; m < n; m++)
        for (int32_t k = 0; k < matrices[m].columns_count; k++)
            if (matrices[m].columns[k] == column)
                return true;
    return false;
}

/* Write the columns of matrix m of n into list unless it is NULL; returns how many. */
static int32_t list_columns(const dv_schema *schema, const dv_dense_options *matrices, int32_t n,
                            int32_t m, int32_t *list)
{
    const dv_dense_options *options = &matrices[m];
    int32_t count = options->columns_count;
    if (count >= 0 && list && count > 0)
        memcpy(list, options->columns, (size_t)count * sizeof *list);
    if (count >= 0)
        return count;
    count = 0;
    for (int32_t k = 0; k < dv_schema_columns(schema); k++)
        if (!dv_schema_column(schema, k)->is_hidden && !is_listed(matrices, n, k)) {
            if (list)
                list[count] = k;
            count++;
        }
    return count;
}

static dv_status check_list(const dv_schema *schema, const int32_t *columns, int32_t n,
                            dv_error *err)
{
    DVI_REQUIRE(columns || n <= 0,
                dvi_fail_argument(err, "columns is NULL, and columns_count is %d", (int)n));
    for (int32_t k = 0; k < n; k++)
        DVI_REQUIRE(dv_schema_column(schema, columns[k]),
                    dvi_fail_argument(err, "column %d of %d: there is none", columns[k],
                                      dv_schema_columns(schema)));
    return DV_OK;
}

/* A matrix of n columns of the cursor, from `first` on. */
static dv_status make_matrix(dvi_feed_matrix *m, dvi_feed_plan *plan, const dv_dense_options *given,
                             dv_kind items, int32_t first, int32_t n, dv_error *err)
{
    void *columns, *widths = NULL;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &columns, (size_t)n * sizeof(int32_t), err));
    for (int32_t k = 0; k < n; k++)
        ((int32_t *)columns)[k] = first + k;
    if (given->widths && n > 0) {
        DVI_TRY(dvi_arena_alloc(&plan->arena, &widths, (size_t)n * sizeof(size_t), err));
        memcpy(widths, given->widths, (size_t)n * sizeof(size_t));
    }
    *m = (dvi_feed_matrix){.items = items,
                           .item_nbytes = (size_t)dv_kind_width(items),
                           .first = first,
                           .dense = *given,
                           .names = {dv_view_schema(plan->view), plan->columns}};
    m->dense.columns = columns;
    m->dense.columns_count = n;
    m->dense.widths = widths;
    return dvi_dense_sum_widths(&m->width, dv_view_schema(plan->view), plan->columns,
                                plan->columns_count, &m->dense, items, err);
}

/* The columns of the cursor. */
static dv_status list_all(dvi_feed_plan *plan, const dv_dense_options *matrices, int32_t n,
                          const dv_feed_options *options, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(plan->view);
    void *list;
    int32_t count = plan->whole_count = options->columns_count;
    DVI_TRY(dvi_options_least("columns_count", count, 0, err));
    DVI_TRY(check_list(schema, options->columns, count, err));
    for (int32_t m = 0; m < n; m++)
        DVI_TRY(check_list(schema, matrices[m].columns, matrices[m].columns_count, err));
    for (int32_t m = 0; m < n; m++)
        DVI_REQUIRE(
            !__builtin_add_overflow(count, list_columns(schema, matrices, n, m, NULL), &count),
            dvi_fail_argument(err, "too many columns"));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &list, (size_t)count * sizeof(int32_t), err));
    plan->columns = list;
    for (int32_t m = 0; m < n; m++)
        plan->columns_count +=
            list_columns(schema, matrices, n, m, plan->columns + plan->columns_count);
    plan->whole = plan->columns_count;
    plan->columns_count += plan->whole_count;
    if (plan->whole_count > 0)
        memcpy(plan->columns + plan->whole, options->columns,
               (size_t)plan->whole_count * sizeof *plan->columns);
    return DV_OK;
}

static dv_status make_all(dvi_feed_plan *plan, const dv_feed_matrix *given,
                          const dv_dense_options *matrices, int32_t n,
                          const dv_feed_options *options, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(plan->view);
    void *list;
    int32_t first = 0;
    DVI_TRY(list_all(plan, matrices, n, options, err));
    DVI_TRY(dvi_arena_alloc(&plan->arena, &list, (size_t)n * sizeof *plan->matrices, err));
    plan->matrices = list;
    for (int32_t m = 0; m < n; m++) {
        const int32_t count = list_columns(schema, matrices, n, m, NULL);
        const dv_status status =
            make_matrix(&plan->matrices[m], plan, &matrices[m], given[m].items, first, count, err);
        if (status < 0 && given[m].name)
            dvi_error_within(err, "%s", given[m].name);
        DVI_TRY(status);
        first += count;
    }
    plan->matrices_count = n;
    return DV_OK;
}

static dv_status make_matrices(dvi_feed_plan *plan, const dv_feed_options *options, dv_error *err)
{
    static const dv_feed_matrix all = {NULL, DV_KIND_R4, NULL};
    const bool has_whole = options->columns_count > 0;
    const dv_feed_matrix *given = options->matrices || has_whole ? options->matrices : &all;
    const int32_t n = given == &all ? 1 : options->matrices_count;
    dv_dense_options matrices[DV_FEED_MATRICES_MOST];
    DVI_REQUIRE(n >= !has_whole && n <= DV_FEED_MATRICES_MOST && (n == 0 || given),
                dvi_fail_argument(err, "%d matrices: 1 to %d", n, DV_FEED_MATRICES_MOST));
    int32_t others = 0; /* matrices that have what the others leave */
    for (int32_t m = 0; m < n; m++) {
        DVI_TRY(dvi_dense_read_options(given[m].columns, &matrices[m], err));
        others += matrices[m].columns_count < 0;
    }
    DVI_REQUIRE(others <= 1, dvi_fail_argument(err,
                                               "%d matrices without columns: one may have "
                                               "all that the others leave",
                                               others));
    return make_all(plan, given, matrices, n, options, err);
}

size_t dvi_feed_plan_row_nbytes(const dvi_feed_plan *plan)
{
    size_t nbytes = 0;
    for (int32_t m = 0; m < plan->matrices_count; m++)
        nbytes += plan->matrices[m].width * plan->matrices[m].item_nbytes;
    return nbytes;
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
