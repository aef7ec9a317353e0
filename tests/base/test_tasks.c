/* SPDX-License-Identifier: MIT */
/* test_tasks.c: tasks against a model: which results the caller gets, in which order, with which
 * error after which of them, for any number of threads, window, costs, failures and ends. */
#include "base/tasks.h"
#include "support/allocator.h"
#include "support/delay.h"
#include "support/test.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST 60
#ifdef DVT_SANITIZED
#define ROUNDS 400
#else
#define ROUNDS 4000
#endif

static uint64_t draw(uint64_t *state, uint64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*state >> 33) % below;
}

/* The behaviour of a task in the model. */
typedef enum what {
    SUCCEEDS,
    FAILS_AHEAD, /* for memory or a limit, unless it is next */
    FAILS_FOR_MEMORY,
    FAILS,
    ENDS
} what;

typedef struct result {
    int64_t number;
    int64_t *memory; /* kept from task to task */
} result;

typedef struct plan {
    what what[COUNT_MOST];
    dv_status ahead[COUNT_MOST]; /* the status of one that fails ahead */
    int turns[COUNT_MOST];       /* its cost */
    int64_t count, window;
    int32_t workers;
    int64_t last; /* after which dvi_tasks_each is stopped; -1: none */

    atomic_int runs[COUNT_MOST], runs_as_next[COUNT_MOST];
    atomic_int_least64_t given_back, taken, ended, strays, running, scratches_shared;
} plan;

typedef struct scratch {
    atomic_int users;
    int64_t runs;
} scratch;

static dv_status end_of(const plan *p, int64_t number, bool is_next)
{
    switch (p->what[number]) {
    case SUCCEEDS:
        return DV_OK;
    case FAILS_AHEAD:
        return is_next ? DV_OK : p->ahead[number];
    case FAILS_FOR_MEMORY:
        return p->ahead[number];
    case FAILS:
        return DV_ERR_CORRUPT;
    case ENDS:
        return DV_END;
    }
    return DV_OK;
}

static dv_status run(void *ctx, const dvi_task *task, dv_error *err)
{
    plan *p = ctx;
    result *r = task->place;
    scratch *s = task->scratch;
    const int64_t k = task->number;
    if (k >= atomic_load(&p->given_back) + p->window || k < atomic_load(&p->given_back))
        atomic_fetch_add(&p->strays, 1);
    if (task->is_next && k != atomic_load(&p->taken))
        atomic_fetch_add(&p->strays, 1);
    if (atomic_fetch_add(&s->users, 1) > 0)
        atomic_fetch_add(&p->scratches_shared, 1);
    s->runs++;
    atomic_fetch_add(task->is_next ? &p->runs_as_next[k] : &p->runs[k], 1);
    if (!dvi_task_is_unwanted(task))
        dvt_delay((uint64_t)p->turns[k]);
    if (!r->memory)
        r->memory = malloc(sizeof *r->memory);
    *r->memory = 7 * k;
    r->number = k;
    const dv_status status = end_of(p, k, task->is_next);
    if (status < 0) {
        char message[32];
        snprintf(message, sizeof message, "task %d", (int)k);
        dv_error_set(err, status, message);
    }
    atomic_fetch_sub(&s->users, 1);
    return status;
}

static void free_place(void *ctx, void *place)
{
    (void)ctx;
    free(((result *)place)->memory);
}

static void free_scratch(void *ctx, void *memory)
{
    plan *p = ctx;
    atomic_fetch_add(&p->running, ((scratch *)memory)->runs);
}

static void draw_plan(plan *p, uint64_t *state)
{
    memset(p, 0, sizeof *p);
    p->count = (int64_t)draw(state, COUNT_MOST + 1);
    p->window = 1 + (int64_t)draw(state, 9);
    p->workers = (int32_t)draw(state, 9);
    const uint64_t failures = draw(state, 3); /* none, few or many */
    for (int64_t k = 0; k < p->count; k++) {
        p->what[k] = SUCCEEDS;
        if (draw(state, 10) < 3 * failures)
            p->what[k] = FAILS_AHEAD;
        if (failures > 0 && draw(state, 100 / failures) == 0)
            p->what[k] = (what)(FAILS_FOR_MEMORY + draw(state, 3));
        p->ahead[k] = draw(state, 2) ? DV_ERR_MEMORY : DV_ERR_LIMIT;
        p->turns[k] = draw(state, 4) == 0 ? (int)draw(state, 30) : 0;
    }
}

