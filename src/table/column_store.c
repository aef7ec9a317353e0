/* SPDX-License-Identifier: MIT */
/* column_store.c: rows of columns, copied into memory, each of them reached at once. */
#include "table/column_store.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "type/open_type.h"
#include "view/growing_column.h"

/* A run has room for as many bytes as there are before it, so that there are few, and large ones
 * lie in huge pages (base/alloc.h).  The least and the most for each column, and the most for all
 * columns that are filled together. */
#define RUN_NBYTES_LEAST ((size_t)4 << 10)
#define RUN_NBYTES_MOST ((size_t)16 << 20)
#define RUNS_NBYTES_MOST ((size_t)64 << 20)
#define SLACK 128 /* items, and bytes of text, beyond an eighth more than expected */
#define LENT_ROWS (INT64_C(1) << 18) /* of a run, in one batch */

/* Vectors have a mark every so many rows; a row is reached by scanning from the mark before it. */
#define MARK_ROWS 64

struct dvi_store_run {
    dvi_column column; /* the rows so far; points into itself: never moved */
    int64_t first_row;
    dvi_growing_column held;
    dvi_growing_size room; /* the most that `held` may have */
    size_t marks, marks_cap;
    dvi_extent mark[]; /* of vectors; mark i: extent of rows 0..MARK_ROWS * (i + 1) - 1 */
};

/* --- Runs ------------------------------------------------------------------------------------- */

static size_t marks_of(const dv_type *type, int64_t rows)
{
    return type->rank > 0 && rows > 0 ? (size_t)((rows - 1) / MARK_ROWS) : 0;
}

static size_t run_nbytes(size_t marks)
{
    return sizeof(dvi_store_run) + marks * sizeof(dvi_extent);
}

static void free_run(dvi_store_run *run, const dv_allocator *allocator)
{
    if (!run)
        return;
    dvi_growing_free(&run->held);
    dvi_free(allocator, run, run_nbytes(run->marks_cap));
}

/* An empty run with room for so much. */
static dv_status make_run(dvi_store_run **run_out, const dv_type *type,
                          const dvi_growing_size *room, int64_t first_row,
                          const dv_allocator *allocator, dv_error *err)
{
    const size_t marks = marks_of(type, room->rows);
    void *made;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, run_nbytes(marks), err));
    dvi_store_run *run = made;
    run->first_row = first_row;
    run->room = *room;
    run->marks_cap = marks;
    const dv_status status = dvi_growing_allocate(&run->held, type, room, allocator, err);
    if (status < 0) {
        free_run(run, allocator);
        return status;
    }
    dvi_growing_view(&run->held, type, &run->column);
    dvi_column_will_stay(&run->column);
    *run_out = run;
    return DV_OK;
}

static bool has_room(const dvi_store_run *run, const dvi_growing_size *more)
{
    const dvi_growing_column *held = &run->held;
    return more->rows <= run->room.rows - held->rows &&
           more->items <= run->room.items - held->items &&
           more->indices <= run->room.indices - held->indices &&
           more->text <= run->room.text - held->text;
}

static void set_marks(dvi_store_run *run)
{
    const size_t marks = marks_of(&run->column.view.type, run->column.view.rows);
    if (run->marks == marks)
        return;
    dvi_extent sum = run->marks > 0 ? run->mark[run->marks - 1] : (dvi_extent){0, 0};
    dvi_column rest;
    dvi_column_assign(&rest, &run->column.view);
    if (run->marks > 0)
        dvi_column_jump(&rest.view, (int64_t)run->marks * MARK_ROWS, sum);
    for (; run->marks < marks; run->marks++) {
        const dvi_extent extent = dvi_vector_extent(&rest.view.as.vector, MARK_ROWS);
        dvi_column_jump(&rest.view, MARK_ROWS, extent);
        sum.indices += extent.indices;
        sum.items += extent.items;
        run->mark[run->marks] = sum;
    }
}

/* Let readers have all rows that were appended. */
static void show_rows(dvi_store_run *run, const dv_type *type)
{
    dvi_growing_view(&run->held, type, &run->column);
    set_marks(run);
}

/* --- Columns ---------------------------------------------------------------------------------- */

void dvi_column_store_free(dvi_column_store *store, const dv_allocator *allocator)
{
    for (size_t i = 0; i < store->count; i++)
        free_run(store->runs[i], allocator);
    dvi_free(allocator, store->runs, store->cap * sizeof *store->runs);
    *store = (dvi_column_store){0};
}

