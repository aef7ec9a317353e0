/* SPDX-License-Identifier: MIT */
/* feed.c: batches for training loops (feed.h). */
#include <dataview/feed.h>

#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "view/view.h"
#include "feed/feed_count.h"
#include "feed/feed_prefetch.h"
#include "feed/feed_token.h"
#include <string.h>

struct dv_feed {
    dv_allocator allocator;
    dvi_feed_plan plan;
    dvi_feed_epochs rows;
    dvi_feed_prefetch *ahead; /* owns `rows` and the targets; NULL: the feed does */

    dvi_feed_target *targets; /* prefetch + 1, each with memory of its own or none yet */
    int64_t lent,
        delivered; /* of the caller's matrices; number k is in target k % (prefetch + 1) */
    size_t ids_nbytes, target_nbytes; /* of one */

    dv_feed_batch batch;        /* the one handed out last */
    dvi_feed_target filled;     /* with matrices of the caller, by dv_feed_fill */
    dvi_feed_position position; /* after it */
    dv_status ended;            /* without a thread: what every later call returns; DV_OK: more */
    dv_error error;
};

/* --- Memory ----------------------------------------------------------------------------------- */

/* Bytes of a matrix, in whole cache lines. */
static bool size_of(size_t rows, size_t width, size_t item_nbytes, size_t *nbytes_out)
{
    size_t items, nbytes;
    if (!dvi_size_mul(rows, width, &items) || !dvi_size_mul(items, item_nbytes, &nbytes) ||
        nbytes > PTRDIFF_MAX - DVI_ALIGNMENT)
        return false;
    *nbytes_out = (nbytes + DVI_ALIGNMENT - 1) / DVI_ALIGNMENT * DVI_ALIGNMENT;
    return true;
}

/* With matrices of the caller, of ids alone. */
static dv_status measure(dv_feed *f, dv_error *err)
{
    const dvi_feed_plan *plan = &f->plan;
    const size_t rows = (size_t)plan->most_rows;
    bool fits = size_of(rows, plan->ids, sizeof(dv_u128), &f->ids_nbytes);
    f->target_nbytes = f->ids_nbytes;
    for (int32_t m = 0; fits && m < plan->matrices_count; m++) {
        const dvi_feed_matrix *matrix = &plan->matrices[m];
        size_t nbytes;
        fits = size_of(rows, matrix->width, matrix->item_nbytes, &nbytes) &&
               dvi_size_add(f->target_nbytes, nbytes, &f->target_nbytes);
    }
    DVI_REQUIRE(fits, dvi_fail_argument(err, "batches of %lld rows are too large for memory",
                                        (long long)plan->most_rows));
    if (plan->lent)
        f->target_nbytes = f->ids_nbytes;
    return DV_OK;
}

/* Allocate the memory of a target that has none: ids, then one matrix after the other. */
static dv_status make_memory(dv_feed *f, dvi_feed_target *target, dv_error *err)
{
    void *memory;
    if (target->memory || f->target_nbytes == 0)
        return DV_OK;
    DVI_TRY(dvi_alloc(&f->allocator, &memory, f->target_nbytes, err));
    uint8_t *at = memory;
    target->memory = memory;
    target->ids = f->plan.ids ? memory : NULL;
    at += f->ids_nbytes;
    for (int32_t m = 0; !f->plan.lent && m < f->plan.matrices_count; m++) {
        const dvi_feed_matrix *matrix = &f->plan.matrices[m];
        size_t nbytes = 0; /* checked */
        size_of((size_t)f->plan.most_rows, matrix->width, matrix->item_nbytes, &nbytes);
        target->matrices[m] = (dv_feed_items){at, matrix->width};
        at += nbytes;
    }
    return DV_OK;
}

/* Without a thread the feed has the memory of ids, also if the matrices are the caller's. */
static dv_status make_ids(dv_feed *f, dv_u128 **ids_out, dv_error *err)
{
    *ids_out = NULL;
    if (!f->plan.ids)
        return DV_OK;
    DVI_TRY(make_memory(f, &f->targets[0], err));
    *ids_out = f->targets[0].ids;
    return DV_OK;
}

/* --- Opening ---------------------------------------------------------------------------------- */

static int64_t count_targets(const dv_feed *f)
{
    return (int64_t)f->plan.prefetch + 1;
}

static dv_status start_ahead(dv_feed *f, dv_error *err)
{
    for (int64_t k = 0; k < count_targets(f); k++)
        DVI_TRY(make_memory(f, &f->targets[k], err));
    return dvi_feed_prefetch_start(&f->ahead, &f->rows, f->targets, count_targets(f), f->plan.lent,
                                   &f->allocator, err);
}

