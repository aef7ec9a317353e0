/* SPDX-License-Identifier: MIT */
/* threads.h: bounded workers that take numbered jobs; results leave in number order.
 *
 * Jobs 0..jobs-1 are run by `workers` threads of the pool and by the consumer itself while it
 * waits.  At most `window` jobs are started or kept beyond those that the consumer gave back, so
 * what belongs to job k may lie in slot k % window. */
#ifndef DVI_BASE_THREADS_H
#define DVI_BASE_THREADS_H

#include <dataview/buffer.h>

typedef struct dvi_threads dvi_threads;

/* run      does one job; any thread, different jobs at the same time.  worker is 0 for the
 *          consumer, 1..workers for the pool: a place for what each thread keeps.
 * window   >= 1
 *
 * No job runs and no thread exists before the first dvi_threads_wait or dvi_threads_allow; threads
 * that the system refuses are done without.  DV_OK, DV_ERR_MEMORY. */
dv_status dvi_threads_create(dvi_threads **threads_out, int32_t workers, int64_t window,
                             int64_t jobs, void (*run)(void *ctx, int64_t job, int32_t worker),
                             void *ctx, const dv_allocator *allocator, dv_error *err);

/* Jobs are done one after the other, in their order: for one worker, before the first job.  The
 * consumer then does none while it waits, but where the system refuses that worker. */
void dvi_threads_keep_order(dvi_threads *threads);

/* There are `jobs` jobs now, more than before: for a consumer who makes them one after the other.
 * What it wrote for them before is seen by whoever runs them. */
void dvi_threads_allow(dvi_threads *threads, int64_t jobs);

/* Wait until the job is done, working on jobs meanwhile.  Consumer's thread only; job must lie in
 * the window. */
void dvi_threads_wait(dvi_threads *threads, int64_t job);
/* Give back every job below `job`, waiting for those that nobody waited for: their slots may be
 * used again. */
void dvi_threads_give_back(dvi_threads *threads, int64_t job);

/* Start no more jobs, wait for those that run, free all.  Sets the pointer to NULL; NULL is fine.
 */
void dvi_threads_free(dvi_threads **threads);

#endif
