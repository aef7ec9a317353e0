/* SPDX-License-Identifier: MIT */
/* fit_pass.c: threads that share the chunks of a cursor set, each with learners of its own, which
 * are merged at the end; or, if rows must come in order, one cursor, each of whose batches is seen
 * by the learners of several tasks at the same time. */
#include "pipeline/fit_pass.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/os.h"
#include "base/size.h"
#include "base/tasks.h"
#include "scan/row_parts.h"
#include "pipeline/fitted.h"
#include <dataview/cursor_set.h>

#define THREADS_MAX 64 /* at most DVI_LEARNERS_MAX */

/* The rows that one thread reads, and what it learns from them. */
typedef struct worker {
    dv_cursor *cursor;
    void **learners;                /* one for each task */
    const dv_column_view **sources; /* of the task that is served */
    int64_t first_row;              /* of the batch, in the view */
} worker;

typedef struct pass {
    dvi_fit_task *tasks;
    int32_t n;
    const dvi_fit_keep *keep;
    const dv_allocator *allocator;
    int32_t *columns; /* that are read */
    int32_t columns_count;
    int32_t sources; /* of all tasks */
    int32_t readers; /* that may decode for one cursor */
    worker *workers;
    int32_t asked, opened;
    dvi_row_count count; /* is_stopped: also because a thread has failed */
    /* Tasks that see a batch at the same time. NULL: one after the other. */
    dvi_tasks *dealers;
    const dv_batch *batch; /* that is dealt */
    int64_t place;         /* where its first row stands */
    bool is_new_chunk;
} pass;

/* --- One thread ------------------------------------------------------------------------------- */

static dv_status within(const dvi_fit_task *task, dv_status status, dv_error *err)
{
    if (status < 0)
        dvi_error_within(err, "step %d, %s", (int)task->step + 1, task->binding.step->info->name);
    return status;
}

static const dv_step_class *class_of(const dvi_fit_task *task)
{
    return &task->binding.step->cls->open;
}

static bool are_full(const pass *p, const worker *w)
{
    for (int32_t i = 0; i < p->n; i++) {
        const dv_step_class *cls = class_of(&p->tasks[i]);
        if (!cls->is_full || !cls->is_full(w->learners[i]))
            return false;
    }
    return true;
}

static dv_status see_one(const dvi_fit_task *task, worker *w, void *learner, const dv_batch *batch,
                         int64_t place, bool is_new_chunk, dv_error *err)
{
    const dv_step_class *cls = class_of(task);
    if (is_new_chunk && cls->begin_chunk)
        DVI_TRY(cls->begin_chunk(learner, dv_batch_chunk(batch), err));
    const dv_column_view **sources = w->sources + task->first_source;
    for (int32_t s = 0; s < task->binding.sources_count; s++)
        sources[s] = dv_batch_column(batch, task->slots[s]);
    return cls->see(learner, sources, place, err);
}

static dv_status see_dealt(void *ctx, const dvi_task *task, dv_error *err)
{
    const pass *p = ctx;
    worker *w = &p->workers[0];
    const int32_t i = (int32_t)(task->number % p->n);
    return within(
        &p->tasks[i],
        see_one(&p->tasks[i], w, w->learners[i], p->batch, p->place, p->is_new_chunk, err), err);
}

static dv_status deal(pass *p, const dv_batch *batch, int64_t place, bool is_new_chunk,
                      dv_error *err)
{
    p->batch = batch;
    p->place = place;
    p->is_new_chunk = is_new_chunk;
    return dvi_tasks_run(p->dealers, p->n, err);
}

/* Chunks have fewer rows than 2^32, and there are fewer than 2^31 of them. */
static dv_status see(pass *p, worker *w, const dv_batch *batch, int64_t place, bool is_new_chunk,
                     dv_error *err)
{
    if (p->dealers)
        return deal(p, batch, place, is_new_chunk, err);
    for (int32_t i = 0; i < p->n; i++)
        DVI_TRY(within(&p->tasks[i],
                       see_one(&p->tasks[i], w, w->learners[i], batch, place, is_new_chunk, err),
                       err));
    return DV_OK;
}

static dv_status read(pass *p, worker *w, bool is_caller, dv_error *err)
{
    int64_t chunk = -1, rows = 0;
    while (!atomic_load(&p->count.is_stopped) && !are_full(p, w)) {
        const dv_batch *batch;
        const dv_status status = dv_cursor_next(w->cursor, &batch, err);
        if (status == DV_END)
            return DV_OK;
        DVI_TRY(status);
        const bool is_new = dv_batch_chunk(batch) != chunk;
        rows = is_new ? 0 : rows;
        w->first_row = batch->first_row;
        chunk = dv_batch_chunk(batch);
        DVI_TRY(see(p, w, batch, (chunk << 32) + rows, is_new, err));
        rows += batch->rows;
        dvi_row_count_add(&p->count, batch->rows);
        if (is_caller)
            dvi_row_count_report(&p->count);
    }
    return DV_OK;
}

