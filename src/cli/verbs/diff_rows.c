/* SPDX-License-Identifier: MIT */
/* diff_rows.c: compares the rows of two cursors.
 *
 * Their batches need not begin at the same rows.  The rows that both batches have are compared in
 * place: in windows of many rows by memcmp, and value by value only where that finds a difference.
 */
#include "cli/verbs/diff_rows.h"
#include "cli/args/input.h"
#include <stdlib.h>

#define WINDOW_ROWS 1024

/* A table that is being read. */
typedef struct reader {
    dv_cursor *cursor;
    const dv_batch *batch; /* NULL: at the end */
    int64_t used;          /* rows of the batch compared so far */
    int64_t passed;        /* rows of the batches before it */
    dvi_run *runs;         /* per column */
} reader;

bool dvi_diff_rows_add(dvi_diff_rows *rows, int32_t id, const dvi_pair *pair)
{
    if (rows->count == rows->cap) {
        const int32_t cap = rows->cap ? 2 * rows->cap : 16;
        int32_t **const lists[] = {&rows->column[0], &rows->column[1], &rows->id};
        for (int i = 0; i < 3; i++) {
            int32_t *more = realloc(*lists[i], (size_t)cap * sizeof *more);
            if (!more)
                return false;
            *lists[i] = more;
        }
        rows->cap = cap;
    }
    rows->column[0][rows->count] = pair->a;
    rows->column[1][rows->count] = pair->b;
    rows->id[rows->count++] = id;
    return true;
}

void dvi_diff_rows_free(dvi_diff_rows *rows)
{
    free(rows->column[0]);
    free(rows->column[1]);
    free(rows->id);
}

static dv_status open_reader(reader *r, const dvi_diff_rows *rows, int side, dv_view *view,
                             const dvi_args *args, int64_t *rows_out, dv_error *err)
{
    dvi_selection selection = {.columns = rows->column[side], .count = rows->count};
    dvi_select_rows(&selection, args, view);
    *rows_out = selection.rows;
    if (rows->count == 0)
        selection.options.columns_count = 0; /* only counts rows */
    r->runs = calloc((size_t)rows->count + 1, sizeof *r->runs);
    return r->runs ? dv_cursor_open(&r->cursor, view, &selection.options, err)
                   : dvi_err_memory(err);
}

/* Find where the rows of each column start. */
static dv_status find_runs(reader *r, dv_error *err)
{
    dv_status status = DV_OK;
    for (int32_t k = 0; k < r->batch->columns && status == DV_OK; k++) {
        dvi_run *run = &r->runs[k];
        *run = (dvi_run){.column = dv_batch_column(r->batch, k)};
        if (run->column->layout == DV_LAYOUT_VECTOR)
            status = dv_vector_offsets(r->batch, k, &run->indices, &run->items, err);
    }
    return status;
}

/* Move to the next batch if all rows of this one are compared. */
static dv_status refill(reader *r, dv_error *err)
{
    if (r->batch && r->used < r->batch->rows)
        return DV_OK;
    r->passed += r->batch ? r->batch->rows : 0;
    r->used = 0;
    r->batch = NULL;
    const dv_status status = dv_cursor_next(r->cursor, &r->batch, err);
    if (status == DV_OK)
        return find_runs(r, err);
    r->batch = NULL;
    return status == DV_END ? DV_OK : status;
}

/* One row of the columns in which the window differs. */
static dvi_exit compare_row(dvi_diff_rows *rows, const reader *a, const reader *b, int64_t i,
                            const int32_t *dirty, int32_t n)
{
    dvi_difference what;
    dvi_exit status = DVI_EXIT_DONE;
    bool differs = false;
    for (int32_t d = 0; d < n && !status; d++) {
        dvi_run x = a->runs[dirty[d]], y = b->runs[dirty[d]];
        x.first += i;
        y.first += i;
        if (dvi_run_equal(&x, &y, 1))
            continue;
        const dv_value v = dvi_run_value(&x), w = dvi_run_value(&y);
        if (!dvi_diff_value_find(&what, rows->rule, &v, &w))
            continue;
        differs = true;
        status = rows->found(rows->ctx, a->batch->first_row + x.first, rows->id[dirty[d]], &what);
    }
    rows->different += differs;
    return status;
}

/* Compare the next n rows of both batches.  dirty: room for an index per column. */
static dvi_exit compare_window(dvi_diff_rows *rows, reader *a, reader *b, int64_t n, int32_t *dirty)
{
    int32_t differing = 0;
    dvi_exit status = DVI_EXIT_DONE;
    for (int32_t k = 0; k < rows->count; k++) {
        a->runs[k].first = a->used;
        b->runs[k].first = b->used;
        if (!dvi_run_equal(&a->runs[k], &b->runs[k], n))
            dirty[differing++] = k;
    }
    for (int64_t i = 0; i < n && differing && !status; i++)
        status = compare_row(rows, a, b, i, dirty, differing);
    a->used += n;
    b->used += n;
    rows->compared += n;
    return status;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Compare the rows that both tables have. */
static dvi_exit compare_common(dvi_diff_rows *rows, reader r[2], int32_t *dirty)
{
    dv_error err = DV_ERROR_INIT;
    const int64_t all =
        rows->rows[0] < 0 || rows->rows[1] < 0 ? -1 : least(rows->rows[0], rows->rows[1]);
    dvi_exit status = DVI_EXIT_DONE;
    while (!status && !rows->is_stopped) {
        if (refill(&r[0], &err) < 0 || refill(&r[1], &err) < 0)
            return dvi_say_reworded(&err);
        if (!r[0].batch || !r[1].batch)
            break;
        int64_t n = least(r[0].batch->rows - r[0].used, r[1].batch->rows - r[1].used);
        n = least(n, WINDOW_ROWS);
        status = compare_window(rows, &r[0], &r[1], n, dirty);
        rows->is_stopped = !status && !rows->step(rows->ctx, rows->compared, all);
    }
    return status;
}

/* Count the rows after the common ones if the number is unknown. */
static dvi_exit count_rest(reader *r, int64_t *rows)
{
    dv_error err = DV_ERROR_INIT;
    while (*rows < 0 && r->batch) {
        r->used = r->batch->rows;
        if (refill(r, &err) < 0)
            return dvi_say_reworded(&err);
    }
    if (*rows < 0)
        *rows = r->passed;
    return DVI_EXIT_DONE;
}

dvi_exit dvi_diff_rows_compare(dvi_diff_rows *rows, dv_view *const view[2], const dvi_args *args)
{
    dv_error err = DV_ERROR_INIT;
    reader r[2] = {{.used = 0}, {.used = 0}};
    dvi_exit status = DVI_EXIT_DONE;
    int32_t *dirty = calloc((size_t)rows->count + 1, sizeof *dirty);
    for (int side = 0; side < 2 && !status; side++)
        if (!dirty)
            status = dvi_say_memory();
        else if (open_reader(&r[side], rows, side, view[side], args, &rows->rows[side], &err) < 0)
            status = dvi_say_reworded(&err);
    const bool is_known = rows->rows[0] >= 0 && rows->rows[1] >= 0;
    if (!status && (rows->count > 0 || !is_known))
        status = compare_common(rows, r, dirty);
    for (int side = 0; side < 2; side++) {
        if (!status && !rows->is_stopped)
            status = count_rest(&r[side], &rows->rows[side]);
        dv_cursor_close(&r[side].cursor);
        free(r[side].runs);
    }
    free(dirty);
    return status;
}