static bool has_row(const dvi_column_store *store, size_t i, int64_t row)
{
    return i < store->count && row >= store->runs[i]->first_row &&
           row - store->runs[i]->first_row < store->runs[i]->column.view.rows;
}

/* The run of a row that is stored: mostly *guess, which the column before had. */
static const dvi_store_run *find_run(const dvi_column_store *store, int64_t row, size_t *guess)
{
    size_t least = 0, most = store->count - 1;
    if (has_row(store, *guess, row))
        return store->runs[*guess];
    while (least < most) {
        const size_t middle = most - (most - least) / 2;
        if (store->runs[middle]->first_row <= row)
            least = middle;
        else
            most = middle - 1;
    }
    *guess = least;
    return store->runs[least];
}

/* The row after the last one, up to `end`, that a batch from `row` on has of a column. */
static int64_t find_end(const dvi_column_store *store, int64_t row, int64_t end, size_t *guess)
{
    if (store->count == 0)
        return dvi_min_i64(end, store->rows);
    const dvi_store_run *run = find_run(store, row, guess);
    const int64_t run_end = run->first_row + run->column.view.rows;
    return dvi_min_i64(end, dvi_min_i64(run_end, row + LENT_ROWS));
}

static void lend_column(const dvi_column_store *store, int64_t row, int64_t rows, size_t *guess,
                        dv_batch *batch, int32_t k)
{
    const dvi_store_run *run = find_run(store, row, guess);
    int64_t skip = row - run->first_row;
    dvi_column range;
    dvi_column_assign(&range, &run->column.view);
    const size_t marks = run->marks > 0 ? (size_t)(skip / MARK_ROWS) : 0;
    if (marks > 0) {
        dvi_column_jump(&range.view, (int64_t)marks * MARK_ROWS, run->mark[marks - 1]);
        skip -= (int64_t)marks * MARK_ROWS;
    }
    dvi_column_advance(&range.view, skip);
    dvi_column_limit(&range.view, rows);
    dvi_batch_set_slot(batch, k, &range.view);
}

dv_status dvi_column_stores_next(const dvi_column_store *stores, dvi_memory_cursor *c,
                                 const int32_t *columns, int32_t n, int64_t known, dv_batch *batch,
                                 int32_t *lacking_out, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    const int64_t row = c->at;
    int64_t end = known < 0 ? request->end_row : dvi_min_i64(request->end_row, known);
    if (row >= end)
        return DV_END;
    for (int32_t k = 0; k < n; k++) {
        *lacking_out = columns[k];
        if (row >= stores[columns[k]].rows)
            return DV_NOT_FOUND;
        end = find_end(&stores[columns[k]], row, end, &c->run);
    }
    DVI_TRY(dv_batch_start(batch, row, end - row, err));
    for (int32_t k = 0; k < request->columns_count; k++)
        lend_column(&stores[columns[k]], row, end - row, &c->run, batch, k);
    c->at = end;
    return DV_OK;
}

dv_status dvi_memory_cursor_open(void *self, const dv_cursor_request *request, void **cursor_out,
                                 dv_error *err)
{
    dvi_memory_cursor *made;
    DVI_TRY(DVI_NEW(request->allocator, &made, 1, err));
    *made = (dvi_memory_cursor){.view = self, .request = request, .at = request->first_row};
    *cursor_out = made;
    return DV_OK;
}

dv_status dvi_memory_cursor_seek(void *cursor, dv_error *err)
{
    dvi_memory_cursor *c = cursor;
    (void)err;
    c->at = c->request->first_row;
    return DV_OK;
}

void dvi_memory_cursor_close(void *cursor)
{
    dvi_free(((const dvi_memory_cursor *)cursor)->request->allocator, cursor,
             sizeof(dvi_memory_cursor));
}

static dv_status reserve_run(dvi_column_store *store, const dv_allocator *allocator, dv_error *err)
{
    void *runs = store->runs;
    const dv_status status = dvi_array_reserve(allocator, &runs, &store->cap, store->count + 1,
                                               sizeof *store->runs, err);
    store->runs = runs;
    return status;
}

/* --- Filling ---------------------------------------------------------------------------------- */

static void lock(const dvi_filler *f)
{
    if (f->cls)
        f->cls->lock(f->ctx);
}

static void unlock(const dvi_filler *f)
{
    if (f->cls)
        f->cls->unlock(f->ctx);
}

static dvi_column_store *store_of(const dvi_filler *f, int32_t k)
{
    return &f->stores[f->columns ? f->columns[k] : k];
}

