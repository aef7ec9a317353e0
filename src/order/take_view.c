/* SPDX-License-Identifier: MIT */
/* take_view.c: rows of a view in any order (transform.h). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include <dataview/transform.h>
#include <string.h>

typedef struct take {
    dvi_derived base;
    int64_t *rows; /* of the source */
    int64_t n;
    int64_t end_row; /* the greatest of them, and one */
} take;

/* --- Rows ------------------------------------------------------------------------------------- */

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const take *t = ctx;
    n = dvi_min_i64(n, t->n - position);
    if (n > 0)
        memcpy(rows_out, t->rows + position, (size_t)n * sizeof *rows_out);
    return dvi_max_i64(n, 0);
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
    take *t = self;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "rows taken",
                        "rows as they are stored|rows in an order of their own");
    const dvi_gather_plan plan = {
        .what = "rows taken", .end_row = t->end_row, .keeps_blocks = true};
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = t};
    return dvi_gather_cursor_open(cursor_out, t->base.source, request, &plan, &numbers, err);
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return ((const take *)self)->n;
}

/* Neighbouring rows are not stored together: each costs what it costs in the source. */
static int64_t block_rows(void *self)
{
    return dvi_derived_block_rows(self) > 0;
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    const take *t = self;
    dv_identity_add(identity, t->rows, (size_t)t->n * sizeof *t->rows);
    return dv_identity_add_view(identity, t->base.source, err);
}

static const dv_view_class take_class = {.size = sizeof take_class,
                                         .kind = "take",
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
    return ((const take *)self)->base.source;
}

static const dvi_view_traits take_traits = {.reordered = source_of, .renumber = renumber};

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check_rows(const dv_view *source, const int64_t *rows, int64_t n, dv_error *err)
{
    const int64_t known = dv_view_rows(source);
    if (n < 0 || (n > 0 && !rows))
        return dvi_fail_argument(err, "%lld rows to take", (long long)n);
    for (int64_t i = 0; i < n; i++)
        if (rows[i] < 0 || (known >= 0 && rows[i] >= known))
            return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "row to take", "0 to %lld|%lld",
                            (long long)(known >= 0 ? known : INT64_MAX) - 1, (long long)rows[i]);
    return DV_OK;
}

/* Rows taken of rows taken are rows of the first source: each view would open the one below twice,
 * so that a chain would take time in proportion to 2 to the number of its views. */
dv_status dv_view_take(dv_view **view_out, dv_view *source, const int64_t *rows, int64_t n,
                       const dv_allocator *allocator, dv_error *err)
{
    void *made, *copy;
    *view_out = NULL;
    DVI_TRY(check_rows(source, rows, n, err));
    const bool is_taken = dvi_view_class(source)->open_cursor == open_cursor;
    const take *below = is_taken ? dvi_view_self(source) : NULL;
    source = below ? below->base.source : source;
    DVI_TRY(dvi_derived_create(&made, sizeof(take), source, allocator, err));
    take *t = made;
    const dv_status status = dvi_arena_alloc(&t->base.arena, &copy, (size_t)n * sizeof *rows, err);
    if (status < 0) {
        dvi_derived_close(t);
        return status;
    }
    t->base.traits = &take_traits;
    t->rows = copy;
    t->n = n;
    for (int64_t i = 0; i < n; i++) {
        t->rows[i] = below ? below->rows[rows[i]] : rows[i];
        t->end_row = dvi_max_i64(t->end_row, t->rows[i] + 1);
    }
    return dvi_derived_view(view_out, &take_class, t, NULL, err);
}
