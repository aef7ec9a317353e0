/* SPDX-License-Identifier: MIT */
/* feed_rows.c: rows of an epoch, written into matrices.
 *
 * A matrix is plain if its columns hold items of its own type, dense, and NA stays: its rows are
 * copied as they are. Scalars are copied straight from their places (places.h), also where NA is
 * refused: a cursor then finds it again and reports it.  The rows of other columns are gathered
 * first, and then made dense as those of any batch. */
#include "feed/feed_rows.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "base/tasks.h"
#include "simd/na.h"
#include "view/batch.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "feed/feed_window.h"
#include "gather/gathered_rows.h"
#include "matrix/dense.h"
#include "matrix/dense_fill.h"
#include "order/epoch_order.h"
#include "order/epoch_view.h"
#include <string.h>

#define SHARED_NBYTES ((size_t)128 << 10) /* more are copied by several threads */
#define CONVERTED_SLOTS 32                /* fewer are converted faster for many rows at once */
#define FETCHED_AHEAD 4                   /* rows that are converted later */
#define WINDOW 4 /* costly rows of each thread that may be done before those of others */

/* How one of the matrices is written. */
typedef struct way {
    const dvi_feed_matrix *matrix;
    int32_t number, first, n; /* the matrix's; its columns of the cursor, n >= 1 */
    bool is_plain, is_own, refuses;
    bool converts; /* long dense rows, straight from where they lie */
    dvi_dense_matrix to;
} way;

struct dvi_feed_rows {
    const dvi_feed_plan *plan;
    const dv_allocator *allocator;
    dv_cursor_request request;
    const dv_type **types; /* one per column */
    way *ways;             /* one for each matrix with columns */
    int32_t ways_count;
    int64_t view_rows;

    dvi_epoch_order *order;
    int64_t count;    /* rows of the epoch that this shard has */
    int64_t position; /* where the next row is in the order */

    dvi_row_gatherer *gatherer; /* NULL: costly rows, one by one */
    dvi_feed_window *window;    /* reads many batches together; NULL: it would not pay */
    dvi_gathered_rows *whole;   /* columns that are delivered as they are */
    dvi_gathered_rows gathered; /* rows for matrices that are not plain */
    dv_batch *batch;            /* has them */
    int64_t *numbers;           /* of costly rows */

    dvi_tasks *tasks;   /* a row each, or a share of rows; the scratch is a cursor on costly rows */
    int64_t tasks_from; /* the first of those that run now */
    int64_t tasks_end;
    int32_t threads;

    const dvi_feed_target *target; /* receives this batch, which has `taken` rows */
    int64_t taken;
    int64_t n; /* rows that are written now: by number or reference */
    const int64_t *rows;
    const dvi_row_ref *refs;
    const dvi_places *places; /* NULL: they are not copied from places */
    const way *copied;        /* if they have references */
};

/* --- Writing ---------------------------------------------------------------------------------- */

static dv_status write_matrix(const dvi_feed_matrix *m, const dv_feed_items *to, int64_t i,
                              const dv_batch *batch, dv_error *err)
{
    if (m->dense.columns_count == 0)
        return DV_OK;
    uint8_t *dst = (uint8_t *)to->items + (size_t)i * to->stride * m->item_nbytes;
    return dvi_dense_rows(batch, i, dst, to->stride, m->items, &m->dense, &m->names, err);
}

dv_status dvi_feed_write(const dvi_feed_plan *plan, const dvi_feed_target *to, int64_t i,
                         const dv_batch *batch, dv_error *err)
{
    for (int32_t m = 0; m < plan->matrices_count; m++)
        DVI_TRY(write_matrix(&plan->matrices[m], &to->matrices[m], i, batch, err));
    if (plan->ids)
        memcpy(to->ids + i, batch->ids, (size_t)batch->rows * sizeof *batch->ids);
    return DV_OK;
}

/* Row i of the batch in a matrix, and the bytes from it to the next. */
static uint8_t *row_of(const dvi_feed_rows *s, const way *m, int64_t i, size_t *pitch_out)
{
    const dv_feed_items *to = &s->target->matrices[m->number];
    *pitch_out = to->stride * m->matrix->item_nbytes;
    return (uint8_t *)to->items + (size_t)i * *pitch_out;
}