static dv_status run(void *ctx, const dvi_task *task, dv_error *err)
{
    pass *p = ctx;
    worker *w = &p->workers[task->number];
    const dv_status status = read(p, w, task->is_caller, err);
    dv_cursor_close(&w->cursor); /* what is left of its chunks, the others read */
    if (status < 0)
        atomic_store(&p->count.is_stopped, true);
    return status;
}

/* --- All threads ------------------------------------------------------------------------------ */

/* The place of a column among those that are read. */
static int32_t choose_column(pass *p, int32_t column)
{
    int32_t k = 0;
    while (k < p->columns_count && p->columns[k] != column)
        k++;
    if (k == p->columns_count)
        p->columns[p->columns_count++] = column;
    return k;
}

/* The columns of the tasks, each once. */
static dv_status choose_columns(pass *p, dv_error *err)
{
    void *made;
    for (int32_t i = 0; i < p->n; i++)
        p->sources += p->tasks[i].binding.sources_count;
    DVI_TRY(dvi_alloc(p->allocator, &made, 2 * (size_t)p->sources * sizeof(int32_t), err));
    p->columns = made;
    int32_t *slots = p->columns + p->sources;
    for (int32_t i = 0; i < p->n; i++) {
        const dv_step_binding *b = &p->tasks[i].binding;
        p->tasks[i].slots = slots;
        p->tasks[i].first_source = (int32_t)(slots - (p->columns + p->sources));
        for (int32_t s = 0; s < b->sources_count; s++)
            *slots++ = choose_column(p, b->sources[s]);
    }
    return DV_OK;
}

static dv_status begin(pass *p, worker *w, dv_error *err)
{
    void *made;
    DVI_TRY(dvi_alloc_zeroed(p->allocator, &made, (size_t)p->n * sizeof *w->learners, err));
    w->learners = made;
    DVI_TRY(dvi_alloc(p->allocator, &made, (size_t)p->sources * sizeof *w->sources, err));
    w->sources = made;
    for (int32_t i = 0; i < p->n; i++) {
        const dv_step_class *cls = class_of(&p->tasks[i]);
        const dv_step_binding *b = &p->tasks[i].binding;
        const dv_status status = cls->begin(&w->learners[i], b, err);
        if (status < 0)
            dvi_fitted_within_column(b->step->columns[b->column].sources[0], err);
        DVI_TRY(within(&p->tasks[i], status, err));
        if (p->tasks[i].keys)
            b->step->cls->keep(w->learners[i], p->tasks[i].keys, &w->first_row);
    }
    return DV_OK;
}

static dv_status open_cursors(pass *p, dv_view *view, dv_error *err)
{
    dv_cursor *cursors[THREADS_MAX];
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = p->columns;
    options.columns_count = p->columns_count;
    options.threads = p->readers;
    DVI_TRY(dv_cursor_set_open(cursors, p->asked, &p->opened, view, &options, err));
    for (int32_t i = 0; i < p->opened; i++)
        p->workers[i].cursor = cursors[i];
    return DV_OK;
}

static dv_status start_dealers(pass *p, dv_error *err)
{
    const int64_t workers = dvi_min_i64(p->readers, p->n) - 1;
    const dvi_tasks_how how = {
        .ctx = p, .run = see_dealt, .workers = (int32_t)workers, .window = p->n, .runs_once = true};
    if (p->asked > 1 || workers < 1)
        return DV_OK;
    return dvi_tasks_create(&p->dealers, &how, p->allocator, err);
}

static dv_status set_up(pass *p, dv_view *view, dv_error *err)
{
    void *made;
    const size_t nbytes = (size_t)p->asked * sizeof *p->workers;
    DVI_TRY(dvi_alloc_zeroed(p->allocator, &made, nbytes, err));
    p->workers = made;
    DVI_TRY(choose_columns(p, err));
    DVI_TRY(begin(p, &p->workers[0], err)); /* before a file is read */
    DVI_TRY(open_cursors(p, view, err));
    for (int32_t i = 1; i < p->opened; i++)
        DVI_TRY(begin(p, &p->workers[i], err));
    return start_dealers(p, err);
}

static void free_learner(const dvi_fit_task *task, void **learner)
{
    if (*learner)
        class_of(task)->free_learner(*learner);
    *learner = NULL;
}

