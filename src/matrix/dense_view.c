/* SPDX-License-Identifier: MIT */
/* dense_view.c: fills the caller's matrix from the rows of a view.
 *
 * Where rows are reached by number, the matrix is cut into parts of whole blocks, or of less where
 * there are fewer blocks than threads. Each thread has a cursor, with which it goes from
 * part to part (scan/row_parts.h). Rows in an order of their own, of columns that are in place,
 * need no cursor: their values are copied from where they lie. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "scan/cursor.h"
#include "scan/read_batches.h"
#include "scan/row_parts.h"
#include "scan/token.h"
#include "gather/places.h"
#include "matrix/dense.h"
#include "matrix/matrix.h"
#include <inttypes.h>

#define PART_NBYTES (INT64_C(1) << 18)  /* roughly; a part of this size repays moving a cursor */
#define BATCH_NBYTES (INT64_C(1) << 20) /* a batch of this size stays in the second cache */
#define ROWS_AT_ONCE 256

/* A matrix that is being filled. */
typedef struct job {
    dv_view *view;
    dv_cursor_options rows; /* the caller's, without a token; batch_rows is ours */
    const dv_dense_options *options;
    dvi_matrix to;
    int64_t room;       /* rows of the matrix */
    int64_t first, end; /* rows of the view; end INT64_MAX if it is unknown */
    int64_t job_rows;   /* dvi_view_job_rows of the columns */
    bool is_known;      /* are these rows there? */
    int32_t threads;
    dvi_places *places; /* the columns from left to right; NULL: cursors read them */
    int32_t places_count;
} job;

/* --- Rows ------------------------------------------------------------------------------------- */

/* Write a batch into the rows from `row` of the matrix on. */
static dv_status write_batch(const job *j, const dv_batch *batch, int64_t row, dv_error *err)
{
    const size_t pitch = j->to.stride * (size_t)dv_kind_width(j->to.item);
    void *const dst = j->to.dst ? (uint8_t *)j->to.dst + (size_t)row * pitch : NULL;
    return dvi_dense_rows(batch, row, dst, j->to.stride, j->to.item, j->options, NULL, err);
}

static dv_status fail_count(const job *j, dv_error *err)
{
    return dvi_row_parts_fail_count(j->view, j->end - j->first, err);
}

static dv_status fail_room(const job *j, const char *least, int64_t rows, dv_error *err)
{
    return dvi_fail(err, DV_ERR_LIMIT, "rows_room", -1, "rows",
                    "at most %" PRId64 " (rows_room)|%" PRId64 "%s", j->room, rows, least);
}

/* --- In order --------------------------------------------------------------------------------- */

typedef struct in_order {
    const job *j;
    int64_t rows; /* so far */
} in_order;

static dv_status write_in_order(void *ctx, const dv_batch *batch, dv_error *err)
{
    in_order *o = ctx;
    const job *j = o->j;
    const int64_t row = o->rows;
    o->rows += batch->rows;
    if (o->rows > j->room)
        return j->is_known ? fail_count(j, err) : fail_room(j, " or more", o->rows, err);
    return write_batch(j, batch, row, err);
}

static dv_status fill_in_order(const job *j, int64_t *rows_out, dv_error *err)
{
    in_order o = {.j = j};
    const dv_status status = dvi_read_batches(j->view, &j->rows, write_in_order, &o, err);
    *rows_out = o.rows;
    return status == DV_OK && j->is_known && o.rows != j->end - j->first ? fail_count(j, err)
                                                                         : status;
}

/* --- In parts --------------------------------------------------------------------------------- */

/* Rows of a part that repay moving a cursor: one, if it is slow to make and moving decodes no other
 * blocks. */
static int64_t least_rows(const job *j)
{
    const int64_t slots = dvi_max_i64((int64_t)j->to.width, 1); /* checked: they fit in memory */
    const int64_t rows = PART_NBYTES / (slots * dv_kind_width(j->to.item));
    const bool is_single = j->job_rows > 0 && !dvi_view_decodes_far_blocks(j->view);
    return is_single ? 1 : dvi_max_i64(rows, 1);
}

