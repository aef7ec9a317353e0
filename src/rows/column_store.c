/* SPDX-License-Identifier: MIT */
/* column_store.c: rows of columns, copied into memory, each of them reached at once. */
#include "rows/column_store.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "type/open_type.h"
#include "view/growing_column.h"

/* Size of a run, of all columns that are filled together: small enough to be available soon, large
 * enough that the overhead of a run does not matter. */
#define RUN_NBYTES ((size_t)1 << 20)
#define RUN_NBYTES_PER_COLUMN ((size_t)16 << 10)
#define RUN_NBYTES_MOST ((size_t)64 << 20)
#define RUN_ROWS (INT64_C(1) << 16)

/* Vectors have a mark every so many rows; a row is reached by scanning from the mark before it. */
#define MARK_ROWS 64

/* Immutable. */
struct dvi_store_run {
    dvi_column column; /* points into itself: never moved */
    int64_t first_row;
    size_t nbytes;     /* of this struct, the marks, and the rows */
    size_t marks;      /* vectors: how many */
    dvi_extent mark[]; /* mark i: extent of rows 0..MARK_ROWS * (i + 1) - 1 */
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
    dvi_column_release(&run->column);
    dvi_free(allocator, run, run_nbytes(run->marks));
}

static void set_marks(dvi_store_run *run)
{
    dvi_extent sum = {0, 0};
    dvi_column rest;
    dvi_column_assign(&rest, &run->column.view);
    for (size_t i = 0; i < run->marks; i++) {
        const dvi_extent extent = dvi_vector_extent(&rest.view.as.vector, MARK_ROWS);
        dvi_column_jump(&rest.view, MARK_ROWS, extent);
        sum.indices += extent.indices;
        sum.items += extent.items;
        run->mark[i] = sum;
    }
}

/* Copy all rows of n columns of one type into one new run. */
static dv_status copy_rows(dvi_store_run **run_out, const dv_column_view *const *sources, size_t n,
                           int64_t first_row, const dv_allocator *allocator, dv_error *err)
{
    const dv_type *type = &sources[0]->type;
    dvi_growing_column gather = {0};
    dvi_growing_size size = {0};
    void *made;
    for (size_t i = 0; i < n; i++)
        dvi_growing_measure(&size, sources[i], sources[i]->rows);
    const size_t marks = marks_of(type, size.rows);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, run_nbytes(marks), err));
    dvi_store_run *run = made;
    run->first_row = first_row;
    run->marks = marks;
    run->nbytes = run_nbytes(marks) + dvi_growing_nbytes(type, &size);
    const dv_status status = dvi_growing_allocate(&gather, type, &size, allocator, err);
    if (status == DV_OK) {
        dvi_column column;
        for (size_t i = 0; i < n; i++)
            dvi_growing_append(&gather, sources[i], sources[i]->rows);
        dvi_growing_view(&gather, type, &column);
        dvi_column_assign(&run->column, &column.view);
        dvi_column_retain(&run->column);
        dvi_column_will_stay(&run->column);
        set_marks(run);
    }
    dvi_growing_free(&gather);
    if (status < 0)
        dvi_free(allocator, run, run_nbytes(marks));
    else
        *run_out = run;
    return status;
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

