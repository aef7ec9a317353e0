/* SPDX-License-Identifier: MIT */
/* idv_cursor.c: a cursor over blocks, which threads decode ahead.
 *
 * A step is one block of every active column. Task number step * columns + k opens block `step` of
 * active column k; the window holds `ring` steps. If the values of every column are used as they
 * are stored, no block has to be decoded ahead: such a cursor is direct and has no tasks. It opens
 * several steps at once if their blocks are contiguous. */
#include "base/alloc.h"
#include "base/size.h"
#include "base/tasks.h"
#include "view/batch.h"
#include "scan/cursor.h"
#include "format/idv/read/idv_ahead.h"
#include <inttypes.h>
#include <stdatomic.h>

#define ROWS_WITHOUT_COLUMNS INT64_C(65536)  /* per batch if no column is active */
#define WINDOW_NBYTES (INT64_C(2) << 20)     /* one madvise per so many bytes */
#define RING_ENTRIES_MAX INT64_C(65536)      /* the ring of a very wide table holds fewer steps */
#define CONTIGUOUS_NBYTES (INT64_C(1) << 20) /* of one column in a batch of several blocks */
#define BEHIND_NBYTES (INT64_C(64) << 20)    /* of all columns: left, and not dropped yet */
#define COPIED_NBYTES (INT64_C(256) << 10)   /* of all columns, copied into the CPU's cache */

/* A block that a task has opened. */
typedef struct decoded {
    dvi_idv_opened opened;
    int64_t ahead_nbytes; /* its share of cursor.ahead_nbytes */
} decoded;

typedef struct cursor {
    const dvi_idv_file *file;
    const dv_cursor_request *request;
    int64_t columns; /* active */
    int64_t first_block, steps, step;
    int64_t row;            /* the next row to deliver */
    int64_t steps_most;     /* steps opened at once; 0: the cursor is not direct */
    int64_t steps_before;   /* direct: steps in the last batch */
    dvi_idv_run *runs;      /* direct: one per column; else NULL */
    dvi_idv_opened *opened; /* direct: one per column, once a step is not contiguous */
    int64_t ring;           /* steps in the window */
    dvi_tasks *tasks;       /* the scratch is a dvi_inflater *, NULL: nothing is compressed */
    int64_t room;           /* left of cursor_nbytes for columns that this step has not taken */
    atomic_int_fast64_t ahead_nbytes; /* memory of all blocks that tasks have opened */
    dvi_idv_ahead ahead;
    int64_t read_nbytes; /* of the blocks before `step` */
    int64_t *left;       /* of each active column, for dvi_map_leave; NULL: nothing is dropped */
} cursor;

static const dvi_idv_column *column_of(const cursor *c, int64_t k)
{
    return &c->file->columns[c->request->columns[k]];
}

static dvi_idv_opened *place_of(const cursor *c, int64_t number)
{
    return &((decoded *)dvi_tasks_place(c->tasks, number))->opened;
}

/* The block of column k in this step. */
static dvi_idv_opened *opened_of(const cursor *c, int64_t k)
{
    return c->runs ? &c->opened[k] : place_of(c, c->step * c->columns + k);
}

/* Ask the system to read ahead the column's next block if it is in another window. */
static void advise_next(const cursor *c, int64_t block, const dvi_idv_opened *opened)
{
    if (dvi_map_is_copied(c->file->map) || block + 1 >= c->first_block + c->steps)
        return;
    if (opened->next / WINDOW_NBYTES != opened->block.offset / WINDOW_NBYTES)
        dvi_map_advise(c->file->map, opened->next, opened->next_nbytes);
}

/* Open block `step` of column k, in `room` bytes at most. Any thread may call this. */
static dv_status open_block(const cursor *c, int64_t step, int64_t k, dvi_inflater *inflater,
                            int64_t room, dvi_idv_opened *opened, dv_error *err)
{
    const int64_t block = c->first_block + step;
    const dvi_idv_column *column = column_of(c, k);
    const dvi_idv_how how = {inflater, c->request->zero_copy_only, dvi_request_in_place(c->request),
                             room};
    const dv_status status = dvi_idv_open_block(c->file, column, block, opened, &how, err);
    if (status == DV_OK)
        advise_next(c, block, opened);
    else
        dvi_error_within(err, "column \"%s\", block %" PRId64, dvi_show(column->name).text, block);
    return status;
}