/* --- Costly rows ------------------------------------------------------------------------------ */

static dv_status open_cursor(const dvi_feed_rows *s, dv_cursor **cursor, dv_error *err)
{
    const dv_cursor_options options = dvi_cursor_options_of(&s->request);
    return *cursor ? DV_OK
                   : dvi_cursor_open(cursor, s->plan->view, &options, NULL, DVI_CURSOR_PLAIN, err);
}

static dv_status make_row(const dvi_feed_rows *s, dv_cursor **cursor, int64_t i, dv_error *err)
{
    const int64_t row = s->rows[i];
    const dv_batch *batch;
    DVI_TRY(open_cursor(s, cursor, err));
    DVI_TRY(dvi_cursor_seek(*cursor, row, row + 1, err));
    const dv_status status = dv_cursor_next(*cursor, &batch, err);
    if (status == DV_END)
        return dvi_fail(err, DV_ERR_CORRUPT, "", -1, "rows of the epoch", "row %lld|the last row",
                        (long long)row);
    DVI_TRY(status);
    return dvi_feed_write(s->plan, s->target, i, batch, err);
}

/* --- Copies ----------------------------------------------------------------------------------- */

/* Copy n rows of those that have references. */
static void copy_refs(const dvi_feed_rows *s, int64_t from, int64_t n)
{
    const way *m = s->copied;
    size_t pitch;
    uint8_t *dst = row_of(s, m, s->taken + from, &pitch);
    for (int32_t k = m->first; k < m->first + m->n; k++) {
        const size_t nbytes = (size_t)dv_type_value_count(s->types[k]) * m->matrix->item_nbytes;
        dvi_row_refs_copy(dst, pitch, k, s->refs + from, n, nbytes);
        dst += nbytes;
    }
}

/* Convert n of the rows that have references.  DV_NOT_FOUND: an item is refused. */
static dv_status convert_refs(const dvi_feed_rows *s, int64_t from, int64_t n)
{
    const way *m = s->copied;
    size_t pitch, slot = 0;
    uint8_t *dst = row_of(s, m, s->taken + from, &pitch);
    for (int32_t k = m->first; k < m->first + m->n; k++) {
        const dvi_dense_column column = dvi_dense_column_of_type(s->types[k], m->matrix->items);
        const size_t slots = (size_t)s->types[k]->size, nbytes = slots * column.item_nbytes;
        for (int64_t i = 0; i < n; i++) {
            const dvi_row_ref *ref = &s->refs[from + i];
            if (i + FETCHED_AHEAD < n)
                dvi_row_ref_fetch(ref + FETCHED_AHEAD, k, nbytes);
            const uint8_t *src = dvi_row_ref_at(ref, k, nbytes);
            uint8_t *row = dst + (size_t)i * pitch + slot * m->matrix->item_nbytes;
            if (!dvi_dense_convert(&m->to, &column, row, src, slots))
                return DV_NOT_FOUND;
        }
        slot += slots;
    }
    return DV_OK;
}

/* Copy n of the rows in place, into all matrices. */
static dv_status copy_places(const dvi_feed_rows *s, int64_t from, int64_t n, dv_error *err)
{
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < s->ways_count; i++) {
        const way *m = &s->ways[i];
        size_t pitch;
        uint8_t *dst = row_of(s, m, s->taken + from, &pitch);
        status =
            dvi_places_read(s->places, m->first, m->n, s->rows + from, n, dst, pitch, NULL, err);
    }
    return status;
}

static dv_status copy_share(const dvi_feed_rows *s, int64_t share, int64_t shares, dv_error *err)
{
    const int64_t from = s->n * share / shares, n = s->n * (share + 1) / shares - from;
    if (s->places)
        return copy_places(s, from, n, err);
    if (s->copied->converts)
        return convert_refs(s, from, n);
    copy_refs(s, from, n);
    return DV_OK;
}

static dv_status run(void *ctx, const dvi_task *task, dv_error *err)
{
    const dvi_feed_rows *s = ctx;
    const int64_t number = task->number - s->tasks_from;
    if (s->gatherer)
        return copy_share(s, number, s->threads, err);
    dv_cursor **cursor = task->scratch;
    const dv_status status = make_row(s, cursor, number, err);
    if (status < 0)
        dv_cursor_close(cursor);
    return status;
}