static dv_status open_feed(dv_feed *f, dv_view *view, const dv_feed_options *options, dv_error *err)
{
    void *targets;
    DVI_TRY(dvi_feed_plan_make(&f->plan, view, options, err));
    DVI_TRY(measure(f, err));
    const size_t n = (size_t)count_targets(f);
    DVI_TRY(dvi_alloc_zeroed(&f->allocator, &targets, n * sizeof *f->targets, err));
    f->targets = targets;
    f->position = f->plan.first;
    DVI_TRY(dvi_feed_epochs_open(&f->rows, &f->plan, err));
    return f->plan.prefetch > 0 ? start_ahead(f, err) : DV_OK;
}

dv_status dv_feed_open(dv_feed **feed_out, dv_view *view, const dv_feed_options *options,
                       dv_error *err)
{
    void *made;
    *feed_out = NULL;
    DVI_REQUIRE(view, dvi_fail_argument(err, "no view"));
    DVI_TRY(dvi_alloc_zeroed(dvi_view_allocator(view), &made, sizeof(dv_feed), err));
    dv_feed *f = made;
    f->allocator = *dvi_view_allocator(view);
    f->error = (dv_error)DV_ERROR_INIT;
    const dv_status status = open_feed(f, view, options, err);
    if (status < 0)
        dv_feed_close(&f);
    *feed_out = f;
    return status;
}

void dv_feed_close(dv_feed **feed)
{
    dv_feed *f = *feed;
    *feed = NULL;
    if (!f)
        return;
    dvi_feed_prefetch_stop(&f->ahead);
    dvi_feed_epochs_close(&f->rows);
    for (int64_t k = 0; f->targets && k < count_targets(f); k++) {
        dvi_feed_target_free(&f->targets[k]);
        dvi_free(&f->allocator, f->targets[k].memory, f->target_nbytes);
    }
    dvi_feed_target_free(&f->filled);
    dvi_free(&f->allocator, f->targets, (size_t)count_targets(f) * sizeof *f->targets);
    const dv_allocator allocator = f->allocator;
    dvi_feed_plan_free(&f->plan);
    dvi_free(&allocator, f, sizeof *f);
}