/* The next block may use the memory that the step has left, one ahead what all others leave. */
static dv_status run_task(void *ctx, const dvi_task *task, dv_error *err)
{
    cursor *c = ctx;
    decoded *d = task->place;
    dvi_inflater **inflater = task->scratch;
    const int64_t held = atomic_fetch_sub(&c->ahead_nbytes, d->ahead_nbytes) - d->ahead_nbytes;
    const int64_t room = task->is_next ? c->room : c->file->limits.cursor_nbytes - held;
    const dv_status status = open_block(c, task->number / c->columns, task->number % c->columns,
                                        *inflater, room, &d->opened, err);
    d->ahead_nbytes = d->opened.need;
    atomic_fetch_add(&c->ahead_nbytes, d->ahead_nbytes);
    return status;
}

static void free_decoded(void *ctx, void *place)
{
    (void)ctx;
    dvi_idv_opened_free(&((decoded *)place)->opened);
}

static void free_inflater(void *ctx, void *scratch)
{
    dvi_inflater **inflater = scratch;
    (void)ctx;
    if (*inflater)
        dvi_inflater_free(inflater);
}

/* Do blocks have to be inflated, or their content checked? */
static bool has_work(const cursor *c, bool *is_compressed_out)
{
    bool has = false;
    *is_compressed_out = false;
    for (int64_t k = 0; k < c->columns; k++) {
        const dvi_idv_column *column = column_of(c, k);
        *is_compressed_out |= column->compression != DVI_IDV_STORED;
        has |= column->codec.encoding != DVI_IDV_RAW || column->codec.type.rank > 0;
    }
    return has || *is_compressed_out;
}

/* How many steps a direct cursor reads at once that copies stored values; 0: it is not direct. A
 * step beyond the memory limit is opened column by column, which reports the error. */
static int64_t copied_steps_most(const cursor *c)
{
    const dv_cursor_request *request = c->request;
    int64_t width = 0, nbytes;
    if (request->zero_copy_only || dvi_map_ahead(c->file->map) > 0)
        return 0;
    for (int64_t k = 0; k < c->columns; k++)
        width += dv_kind_width(column_of(c, k)->codec.type.kind);
    if (__builtin_mul_overflow(width, c->file->rpb, &nbytes) ||
        nbytes > c->file->limits.cursor_nbytes)
        return 0;
    return dvi_max_i64(1, dvi_min_i64(COPIED_NBYTES, c->file->limits.cursor_nbytes) / nbytes);
}

/* How many steps a direct cursor opens at once; 0 if a column has to be decoded, or announced. */
static int64_t steps_most(const cursor *c)
{
    int64_t widest = 1;
    bool is_compressed;
    if (has_work(c, &is_compressed))
        return 0;
    if (dvi_map_is_copied(c->file->map))
        return copied_steps_most(c);
    for (int64_t k = 0; k < c->columns; k++)
        widest = dvi_max_i64(widest, dv_kind_width(column_of(c, k)->codec.type.kind));
    return dvi_max_i64(1, CONTIGUOUS_NBYTES / widest / c->file->rpb);
}

static dv_status make_inflaters(cursor *c, int32_t n, dv_error *err)
{
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(dvi_inflater_create(dvi_tasks_scratch(c->tasks, i), err));
    return DV_OK;
}

static dv_status set_up(cursor *c, dv_error *err)
{
    const dv_cursor_request *request = c->request;
    const dv_allocator *allocator = &c->file->allocator;
    const size_t columns = (size_t)c->columns;
    const int64_t rpb = c->file->rpb;
    bool is_compressed;
    c->first_block = request->first_row / rpb;
    c->steps = (request->end_row - 1) / rpb - c->first_block + 1;
    const int64_t count = c->steps * c->columns;
    const int64_t most = has_work(c, &is_compressed) ? request->threads : 1;
    const int32_t workers = (int32_t)dvi_min_i64(most, count) - 1;
    c->ring = dvi_min_i64(
        c->steps, dvi_min_i64(dvi_tasks_window(workers), RING_ENTRIES_MAX / c->columns + 1));
    c->ahead.least = c->ring;

    if (c->file->limits.drop_behind)
        DVI_TRY(DVI_NEW(allocator, &c->left, columns, err));
    c->steps_most = steps_most(c);
    if (c->steps_most > 0)
        return DVI_NEW(allocator, &c->runs, columns, err);
    const dvi_tasks_how how = {.ctx = c,
                               .run = run_task,
                               .place_nbytes = sizeof(decoded),
                               .scratch_nbytes = sizeof(dvi_inflater *),
                               .free_place = free_decoded,
                               .free_scratch = free_inflater,
                               .workers = workers,
                               .window = c->ring * c->columns,
                               .count = count};
    DVI_TRY(dvi_tasks_create(&c->tasks, &how, allocator, err));
    return is_compressed ? make_inflaters(c, workers + 1, err) : DV_OK;
}

