/* SPDX-License-Identifier: MIT */
/* exclude_view.c: all rows of a view but some (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "base/sort.h"
#include "view/identity.h"
#include "view/view.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include "order/epoch_view.h"
#include <dataview/transform.h>
#include <string.h>

/* Row p of the view is row p + k of the source, where k is the number of gaps[i] <= p. */
typedef struct exclude {
    dvi_derived base;
    int64_t *gaps; /* the number of rows kept before each row left out; ascending */
    int64_t n;
    int64_t rows; /* in the source */
} exclude;

/* --- Rows ------------------------------------------------------------------------------------- */

/* How many rows are left out before row `position` of the view. */
static int64_t left_out(const exclude *x, int64_t position)
{
    int64_t first = 0, n = x->n;
    while (n > 0) {
        const int64_t half = n / 2;
        if (x->gaps[first + half] <= position) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first;
}

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const exclude *x = ctx;
    int64_t k = left_out(x, position);
    n = dvi_max_i64(dvi_min_i64(n, x->rows - x->n - position), 0);
    for (int64_t i = 0; i < n; i++) {
        while (k < x->n && x->gaps[k] <= position + i)
            k++;
        rows_out[i] = position + i + k;
    }
    return n;
}

/* The same in every epoch. */
static int64_t renumber(void *self, int64_t epoch, int64_t position, int64_t *rows_out, int64_t n)
{
    (void)epoch;
    return next_numbers(self, position, rows_out, n);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    exclude *x = self;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows kept",
                        "rows as they are stored|rows without some, which are gathered");
    const dvi_gather_plan plan = {.what = "rows kept", .end_row = x->rows, .ascending = true};
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = x};
    return dvi_gather_cursor_open(cursor_out, x->base.source, request, &plan, &numbers, err);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    const exclude *x = self;
    return x->rows - x->n;
}

/* A row costs what it costs in the source, whose blocks these are not. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const exclude *x = self;
    dv_identity_add(identity, x->gaps, (size_t)x->n * sizeof *x->gaps);
    return dv_identity_add_view(identity, x->base.source, err);
}

static const dv_view_class exclude_class = {.size = sizeof exclude_class,
                                            .kind = "exclude",
                                            .rows = count_rows,
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
    return ((const exclude *)self)->base.source;
}

static const dvi_view_traits exclude_traits = {.reordered = source_of, .renumber = renumber};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_rows(const int64_t *rows, int64_t n, int64_t known, dv_error *err)
{
    if (n < 0 || (n > 0 && !rows))
        return dvi_fail_argument(err, "%lld rows to leave out", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || rows[i] >= known)
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "row to leave out", "0 to %lld|%lld",
                            (long long)known - 1, (long long)rows[i]);
    return DV_OK;
}

/* Set x->gaps, which has room for all of them.  Rows of a view without some are rows of its source:
 * those that it leaves out come first in the list. */
static void set_gaps(exclude *x, const exclude *below, const int64_t *rows, int64_t n,
                     uint64_t *scratch)
{
    const int64_t already = below ? below->n : 0;
    for (int64_t i = 0; i < already; i++)
        x->gaps[i] = below->gaps[i] + i;
    for (int64_t i = 0; i < n; i++)
        x->gaps[already + i] = rows[i] + (below ? left_out(below, rows[i]) : 0);
    dvi_sort_u64((uint64_t *)x->gaps, scratch, (size_t)(already + n));
    for (int64_t i = 0; i < already + n; i++)
        if (x->n == 0 || x->gaps[i] != x->gaps[x->n - 1] + x->n - 1) {
            x->gaps[x->n] = x->gaps[i] - x->n;
            x->n++;
        }
}

static dv_status make(exclude *x, const exclude *below, const int64_t *rows, int64_t n,
                      dv_error *err)
{
    const dv_allocator *allocator = &x->base.arena.allocator;
    const dv_progress silent = {NULL, NULL};
    const size_t all = (size_t)n + (size_t)(below ? below->n : 0);
    size_t nbytes;
    void *gaps;
    uint64_t *scratch;
    if (below)
        x->rows = below->rows;
    else
        DVI_TRY(dvi_epoch_count_rows(x->base.source, &silent, &x->rows, err));
    DVI_TRY(check_rows(rows, n, x->rows - (below ? below->n : 0), err));
    if (!dvi_size_mul(all, sizeof *x->gaps, &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_arena_alloc(&x->base.arena, &gaps, nbytes, err));
    DVI_TRY(DVI_NEW(allocator, &scratch, all, err));
    x->gaps = gaps;
    set_gaps(x, below, rows, n, scratch);
    dvi_free(allocator, scratch, nbytes);
    return DV_OK;
}

/* A view without rows of a view without rows leaves out both of the first source: each view would
 * open the one below twice, as rows taken would. */
dv_status dv_view_exclude(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                          const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *view_out = NULL;
    const bool is_without = dvi_view_class(source)->open_cursor == open_cursor;
    const exclude *below = is_without ? dvi_view_self(source) : NULL;
    DVI_TRY(dvi_derived_create(&made, sizeof(exclude), below ? below->base.source : source,
                               allocator, err));
    exclude *x = made;
    const dv_status status = make(x, below, rows, n, err);
    if (status != DV_OK) {
        dvi_derived_close(x);
        return status;
    }
    x->base.traits = &exclude_traits;
    return dvi_derived_view(view_out, &exclude_class, x, NULL, err);
}