size_t dv_feed_width(const dv_feed *feed, int32_t matrix)
{
    const bool is_one = matrix >= 0 && matrix < feed->plan.matrices_count;
    return is_one ? feed->plan.matrices[matrix].width : 0;
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* Fill a target, with matrices of its own or the caller's, in this thread. */
static dv_status fill_now(dv_feed *f, dvi_feed_target *target, bool is_own, dv_error *err)
{
    if (f->ended == DV_OK)
        f->ended =
            is_own ? make_memory(f, target, &f->error) : make_ids(f, &target->ids, &f->error);
    if (f->ended == DV_OK)
        f->ended = dvi_feed_epochs_next(&f->rows, target, &f->error);
    if (f->ended < 0 && err)
        *err = f->error;
    return f->ended;
}

/* Hand out what the target holds. */
static dv_feed_batch hand_out(dv_feed *f, const dvi_feed_target *target)
{
    f->position = target->after;
    return (dv_feed_batch){.rows = target->rows,
                           .epoch = target->before.epoch,
                           .position = target->before.rows,
                           .number = target->before.batches,
                           .matrices = target->matrices,
                           .columns = target->columns,
                           .ids = target->ids};
}

void dv_feed_return_batch(dv_feed *f)
{
    if (f->ahead)
        dvi_feed_prefetch_release(f->ahead);
}

static dv_status next(dv_feed *f, const dvi_feed_target **target_out, dv_error *err)
{
    dvi_feed_target *target = &f->targets[f->delivered % count_targets(f)];
    *target_out = target;
    if (f->plan.lent && f->delivered == f->lent)
        return dvi_fail_argument(err, "no matrices are lent");
    if (f->ahead)
        return dvi_feed_prefetch_take(f->ahead, target_out, err);
    return fill_now(f, target, true, err);
}

dv_status dv_feed_next(dv_feed *f, const dv_feed_batch **batch_out, dv_error *err)
{
    const dvi_feed_target *target;
    *batch_out = NULL;
    dv_feed_return_batch(f);
    const dv_status status = next(f, &target, err);
    if (status != DV_OK)
        return status;
    f->delivered += f->plan.lent;
    f->batch = hand_out(f, target);
    *batch_out = &f->batch;
    return DV_OK;
}

/* --- Into the caller's matrices --------------------------------------------------------------- */

static dv_status check_matrix(const dv_feed *f, const dvi_feed_matrix *m,
                              const dv_feed_items *given, dv_error *err)
{
    const size_t stride = given->stride;
    size_t items, nbytes;
    DVI_REQUIRE(m->width == 0 || given->items, dvi_fail_argument(err, "no matrix"));
    DVI_REQUIRE(stride >= m->width,
                dvi_fail_argument(err, "stride %zu is less than width %zu", stride, m->width));
    DVI_REQUIRE(dvi_size_mul((size_t)f->plan.batch_rows, stride, &items) &&
                    dvi_size_mul(items, m->item_nbytes, &nbytes) && nbytes <= PTRDIFF_MAX,
                dvi_fail_argument(err, "stride %zu is too large for memory", stride));
    return DV_OK;
}

static dv_status check_matrices(const dv_feed *f, const dv_feed_items *given, dv_error *err)
{
    DVI_REQUIRE(given, dvi_fail_argument(err, "no matrices"));
    for (int32_t m = 0; m < f->plan.matrices_count; m++)
        DVI_TRY(check_matrix(f, &f->plan.matrices[m], &given[m], err));
    return DV_OK;
}

static void set_matrices(const dv_feed *f, dvi_feed_target *target, const dv_feed_items *given)
{
    memcpy(target->matrices, given, (size_t)f->plan.matrices_count * sizeof *given);
}

dv_status dv_feed_lend(dv_feed *f, const dv_feed_items *matrices, dv_error *err)
{
    DVI_REQUIRE(f->plan.lent, dvi_fail_argument(err, "the feed was opened without `lent`"));
    DVI_TRY(check_matrices(f, matrices, err));
    DVI_REQUIRE(f->lent - f->delivered < count_targets(f),
                dvi_fail_argument(err, "%lld matrices are lent: no more may be",
                                  (long long)count_targets(f)));
    dv_feed_return_batch(f);
    /* Ids, if there are any, are in memory of the target: it is made before the matrices are set.
     */
    dvi_feed_target *target = &f->targets[f->lent % count_targets(f)];
    DVI_TRY(make_memory(f, target, err));
    set_matrices(f, target, matrices);
    f->lent++;
    if (f->ahead)
        dvi_feed_prefetch_lend(f->ahead);
    return DV_OK;
}

static void copy_matrix(const dvi_feed_matrix *m, const dv_feed_items *to,
                        const dv_feed_items *from, int64_t rows)
{
    const size_t nbytes = m->width * m->item_nbytes;
    if (nbytes > 0)
        dvi_kernels()->rows_copy(to->items, to->stride * m->item_nbytes, from->items, nbytes,
                                 nbytes, (size_t)rows, DVI_STORE_CACHED);
}

/* Copy a batch that was filled ahead. */
static dv_status copy_taken(dv_feed *f, dvi_feed_target *to, dv_error *err)
{
    const dvi_feed_target *taken;
    const dv_status status = dvi_feed_prefetch_take(f->ahead, &taken, err);
    if (status != DV_OK)
        return status;
    for (int32_t m = 0; m < f->plan.matrices_count; m++)
        copy_matrix(&f->plan.matrices[m], &to->matrices[m], &taken->matrices[m], taken->rows);
    dvi_feed_target_free(to);
    to->columns = taken->columns;
    if (to->columns)
        dv_batch_retain(to->columns);
    to->ids = taken->ids;
    to->rows = taken->rows;
    to->before = taken->before;
    to->after = taken->after;
    return DV_OK;
}

dv_status dv_feed_fill(dv_feed *f, const dv_feed_items *matrices, dv_feed_batch *batch,
                       dv_error *err)
{
    DVI_REQUIRE(!f->plan.lent, dvi_fail_argument(err, "the feed was opened with `lent`"));
    DVI_TRY(check_matrices(f, matrices, err));
    dvi_feed_target *to = &f->filled;
    set_matrices(f, to, matrices);
    dv_feed_return_batch(f);
    const dv_status status = f->ahead ? copy_taken(f, to, err) : fill_now(f, to, false, err);
    if (status == DV_OK)
        *batch = hand_out(f, to);
    return status;
}

dv_status dv_feed_token(const dv_feed *f, dv_token *token_out, dv_error *err)
{
    return dvi_feed_token_write(token_out, &f->plan, &f->position, err);
}

dv_status dv_feed_token_after(const dv_feed *f, int64_t batches, dv_token *token_out, dv_error *err)
{
    dvi_feed_position after;
    *token_out = (dv_token){.text = ""};
    DVI_TRY(dvi_feed_count(&after, &f->plan, batches, err));
    return dvi_feed_token_write(token_out, &f->plan, &after, err);
}