/* The first task that the caller does not get; count: it gets all. */
static int64_t first_end(const plan *p)
{
    int64_t k = 0;
    while (k < p->count && end_of(p, k, true) == DV_OK)
        k++;
    return k;
}

/* Take all tasks, `kept` of them at a time, and stop after `most`. */
static void take_all(plan *p, dvi_tasks *tasks, int64_t kept, int64_t most, bool adds)
{
    const int64_t end = first_end(p);
    int64_t allowed = adds ? 0 : p->count;
    for (int64_t k = 0; k < p->count && k < most; k++) {
        dv_error err = DV_ERROR_INIT;
        void *place;
        if (k == allowed) {
            allowed = k + p->window < p->count ? k + p->window : p->count;
            dvi_tasks_allow(tasks, allowed);
        }
        atomic_store(&p->taken, k);
        const dv_status status = dvi_tasks_take(tasks, k, &place, &err);
        const result *r = place;
        cr_assert_eq(status, k == end ? end_of(p, k, true) : DV_OK, "task %d: %d", (int)k, status);
        if (status < 0) {
            cr_expect_eq(err.status, status);
            cr_expect_eq(atoi(strstr(err.message, "task ") + 5), (int)k, "%s", err.message);
        }
        if (status != DV_OK)
            break;
        cr_assert(r->number == k && *r->memory == 7 * k, "task %d", (int)k);
        cr_assert_eq(place, dvi_tasks_place(tasks, k));
        if ((k + 1) % kept == 0 || k + 1 == allowed) {
            atomic_store(&p->given_back, k + 1);
            dvi_tasks_give_back(tasks, k + 1);
        }
    }
}

static dv_status follow(plan *p, uint64_t *state, const dv_allocator *allocator)
{
    const dvi_tasks_how how = {.ctx = p,
                               .run = run,
                               .place_nbytes = sizeof(result),
                               .scratch_nbytes = sizeof(scratch),
                               .free_place = free_place,
                               .free_scratch = free_scratch,
                               .workers = p->workers,
                               .window = p->window,
                               .count = draw(state, 2) ? p->count : 0};
    dvi_tasks *tasks;
    const dv_status status = dvi_tasks_create(&tasks, &how, allocator, NULL);
    if (status != DV_OK) {
        cr_expect_null(tasks);
        return status;
    }
    const int64_t kept = 1 + (int64_t)draw(state, (uint64_t)p->window);
    const int64_t most = draw(state, 4) == 0 ? (int64_t)draw(state, 40) : COUNT_MOST;
    take_all(p, tasks, kept, most, how.count < p->count);
    dvi_tasks_free(&tasks);
    cr_expect_null(tasks);
    return DV_OK;
}

/* Take a task of dvi_tasks_each, and end after some. */
static dv_status take_next(void *ctx, const dvi_task *task, dv_error *err)
{
    plan *p = ctx;
    const result *r = task->place;
    const int64_t k = atomic_fetch_add(&p->taken, 1);
    cr_assert(task->number == k && r->number == k && *r->memory == 7 * k, "task %d", (int)k);
    if (k == p->last)
        dv_error_set(err, DV_ERR_STOPPED, "task 0");
    atomic_store(&p->given_back, k + 1);
    return k == p->last ? DV_ERR_STOPPED : DV_OK;
}

static void take_each(plan *p, uint64_t *state)
{
    const dvi_tasks_how how = {.ctx = p,
                               .run = run,
                               .place_nbytes = sizeof(result),
                               .scratch_nbytes = sizeof(scratch),
                               .free_place = free_place,
                               .free_scratch = free_scratch,
                               .workers = p->workers,
                               .window = p->window,
                               .count = p->count};
    const int64_t end = first_end(p);
    dv_error err = DV_ERROR_INIT;
    p->last = draw(state, 3) == 0 ? (int64_t)draw(state, COUNT_MOST) : -1;
    const bool is_stopped = p->last >= 0 && p->last < end;
    const dv_status want = is_stopped       ? DV_ERR_STOPPED
                           : end < p->count ? end_of(p, end, true)
                                            : DV_OK;
    cr_assert_eq(dvi_tasks_each(&how, take_next, NULL, &err), want);
    cr_expect_eq(atomic_load(&p->taken), is_stopped ? p->last + 1 : end);
    cr_expect_eq(err.status, want < 0 ? want : DV_OK);
}

