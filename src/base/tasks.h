/* SPDX-License-Identifier: MIT */
/* tasks.h: numbered tasks that threads run ahead, in a bounded window, and one caller takes in
 * order.
 *
 * The first error in the order of tasks is the one that the caller gets, after exactly the tasks
 * before it. A task that fails ahead of its turn, because of memory or a limit, has not failed: the
 * caller runs it again when it is next. */
#ifndef DVI_BASE_TASKS_H
#define DVI_BASE_TASKS_H

#include <dataview/buffer.h>

typedef struct dvi_tasks dvi_tasks;

/* A task that runs. */
typedef struct dvi_task {
    dvi_tasks *tasks; /* NULL: it runs alone */
    int64_t number;
    void *place;    /* for its result, in slot number % window. Zeroed at first, then as an earlier
                       task left it, so that memory is reused */
    void *scratch;  /* belongs to the thread, zeroed at first */
    bool is_caller; /* it runs in the caller's thread */
    bool is_next;   /* all tasks before were taken: an error of memory or of a limit is final */
} dvi_task;

typedef struct dvi_tasks_how {
    void *ctx;
    /* Run a task. Called by any thread, for several tasks at a time, for each task at most twice.
     * DV_OK; every other status, DV_END too, ends the tasks after it. */
    dv_status (*run)(void *ctx, const dvi_task *task, dv_error *err);
    size_t place_nbytes, scratch_nbytes; /* may be 0 */
    /* Free what a place or a scratch holds; it may still be zeroed. NULL: nothing. */
    void (*free_place)(void *ctx, void *place);
    void (*free_scratch)(void *ctx, void *scratch);
    int32_t workers; /* more threads than the caller's, which runs tasks while it waits */
    int64_t window;  /* tasks that were started and not given back; dvi_tasks_window */
    int64_t count;   /* of tasks; dvi_tasks_allow raises it */
    bool in_order;   /* with one worker: tasks run one at a time, in order */
    bool runs_once;  /* no task is run again, so its failure is final even ahead of its turn */
    /* Called by the caller's thread while it waits, about every tick_ns, with the number of tasks
     * that are done. It then runs no tasks unless the system refuses every worker. NULL: never. */
    void (*tick)(void *ctx, int64_t done);
    int64_t tick_ns;
} dvi_tasks_how;

/* A window that keeps the threads busy while the caller holds one task. */
int64_t dvi_tasks_window(int32_t workers);

/* Make tasks, none of which runs before the first dvi_tasks_take or dvi_tasks_allow. If the system
 * refuses threads, the others and the caller run all tasks. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_tasks_create(dvi_tasks **tasks_out, const dvi_tasks_how *how,
                           const dv_allocator *allocator, dv_error *err);

/* Raise the number of tasks. The threads that run the new ones see everything that the caller wrote
 * before. */
void dvi_tasks_allow(dvi_tasks *tasks, int64_t count);

/* Wait until a task is done; its place is the caller's until it is given back. The caller takes the
 * tasks in order, each once; they are in the window. Returns what `run` returned; after anything
 * but DV_OK no task is taken again. place_out may be NULL. */
dv_status dvi_tasks_take(dvi_tasks *tasks, int64_t number, void **place_out, dv_error *err);

/* Give back every task below `number`: their places are used again. Waits for those that were not
 * taken. */
void dvi_tasks_give_back(dvi_tasks *tasks, int64_t number);

/* Add n tasks, run them, and give them back. Returns the first status that is not DV_OK; no task
 * runs any more. Only if all tasks so far were given back. */
dv_status dvi_tasks_run(dvi_tasks *tasks, int64_t n, dv_error *err);

/* Make tasks, give the result of each to `take`, in order, and free them. Returns the first status
 * that is not DV_OK, of a task or of `take`, which may be NULL. Without workers or with a single
 * task the caller runs each task when it is next, and there are neither a pool nor a window. */
dv_status dvi_tasks_each(const dvi_tasks_how *how,
                         dv_status (*take)(void *ctx, const dvi_task *task, dv_error *err),
                         const dv_allocator *allocator, dv_error *err);

/* Is the result of a running task not needed any more? */
bool dvi_task_is_unwanted(const dvi_task *task);

/* The place of a task; the scratch of a thread, 0: the caller's. Only while no
 * task uses it. */
void *dvi_tasks_place(const dvi_tasks *tasks, int64_t number);
void *dvi_tasks_scratch(const dvi_tasks *tasks, int32_t thread);

/* Start no more tasks and wait for those that run. The places stay. NULL is fine. */
void dvi_tasks_stop(dvi_tasks *tasks);

/* Stop, and free everything. Sets the pointer to NULL; NULL is fine. */
void dvi_tasks_free(dvi_tasks **tasks);

#endif