static dv_status run_tasks(dvi_feed_rows *s, int64_t n, dv_error *err)
{
    s->tasks_from = s->tasks_end;
    s->tasks_end += n;
    return dvi_tasks_run(s->tasks, n, err);
}

static dv_status copy_rows(dvi_feed_rows *s, size_t row_nbytes, dv_error *err)
{
    return s->threads > 1 && (size_t)s->n * row_nbytes >= SHARED_NBYTES
               ? run_tasks(s, s->threads, err)
               : copy_share(s, 0, 1, err);
}

static size_t row_nbytes_of(const way *m)
{
    return m->matrix->width * m->matrix->item_nbytes;
}

/* --- The sink --------------------------------------------------------------------------------- */

static int64_t room(void *ctx, int64_t *wanted_out)
{
    const dvi_feed_rows *s = ctx;
    return *wanted_out = s->plan->batch_rows - s->taken;
}

/* Does a matrix that refuses NA have one in n rows of the batch, from row i on? */
static bool has_refused(const dvi_feed_rows *s, int64_t i, int64_t n)
{
    bool has = false;
    for (int32_t j = 0; j < s->ways_count; j++) {
        const way *m = &s->ways[j];
        const dv_type item = dv_type_of(m->matrix->items);
        const dvi_na rule = dvi_na_of(&item);
        const size_t width = m->matrix->width, nbytes = m->matrix->item_nbytes;
        size_t pitch;
        const uint8_t *row = row_of(s, m, i, &pitch);
        for (int64_t k = 0; m->refuses && k < n; k++)
            has |= dvi_na_first(&rule, row + (size_t)k * pitch, nbytes, width) < width;
    }
    return has;
}

static dv_status take_places(void *ctx, const dvi_places *places, const int64_t *rows, int64_t n,
                             dv_error *err)
{
    dvi_feed_rows *s = ctx;
    s->places = places;
    s->rows = rows;
    s->n = n;
    const dv_status status = copy_rows(s, dvi_feed_plan_row_nbytes(s->plan), err);
    s->places = NULL;
    if (status != DV_OK)
        return status;
    if (has_refused(s, s->taken, n))
        return DV_ERR_LIMIT;
    s->taken += n;
    return DV_OK;
}

static bool are_dense(const dvi_feed_rows *s, const way *m)
{
    for (int32_t k = m->first; k < m->first + m->n; k++)
        for (int64_t i = 0; s->types[k]->rank > 0 && i < s->n; i++)
            if (s->refs[i].columns[k].item_at)
                return false;
    return true;
}

static dv_status gather_and_write(dvi_feed_rows *s, const way *m, dv_error *err)
{
    size_t pitch;
    void *dst = row_of(s, m, s->taken, &pitch);
    dvi_gathered_reset(&s->gathered);
    DVI_TRY(dvi_gathered_add(&s->gathered, m->first, m->n, s->refs, s->n, err));
    DVI_TRY(dv_batch_start(s->batch, 0, s->n, err));
    dvi_gathered_lend(&s->gathered, m->first, m->n, s->batch);
    const dv_status status =
        dvi_dense_rows(s->batch, s->taken, dst, pitch / m->matrix->item_nbytes, m->matrix->items,
                       &m->matrix->dense, &m->matrix->names, err);
    dvi_batch_clear(s->batch);
    return status;
}

static void copy_ids(const dvi_feed_rows *s)
{
    for (int64_t i = 0; s->plan->ids && i < s->n; i++) {
        const dvi_row_ref *ref = &s->refs[i];
        memcpy(&s->target->ids[s->taken + i],
               ref->columns[s->plan->columns_count].values + 16 * ref->row, 16);
    }
}