static void check_runs(const plan *p)
{
    int64_t runs = 0;
    cr_expect_eq(atomic_load(&p->strays), 0, "%d outside the window", (int)atomic_load(&p->strays));
    cr_expect_eq(atomic_load(&p->scratches_shared), 0);
    for (int64_t k = 0; k < p->count; k++) {
        const int ahead = atomic_load(&p->runs[k]), next = atomic_load(&p->runs_as_next[k]);
        const bool is_passing = p->what[k] == FAILS_AHEAD || p->what[k] == FAILS_FOR_MEMORY;
        cr_expect(ahead <= 1 && next <= 1 && (is_passing || ahead + next <= 1), "task %d: %d, %d",
                  (int)k, ahead, next);
        runs += ahead + next;
    }
    cr_expect_eq(atomic_load(&p->running), runs);
}

Test(tasks, do_what_the_model_says)
{
    static plan p;
    uint64_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        draw_plan(&p, &state);
        cr_assert_eq(follow(&p, &state, NULL), DV_OK);
        check_runs(&p);
    }
}

/* The same if all are taken at once. */
Test(tasks, each)
{
    static plan p;
    uint64_t state = 3;
    for (int round = 0; round < ROUNDS; round++) {
        draw_plan(&p, &state);
        take_each(&p, &state);
        check_runs(&p);
    }
}

/* One thread runs each task when it is next, and none after one that failed. */
Test(tasks, alone)
{
    static plan p;
    uint64_t state = 2;
    for (int round = 0; round < 300; round++) {
        draw_plan(&p, &state);
        p.workers = 0;
        cr_assert_eq(follow(&p, &state, NULL), DV_OK);
        check_runs(&p);
        for (int64_t k = 0; k < p.count; k++) {
            cr_expect_eq(atomic_load(&p.runs[k]), 0);
            cr_expect(k <= first_end(&p) || atomic_load(&p.runs_as_next[k]) == 0);
        }
    }
}

Test(tasks, each_allocation_may_fail)
{
    static plan p;
    uint64_t state = 5;
    int failures = 0;
    for (int round = 0; round < 40; round++) {
        draw_plan(&p, &state);
        for (int64_t k = 1, is_done = 0; !is_done; k++) {
            dvt_allocator counted;
            dvt_allocator_init(&counted, k);
            memset(p.runs, 0, sizeof p.runs);
            memset(p.runs_as_next, 0, sizeof p.runs_as_next);
            atomic_store(&p.given_back, 0);
            atomic_store(&p.running, 0);
            const dv_status status = follow(&p, &state, &counted.allocator);
            is_done = counted.asked < k;
            cr_expect_eq(status, is_done ? DV_OK : DV_ERR_MEMORY);
            failures += status != DV_OK;
            cr_expect_eq(counted.live, 0);
        }
        check_runs(&p);
    }
    cr_expect_gt(failures, 100);
}

static void note_tick(void *ctx, int64_t done)
{
    *(int64_t *)ctx = done;
}

static dv_status sleep_long(void *ctx, const dvi_task *task, dv_error *err)
{
    (void)ctx;
    (void)err;
    for (int i = 0; i < 20000 && task->number == 1 && !dvi_task_is_unwanted(task); i++)
        dvt_delay(1);
    return DV_OK;
}

/* The caller's thread learns how many are done while it waits. */
Test(tasks, tick)
{
    int64_t done = -1;
    dvi_tasks *tasks;
    const dvi_tasks_how how = {.ctx = &done,
                               .run = sleep_long,
                               .workers = 1,
                               .window = dvi_tasks_window(1),
                               .count = 2,
                               .tick = note_tick,
                               .tick_ns = 100000};
    cr_assert_eq(dvi_tasks_create(&tasks, &how, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_tasks_take(tasks, 0, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_tasks_take(tasks, 1, NULL, NULL), DV_OK);
    cr_expect(done >= -1 && done <= 2);
    dvi_tasks_free(&tasks);
}
