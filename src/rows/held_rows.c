/* SPDX-License-Identifier: MIT */
/* held_rows.c: rows of columns, copied into memory, where each of them is at hand. */
#include "rows/held_rows.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/gather.h"

/* Of a run, of all columns that are filled together; small enough to be there soon, large enough
 * that what each run costs beside its rows does not count. */
#define RUN_NBYTES ((size_t)1 << 20)
#define RUN_NBYTES_PER_COLUMN ((size_t)16 << 10)
#define RUN_NBYTES_MOST ((size_t)64 << 20)
#define RUN_ROWS (INT64_C(1) << 16)

/* To reach a row of a vector one walks over those behind the last mark. */
#define MARK_ROWS 64

/* Never changes once it is made. */
struct dvi_held_run {
    dvi_column column; /* points into itself, so it stays in place */
    int64_t first_row;
    size_t nbytes;     /* of this, the marks, and the rows */
    size_t marks;      /* vectors: how many */
    dvi_extent mark[]; /* mark i: what rows 0..MARK_ROWS * (i + 1) - 1 have */
};

/* --- Runs ------------------------------------------------------------------------------------- */

static size_t marks_of(const dv_type *type, int64_t rows)
{
    return type->rank > 0 && rows > 0 ? (size_t)((rows - 1) / MARK_ROWS) : 0;
}

static size_t run_nbytes(size_t marks)
{
    return sizeof(dvi_held_run) + marks * sizeof(dvi_extent);
}

static void free_run(dvi_held_run *run, const dv_allocator *allocator)
{
    if (!run)
        return;
    dvi_column_release(&run->column);
    dvi_free(allocator, run, run_nbytes(run->marks));
}

static void set_marks(dvi_held_run *run)
{
    dvi_extent sum = {0, 0};
    dvi_column rest;
    dvi_column_assign(&rest, &run->column.view);
    for (size_t i = 0; i < run->marks; i++) {
        const dvi_extent part = dvi_vector_extent(&rest.view.as.vector, MARK_ROWS);
        dvi_column_jump(&rest.view, MARK_ROWS, part);
        sum.indices += part.indices;
        sum.items += part.items;
        run->mark[i] = sum;
    }
}

/* One run of all rows of n columns of one type, in memory of its own. */
static dv_status copy_rows(dvi_held_run **run_out, const dv_column_view *const *sources, size_t n,
                           int64_t first_row, const dv_allocator *allocator, dv_error *err)
{
    const dv_type *type = &sources[0]->type;
    dvi_gather gather = {0};
    dvi_gather_size size = {0};
    void *made;
    for (size_t i = 0; i < n; i++)
        dvi_gather_measure(&size, sources[i], sources[i]->rows);
    const size_t marks = marks_of(type, size.rows);
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, run_nbytes(marks), err));
    dvi_held_run *run = made;
    run->first_row = first_row;
    run->marks = marks;
    run->nbytes = run_nbytes(marks) + dvi_gather_nbytes(type, &size);
    const dv_status status = dvi_gather_allocate(&gather, type, &size, allocator, err);
    if (status == DV_OK) {
        dvi_column column;
        for (size_t i = 0; i < n; i++)
            dvi_gather_append(&gather, sources[i], sources[i]->rows);
        dvi_gather_view(&gather, type, &column);
        dvi_column_assign(&run->column, &column.view);
        dvi_column_retain(&run->column);
        dvi_column_will_stay(&run->column);
        set_marks(run);
    }
    dvi_gather_free(&gather);
    if (status < 0)
        dvi_free(allocator, run, run_nbytes(marks));
    else
        *run_out = run;
    return status;
}

/* --- Columns ---------------------------------------------------------------------------------- */

void dvi_held_free(dvi_held *held, const dv_allocator *allocator)
{
    for (size_t i = 0; i < held->count; i++)
        free_run(held->runs[i], allocator);
    dvi_free(allocator, held->runs, held->cap * sizeof *held->runs);
    *held = (dvi_held){0};
}