static dv_status take_refs(void *ctx, const dvi_row_ref *refs, int64_t n, int64_t *taken_out,
                           dv_error *err)
{
    dvi_feed_rows *s = ctx;
    s->refs = refs;
    s->n = n;
    for (int32_t i = 0; i < s->ways_count; i++) {
        const way *m = s->copied = &s->ways[i];
        dv_status status = DV_NOT_FOUND;
        if ((m->is_plain || m->converts) && are_dense(s, m))
            status = copy_rows(s, row_nbytes_of(m), err);
        if (status == DV_NOT_FOUND) /* finds the item that is refused */
            status = gather_and_write(s, m, err);
        DVI_TRY(status);
    }
    DVI_TRY(dvi_gathered_add(s->whole, 0, s->whole->columns, refs, n, err));
    copy_ids(s);
    s->taken += n;
    *taken_out = n;
    return DV_OK;
}

static dv_status take_batch(void *ctx, const dv_batch *batch, bool *is_taken_out, dv_error *err)
{
    dvi_feed_rows *s = ctx;
    DVI_TRY(dvi_feed_write(s->plan, s->target, s->taken, batch, err));
    DVI_TRY(dvi_gathered_add_batch(s->whole, batch, err));
    s->taken += batch->rows;
    *is_taken_out = true;
    return DV_OK;
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* The numbers of this epoch, from a position on. */
static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const dvi_feed_rows *s = ctx;
    dvi_epoch_order_seek(s->order, position);
    return dvi_epoch_order_next(s->order, rows_out, n);
}

/* The same, as rows of the view that has the places. */
static int64_t next_below(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const dvi_feed_rows *s = ctx;
    n = next_numbers(ctx, position, rows_out, n);
    dvi_below_renumber(dvi_row_gatherer_below(s->gatherer), s->request.epoch, rows_out, n);
    return n;
}

static dv_status make_rows(dvi_feed_rows *s, dv_error *err)
{
    s->rows = s->numbers;
    s->taken = next_numbers(s, s->position, s->numbers, s->plan->most_rows);
    return run_tasks(s, s->taken, err);
}

static dv_status gather(dvi_feed_rows *s, dv_error *err)
{
    const dvi_row_sink sink = {room, take_places, take_refs, take_batch, s};
    const dv_status status = dvi_row_gatherer_fill(s->gatherer, &sink, err);
    if (status == DV_ERR_MEMORY)
        return status;
    return DVI_ATTEMPT("feed_rows.c gather", status == DV_OK) ? DV_OK : DV_NOT_FOUND;
}

static dv_status read_window(dvi_feed_rows *s, dv_error *err)
{
    const dv_status status = dvi_feed_window_read(s->window, s->position, s->plan->most_rows,
                                                  next_below, s, s->target, &s->taken, err);
    if (status != DV_NOT_FOUND)
        return status == DV_OK && has_refused(s, 0, s->taken) ? DV_NOT_FOUND : status;
    dvi_feed_window_free(&s->window);
    dvi_row_gatherer_restart(s->gatherer, s->position);
    s->taken = 0;
    return gather(s, err);
}

dv_status dvi_feed_rows_next(dvi_feed_rows *s, const dvi_feed_target *target, int64_t *rows_out,
                             dv_error *err)
{
    s->target = target;
    s->taken = 0;
    const dv_status status = !s->gatherer ? make_rows(s, err)
                             : s->window  ? read_window(s, err)
                                          : gather(s, err);
    if (status != DV_OK)
        return status;
    s->position += s->taken;
    *rows_out = s->taken;
    return DV_OK;
}

dv_status dvi_feed_rows_begin(dvi_feed_rows *s, const dv_epoch_options *order, int64_t first,
                              dv_error *err)
{
    dvi_epoch_plan plan;
    dvi_epoch_order_free(&s->order);
    DVI_TRY(
        dvi_epoch_plan_make(&plan, s->view_rows, dv_view_block_rows(s->plan->view), order, err));
    DVI_TRY(dvi_epoch_order_create(&s->order, &plan, s->allocator, err));
    s->count = plan.count;
    s->position = dvi_min_i64(first, s->count);
    s->request.epoch = order->epoch;
    if (s->window)
        dvi_feed_window_reset(s->window);
    if (s->gatherer)
        dvi_row_gatherer_restart(s->gatherer, s->position);
    for (int32_t k = 0; !s->gatherer && k < s->threads; k++)
        dv_cursor_close(dvi_tasks_scratch(s->tasks, k));
    return DV_OK;
}