dv_status dvi_idv_open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                              dv_error *err)
{
    const dvi_idv_file *file = self;
    cursor *c;
    *cursor_out = NULL;
    DVI_TRY(DVI_NEW(&file->allocator, &c, 1, err));
    c->file = file;
    c->request = request;
    c->columns = request->columns_count;
    c->row = request->first_row;
    const dv_status status = c->columns > 0 ? set_up(c, err) : DV_OK;
    if (status < 0)
        dvi_idv_close_cursor(c);
    else
        *cursor_out = c;
    return status;
}

/* Drop what lies before the blocks of the step, of each column. */
static void leave_before(const cursor *c)
{
    const int64_t least = dvi_min_i64(BEHIND_NBYTES / c->columns, DVI_LEAVE_NBYTES);
    for (int64_t k = 0; c->left && k < c->columns; k++) {
        const int64_t offset = c->runs ? c->runs[k].offset : opened_of(c, k)->block.offset;
        dvi_map_leave(c->file->map, &c->left[k], offset, least);
    }
}

static void leave(const cursor *c, int64_t k, int64_t offset, int64_t nbytes)
{
    if (nbytes == 0)
        return;
    dvi_map_leave(c->file->map, &c->left[k], offset, 1);
    dvi_map_leave(c->file->map, &c->left[k], offset + nbytes, 1);
}

/* Drop the blocks that are open, and what lies before them. */
static void leave_all(const cursor *c)
{
    for (int64_t k = 0; c->left && c->runs && k < c->columns; k++)
        leave(c, k, c->runs[k].offset, c->runs[k].nbytes);
    for (int64_t i = 0; c->left && c->tasks && i < c->ring * c->columns; i++) {
        const dvi_idv_block *block = &place_of(c, i)->block;
        leave(c, i % c->columns, block->offset, (int64_t)block->stored);
    }
}

void dvi_idv_close_cursor(void *ctx)
{
    cursor *c = ctx;
    const dv_allocator *allocator = &c->file->allocator;
    dvi_tasks_stop(c->tasks);
    leave_all(c);
    dvi_tasks_free(&c->tasks);
    dvi_idv_ahead_free(&c->ahead);
    for (int64_t k = 0; c->opened && k < c->columns; k++)
        dvi_idv_opened_free(&c->opened[k]);
    for (int64_t k = 0; c->runs && k < c->columns; k++)
        dvi_memory_release(&c->runs[k].stored);
    dvi_free(allocator, c->opened, (size_t)c->columns * sizeof *c->opened);
    dvi_free(allocator, c->runs, (size_t)c->columns * sizeof *c->runs);
    dvi_free(allocator, c->left, (size_t)c->columns * sizeof *c->left);
    dvi_free(allocator, c, sizeof *c);
}

/* Take every column of the step. They share the memory limit, whichever thread opened them. */
static dv_status take_step(cursor *c, dv_error *err)
{
    c->room = c->file->limits.cursor_nbytes;
    dvi_idv_announce(&c->ahead, c->file, c->request->columns, c->columns, c->first_block, c->steps,
                     c->step, c->read_nbytes);
    for (int64_t k = 0; k < c->columns; k++) {
        dvi_inflater **inflater = dvi_tasks_scratch(c->tasks, 0);
        dvi_idv_opened *opened = opened_of(c, k);
        DVI_TRY(dvi_tasks_take(c->tasks, c->step * c->columns + k, NULL, err));
        if (opened->need > c->room)
            DVI_TRY(open_block(c, c->step, k, *inflater, c->room, opened, err));
        c->room -= opened->need;
    }
    return dvi_map_check(c->file->map, err); /* the file may have shrunk since */
}

/* Fill the batch with the requested rows of the step's blocks. */
static void fill(const cursor *c, dv_batch *batch, int64_t skip)
{
    for (int64_t k = 0; k < c->columns; k++) {
        dvi_column rows_view;
        dvi_column_assign(&rows_view, &opened_of(c, k)->column.view);
        if (skip > 0)
            dvi_column_advance(&rows_view.view, skip);
        dvi_column_limit(&rows_view.view, batch->rows);
        dvi_batch_set_slot(batch, (int32_t)k, &rows_view.view);
    }
}

/* --- Direct cursors --------------------------------------------------------------------------- */

/* Open block by block, so that an invalid block is reported. */
static dv_status open_step(cursor *c, dv_error *err)
{
    int64_t room = c->file->limits.cursor_nbytes;
    if (!c->opened)
        DVI_TRY(DVI_NEW(&c->file->allocator, &c->opened, (size_t)c->columns, err));
    for (int64_t k = 0; k < c->columns; k++) {
        dvi_idv_opened *opened = &c->opened[k];
        DVI_TRY(open_block(c, c->step, k, NULL, room, opened, err));
        room -= opened->need;
        c->runs[k].offset = opened->block.offset;
        c->runs[k].nbytes = (int64_t)opened->block.stored;
    }
    return DV_OK;
}