/* The rows of a part: whole blocks, so that none is decoded for two parts. With fewer blocks than
 * threads, a block is cut all the same: to decode it twice takes no longer than to leave a thread
 * idle, and what steps make of it (pictures, say) may cost far more. A file may claim blocks of
 * more rows than it has. */
static int64_t part_rows_of(const job *j, int64_t block_rows)
{
    const int64_t least = least_rows(j);
    const int64_t rows = block_rows < least ? least / block_rows * block_rows : block_rows;
    const int64_t share = (j->end - j->first - 1) / j->threads + 1;
    return dvi_min_i64(rows, dvi_max_i64(share, least));
}

static void choose(void *ctx, int64_t pass, dv_cursor_options *options)
{
    const job *j = ctx;
    (void)pass;
    *options = j->rows;
    options->threads = 1;
}

static dv_status add_batch(void *ctx, const dvi_row_part *part, const dv_batch *batch, int64_t row,
                           dv_error *err)
{
    const job *j = ctx;
    (void)part;
    return write_batch(j, batch, row - j->first, err);
}

/* Copy rows from where they lie. DV_NOT_FOUND: some do not lie there. */
static dv_status copy_rows(const job *j, int64_t at, int64_t n, dv_error *err)
{
    int64_t rows[ROWS_AT_ONCE];
    const size_t pitch = j->to.stride * (size_t)dv_kind_width(j->to.item);
    uint8_t *dst = (uint8_t *)j->to.dst + (size_t)(at - j->first) * pitch;
    const dvi_view_traits *traits = dvi_view_traits_of(j->view);
    if (traits->renumber(dvi_view_self(j->view), j->rows.epoch, at, rows, n) != n)
        return DV_NOT_FOUND;
    return dvi_places_read(j->places, 0, j->places_count, rows, n, dst, pitch, NULL, err);
}

/* DV_END: the part is copied. DV_OK: a cursor reads it. */
static dv_status copy_part(void *ctx, const dvi_row_part *part, dv_error *err)
{
    const job *j = ctx;
    dv_status status = j->places ? DV_END : DV_OK;
    for (int64_t at = part->first, n; status == DV_END && at < part->end; at += n) {
        n = dvi_min_i64(part->end - at, ROWS_AT_ONCE);
        if (dvi_task_is_unwanted(part->task))
            return DV_END;
        const dv_status copied = copy_rows(j, at, n, err);
        status = copied == DV_OK ? DV_END : copied == DV_NOT_FOUND ? DV_OK : copied;
    }
    return status;
}

static dv_status fill_parts(job *j, int64_t block_rows, dv_error *err)
{
    const dvi_row_parts parts = {.ctx = j,
                                 .view = j->view,
                                 .first = j->first,
                                 .end = j->end,
                                 .part_rows = part_rows_of(j, block_rows),
                                 .passes = 1,
                                 .threads = j->threads,
                                 .choose = choose,
                                 .begin = copy_part,
                                 .add = add_batch,
                                 .progress = &j->rows.progress,
                                 .lost = "matrix not filled"};
    return dvi_row_parts_read(&parts, err);
}

/* --- Public functions ------------------------------------------------------------------------- */

/* Find out whether all columns can be copied from where they lie. */
static dv_status open_places(job *j, const int32_t *active, int32_t n,
                             const dv_dense_options *options, dv_error *err)
{
    const dvi_view_traits *traits = dvi_view_traits_of(j->view);
    const dv_schema *schema = dv_view_schema(j->view);
    const dv_allocator *allocator = dvi_view_allocator(j->view);
    int32_t *columns;
    if (!traits->renumber || options->na != DV_DENSE_NA_KEEP || j->rows.zero_copy_only ||
        (options->columns && options->columns_count != n))
        return DV_OK;
    DVI_TRY(DVI_NEW(allocator, &columns, (size_t)n, err));
    bool are_own = true;
    for (int32_t k = 0; k < n; k++) {
        columns[k] = active[options->columns ? options->columns[k] : k];
        const dv_type *type = &dv_schema_column(schema, columns[k])->type;
        const size_t width = options->widths ? options->widths[k] : 0;
        are_own &= type->rank == 0 && dvi_dense_is_own(type, j->to.item, width);
    }
    dv_status status = DV_NOT_FOUND;
    if (are_own)
        status = dvi_places_open(&j->places, traits->reordered(dvi_view_self(j->view)), columns, n,
                                 allocator, err);
    j->places_count = n;
    dvi_free(allocator, columns, (size_t)n * sizeof *columns);
    return status == DV_NOT_FOUND ? DV_OK : status;
}