void dvi_feed_rows_seek(dvi_feed_rows *s, int64_t first)
{
    if (s->gatherer)
        dvi_row_gatherer_skip(s->gatherer, first - s->position);
    s->position = first;
}

int64_t dvi_feed_rows_count(const dvi_feed_rows *s)
{
    return s->count;
}

/* --- Life ------------------------------------------------------------------------------------- */

static way way_of(const dvi_feed_rows *s, int32_t number)
{
    const dvi_feed_matrix *matrix = &s->plan->matrices[number];
    const dv_dense_options *dense = &matrix->dense;
    way m = {matrix,
             number,
             matrix->first,
             dense->columns_count,
             true,
             true,
             false,
             false,
             dvi_dense_matrix_of(NULL, 0, 0, matrix->items, dense)};
    bool has_na = false;
    int32_t least =
        INT32_MAX; /* slots of a column; 0: their number varies, or there is no vector */
    for (int32_t k = 0; k < m.n; k++) {
        const dv_type *type = s->types[m.first + k];
        m.is_own &= dvi_dense_is_own(type, matrix->items, dense->widths ? dense->widths[k] : 0);
        has_na |= dv_type_has_na(type);
        least = type->size < least ? type->size : least;
    }
    m.is_own &= dense->na != DV_DENSE_NA_MASK;
    m.is_plain = m.is_own && (!has_na || dense->na == DV_DENSE_NA_KEEP);
    m.converts = !m.is_plain && !dense->widths && least >= CONVERTED_SLOTS;
    m.refuses = has_na && dense->na == DV_DENSE_NA_REFUSED;
    return m;
}

static dv_status make_ways(dvi_feed_rows *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    DVI_TRY(DVI_NEW(s->allocator, &s->types, (size_t)plan->columns_count, err));
    for (int32_t k = 0; k < plan->columns_count; k++)
        s->types[k] = dvi_row_type(&s->request, k);
    DVI_TRY(DVI_NEW(s->allocator, &s->ways, (size_t)plan->matrices_count, err));
    for (int32_t m = 0; m < plan->matrices_count; m++)
        if (plan->matrices[m].dense.columns_count > 0)
            s->ways[s->ways_count++] = way_of(s, m);
    return DV_OK;
}

/* Are all columns scalars that the matrices have as they are? */
static bool knows_places(const dvi_feed_rows *s)
{
    bool knows = s->plan->whole_count == 0;
    for (int32_t i = 0; i < s->ways_count; i++)
        knows &= s->ways[i].is_plain || (s->ways[i].is_own && s->ways[i].refuses);
    for (int32_t k = 0; k < s->plan->columns_count; k++)
        knows &= s->types[k]->rank == 0;
    return knows;
}

/* The matrix of most columns; NULL: none has any. */
static const way *widest(const dvi_feed_rows *s)
{
    const way *most = NULL;
    for (int32_t i = 0; i < s->ways_count; i++)
        most = !most || s->ways[i].n > most->n ? &s->ways[i] : most;
    return most;
}

static dv_status make_gatherer(dvi_feed_rows *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = s};
    dv_epoch_options order = plan->order;
    dvi_epoch_plan epoch;
    order.start = 0;
    DVI_TRY(dvi_epoch_plan_make(&epoch, s->view_rows, dv_view_block_rows(plan->view), &order, err));
    dvi_gather_plan how = dvi_epoch_gather_plan(&epoch, 0, plan->workers == 1);
    how.knows_places = knows_places(s);
    how.batch_rows = plan->most_rows;
    DVI_TRY(dvi_row_gatherer_create(&s->gatherer, plan->view, &s->request, &how, &numbers, err));
    const int64_t rows = dv_view_rows(dvi_row_gatherer_below(s->gatherer)->view);
    const dvi_places *places = dvi_row_gatherer_places(s->gatherer);
    const way *most = widest(s);
    if (places && most && !dvi_places_keep_rows(places, most->first, most->n))
        DVI_TRY(dvi_feed_window_create(&s->window, plan, places, rows, s->allocator, err));
    DVI_TRY(dvi_gathered_make(&s->gathered, &s->request, err));
    return dvi_batch_create(&s->batch, plan->view, s->types, plan->columns_count, s->allocator,
                            err);
}

