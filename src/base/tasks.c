/* SPDX-License-Identifier: MIT */
/* tasks.c: tasks that threads run ahead and one caller takes in order. */
#include "base/tasks.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/threads.h"
#include <pthread.h>
#include <stdatomic.h>

struct dvi_tasks {
    dvi_tasks_how how;
    dv_allocator allocator;
    dvi_threads *threads;
    uint8_t *places, *scratches;
    bool *fails_ahead; /* per place: its task must run again */
    int64_t wanted;    /* the task that the caller takes; only for its thread */
    atomic_bool is_closing;

    _Atomic int64_t failed; /* the first task that ended the others; INT64_MAX: none */
    pthread_mutex_t lock;   /* guards what follows, and changes of `failed` */
    dv_status status;       /* returned by task `failed` */
    dv_error error;
};

void *dvi_tasks_place(const dvi_tasks *t, int64_t number)
{
    return t->places + (size_t)(number % t->how.window) * t->how.place_nbytes;
}

void *dvi_tasks_scratch(const dvi_tasks *t, int32_t thread)
{
    return t->scratches + (size_t)thread * t->how.scratch_nbytes;
}

bool dvi_task_is_unwanted(const dvi_task *task)
{
    const dvi_tasks *t = task->tasks;
    return t && (atomic_load_explicit(&t->is_closing, memory_order_relaxed) ||
                 task->number > atomic_load_explicit(&t->failed, memory_order_relaxed));
}

/* --- Running ---------------------------------------------------------------------------------- */

static bool is_passing(dv_status status)
{
    return status == DV_ERR_MEMORY || status == DV_ERR_LIMIT;
}

/* Keep the status of the first task that ended the others. */
static void keep_end(dvi_tasks *t, int64_t number, dv_status status, const dv_error *error)
{
    pthread_mutex_lock(&t->lock);
    if (number < atomic_load(&t->failed)) {
        atomic_store(&t->failed, number);
        t->status = status;
        t->error = *error;
    }
    pthread_mutex_unlock(&t->lock);
}

static void run_as(dvi_tasks *t, int64_t number, int32_t thread, bool is_next)
{
    const dvi_task task = {.tasks = t,
                           .number = number,
                           .place = dvi_tasks_place(t, number),
                           .scratch = dvi_tasks_scratch(t, thread),
                           .is_caller = thread == 0,
                           .is_next = is_next};
    dv_error error = DV_ERROR_INIT;
    if (dvi_task_is_unwanted(&task))
        return;
    const dv_status status = t->how.run(t->how.ctx, &task, &error);
    const bool is_final =
        is_next || t->how.runs_once || DVI_ATTEMPT("tasks.c run_as", !is_passing(status));
    t->fails_ahead[number % t->how.window] = !is_final;
    if (status != DV_OK && is_final)
        keep_end(t, number, status, &error);
}

static void run(void *ctx, int64_t number, int32_t thread)
{
    dvi_tasks *t = ctx;
    run_as(t, number, thread, thread == 0 && number == t->wanted);
}

static void tick(void *ctx, int64_t done)
{
    const dvi_tasks *t = ctx;
    t->how.tick(t->how.ctx, done);
}

void dvi_tasks_allow(dvi_tasks *t, int64_t count)
{
    t->how.count = count;
    dvi_threads_allow(t->threads, count);
}

dv_status dvi_tasks_take(dvi_tasks *t, int64_t number, void **place_out, dv_error *err)
{
    t->wanted = number;
    dvi_threads_wait(t->threads, number);
    if (t->fails_ahead[number % t->how.window])
        run_as(t, number, 0, true);
    if (place_out)
        *place_out = dvi_tasks_place(t, number);
    if (number < atomic_load(&t->failed))
        return DV_OK;
    if (t->status < 0 && err)
        *err = t->error;
    return t->status;
}

void dvi_tasks_give_back(dvi_tasks *t, int64_t number)
{
    t->wanted = -1;
    dvi_threads_give_back(t->threads, number);
}

dv_status dvi_tasks_run(dvi_tasks *t, int64_t n, dv_error *err)
{
    const int64_t first = t->how.count;
    dv_status status = DV_OK;
    dvi_tasks_allow(t, first + n);
    for (int64_t k = first; status == DV_OK && k < first + n; k++) {
        status = dvi_tasks_take(t, k, NULL, err);
        if (status == DV_OK && (k + 1 - first) % t->how.window == 0) /* wakes threads: seldom */
            dvi_tasks_give_back(t, k + 1);
    }
    dvi_tasks_give_back(t, first + n);
    return status;
}

/* --- Life ------------------------------------------------------------------------------------- */

int64_t dvi_tasks_window(int32_t workers)
{
    return workers > 0 ? (int64_t)workers + 3 : 1; /* all threads, the caller's included, and two */
}

