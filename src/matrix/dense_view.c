/* SPDX-License-Identifier: MIT */
/* dense_view.c: fills the caller's matrix from the rows of a view.
 *
 * Where rows are reached by number, the matrix is cut into parts of whole blocks, or of less where
 * there are fewer blocks than threads. Each part is a task, and each thread has a cursor, with
 * which it goes from part to part. Rows in an order of their own, of columns that are in place,
 * need no cursor: their values are copied from where they lie. */
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "view/cursor.h"
#include "view/places.h"
#include "view/token.h"
#include "view/view.h"
#include "matrix/dense.h"
#include "matrix/matrix.h"
#include "scan/tasks.h"
#include <inttypes.h>

#define PART_NBYTES (INT64_C(1) << 18)  /* of the matrix, roughly: repays moving a cursor */
#define BATCH_NBYTES (INT64_C(1) << 20) /* of the matrix: it stays in the second cache */
#define ROWS_AT_ONCE 256

/* A matrix that is being filled. */
typedef struct job {
    dv_view *view;
    dv_cursor_options rows; /* of the caller, without a token; batch_rows is ours */
    const dv_dense_options *options;
    dvi_matrix to;
    int64_t room;       /* rows of the matrix */
    int64_t first, end; /* rows of the view; end INT64_MAX if it is unknown */
    int64_t job_rows;   /* dvi_view_job_rows of the columns */
    bool is_known;      /* are these rows there? */
    int32_t threads;
    int64_t part_rows, parts;
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

static dv_status fail_count(const job *j, int64_t rows, dv_error *err)
{
    return dvi_fail_argument(err,
                             "view %s: its cursor delivered another number of rows than %" PRId64,
                             dv_view_kind(j->view), rows);
}

static dv_status fail_room(const job *j, const char *least, int64_t rows, dv_error *err)
{
    return dvi_fail(err, DV_ERR_LIMIT, "rows_room", -1, "rows",
                    "at most %" PRId64 " (rows_room)|%" PRId64 "%s", j->room, rows, least);
}

/* --- In order --------------------------------------------------------------------------------- */

static dv_status write_in_order(const job *j, dv_cursor *cursor, int64_t *rows, dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        const int64_t row = *rows;
        *rows += batch->rows;
        if (*rows > j->room)
            return j->is_known ? fail_count(j, j->end - j->first, err)
                               : fail_room(j, " or more", *rows, err);
        DVI_TRY(write_batch(j, batch, row, err));
    }
    if (status == DV_END && j->is_known && *rows != j->end - j->first)
        return fail_count(j, j->end - j->first, err);
    return status == DV_END ? DV_OK : status;
}

static dv_status fill_in_order(const job *j, int64_t *rows, dv_error *err)
{
    dv_cursor *cursor;
    DVI_TRY(dv_cursor_open(&cursor, j->view, &j->rows, err));
    const dv_status status = write_in_order(j, cursor, rows, err);
    dv_cursor_close(&cursor);
    return status;
}

/* --- In parts --------------------------------------------------------------------------------- */

/* Rows of a part that repay moving a cursor: one, if it takes long, and moving decodes no other
 * blocks. */
static int64_t least_rows(const job *j)
{
    const int64_t slots = dvi_max_i64((int64_t)j->to.width, 1); /* checked: they fit in memory */
    const int64_t rows = PART_NBYTES / (slots * dv_kind_width(j->to.item));
    const bool is_single = j->job_rows > 0 && !dvi_view_decodes_far_blocks(j->view);
    return is_single ? 1 : dvi_max_i64(rows, 1);
}

/* Whole blocks, so that none is decoded for two parts. With fewer blocks than threads, a block is
 * cut all the same: to decode it twice takes no longer than to leave a thread idle, and what steps
 * make of it (pictures, say) may cost far more. A file may claim blocks of more rows than it has.
 */
static void cut(job *j, int64_t block_rows)
{
    const int64_t least = least_rows(j);
    const int64_t rows = block_rows < least ? least / block_rows * block_rows : block_rows;
    const int64_t share = (j->end - j->first - 1) / j->threads + 1;
    j->part_rows = dvi_min_i64(rows, dvi_max_i64(share, least));
    j->parts = (j->end - 1) / j->part_rows - j->first / j->part_rows + 1;
}

/* The rows of a part. */
static void find_part(const job *j, int64_t part, int64_t *from_out, int64_t *to_out)
{
    const int64_t from = (j->first / j->part_rows + part) * j->part_rows;
    *to_out = j->end - from > j->part_rows ? from + j->part_rows : j->end;
    *from_out = dvi_max_i64(from, j->first);
}

/* Move the cursor of a thread, which is opened by its first part. */
static dv_status move_to(const job *j, dv_cursor **cursor, int64_t from, int64_t to, dv_error *err)
{
    if (*cursor)
        return dvi_cursor_seek(*cursor, from, to, err);
    dv_cursor_options options = j->rows;
    options.first_row = from;
    options.end_row = to;
    options.skip = 0;
    options.take = -1;
    options.threads = 1;
    options.progress = (dv_progress){NULL, NULL};
    return dv_cursor_open(cursor, j->view, &options, err);
}

