/* SPDX-License-Identifier: MIT */
/* threads.h: a thread pool for numbered jobs in a bounded window, consumed in order.
 *
 * `workers` threads run the jobs 0..jobs-1; the consumer runs jobs too while it waits. At most
 * `window` jobs are started and not yet given back, so the data of job k may be kept in slot
 * k % window. */
#ifndef DVI_BASE_THREADS_H
#define DVI_BASE_THREADS_H

#include <dataview/buffer.h>

typedef struct dvi_threads dvi_threads;

/* run      runs one job; called by any thread, for different jobs at the same time. `worker` is 0
 *          for the consumer and 1..workers for the pool: an index for data of each thread.
 * window   >= 1
 *
 * No job runs and no thread exists before the first dvi_threads_wait or dvi_threads_allow. If the
 * system refuses threads, the others and the consumer run all jobs. DV_OK, DV_ERR_MEMORY. */
dv_status dvi_threads_create(dvi_threads **threads_out, int32_t workers, int64_t window,
                             int64_t jobs, void (*run)(void *ctx, int64_t job, int32_t worker),
                             void *ctx, const dv_allocator *allocator, dv_error *err);

/* Run jobs one at a time, in order. Only with one worker, and before the first job. The consumer
 * then runs no jobs, unless the system refuses the worker. */
void dvi_threads_keep_order(dvi_threads *threads);

/* The consumer runs no jobs, unless the system refuses every worker; while it waits, it calls
 * `tick` about every step_ns nanoseconds, with the number of jobs that are done. With workers, and
 * before the first job. */
void dvi_threads_watch(dvi_threads *threads, void (*tick)(void *ctx, int64_t done),
                       int64_t step_ns);

/* Raise the number of jobs, for a consumer that adds jobs as it goes. The threads that run the new
 * jobs see everything that it wrote before the call. */
void dvi_threads_allow(dvi_threads *threads, int64_t jobs);

/* Wait until the job, which must lie in the window, is done, and run jobs meanwhile. Only in the
 * consumer's thread. */
void dvi_threads_wait(dvi_threads *threads, int64_t job);
/* Give back every job below `job`, so that their slots can be reused; waits for those not done yet.
 */
void dvi_threads_give_back(dvi_threads *threads, int64_t job);

/* Start no more jobs, wait for those that run, and free the pool. Sets the pointer to NULL; NULL is
 * fine. */
void dvi_threads_free(dvi_threads **threads);

#endif