static dv_status make(dvi_tasks *t, dv_error *err)
{
    const dvi_tasks_how *how = &t->how;
    const size_t window = (size_t)how->window, threads = (size_t)how->workers + 1;
    DVI_TRY(dvi_alloc_items(&t->allocator, &t->places, window, how->place_nbytes, err));
    DVI_TRY(dvi_alloc_items(&t->allocator, &t->scratches, threads, how->scratch_nbytes, err));
    DVI_TRY(DVI_NEW(&t->allocator, &t->fails_ahead, window, err));
    DVI_TRY(dvi_threads_create(&t->threads, how->workers, how->window, how->count, run, t,
                               &t->allocator, err));
    if (how->in_order)
        dvi_threads_keep_order(t->threads);
    if (how->tick && how->workers > 0)
        dvi_threads_watch(t->threads, tick, how->tick_ns);
    return DV_OK;
}

dv_status dvi_tasks_create(dvi_tasks **tasks_out, const dvi_tasks_how *how,
                           const dv_allocator *allocator, dv_error *err)
{
    dvi_tasks *t;
    *tasks_out = NULL;
    DVI_TRY(DVI_NEW(allocator, &t, 1, err));
    t->how = *how;
    t->allocator = dvi_allocator_of(allocator);
    t->failed = INT64_MAX;
    t->wanted = -1;
    pthread_mutex_init(&t->lock, NULL);
    const dv_status status = make(t, err);
    if (status < 0)
        dvi_tasks_free(&t);
    *tasks_out = t;
    return status;
}

static void free_each(const dvi_tasks *t, void (*free_one)(void *ctx, void *memory), uint8_t *list,
                      int64_t n, size_t nbytes)
{
    for (int64_t i = 0; free_one && list && i < n; i++)
        free_one(t->how.ctx, list + (size_t)i * nbytes);
    dvi_free(&t->allocator, list, (size_t)n * nbytes);
}

void dvi_tasks_stop(dvi_tasks *t)
{
    if (!t)
        return;
    atomic_store(&t->is_closing, true);
    dvi_threads_free(&t->threads);
}

void dvi_tasks_free(dvi_tasks **tasks)
{
    dvi_tasks *t = *tasks;
    *tasks = NULL;
    if (!t)
        return;
    dvi_tasks_stop(t);
    const dvi_tasks_how *how = &t->how;
    free_each(t, how->free_place, t->places, how->window, how->place_nbytes);
    free_each(t, how->free_scratch, t->scratches, (int64_t)how->workers + 1, how->scratch_nbytes);
    dvi_free(&t->allocator, t->fails_ahead, (size_t)how->window * sizeof *t->fails_ahead);
    pthread_mutex_destroy(&t->lock);
    const dv_allocator allocator = t->allocator;
    dvi_free(&allocator, t, sizeof *t);
}

/* --- All tasks -------------------------------------------------------------------------------- */

typedef dv_status take_fn(void *ctx, const dvi_task *task, dv_error *err);

static dv_status each_alone(const dvi_tasks_how *how, dvi_task *task, take_fn *take, dv_error *err)
{
    dv_status status = DV_OK;
    for (; status == DV_OK && task->number < how->count; task->number++) {
        status = how->run(how->ctx, task, err);
        if (status == DV_OK && take)
            status = take(how->ctx, task, err);
    }
    return status;
}

/* In the caller's thread, with one place. */
static dv_status run_alone(const dvi_tasks_how *how, take_fn *take, const dv_allocator *allocator,
                           dv_error *err)
{
    dvi_task task = {.is_caller = true, .is_next = true};
    uint8_t *memory;
    const size_t place = (how->place_nbytes + 15) / 16 * 16;
    DVI_TRY(dvi_alloc_items(allocator, &memory, 1, place + how->scratch_nbytes, err));
    task.place = memory;
    task.scratch = memory + place;
    const dv_status status = each_alone(how, &task, take, err);
    if (how->free_place)
        how->free_place(how->ctx, task.place);
    if (how->free_scratch)
        how->free_scratch(how->ctx, task.scratch);
    dvi_free(allocator, memory, place + how->scratch_nbytes);
    return status;
}

static dv_status take_each(dvi_tasks *t, take_fn *take, dv_error *err)
{
    dvi_task task = {.tasks = t, .is_caller = true, .is_next = true};
    for (; task.number < t->how.count; task.number++) {
        dv_status status = dvi_tasks_take(t, task.number, &task.place, err);
        if (status == DV_OK && take)
            status = take(t->how.ctx, &task, err);
        if (status != DV_OK)
            return status;
        dvi_tasks_give_back(t, task.number + 1);
    }
    return DV_OK;
}

dv_status dvi_tasks_each(const dvi_tasks_how *how, take_fn *take, const dv_allocator *allocator,
                         dv_error *err)
{
    dvi_tasks *tasks;
    if (how->workers < 1 || how->count < 2)
        return run_alone(how, take, allocator, err);
    DVI_TRY(dvi_tasks_create(&tasks, how, allocator, err));
    const dv_status status = take_each(tasks, take, err);
    dvi_tasks_free(&tasks);
    return status;
}