/* The run of a row that is stored: mostly the one found before, or the next. */
static size_t find_run(const dvi_column_store *store, int64_t row, size_t hint)
{
    if (has_row(store, hint, row))
        return hint;
    if (hint < store->count && has_row(store, hint + 1, row))
        return hint + 1;
    size_t least = 0, most = store->count - 1;
    while (least < most) {
        const size_t middle = most - (most - least) / 2;
        if (store->runs[middle]->first_row <= row)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

int64_t dvi_column_store_reach(const dvi_column_store *store, int64_t row, size_t *hint)
{
    if (row >= store->rows)
        return 0;
    *hint = find_run(store, row, *hint);
    const dvi_store_run *run = store->runs[*hint];
    return run->first_row + run->column.view.rows - row;
}

void dvi_column_store_lend(const dvi_column_store *store, int64_t row, int64_t rows, size_t hint,
                           dv_batch *batch, int32_t k)
{
    const dvi_store_run *run = store->runs[hint];
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

dv_status dvi_filler_init(dvi_filler *f, dvi_column_store **stores, int32_t n,
                          const dv_allocator *allocator, const dvi_filler_class *cls, void *ctx,
                          dv_error *err)
{
    void *rest, *made;
    *f = (dvi_filler){.stores = stores, .n = n, .cls = cls, .ctx = ctx, .guess = RUN_ROWS};
    f->allocator = dvi_allocator_of(allocator);
    f->settled = n > 0 ? stores[0]->count : 0;
    DVI_TRY(dvi_alloc_zeroed(allocator, &rest, (size_t)n * sizeof *f->rest, err));
    f->rest = rest;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, (size_t)n * sizeof *f->made, err));
    f->made = made;
    return DV_OK;
}

void dvi_filler_free(dvi_filler *f)
{
    dvi_free(&f->allocator, f->rest, (size_t)f->n * sizeof *f->rest);
    dvi_free(&f->allocator, f->made, (size_t)f->n * sizeof *f->made);
    f->rest = NULL;
    f->made = NULL;
}

/* Free the runs that were made but not added. */
static void drop_made(dvi_filler *f)
{
    for (int32_t k = 0; k < f->n; k++) {
        free_run(f->made[k], &f->allocator);
        f->made[k] = NULL;
    }
}

/* Bytes that the first rows of the rest take, all columns together. */
static size_t measure(const dvi_filler *f, int64_t rows)
{
    size_t sum = 0;
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *view = &f->rest[k].view;
        dvi_growing_size size = {0};
        dvi_growing_measure(&size, view, rows);
        const size_t nbytes = dvi_growing_nbytes(&view->type, &size);
        if (!dvi_size_add(sum, run_nbytes(marks_of(&view->type, rows)), &sum) ||
            !dvi_size_add(sum, nbytes, &sum))
            return SIZE_MAX;
    }
    return sum;
}

static size_t most_nbytes(const dvi_filler *f)
{
    const size_t n = (size_t)f->n;
    if (n >= RUN_NBYTES_MOST / RUN_NBYTES_PER_COLUMN)
        return RUN_NBYTES_MOST;
    return n > RUN_NBYTES / RUN_NBYTES_PER_COLUMN ? n * RUN_NBYTES_PER_COLUMN : RUN_NBYTES;
}

/* How many rows of the rest make one run: at least one. */
static int64_t choose_rows(dvi_filler *f, size_t *nbytes_out)
{
    int64_t rows = dvi_min_i64(f->rest[0].view.rows, f->guess);
    size_t nbytes = measure(f, rows);
    while (rows > 1 && nbytes > most_nbytes(f)) {
        rows /= 2;
        nbytes = measure(f, rows);
    }
    f->guess = dvi_min_i64(2 * rows, RUN_ROWS);
    *nbytes_out = nbytes;
    return rows;
}

/* Replace the runs of column k from `from` on by made[k]; the array has room. */
static void put_run(dvi_filler *f, int32_t k, size_t from)
{
    dvi_column_store *store = f->stores[k];
    for (size_t i = from; i < store->count; i++)
        free_run(store->runs[i], &f->allocator);
    store->runs[from] = f->made[k];
    store->count = from + 1;
    store->rows = f->made[k]->first_row + f->made[k]->column.view.rows;
    f->made[k] = NULL;
}

/* Join the loose runs of column k into made[k]. */
static dv_status join_runs(dvi_filler *f, int32_t k)
{
    const dvi_column_store *store = f->stores[k];
    const size_t n = store->count - f->settled;
    void *made;
    DVI_TRY(dvi_alloc(&f->allocator, &made, n * sizeof(dv_column_view *), NULL));
    const dv_column_view **sources = made;
    for (size_t i = 0; i < n; i++)
        sources[i] = &store->runs[f->settled + i]->column.view;
    const dv_status status =
        copy_rows(&f->made[k], sources, n, store->runs[f->settled]->first_row, &f->allocator, NULL);
    dvi_free(&f->allocator, made, n * sizeof(dv_column_view *));
    return status;
}

