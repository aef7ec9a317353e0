/* SPDX-License-Identifier: MIT */
/* sample_view.c: rows of a view drawn at random (sample.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include "order/epoch_list.h"
#include "order/sample_order.h"

typedef struct sample {
    dvi_derived base;
    dvi_sample_plan plan;
    dvi_epoch_list list;
} sample;

/* --- Rows ------------------------------------------------------------------------------------- */

/* The numbers of a cursor on a sample that is not listed. */
typedef struct numbers {
    dvi_sample_order order;
    const dv_allocator *allocator;
} numbers;

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const numbers *own = ctx;
    return dvi_sample_order_fill(&own->order, position, rows_out, n);
}

static void close_numbers(void *ctx)
{
    numbers *own = ctx;
    dvi_free(own->allocator, own, sizeof *own);
}

static dv_status open_numbers(dvi_row_numbers *numbers_out, sample *s,
                              const dv_cursor_request *request, dv_error *err)
{
    const dvi_epoch_lister lister = {&s->plan, s->plan.count, dvi_sample_list};
    if (dvi_sample_is_listed(&s->plan))
        return dvi_epoch_list_open(numbers_out, &s->list, &lister,
                                   dvi_sample_epoch(&s->plan, request->epoch), request->allocator,
                                   err);
    numbers *own;
    DVI_TRY(DVI_NEW(request->allocator, &own, 1, err));
    own->allocator = request->allocator;
    dvi_sample_order_make(&own->order, &s->plan, request->epoch);
    *numbers_out = (dvi_row_numbers){next_numbers, close_numbers, own};
    return DV_OK;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    sample *s = self;
    dvi_row_numbers rows;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows drawn",
                        "rows as they are stored|rows in an order of their own");
    DVI_TRY(open_numbers(&rows, s, request, err));
    const dvi_gather_plan plan = {.what = "rows drawn",
                                  .end_row = s->plan.rows,
                                  .ascending = s->plan.in_order,
                                  .keeps_blocks = true};
    return dvi_gather_cursor_open(cursor_out, s->base.source, request, &plan, &rows, err);
}

/* Only for orders without a list, for which memory might be missing, and with a permutation that
 * is made at once. */
static bool is_renumbered(const dvi_sample_plan *p)
{
    return !dvi_sample_is_listed(p) && (p->replace || p->rows > DVI_PERMUTATION_TABLE);
}

static int64_t renumber(void *self, int64_t epoch, int64_t position, int64_t *rows_out, int64_t n)
{
    const sample *s = self;
    dvi_sample_order order;
    dvi_sample_order_make(&order, &s->plan, epoch);
    return dvi_sample_order_fill(&order, position, rows_out, n);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const sample *)self)->plan.count;
}

/* Neighbouring rows are not stored together. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const sample *s = self;
    const dvi_sample_plan *p = &s->plan;
    const int64_t options[] = {p->kind,  p->replace, p->in_order, (int64_t)p->seed,
                               p->epoch, p->rows,    p->count};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        dvi_identity_add_i8(identity, options[i]);
    if (p->kind == DVI_SAMPLE_WEIGHTED)
        dv_identity_add(identity, p->ends, (size_t)p->rows * sizeof *p->ends);
    if (p->kind == DVI_SAMPLE_BALANCED) {
        dv_identity_add(identity, p->classes.ends, (size_t)p->classes.n * sizeof(int64_t));
        dv_identity_add(identity, p->classes.rows, (size_t)p->rows * sizeof(int64_t));
    }
    return dv_identity_add_view(identity, s->base.source, err);
}

static void close_view(void *self)
{
    sample *s = self;
    dvi_epoch_list_free(&s->list);
    dvi_derived_close(s);
}

static const dv_view_class sample_class = {.size = sizeof sample_class,
                                           .kind = "sample",
                                           .rows = count_rows,
                                           .can_shuffle = dvi_never_shuffles,
                                           .close = close_view,
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
    return ((const sample *)self)->base.source;
}

static const dvi_view_traits drawn_traits = {.reordered = source_of, .renumber = renumber};

/* --- Making ----------------------------------------------------------------------------------- */

dv_status dv_view_sample(dv_view **view_out, dv_view *source, const dv_sample_options *options,
                         const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *view_out = NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(sample), source, allocator, err));
    sample *s = made;
    dvi_epoch_list_init(&s->list, &s->base.arena.allocator);
    const dv_status status = dvi_sample_plan_make(&s->plan, &s->base.arena, source, options, err);
    if (status != DV_OK) {
        close_view(s);
        return status;
    }
    s->base.traits = is_renumbered(&s->plan) ? &drawn_traits : &dvi_reordered_traits;
    return dvi_derived_view(view_out, &sample_class, s, NULL, err);
}
