/* SPDX-License-Identifier: MIT */
/* cache_pass.h: how do rows come into a cache?  (semantics:8)
 *
 * By passes over the source.  A pass fills columns that have the same number of rows, from there to
 * the end; it has a thread of its own, or, where the system refuses one, is driven step by step by
 * whoever waits for its rows. */
#ifndef DVI_CACHE_PASS_H
#define DVI_CACHE_PASS_H

#include "view/derived.h"
#include "rows/column_store.h"
#include <pthread.h>
#include <stdatomic.h>

typedef struct dvi_cache_pass dvi_cache_pass;

/* A column of the cache.  The last one has no values: its rows are only counted. */
typedef struct dvi_cached {
    dvi_column_store held;
    bool is_done;         /* all rows are there */
    int64_t users;        /* open cursors in which it is active, each as often as it is */
    dvi_cache_pass *pass; /* that fills it; or that ended in an error which stays */
} dvi_cached;

typedef struct dvi_cache {
    dvi_derived base;
    int32_t columns; /* of the source; column[columns] counts rows */
    int32_t threads;
    size_t most_nbytes;
    atomic_int_fast64_t rows; /* DV_ROWS_UNKNOWN until a pass has reached the end */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    size_t nbytes; /* of held rows */
    bool is_closing;
    dvi_cache_pass *passes;
    dvi_cached *column;
} dvi_cache;

/* All of these want the lock to be held, and may let it go for a while. */

/* Start the passes that the columns need which are not there up to end_row, nor on their way; of
 * all, those with the same number of rows in one.  prefetch: they go on also when nobody is there
 * to use them.  DV_OK; DV_ERR_MEMORY; what the source's cursor says. */
dv_status dvi_cache_start(dvi_cache *c, const int32_t *columns, int32_t n, int64_t end_row,
                          bool prefetch, dv_error *err);

/* The one for columns that have `rows` rows, one at least; it is held for the caller. */
dv_status dvi_cache_begin(dvi_cache_pass **pass_out, dvi_cache *c, const int32_t *columns,
                          int32_t n, int64_t rows, int64_t end_row, bool prefetch, dv_error *err);

/* Wait until something has changed of the pass, or drive it a step; not at all when it has ended.
 * It must be held. */
void dvi_cache_wait(dvi_cache *c, dvi_cache_pass *pass);
/* Let the pass not go away meanwhile; both ignore NULL. */
void dvi_cache_hold_pass(dvi_cache_pass *pass);
void dvi_cache_leave_pass(dvi_cache *c, dvi_cache_pass *pass);

/* Has it ended in an error?  Then err tells which. */
dv_status dvi_cache_pass_status(const dvi_cache_pass *pass, dv_error *err);

/* End passes that nobody needs any more; those with a thread of their own see to it themselves. */
void dvi_cache_drop_unwanted(dvi_cache *c);
/* End all, and wait for them; without the lock, and for good. */
void dvi_cache_end(dvi_cache *c);

#endif
