/* SPDX-License-Identifier: MIT */
/* sample_view.c: rows of a view drawn at random (sample.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include "order/sample_order.h"
#include <pthread.h>

typedef struct sample {
    dvi_derived base;
    dvi_sample_plan plan;
    pthread_mutex_t lock; /* guards what follows: the list of the last epoch that was read */
    dvi_memory *list;     /* NULL: none yet */
    int64_t epoch;
} sample;

/* --- Rows ------------------------------------------------------------------------------------- */

/* The first cursor of an epoch draws its list, while the others wait. */
static dv_status find_list(sample *s, int64_t epoch, dvi_memory **list_out, dv_error *err)
{
    dvi_memory *made = NULL;
    dv_status status = DV_OK;
    epoch = dvi_sample_epoch(&s->plan, epoch);
    pthread_mutex_lock(&s->lock);
    if (!s->list || s->epoch != epoch)
        status = dvi_sample_list(&made, &s->plan, epoch, &s->base.arena.allocator, err);
    if (made) {
        dvi_memory_release(&s->list);
        s->list = made;
        s->epoch = epoch;
    }
    if (status == DV_OK)
        dvi_owner_retain(&s->list->owner);
    *list_out = status == DV_OK ? s->list : NULL;
    pthread_mutex_unlock(&s->lock);
    return status;
}

/* The numbers of a cursor. */
typedef struct numbers {
    dvi_sample_order order;
    dvi_memory *list;
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
    dvi_memory_release(&own->list);
    dvi_free(own->allocator, own, sizeof *own);
}

static dv_status open_numbers(numbers **numbers_out, sample *s, const dv_cursor_request *request,
                              dv_error *err)
{
    DVI_TRY(DVI_NEW(request->allocator, numbers_out, 1, err));
    numbers *own = *numbers_out;
    own->allocator = request->allocator;
    if (dvi_sample_is_listed(&s->plan)) {
        const dv_status status = find_list(s, request->epoch, &own->list, err);
        if (status != DV_OK) {
            close_numbers(own);
            return status;
        }
    }
    dvi_sample_order_make(&own->order, &s->plan, request->epoch, own->list);
    return DV_OK;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    sample *s = self;
    numbers *own;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows drawn",
                        "rows as they are stored|rows in an order of their own");
    DVI_TRY(open_numbers(&own, s, request, err));
    const dvi_gather_plan plan = {.what = "rows drawn",
                                  .end_row = s->plan.rows,
                                  .ascending = s->plan.in_order,
                                  .keeps_blocks = true};
    const dvi_row_numbers rows = {next_numbers, close_numbers, own};
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
    dvi_sample_order_make(&order, &s->plan, epoch, NULL);
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
    dvi_memory_release(&s->list);
    pthread_mutex_destroy(&s->lock);
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
    pthread_mutex_init(&s->lock, NULL);
    const dv_status status = dvi_sample_plan_make(&s->plan, &s->base.arena, source, options, err);
    if (status != DV_OK) {
        close_view(s);
        return status;
    }
    s->base.traits = is_renumbered(&s->plan) ? &drawn_traits : &dvi_reordered_traits;
    return dvi_derived_view(view_out, &sample_class, s, NULL, err);
}