dv_status dvi_filler_init(dvi_filler *f, dvi_column_store *stores, const int32_t *columns,
                          int32_t n, const dv_allocator *allocator, const dvi_filler_class *cls,
                          void *ctx, dv_error *err)
{
    *f = (dvi_filler){.stores = stores, .columns = columns, .n = n, .cls = cls, .ctx = ctx};
    f->allocator = dvi_allocator_of(allocator);
    DVI_TRY(DVI_NEW(allocator, &f->rest, (size_t)n, err));
    return DVI_NEW(allocator, &f->open, (size_t)n, err);
}

/* The next rows go into other runs. */
static void leave_runs(dvi_filler *f)
{
    for (int32_t k = 0; f->open && k < f->n; k++) {
        if (!f->is_stored)
            free_run(f->open[k], &f->allocator);
        f->open[k] = NULL;
    }
    f->is_stored = false;
}

void dvi_filler_free(dvi_filler *f)
{
    leave_runs(f);
    dvi_free(&f->allocator, f->rest, (size_t)f->n * sizeof *f->rest);
    dvi_free(&f->allocator, f->open, (size_t)f->n * sizeof *f->open);
    f->rest = NULL;
    f->open = NULL;
}

/* The same rows without room for more. */
static dv_status copy_run(dvi_store_run **run_out, const dvi_store_run *run,
                          const dv_allocator *allocator)
{
    const dv_column_view *view = &run->column.view;
    dvi_growing_size size = {0};
    dvi_growing_measure(&size, view, view->rows);
    DVI_TRY(make_run(run_out, &view->type, &size, run->first_row, allocator, NULL));
    dvi_growing_append(&(*run_out)->held, view, view->rows);
    show_rows(*run_out, &view->type);
    return DV_OK;
}

/* At most half of its room, in bytes, has rows. */
static bool is_half_empty(const dvi_store_run *run)
{
    const dv_type *type = &run->column.view.type;
    const dvi_growing_column *held = &run->held;
    const dvi_growing_size size = {held->rows, held->indices, held->items, held->text};
    return dvi_growing_nbytes(type, &size) <= dvi_growing_nbytes(type, &run->room) / 2;
}

/* Give back the room that runs have for more rows, where it is most of their memory: of long and
 * short texts in turn, that of either is no use to the other. Each row is copied so at most once.
 * Without memory for the copy the run stays as it is. */
static void fit_runs(dvi_filler *f)
{
    for (int32_t k = 0; f->is_stored && k < f->n; k++) {
        dvi_store_run *made = NULL, *const run = f->open[k];
        dvi_column_store *store = store_of(f, k);
        if (!is_half_empty(run) || copy_run(&made, run, &f->allocator) < 0)
            continue;
        lock(f);
        store->runs[store->count - 1] = made;
        unlock(f);
        free_run(run, &f->allocator);
        f->open[k] = made;
    }
}

static dvi_growing_size size_of(const dvi_filler *f, int32_t k, int64_t rows)
{
    dvi_growing_size size = {0};
    dvi_growing_measure(&size, &f->rest[k].view, rows);
    return size;
}

/* Bytes that the first rows of the rest take, all columns together. */
static size_t measure(const dvi_filler *f, int64_t rows)
{
    size_t sum = 0;
    for (int32_t k = 0; k < f->n; k++) {
        const dv_type *type = &f->rest[k].view.type;
        const dvi_growing_size size = size_of(f, k, rows);
        const size_t marks = marks_of(type, rows) * sizeof(dvi_extent);
        if (!dvi_size_add(sum, marks, &sum) ||
            !dvi_size_add(sum, dvi_growing_nbytes(type, &size), &sum))
            return SIZE_MAX;
    }
    return sum;
}

/* How many of the next `rows` rows all open runs have room for, to a power of two. */
static int64_t count_fitting(const dvi_filler *f, int64_t rows)
{
    for (int32_t k = 0; k < f->n && rows > 0;) {
        const dvi_growing_size size = size_of(f, k, rows);
        if (f->open[k] && has_room(f->open[k], &size))
            k++;
        else
            rows /= 2;
    }
    return rows;
}

/* So many times the size, and more of what differs from row to row, which would be full first. */
static void scale(dvi_growing_size *size, bool is_vector, int64_t times)
{
    size->rows *= times;
    size->indices *= times;
    size->items *= times;
    size->text *= (size_t)times;
    size->text += size->text / 8 + SLACK;
    if (is_vector) {
        size->indices += size->indices / 8 + SLACK;
        size->items += size->items / 8 + SLACK;
    }
}