static void clean_up(pass *p)
{
    dvi_tasks_free(&p->dealers);
    for (int32_t i = 0; p->workers && i < p->asked; i++) {
        worker *w = &p->workers[i];
        dv_cursor_close(&w->cursor);
        for (int32_t k = 0; w->learners && k < p->n; k++)
            free_learner(&p->tasks[k], &w->learners[k]);
        dvi_free(p->allocator, w->learners, (size_t)p->n * sizeof *w->learners);
        dvi_free(p->allocator, w->sources, (size_t)p->sources * sizeof *w->sources);
    }
    dvi_free(p->allocator, p->workers, (size_t)p->asked * sizeof *p->workers);
    dvi_free(p->allocator, p->columns, 2 * (size_t)p->sources * sizeof *p->columns);
}

/* The error of the first thread that has one. */
static dv_status read_rows(pass *p, dv_error *err)
{
    const dvi_tasks_how how = {.ctx = p,
                               .run = run,
                               .workers = p->opened - 1,
                               .window = p->opened,
                               .count = p->opened,
                               .runs_once = true};
    dvi_row_count_report(&p->count);
    DVI_TRY(dvi_tasks_each(&how, NULL, p->allocator, err));
    dvi_row_count_report(&p->count);
    return dvi_row_count_end(&p->count, DV_OK, err);
}

/* The learners of a task, one of each thread, are merged in the first thread's. */
static dv_status finish(pass *p, int32_t task, dv_error *err)
{
    void *learners[THREADS_MAX] = {NULL};
    dvi_fit_task *t = &p->tasks[task];
    const dv_step_class *cls = class_of(t);
    dv_status status = DV_OK;
    for (int32_t i = 0; i < p->opened; i++)
        learners[i] = p->workers[i].learners[task];
    if (p->opened > 1)
        status = cls->merge(learners, p->opened, err);
    for (int32_t i = 0; i < p->opened; i++)
        p->workers[i].learners[task] = learners[i]; /* whose places may have changed */
    for (int32_t i = 1; i < p->opened; i++)
        free_learner(t, &p->workers[i].learners[task]);
    if (status == DV_OK && p->keep)
        status = p->keep->take(p->keep->ctx, t, p->workers[0].learners[task], err);
    else if (status == DV_OK)
        status = cls->finish(t->learned, &p->workers[0].learners[task], &t->binding, err);
    return within(t, status, err);
}

static bool needs_order(const dvi_fit_task *tasks, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (class_of(&tasks[i])->in_order)
            return true;
    return false;
}

int32_t dvi_fit_threads(const dv_fit_options *options)
{
    const int32_t threads = options->threads > 0 ? options->threads : dvi_os_cpus();
    return (int32_t)dvi_min_i64(threads, THREADS_MAX);
}

/* Read all rows with `learners` threads that learn. The tasks whose learners have to see the rows
 * again, all of them in one, are moved to the front; *again_out is their number. */
static dv_status run_pass(dvi_fit_task *tasks, int32_t n, dv_view *view,
                          const dv_fit_options *options, const dvi_fit_keep *keep, int32_t learners,
                          const dv_allocator *allocator, int64_t *rows_out, int32_t *again_out,
                          dv_error *err)
{
    pass p = {.tasks = tasks,
              .n = n,
              .keep = keep,
              .allocator = allocator,
              .count = {.progress = &options->progress,
                        .lost = "no fitted pipeline",
                        .all = dv_view_rows(view)},
              .readers = dvi_fit_threads(options)};
    p.asked = learners > 0 ? learners : p.readers;
    *again_out = 0;
    dv_status status = set_up(&p, view, err);
    if (status == DV_OK)
        status = read_rows(&p, err);
    for (int32_t i = 0; status >= 0 && i < n; i++) {
        status = finish(&p, i, err);
        tasks[i].is_again = status == DV_NOT_FOUND;
    }
    *rows_out = atomic_load(&p.count.done);
    clean_up(&p);
    for (int32_t i = 0; status >= 0 && i < n; i++)
        if (tasks[i].is_again)
            tasks[(*again_out)++] = tasks[i];
    return status < 0 ? status : DV_OK;
}

dv_status dvi_fit_pass(dvi_fit_task *tasks, int32_t n, dv_view *view, const dv_fit_options *options,
                       const dvi_fit_keep *keep, const dv_allocator *allocator, int64_t *rows_out,
                       dv_error *err)
{
    int32_t again;
    DVI_TRY(run_pass(tasks, n, view, options, keep, needs_order(tasks, n) ? 1 : 0, allocator,
                     rows_out, &again, err));
    if (again == 0)
        return DV_OK;
    return run_pass(tasks, again, view, options, keep, 1, allocator, rows_out, &again, err);
}
