/* SPDX-License-Identifier: MIT */
/* mix_view.c: the rows of several views, mixed (mix.h).
 *
 * The view is made of the concatenation of its sources: rows that can be read by number are rows of
 * it by number.  Others come from cursors on the sources. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "order/mix_reader.h"
#include <dataview/transform.h>
#include <string.h>

typedef struct mix {
    dvi_derived base;
    dv_view **sources; /* the concatenation keeps them alive */
    dvi_mix_plan plan;
    int64_t rows; /* the rows of an epoch; DV_ROWS_UNKNOWN */
    bool by_number;
} mix;

/* --- Rows by number --------------------------------------------------------------------------- */

typedef struct epoch_rows {
    dv_allocator allocator;
    dvi_mix_order *order;
    int64_t first; /* position in the order with which the epoch begins */
} epoch_rows;

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const epoch_rows *e = ctx;
    dvi_mix_order_seek(e->order, e->first + position);
    return dvi_mix_order_rows(e->order, rows_out, n);
}

static void close_numbers(void *ctx)
{
    epoch_rows *e = ctx;
    const dv_allocator allocator = e->allocator;
    dvi_mix_order_free(&e->order);
    dvi_free(&allocator, e, sizeof *e);
}

/* Rows in order come from a few blocks of each source; shuffled ones from any. */
static dvi_gather_plan plan_of(const mix *m, const dv_cursor_request *request)
{
    dv_view *source = m->base.source;
    const bool is_any = m->plan.shuffle || dvi_view_makes_single_rows(source, request->columns,
                                                                      request->columns_count);
    const int64_t blocks = 2 * m->plan.n, block_rows = dv_view_block_rows(source);
    return (dvi_gather_plan){.what = "rows of the mix",
                             .end_row = dv_view_rows(source),
                             .window_rows =
                                 is_any ? 0 : dvi_min_i64(block_rows, INT64_MAX / blocks) * blocks,
                             .keeps_blocks = m->plan.shuffle};
}

/* Takes over the order. */
static dv_status open_numbers(const mix *m, dvi_mix_order *order, int64_t first,
                              const dv_cursor_request *request, void **cursor_out, dv_error *err)
{
    epoch_rows *rows;
    const dv_status status = DVI_NEW(request->allocator, &rows, 1, err);
    if (status < 0) {
        dvi_mix_order_free(&order);
        return status;
    }
    *rows = (epoch_rows){dvi_allocator_of(request->allocator), order, first};
    const dvi_row_numbers numbers = {next_numbers, close_numbers, rows};
    const dvi_gather_plan plan = plan_of(m, request);
    return dvi_gather_cursor_open(cursor_out, m->base.source, request, &plan, &numbers, err);
}

/* --- Cursors ---------------------------------------------------------------------------------- */

/* Takes over the order. */
static dv_status open_reader(const mix *m, dvi_mix_order *order, int64_t first,
                             const dv_cursor_request *request, void **cursor_out, dv_error *err)
{
    const dvi_mix_sources sources = {m->base.source, m->sources};
    dvi_row_reader reader;
    DVI_TRY(dvi_mix_reader_create(&reader, &sources, &m->plan, order, first, request, err));
    return dvi_gather_cursor_read(cursor_out, request, &reader, err);
}

static dv_status check_request(const mix *m, const dv_cursor_request *request, dv_error *err)
{
    const bool is_endless = m->plan.stop == DV_MIX_REPEAT && m->plan.rows == 0;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "zero_copy_only",
                        "rows as they are stored|rows of a mix, which are gathered");
    if (is_endless && request->end_row == INT64_MAX && request->columns_count == 0 && !request->ids)
        return dvi_fail(err, DV_ERR_LIMIT, "rows", -1, "rows of the mix",
                        "a number that can be counted|no end: set `rows`");
    return DV_OK;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    const mix *m = self;
    dvi_mix_order *order;
    uint64_t key;
    int64_t first;
    DVI_TRY(check_request(m, request, err));
    DVI_TRY(dvi_mix_plan_epoch(&m->plan, request->epoch, &key, &first, err));
    DVI_TRY(dvi_mix_order_create(&order, &m->plan, key, request->allocator, err));
    return m->by_number ? open_numbers(m, order, first, request, cursor_out, err)
                        : open_reader(m, order, first, request, cursor_out, err);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const mix *)self)->rows;
}

/* Neighbouring rows are not stored together. */
static int64_t block_rows(void *self)
{
    return ((const mix *)self)->by_number;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const mix *m = self;
    const dvi_mix_plan *p = &m->plan;
    const int64_t numbers[] = {p->n, p->order, p->stop, p->shuffle, (int64_t)p->seed, p->rows};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        dvi_identity_add_i8(identity, numbers[i]);
    for (int32_t i = 0; i < p->n; i++)
        dvi_identity_add_i8(identity, p->shares[i]);
    return dv_identity_add_view(identity, m->base.source, err);
}