static dv_status read_part(const job *j, const dvi_task *task, dv_cursor **cursor, dv_error *err)
{
    int64_t at, to;
    find_part(j, task->number, &at, &to);
    const int64_t rows = to - at;
    DVI_TRY(move_to(j, cursor, at, to, err));
    while (at < to && !dvi_task_is_unwanted(task)) {
        const dv_batch *batch;
        const dv_status status = dv_cursor_next(*cursor, &batch, err);
        if (status == DV_END || (status == DV_OK && batch->rows > to - at))
            return fail_count(j, rows, err);
        DVI_TRY(status);
        DVI_TRY(write_batch(j, batch, at - j->first, err));
        at += batch->rows;
    }
    return DV_OK;
}

/* Copy rows from where they lie. DV_NOT_FOUND: some do not lie there. */
static dv_status copy_rows(const job *j, int64_t at, int64_t n, dv_error *err)
{
    int64_t rows[ROWS_AT_ONCE];
    const size_t pitch = j->to.stride * (size_t)dv_kind_width(j->to.item);
    uint8_t *dst = (uint8_t *)j->to.dst + (size_t)(at - j->first) * pitch;
    if (dvi_view_traits_of(j->view)->renumber(dvi_view_self(j->view), at, rows, n) != n)
        return DV_NOT_FOUND;
    return dvi_places_read(j->places, 0, j->places_count, rows, n, dst, pitch, NULL, err);
}

/* task: NULL: the caller's thread copies the only part. */
static dv_status copy_part(const job *j, int64_t part, const dvi_task *task, dv_error *err)
{
    int64_t at, to;
    dv_status status = DV_OK;
    find_part(j, part, &at, &to);
    for (int64_t n; status == DV_OK && at < to && !(task && dvi_task_is_unwanted(task)); at += n) {
        n = dvi_min_i64(to - at, ROWS_AT_ONCE);
        status = copy_rows(j, at, n, err);
    }
    return status;
}

static dv_status run_part(void *ctx, const dvi_task *task, dv_error *err)
{
    const job *j = ctx;
    dv_cursor **const cursor = task->scratch;
    dv_status status = j->places ? copy_part(j, task->number, task, err) : DV_NOT_FOUND;
    if (status == DV_NOT_FOUND)
        status = read_part(j, task, cursor, err);
    if (status < 0)
        dv_cursor_close(cursor);
    return status;
}

static dv_status report(const job *j, int64_t rows, dv_error *err)
{
    return dvi_report_progress(&j->rows.progress, "matrix not filled", rows, j->end - j->first,
                               err);
}

static dv_status take_parts(const job *j, dvi_tasks *tasks, dv_error *err)
{
    for (int64_t part = 0; part < j->parts; part++) {
        int64_t from, to;
        DVI_TRY(dvi_tasks_take(tasks, part, NULL, err));
        dvi_tasks_give_back(tasks, part + 1);
        find_part(j, part, &from, &to);
        DVI_TRY(report(j, to - j->first, err));
    }
    return DV_OK;
}

static dv_status fill_parts(job *j, dv_error *err)
{
    const int32_t workers = (int32_t)dvi_min_i64(j->threads, j->parts) - 1;
    const dvi_tasks_how how = {.ctx = j,
                               .run = run_part,
                               .scratch_nbytes = sizeof(dv_cursor *),
                               .free_scratch = dvi_cursor_close_scratch,
                               .workers = workers,
                               .window = 2 * ((int64_t)workers + 1),
                               .count = j->parts};
    dvi_tasks *tasks;
    DVI_TRY(report(j, 0, err));
    if (j->places && j->parts == 1) { /* a few rows: without the memory of tasks */
        const dv_status status = copy_part(j, 0, NULL, err);
        if (status != DV_NOT_FOUND)
            return status == DV_OK ? report(j, j->end - j->first, err) : status;
    }
    DVI_TRY(dvi_tasks_create(&tasks, &how, dvi_view_allocator(j->view), err));
    const dv_status status = take_parts(j, tasks, err);
    dvi_tasks_free(&tasks);
    return status;
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

static dv_status dense_view(dv_view *view, const dvi_matrix *to, int64_t rows_room,
                            const dv_cursor_options *cursor, const dv_dense_options *options,
                            int64_t *rows_out, dv_error *err)
{
    job j = {.view = view, .options = options, .to = *to, .room = rows_room};
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
        cut(&j, block_rows);
        status = fill_parts(&j, err);
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

dv_status dv_view_dense_f4(dv_view *view, float *dst, int64_t rows_room, size_t stride,
                           const dv_cursor_options *cursor, const dv_dense_options *options,
                           int64_t *rows_out, dv_error *err)
{
    const dvi_matrix to = {.dst = dst, .stride = stride, .item = DV_KIND_R4};
    return dense_view(view, &to, rows_room, cursor, options, rows_out, err);
}

dv_status dv_view_dense_f8(dv_view *view, double *dst, int64_t rows_room, size_t stride,
                           const dv_cursor_options *cursor, const dv_dense_options *options,
                           int64_t *rows_out, dv_error *err)
{
    const dvi_matrix to = {.dst = dst, .stride = stride, .item = DV_KIND_R8};
    return dense_view(view, &to, rows_room, cursor, options, rows_out, err);
}

dv_status dv_view_dense_i8(dv_view *view, int64_t *dst, int64_t rows_room, size_t stride,
                           const dv_cursor_options *cursor, const dv_dense_options *options,
                           int64_t *rows_out, dv_error *err)
{
    const dvi_matrix to = {.dst = dst, .stride = stride, .item = DV_KIND_I8};
    return dense_view(view, &to, rows_room, cursor, options, rows_out, err);
}