/* Ask the system to read ahead the window after the blocks that are open. */
static void advise_after(const cursor *c, const dvi_idv_run *run, int64_t next_block)
{
    const dvi_idv_series *s = &run->series;
    if (dvi_map_is_copied(c->file->map) || next_block >= s->first + s->blocks ||
        next_block >= c->first_block + c->steps)
        return;
    const int64_t next = s->offset + (next_block - s->first) * s->distance;
    if (next / WINDOW_NBYTES != run->offset / WINDOW_NBYTES)
        dvi_map_advise(c->file->map, next, WINDOW_NBYTES);
}

/* How many steps from the next one on are contiguous; 0: the step is to be opened block by block.
 */
static int64_t count_contiguous(const cursor *c)
{
    bool is_checked = false;
    int64_t n = dvi_min_i64(c->steps_most, c->steps - c->step);
    if (dvi_map_is_copied(c->file->map)) /* who wants few rows must not wait for many bytes */
        n = dvi_min_i64(n, 2 * c->steps_before + 1);
    for (int64_t k = 0; k < c->columns && n > 0; k++)
        n = dvi_idv_count_contiguous(c->file, column_of(c, k), c->first_block + c->step, n,
                                     &c->runs[k], &is_checked);
    return n;
}

/* Fill the batch with the requested rows of n contiguous blocks. Checks the file's length once;
 * before that, once more if lookup entries were read. */
static dv_status fill_contiguous(const cursor *c, dv_batch *batch, int64_t n, int64_t skip,
                                 dv_error *err)
{
    const int64_t block = c->first_block + c->step;
    for (int64_t k = 0; k < c->columns; k++) {
        dv_column_view rows_view;
        dvi_idv_run *run = &c->runs[k];
        DVI_TRY(dvi_idv_open_contiguous(c->file, column_of(c, k), block, n, run, &rows_view, err));
        advise_after(c, run, block + n);
        if (skip > 0)
            dvi_column_advance(&rows_view, skip);
        dvi_column_limit(&rows_view, batch->rows);
        dvi_batch_set_slot(batch, (int32_t)k, &rows_view);
    }
    return dvi_map_check(c->file->map, err);
}

/* --- Batches ---------------------------------------------------------------------------------- */

/* What was announced before has been read. */
static void count_read(cursor *c)
{
    for (int64_t k = 0; k < c->columns; k++)
        c->read_nbytes += (int64_t)opened_of(c, k)->block.stored;
}

/* Fill the batch with rows of the next blocks. *steps_out: of how many steps they are. */
static dv_status fill_next(cursor *c, dv_batch *batch, int64_t *steps_out, dv_error *err)
{
    const int64_t contiguous = c->runs ? count_contiguous(c) : 0;
    if (contiguous == 0)
        DVI_TRY(c->runs ? open_step(c, err) : take_step(c, err));
    const int64_t steps = *steps_out = dvi_max_i64(contiguous, 1);
    const int64_t block = c->first_block + c->step, last = block + steps - 1;
    const int64_t skip = c->row - block * c->file->rpb;
    const int64_t opened = (last - block) * c->file->rpb + dvi_idv_block_rows(c->file, last);
    const int64_t rows = dvi_min_i64(c->request->end_row - c->row, opened - skip);
    DVI_TRY(dv_batch_start(batch, c->row, rows, err));
    if (contiguous > 0)
        return fill_contiguous(c, batch, contiguous, skip, err);
    fill(c, batch, skip);
    return DV_OK;
}

dv_status dvi_idv_next(void *ctx, dv_batch *batch, dv_error *err)
{
    cursor *c = ctx;
    int64_t steps;
    const int64_t left = c->request->end_row - c->row;
    if (left == 0)
        return DV_END;
    if (c->columns == 0) {
        DVI_TRY(dv_batch_start(batch, c->row, dvi_min_i64(left, ROWS_WITHOUT_COLUMNS), err));
        c->row += batch->rows;
        return DV_OK;
    }
    if (c->tasks)
        dvi_tasks_give_back(c->tasks, c->step * c->columns);
    const dv_status status = fill_next(c, batch, &steps, err);
    if (status < 0) {
        dvi_error_set_file(err, dvi_map_name(c->file->map));
        return status;
    }
    leave_before(c);
    if (!c->runs)
        count_read(c);
    c->row += batch->rows;
    c->step += steps;
    c->steps_before = steps;
    return DV_OK;
}