static dv_status make_tasks(dvi_feed_rows *s, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = s->plan->threads;
    s->threads = dvi_cursor_read_threads(&options);
    const dvi_tasks_how how = {.ctx = s,
                               .run = run,
                               .scratch_nbytes = sizeof(dv_cursor *),
                               .free_scratch = dvi_cursor_close_scratch,
                               .workers = s->threads - 1,
                               .window = (int64_t)s->threads * WINDOW};
    return dvi_tasks_create(&s->tasks, &how, s->allocator, err);
}

/* Rows that come block by block are made so. */
static bool makes_singly(const dvi_feed_plan *plan)
{
    const dv_shuffle shuffle = plan->order.shuffle;
    return plan->whole_count == 0 &&
           (shuffle == DV_SHUFFLE_UNIFORM || shuffle == DV_SHUFFLE_NONE) &&
           dvi_view_makes_single_rows(plan->view, plan->columns, plan->columns_count);
}

static dv_status make(dvi_feed_rows *s, dv_error *err)
{
    const dvi_feed_plan *plan = s->plan;
    s->request = (dv_cursor_request){.size = sizeof s->request,
                                     .schema = dv_view_schema(plan->view),
                                     .columns = plan->columns,
                                     .columns_count = plan->columns_count,
                                     .end_row = INT64_MAX, /* the order ends */
                                     .threads = 1,
                                     .allocator = s->allocator,
                                     .ids = plan->ids,
                                     .epoch = plan->first.epoch};
    DVI_TRY(make_ways(s, err));
    DVI_TRY(makes_singly(plan) ? DVI_NEW(s->allocator, &s->numbers, (size_t)plan->most_rows, err)
                               : make_gatherer(s, err));
    return make_tasks(s, err);
}

/* Rows in the order of the view come from its cursor, unless other workers have some of their
 * batches; so do rows that are reached only over those before, and costly rows by blocks, which are
 * made above the order. */
static bool may_pay(const dvi_feed_plan *plan)
{
    const bool is_straight = dvi_feed_plan_is_straight(plan) && plan->workers == 1;
    return !is_straight && plan->columns_count > 0 && dv_view_rows(plan->view) >= 1 &&
           dv_view_block_rows(plan->view) >= 1 &&
           (dvi_view_job_rows(plan->view, plan->columns, plan->columns_count) == 0 ||
            makes_singly(plan));
}

dv_status dvi_feed_rows_create(dvi_feed_rows **rows_out, const dvi_feed_plan *plan,
                               dvi_gathered_rows *whole, dv_error *err)
{
    dvi_feed_rows *s;
    *rows_out = NULL;
    if (!may_pay(plan))
        return DV_OK;
    const dv_allocator *allocator = dvi_view_allocator(plan->view);
    DVI_TRY(DVI_NEW(allocator, &s, 1, err));
    s->plan = plan;
    s->whole = whole;
    s->allocator = allocator;
    s->view_rows = dv_view_rows(plan->view);
    const dv_status status = make(s, err);
    if (status != DV_OK)
        dvi_feed_rows_free(&s);
    *rows_out = s;
    return status == DV_ERR_MEMORY ? status : DV_OK; /* a cursor reports the others */
}

void dvi_feed_rows_free(dvi_feed_rows **rows)
{
    dvi_feed_rows *s = *rows;
    *rows = NULL;
    if (!s)
        return;
    const size_t columns = (size_t)s->plan->columns_count;
    const dv_batch *batch = s->batch;
    dv_batch_release(&batch);
    dvi_tasks_free(&s->tasks);
    dvi_feed_window_free(&s->window);
    dvi_row_gatherer_free(&s->gatherer);
    dvi_gathered_free(&s->gathered);
    dvi_epoch_order_free(&s->order);
    dvi_free(s->allocator, s->numbers, (size_t)s->plan->most_rows * sizeof *s->numbers);
    dvi_free(s->allocator, s->types, columns * sizeof *s->types);
    dvi_free(s->allocator, s->ways, (size_t)s->plan->matrices_count * sizeof *s->ways);
    dvi_free(s->allocator, s, sizeof *s);
}
