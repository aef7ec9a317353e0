/* SPDX-License-Identifier: MIT */
/* cache_pass.h: passes over the source, which fill the columns of a cache in memory (semantics:8).
 *
 * A pass fills columns that have the same number of rows, from there to the end.  It has a thread
 * of its own; if the system refuses one, whoever waits for its rows drives it step by step. */
#ifndef DVI_CACHE_PASS_H
#define DVI_CACHE_PASS_H

#include "scan/derived.h"
#include "table/column_store.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct dvi_cache_pass dvi_cache_pass;

/* How a column of the cache is filled. */
typedef struct dvi_cached {
    bool is_done;         /* all rows are stored */
    int64_t users;        /* times that it is active, over all open cursors */
    dvi_cache_pass *pass; /* that fills it, or that ended in a permanent error */
} dvi_cached;

typedef struct dvi_cache {
    dvi_derived base;
    int32_t columns; /* the source's; column number `columns` has no values: it counts rows */
    int32_t threads;
    dv_progress progress; /* of passes */
    size_t most_nbytes;
    atomic_int_fast64_t rows; /* DV_ROWS_UNKNOWN until a pass has reached the end */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    size_t nbytes; /* of held rows */
    bool is_closing;
    dvi_cache_pass *passes;
    dvi_column_store *held; /* the values */
    dvi_cached *column;
} dvi_cache;

/* Call all of these with the lock held; they may release it for a while. */

/* Start passes for the columns that are neither stored up to end_row nor being read: one pass for
 * all columns with the same number of rows.  prefetch: the passes continue even if no cursor uses
 * them.  DV_OK; DV_ERR_MEMORY; what opening the source's cursor returns. */
dv_status dvi_cache_start(dvi_cache *c, const int32_t *columns, int32_t n, int64_t end_row,
                          bool prefetch, dv_error *err);

/* Start the pass for those columns that have `rows` rows, at least one; the caller holds it. */
dv_status dvi_cache_begin(dvi_cache_pass **pass_out, dvi_cache *c, const int32_t *columns,
                          int32_t n, int64_t rows, int64_t end_row, bool prefetch, dv_error *err);

/* Wait until the pass has changed, or drive it one step; returns at once if it has ended.  The
 * caller must hold it. */
void dvi_cache_wait(dvi_cache *c, dvi_cache_pass *pass);
/* Hold a pass, so that it is not freed; leave it.  Both ignore NULL. */
void dvi_cache_hold_pass(dvi_cache_pass *pass);
void dvi_cache_leave_pass(dvi_cache *c, dvi_cache_pass *pass);

/* The error that the pass has ended in; else DV_OK. */
dv_status dvi_cache_pass_status(const dvi_cache_pass *pass, dv_error *err);

/* End passes without users; those with a thread end by themselves. */
void dvi_cache_drop_unwanted(dvi_cache *c);
/* End all passes for good, and wait for them.  Call it without the lock. */
void dvi_cache_end(dvi_cache *c);

#endif