static dv_status look_at_columns(job *j, const dv_dense_options *options, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(j->view);
    const dv_allocator *allocator = dvi_view_allocator(j->view);
    int32_t *active, n;
    dv_status status = dvi_cursor_read_columns(schema, &j->rows, allocator, &active, &n, err);
    if (status == DV_OK)
        status = dvi_dense_sum_widths(&j->to.width, schema, active, n, options, j->to.item, err);
    if (status == DV_OK)
        j->job_rows = dvi_view_job_rows(j->view, active, n);
    if (status == DV_OK && j->to.dst)
        status = open_places(j, active, n, options, err);
    dvi_free(allocator, active, (size_t)n * sizeof *active);
    return status;
}

/* Large rows that steps make come a few at a time: they are copied while the cache holds them, and
 * their memory is used again.  0: as they come. */
static int64_t batch_rows_of(const job *j)
{
    const int64_t slots = dvi_max_i64((int64_t)j->to.width, 1); /* checked: they fit in memory */
    const int64_t few = dvi_max_i64(BATCH_NBYTES / (slots * dv_kind_width(j->to.item)), 1);
    return few < j->job_rows ? few : 0;
}

/* Check everything that can be known before a row is read. */
static dv_status plan(job *j, const dv_cursor_options *cursor, const dv_dense_options *given,
                      dv_error *err)
{
    dv_dense_options options;
    dvi_position ignored;
    DVI_TRY(dvi_cursor_read_options(cursor, &j->rows, err));
    DVI_TRY(dvi_dense_read_options(given, &options, err));
    DVI_REQUIRE(j->room >= 0,
                dvi_fail_argument(err, "rows_room is %" PRId64 ": negative", j->room));
    DVI_TRY(look_at_columns(j, &options, err));
    DVI_TRY(dvi_matrix_check(&j->to, j->room, err));
    DVI_TRY(dvi_token_apply(&ignored, &j->rows, j->view, err));
    j->rows.batch_rows = batch_rows_of(j);
    j->rows.ids = false;
    j->threads = dvi_cursor_read_threads(&j->rows);
    j->is_known = dv_view_rows(j->view) >= 0;
    dvi_cursor_read_rows(j->view, &j->rows, &j->first, &j->end);
    return DV_OK;
}

dv_status dv_view_dense(dv_view *view, dv_kind items, void *dst, int64_t rows_room, size_t stride,
                        const dv_cursor_options *cursor, const dv_dense_options *options,
                        int64_t *rows_out, dv_error *err)
{
    job j = {.view = view,
             .options = options,
             .to = {.dst = dst, .stride = stride, .item = items},
             .room = rows_room};
    int64_t rows = 0;
    dv_status status = plan(&j, cursor, options, err);
    if (rows_out)
        *rows_out = 0;
    if (status < 0) {
        dvi_places_free(&j.places);
        return status;
    }
    const int64_t block_rows = dv_view_block_rows(view), all = j.end - j.first;
    if (j.is_known && all > rows_room) {
        rows = all;
        status = fail_room(&j, "", rows, err);
    } else if (j.is_known && all > 0 && block_rows > 0) {
        status = fill_parts(&j, block_rows, err);
        rows = all;
    } else {
        status = fill_in_order(&j, &rows, err);
    }
    dvi_places_free(&j.places);
    const bool is_told = status == DV_OK || rows > rows_room;
    if (rows_out && is_told)
        *rows_out = rows;
    return status;
}