/* Make runs for so many times the next rows. */
static dv_status make_runs_of(dvi_filler *f, int64_t rows, int64_t times, dv_error *err)
{
    leave_runs(f);
    for (int32_t k = 0; k < f->n; k++) {
        const dv_type *type = &f->rest[k].view.type;
        dvi_growing_size room = size_of(f, k, rows);
        if (times > 1)
            scale(&room, type->rank > 0, times);
        DVI_TRY(make_run(&f->open[k], type, &room, store_of(f, 0)->rows, &f->allocator, err));
    }
    return DV_OK;
}

/* Make runs for the next rows, at least one, and, if they are few, for as many bytes of more rows
 * as there are before.  Only the memory for the next rows is needed. */
static dv_status make_runs(dvi_filler *f, dv_error *err)
{
    const size_t n = (size_t)f->n;
    const size_t least = n * RUN_NBYTES_LEAST;
    const size_t most =
        n < RUNS_NBYTES_MOST / RUN_NBYTES_MOST ? n * RUN_NBYTES_MOST : RUNS_NBYTES_MOST;
    const size_t wanted = f->nbytes > least ? f->nbytes : least;
    const size_t target = wanted < most ? wanted : most;
    int64_t rows = f->rest[0].view.rows;
    fit_runs(f);
    size_t nbytes = measure(f, rows);
    while (rows > 1 && nbytes > most) {
        rows /= 2;
        nbytes = measure(f, rows);
    }
    int64_t times = nbytes > 0 && nbytes < target ? (int64_t)(target / nbytes) : 1;
    while (times > 1 &&
           !DVI_ATTEMPT("column_store.c make_runs", make_runs_of(f, rows, times, NULL) == DV_OK))
        times /= 2;
    return times > 1 ? DV_OK : make_runs_of(f, rows, 1, err);
}

static dv_status reserve_runs(dvi_filler *f, dv_error *err)
{
    dv_status status = DV_OK;
    lock(f);
    for (int32_t k = 0; k < f->n && status == DV_OK; k++)
        status = reserve_run(store_of(f, k), &f->allocator, err);
    unlock(f);
    return status;
}

/* Append rows, for which there is room, and then let readers have them. */
static void add_rows(dvi_filler *f, int64_t rows)
{
    for (int32_t k = 0; k < f->n; k++)
        dvi_growing_append(&f->open[k]->held, &f->rest[k].view, rows);
    lock(f);
    for (int32_t k = 0; k < f->n; k++) {
        dvi_column_store *store = store_of(f, k);
        show_rows(f->open[k], &f->rest[k].view.type);
        if (!f->is_stored)
            store->runs[store->count++] = f->open[k];
        store->rows += rows;
    }
    unlock(f);
    f->is_stored = true;
}

/* Store the first rows of the rest. */
static dv_status add_some(dvi_filler *f, dv_error *err)
{
    int64_t rows = count_fitting(f, f->rest[0].view.rows);
    if (rows == 0) {
        DVI_TRY(make_runs(f, err));
        rows = count_fitting(f, f->rest[0].view.rows);
    }
    if (!f->is_stored)
        DVI_TRY(reserve_runs(f, err));
    const size_t nbytes = measure(f, rows);
    if (f->cls)
        DVI_TRY(f->cls->admit(f->ctx, store_of(f, 0)->rows, nbytes, err));
    add_rows(f, rows);
    f->nbytes += nbytes;
    for (int32_t k = 0; k < f->n; k++)
        dvi_column_advance(&f->rest[k].view, rows);
    return DV_OK;
}

static dv_status add_batch(dvi_filler *f, const dv_batch *batch, dv_error *err)
{
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *column = dv_batch_column(batch, k);
        DVI_TRY(dvi_open_type_refuse(&column->type, "a cache", err));
        dvi_column_assign(&f->rest[k], column);
    }
    while (f->n > 0 && f->rest[0].view.rows > 0)
        DVI_TRY(add_some(f, err));
    return DV_OK;
}

dv_status dvi_filler_read(dvi_filler *f, dv_cursor *cursor, int64_t *rows, dv_error *err)
{
    const dv_batch *batch;
    const dv_status status = dv_cursor_next(cursor, &batch, err);
    if (status == DV_OK) {
        DVI_TRY(add_batch(f, batch, err));
        *rows += batch->rows;
    } else if (status == DV_END) {
        fit_runs(f);
        leave_runs(f);
    }
    return status;
}