static bool has_row(const dvi_held *held, size_t i, int64_t row)
{
    return i < held->count && row >= held->runs[i]->first_row &&
           row - held->runs[i]->first_row < held->runs[i]->column.view.rows;
}

/* The run that has a row which is there: mostly the one found before, or the next. */
static size_t find_run(const dvi_held *held, int64_t row, size_t hint)
{
    if (has_row(held, hint, row))
        return hint;
    if (hint < held->count && has_row(held, hint + 1, row))
        return hint + 1;
    size_t least = 0, most = held->count - 1;
    while (least < most) {
        const size_t middle = most - (most - least) / 2;
        if (held->runs[middle]->first_row <= row)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

int64_t dvi_held_reach(const dvi_held *held, int64_t row, size_t *hint)
{
    if (row >= held->rows)
        return 0;
    *hint = find_run(held, row, *hint);
    const dvi_held_run *run = held->runs[*hint];
    return run->first_row + run->column.view.rows - row;
}

void dvi_held_lend(const dvi_held *held, int64_t row, int64_t rows, size_t hint, dv_batch *batch,
                   int32_t k)
{
    const dvi_held_run *run = held->runs[hint];
    int64_t skip = row - run->first_row;
    dvi_column part;
    dvi_column_assign(&part, &run->column.view);
    const size_t marks = run->marks > 0 ? (size_t)(skip / MARK_ROWS) : 0;
    if (marks > 0) {
        dvi_column_jump(&part.view, (int64_t)marks * MARK_ROWS, run->mark[marks - 1]);
        skip -= (int64_t)marks * MARK_ROWS;
    }
    dvi_column_advance(&part.view, skip);
    dvi_column_limit(&part.view, rows);
    dvi_batch_set_slot(batch, k, &part.view);
}

static dv_status reserve_run(dvi_held *held, const dv_allocator *allocator, dv_error *err)
{
    void *runs = held->runs;
    const dv_status status =
        dvi_array_reserve(allocator, &runs, &held->cap, held->count + 1, sizeof *held->runs, err);
    held->runs = runs;
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

dv_status dvi_filler_init(dvi_filler *f, dvi_held **held, int32_t n, const dv_allocator *allocator,
                          const dvi_filler_class *cls, void *ctx, dv_error *err)
{
    void *rest, *made;
    *f = (dvi_filler){.held = held, .n = n, .cls = cls, .ctx = ctx, .guess = RUN_ROWS};
    f->allocator = dvi_allocator_of(allocator);
    f->settled = n > 0 ? held[0]->count : 0;
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

/* Drop what was made and has no place. */
static void drop_made(dvi_filler *f)
{
    for (int32_t k = 0; k < f->n; k++) {
        free_run(f->made[k], &f->allocator);
        f->made[k] = NULL;
    }
}

/* What the first rows of the rest take, all columns together. */
static size_t measure(const dvi_filler *f, int64_t rows)
{
    size_t sum = 0;
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *view = &f->rest[k].view;
        dvi_gather_size size = {0};
        dvi_gather_measure(&size, view, rows);
        const size_t nbytes = dvi_gather_nbytes(&view->type, &size);
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

/* As many rows of the rest as make one run, at least one. */
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

/* Let made[k] take the place of the runs of column k from `from` on; there is room for it. */
static void place(dvi_filler *f, int32_t k, size_t from)
{
    dvi_held *held = f->held[k];
    for (size_t i = from; i < held->count; i++)
        free_run(held->runs[i], &f->allocator);
    held->runs[from] = f->made[k];
    held->count = from + 1;
    held->rows = f->made[k]->first_row + f->made[k]->column.view.rows;
    f->made[k] = NULL;
}

/* One run of the loose ones of column k. */
static dv_status join_runs(dvi_filler *f, int32_t k)
{
    const dvi_held *held = f->held[k];
    const size_t n = held->count - f->settled;
    void *made;
    DVI_TRY(dvi_alloc(&f->allocator, &made, n * sizeof(dv_column_view *), NULL));
    const dv_column_view **sources = made;
    for (size_t i = 0; i < n; i++)
        sources[i] = &held->runs[f->settled + i]->column.view;
    const dv_status status =
        copy_rows(&f->made[k], sources, n, held->runs[f->settled]->first_row, &f->allocator, NULL);
    dvi_free(&f->allocator, made, n * sizeof(dv_column_view *));
    return status;
}

/* Put what was made in the place of the loose runs, which took more memory. */
static void replace_loose(dvi_filler *f)
{
    size_t saved = 0;
    for (int32_t k = 0; k < f->n; k++) {
        for (size_t i = f->settled; i < f->held[k]->count; i++)
            saved += f->held[k]->runs[i]->nbytes;
        saved -= f->made[k]->nbytes;
    }
    lock(f);
    for (int32_t k = 0; k < f->n; k++)
        place(f, k, f->settled);
    if (f->cls)
        f->cls->give_back(f->ctx, saved);
    unlock(f);
}

static void leave_loose(dvi_filler *f)
{
    f->settled = f->n > 0 ? f->held[0]->count : 0;
    f->loose_rows = 0;
    f->loose_nbytes = 0;
}

/* Put the loose runs together, so that many small batches cost no more than few large ones.  Where
 * there is no memory for that they stay as they are. */
void dvi_filler_settle(dvi_filler *f)
{
    bool is_whole = f->n > 0 && f->held[0]->count - f->settled > 1;
    for (int32_t k = 0; k < f->n && is_whole; k++)
        is_whole = join_runs(f, k) == DV_OK;
    if (is_whole)
        replace_loose(f);
    drop_made(f);
    leave_loose(f);
}

static dv_status copy_piece(dvi_filler *f, int64_t rows, dv_error *err)
{
    for (int32_t k = 0; k < f->n; k++) {
        dvi_column part;
        dvi_column_assign(&part, &f->rest[k].view);
        dvi_column_limit(&part.view, rows);
        const dv_column_view *source = &part.view;
        DVI_TRY(copy_rows(&f->made[k], &source, 1, f->held[k]->rows, &f->allocator, err));
    }
    return DV_OK;
}

static dv_status place_piece(dvi_filler *f, dv_error *err)
{
    dv_status status = DV_OK;
    lock(f);
    for (int32_t k = 0; k < f->n && status == DV_OK; k++)
        status = reserve_run(f->held[k], &f->allocator, err);
    for (int32_t k = 0; k < f->n && status == DV_OK; k++)
        place(f, k, f->held[k]->count);
    unlock(f);
    return status;
}

static dv_status make_piece(dvi_filler *f, int64_t rows, size_t nbytes, dv_error *err)
{
    if (f->cls)
        DVI_TRY(f->cls->admit(f->ctx, f->held[0]->rows, nbytes, err));
    dv_status status = copy_piece(f, rows, err);
    if (status == DV_OK)
        status = place_piece(f, err);
    if (status < 0 && f->cls) {
        lock(f);
        f->cls->give_back(f->ctx, nbytes);
        unlock(f);
    }
    drop_made(f);
    return status;
}

static dv_status add_piece(dvi_filler *f, int64_t rows, size_t nbytes, dv_error *err)
{
    const bool is_large = nbytes >= most_nbytes(f) / 4;
    if (is_large || f->loose_nbytes + nbytes > most_nbytes(f) || f->loose_rows + rows > RUN_ROWS)
        dvi_filler_settle(f);
    DVI_TRY(make_piece(f, rows, nbytes, err));
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
    for (int32_t k = 0; k < f->n; k++)
        dvi_column_assign(&f->rest[k], dv_batch_column(batch, k));
    while (f->n > 0 && f->rest[0].view.rows > 0) {
        size_t nbytes;
        const int64_t rows = choose_rows(f, &nbytes);
        DVI_TRY(add_piece(f, rows, nbytes, err));
    }
    return DV_OK;
}