/* Replace the loose runs, which took more memory, by what was made. */
static void replace_loose(dvi_filler *f)
{
    size_t saved = 0;
    for (int32_t k = 0; k < f->n; k++) {
        for (size_t i = f->settled; i < f->stores[k]->count; i++)
            saved += f->stores[k]->runs[i]->nbytes;
        saved -= f->made[k]->nbytes;
    }
    lock(f);
    for (int32_t k = 0; k < f->n; k++)
        put_run(f, k, f->settled);
    if (f->cls)
        f->cls->give_back(f->ctx, saved);
    unlock(f);
}

static void leave_loose(dvi_filler *f)
{
    f->settled = f->n > 0 ? f->stores[0]->count : 0;
    f->loose_rows = 0;
    f->loose_nbytes = 0;
}

/* Join the loose runs, so that many small batches cost no more than a few large ones.  Without
 * memory for that they stay as they are. */
void dvi_filler_settle(dvi_filler *f)
{
    bool is_whole = f->n > 0 && f->stores[0]->count - f->settled > 1;
    for (int32_t k = 0; k < f->n && is_whole; k++)
        is_whole = join_runs(f, k) == DV_OK;
    if (is_whole)
        replace_loose(f);
    drop_made(f);
    leave_loose(f);
}

static dv_status copy_runs(dvi_filler *f, int64_t rows, dv_error *err)
{
    for (int32_t k = 0; k < f->n; k++) {
        dvi_column range;
        dvi_column_assign(&range, &f->rest[k].view);
        dvi_column_limit(&range.view, rows);
        const dv_column_view *source = &range.view;
        DVI_TRY(copy_rows(&f->made[k], &source, 1, f->stores[k]->rows, &f->allocator, err));
    }
    return DV_OK;
}

static dv_status add_runs(dvi_filler *f, dv_error *err)
{
    dv_status status = DV_OK;
    lock(f);
    for (int32_t k = 0; k < f->n && status == DV_OK; k++)
        status = reserve_run(f->stores[k], &f->allocator, err);
    for (int32_t k = 0; k < f->n && status == DV_OK; k++)
        put_run(f, k, f->stores[k]->count);
    unlock(f);
    return status;
}

static dv_status make_runs(dvi_filler *f, int64_t rows, size_t nbytes, dv_error *err)
{
    if (f->cls)
        DVI_TRY(f->cls->admit(f->ctx, f->stores[0]->rows, nbytes, err));
    dv_status status = copy_runs(f, rows, err);
    if (status == DV_OK)
        status = add_runs(f, err);
    if (status < 0 && f->cls) {
        lock(f);
        f->cls->give_back(f->ctx, nbytes);
        unlock(f);
    }
    drop_made(f);
    return status;
}

static dv_status add_rows(dvi_filler *f, int64_t rows, size_t nbytes, dv_error *err)
{
    const bool is_large = nbytes >= most_nbytes(f) / 4;
    if (is_large || f->loose_nbytes + nbytes > most_nbytes(f) || f->loose_rows + rows > RUN_ROWS)
        dvi_filler_settle(f);
    DVI_TRY(make_runs(f, rows, nbytes, err));
    f->loose_rows += rows;
    f->loose_nbytes += nbytes;
    if (is_large)
        leave_loose(f);
    for (int32_t k = 0; k < f->n; k++)
        dvi_column_advance(&f->rest[k].view, rows);
    return DV_OK;
}

dv_status dvi_filler_add(dvi_filler *f, const dv_batch *batch, dv_error *err)
{
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *column = dv_batch_column(batch, k);
        DVI_TRY(dvi_open_type_refuse(&column->type, "a cache", err));
        dvi_column_assign(&f->rest[k], column);
    }
    while (f->n > 0 && f->rest[0].view.rows > 0) {
        size_t nbytes;
        const int64_t rows = choose_rows(f, &nbytes);
        DVI_TRY(add_rows(f, rows, nbytes, err));
    }
    return DV_OK;
}
