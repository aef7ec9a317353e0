/* SPDX-License-Identifier: MIT */
/* row_parts.c: each part of the rows is a task, whose thread moves its own cursor there. */
#include "scan/row_parts.h"
#include "base/check.h"
#include "base/size.h"
#include "view/view.h"
#include "scan/cursor.h"
#include <inttypes.h>

/* --- Progress --------------------------------------------------------------------------------- */

void dvi_row_count_add(dvi_row_count *c, int64_t rows)
{
    atomic_fetch_add(&c->done, rows);
}

dv_status dvi_row_count_report(dvi_row_count *c)
{
    const dv_progress *progress = c->progress;
    c->reported = dvi_max_i64(c->reported, atomic_load(&c->done));
    if (progress->report && !atomic_load(&c->is_stopped) &&
        !progress->report(progress->ctx, c->reported, c->all))
        atomic_store(&c->is_stopped, true);
    return atomic_load(&c->is_stopped) ? DV_END : DV_OK;
}

dv_status dvi_row_count_end(const dvi_row_count *c, dv_status status, dv_error *err)
{
    if (status < 0 || !atomic_load(&c->is_stopped))
        return status;
    return dvi_fail(err, DV_ERR_STOPPED, "", -1, c->lost, "%s", "stopped on request");
}

dv_status dvi_row_parts_fail_count(const dv_view *view, int64_t rows, dv_error *err)
{
    return dvi_fail_argument(err,
                             "view %s: its cursor delivered another number of rows than %" PRId64,
                             dv_view_kind(view), rows);
}

/* --- One part --------------------------------------------------------------------------------- */

typedef struct reading {
    const dvi_row_parts *how;
    int64_t parts; /* in each pass */
    dvi_row_count count;
} reading;

/* The cursor of a thread. */
typedef struct reader {
    dv_cursor *cursor;
    int64_t pass; /* for which it was opened */
} reader;

static dvi_row_part part_of(const reading *r, const dvi_task *task)
{
    const dvi_row_parts *how = r->how;
    const int64_t part = (how->first - how->origin) / how->part_rows + task->number % r->parts;
    const int64_t from = how->origin + part * how->part_rows;
    return (dvi_row_part){.pass = task->number / r->parts,
                          .first = dvi_max_i64(from, how->first),
                          .end =
                              how->end - from > how->part_rows ? from + how->part_rows : how->end,
                          .place = task->place,
                          .task = task};
}

/* Move the cursor of a thread, which is opened by its first part of a pass. */
static dv_status move_to(const reading *r, const dvi_row_part *part, reader *own, dv_error *err)
{
    if (own->cursor && own->pass == part->pass)
        return dvi_cursor_seek(own->cursor, part->first, part->end, err);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor_close(&own->cursor);
    own->pass = part->pass;
    r->how->choose(r->how->ctx, part->pass, &options);
    options.first_row = part->first;
    options.end_row = part->end;
    options.skip = 0;
    options.take = -1;
    options.progress = (dv_progress){NULL, NULL};
    return dv_cursor_open(&own->cursor, r->how->view, &options, err);
}

/* *at: the next row. */
static dv_status read_rows(reading *r, const dvi_row_part *part, dv_cursor *cursor, int64_t *at,
                           dv_error *err)
{
    const bool reports = part->task->is_caller && r->how->reports_batches;
    while (*at < part->end && !dvi_task_is_unwanted(part->task)) {
        const dv_batch *batch;
        const dv_status status = dv_cursor_next(cursor, &batch, err);
        if (status == DV_END || (status == DV_OK && batch->rows > part->end - *at))
            return dvi_row_parts_fail_count(r->how->view, part->end - part->first, err);
        DVI_TRY(status);
        DVI_TRY(r->how->add(r->how->ctx, part, batch, *at, err));
        *at += batch->rows;
        dvi_row_count_add(&r->count, batch->rows);
        if (reports)
            dvi_row_count_report(&r->count);
        if (atomic_load(&r->count.is_stopped))
            return DV_END;
    }
    return DV_OK;
}

static dv_status run_part(void *ctx, const dvi_task *task, dv_error *err)
{
    reading *r = ctx;
    reader *own = task->scratch;
    const dvi_row_part part = part_of(r, task);
    int64_t at = part.first;
    dv_status status = r->how->begin ? r->how->begin(r->how->ctx, &part, err) : DV_OK;
    if (status == DV_END) {
        dvi_row_count_add(&r->count, part.end - part.first);
        return DV_OK;
    }
    if (status == DV_OK && at < part.end)
        status = move_to(r, &part, own, err);
    if (status == DV_OK)
        status = read_rows(r, &part, own->cursor, &at, err);
    if (status < 0) { /* the part may come again */
        dvi_row_count_add(&r->count, part.first - at);
        dv_cursor_close(&own->cursor);
    }
    return status;
}

/* --- All parts -------------------------------------------------------------------------------- */

static dv_status take_part(void *ctx, const dvi_task *task, dv_error *err)
{
    reading *r = ctx;
    const dvi_row_part part = part_of(r, task);
    if (r->how->take)
        DVI_TRY(r->how->take(r->how->ctx, &part, err));
    return dvi_row_count_report(&r->count);
}

static void free_place(void *ctx, void *place)
{
    const dvi_row_parts *how = ((const reading *)ctx)->how;
    if (how->free_place)
        how->free_place(how->ctx, place);
}

static void free_reader(void *ctx, void *scratch)
{
    (void)ctx;
    dv_cursor_close(&((reader *)scratch)->cursor);
}

int64_t dvi_row_parts_count(const dvi_row_parts *how)
{
    const int64_t first = how->first - how->origin, end = how->end - how->origin;
    return end <= first ? 1 : (end - 1) / how->part_rows - first / how->part_rows + 1;
}

dv_status dvi_row_parts_read(const dvi_row_parts *how, dv_error *err)
{
    reading r = {.how = how, .parts = dvi_row_parts_count(how)};
    r.count.progress = how->progress;
    r.count.lost = how->lost;
    if (__builtin_mul_overflow(how->end - how->first, how->passes, &r.count.all))
        r.count.all = INT64_MAX;
    const int64_t count = r.parts * how->passes;
    const int32_t threads = (int32_t)dvi_min_i64(how->threads, count);
    const dvi_tasks_how tasks = {.ctx = &r,
                                 .run = run_part,
                                 .place_nbytes = how->place_nbytes,
                                 .scratch_nbytes = sizeof(reader),
                                 .free_place = free_place,
                                 .free_scratch = free_reader,
                                 .workers = threads - 1,
                                 .window = how->window > 0 ? how->window : 2 * (int64_t)threads,
                                 .count = count};
    dv_status status = dvi_row_count_report(&r.count);
    if (status == DV_OK)
        status = dvi_tasks_each(&tasks, take_part, dvi_view_allocator(how->view), err);
    return dvi_row_count_end(&r.count, status, err);
}