static const dv_view_class mix_class = {.size = sizeof mix_class,
                                        .kind = "mix",
                                        .rows = count_rows,
                                        .can_shuffle = dvi_never_shuffles,
                                        .open_cursor = open_cursor,
                                        .next = dvi_gather_cursor_next,
                                        .close_cursor = dvi_gather_cursor_close,
                                        .check = dvi_nothing_to_check,
                                        .inspect = dvi_no_facts,
                                        .seek = dvi_gather_cursor_seek,
                                        .block_rows = block_rows,
                                        .identify = identify};

static dv_view *source_of(void *self)
{
    return ((const mix *)self)->base.source;
}

/* Threads share costly rows; the cursors of sources that are read in sequence may have some. */
static dvi_work work(void *self, const dv_cursor_request *request)
{
    const mix *m = self;
    if (!m->by_number)
        return DVI_WORK_OWN;
    return dvi_view_makes_single_rows(m->base.source, request->columns, request->columns_count)
               ? DVI_WORK_SET
               : DVI_WORK_NONE;
}

static int64_t job_rows(void *self, int32_t column)
{
    return dvi_view_job_rows(((const mix *)self)->base.source, &column, 1);
}

static bool decodes_blocks(void *self)
{
    return dvi_view_decodes_blocks(((const mix *)self)->base.source);
}

static const char *proposal(void *self)
{
    return dv_view_proposal(((const mix *)self)->base.source);
}

static const struct dvi_date_rule *dates(void *self)
{
    return dvi_view_dates(((const mix *)self)->base.source);
}

static dv_status bad_fields(void *self, dv_bad_fields_report *report, void *ctx, dv_error *err)
{
    return dv_view_bad_fields(((const mix *)self)->base.source, report, ctx, err);
}

static const dvi_view_traits numbered_traits = {
    .reordered = source_of, .work = work, .proposal = proposal, .bad_fields = bad_fields};
static const dvi_view_traits read_traits = {.work = work,
                                            .job_rows = job_rows,
                                            .decodes_blocks = decodes_blocks,
                                            .proposal = proposal,
                                            .dates = dates,
                                            .bad_fields = bad_fields};

/* --- Making ----------------------------------------------------------------------------------- */

/* Can the rows be read by number? */
static dv_status choose_way(mix *m, dv_error *err)
{
    m->by_number = m->plan.is_counted && dv_view_block_rows(m->base.source) > 0;
    if (m->plan.shuffle && !m->by_number)
        return dvi_fail_argument(err, "shuffle of a mix: the rows of a source are reached only in "
                                      "sequence; materialize it (dv_view_materialize), or read it "
                                      "once into a cache");
    m->base.traits = m->by_number ? &numbered_traits : &read_traits;
    return DV_OK;
}

static dv_status count_epoch(mix *m, dv_error *err)
{
    const dvi_mix_plan *p = &m->plan;
    dvi_mix_order *order;
    m->rows = p->stop == DV_MIX_REPEAT && p->rows > 0 ? p->rows : DV_ROWS_UNKNOWN;
    if (!p->is_counted || p->stop == DV_MIX_REPEAT)
        return DV_OK;
    DVI_TRY(dvi_mix_order_create(&order, p, 0, &m->base.arena.allocator, err));
    const int64_t rows = dvi_mix_order_count(order);
    dvi_mix_order_free(&order);
    m->rows = p->rows > 0 ? dvi_min_i64(rows, p->rows) : rows;
    return m->rows == INT64_MAX
               ? dvi_fail(err, DV_ERR_LIMIT, "rows", -1, "rows of the mix", "less than 2^62|more")
               : DV_OK;
}

static dv_status set_up(mix *m, dv_view *const *sources, int32_t n, const dv_mix_options *options,
                        dv_error *err)
{
    void *copies;
    DVI_TRY(dvi_mix_plan_make(&m->plan, &m->base.arena, sources, n, options, err));
    DVI_TRY(dvi_arena_alloc(&m->base.arena, &copies, (size_t)n * sizeof *m->sources, err));
    m->sources = copies;
    memcpy(copies, sources, (size_t)n * sizeof *sources);
    DVI_TRY(choose_way(m, err));
    return count_epoch(m, err);
}

dv_status dv_view_mix(dv_view **view_out, dv_view *const *sources, int32_t n,
                      const dv_mix_options *options, const dv_allocator *allocator, dv_error *err)
{
    dv_view *joined;
    void *made;
    *view_out = NULL;
    DVI_REQUIRE(n >= 1 && n <= DV_MIX_SOURCES_MOST,
                dvi_fail_argument(err, "a mix of %d sources: 1 to %d; concatenate some of them", n,
                                  DV_MIX_SOURCES_MOST));
    DVI_TRY(dv_view_concat(&joined, sources, n, allocator, err));
    dv_status status = dvi_derived_create(&made, sizeof(mix), joined, allocator, err);
    dv_view_release(&joined);
    DVI_TRY(status);
    status = set_up(made, sources, n, options, err);
    if (status < 0) {
        dvi_derived_close(made);
        return status;
    }
    return dvi_derived_view(view_out, &mix_class, made, NULL, err);
}
