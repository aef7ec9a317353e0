/* SPDX-License-Identifier: MIT */
/* cache_pass.c: passes over the source, which fill the columns of a cache in memory. */
#include "cache/cache_pass.h"
#include "base/alloc.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/size.h"
#include "base/stop.h"
#include "base/thread.h"

typedef enum pass_state {
    PASS_OPENING, /* its cursor is being opened */
    PASS_RUNNING,
    PASS_ENDED
} pass_state;

struct dvi_cache_pass {
    dvi_cache_pass *next; /* in the list of the cache */
    dvi_cache *c;
    pass_state state;
    int32_t holders; /* callers that use it; it is not freed meanwhile */
    bool is_driven;  /* by its thread, or at this moment by a cursor that waits */
    bool is_prefetch;
    bool stays;       /* its error is permanent for its columns */
    dv_status status; /* of an ended pass: DV_END, all was read; DV_OK, it had no users left */
    dv_error error;
    dvi_thread thread;
    dvi_stop stop; /* read by the thread */

    /* Used only by whoever drives it. */
    dv_cursor *source;
    dvi_filler filler;
    int64_t rows; /* of the source that were read */

    int32_t *columns, n; /* those that it fills, with values */
    int32_t cap;
    bool counts; /* it fills the one that counts rows, too */
};

/* --- Memory ----------------------------------------------------------------------------------- */

static dvi_cached *column_of(const dvi_cache_pass *p, int32_t k)
{
    return &p->c->column[k < p->n ? p->columns[k] : p->c->columns];
}

static bool is_wanted(const dvi_cache_pass *p)
{
    bool wanted = p->is_prefetch;
    for (int32_t k = 0; k < p->n + p->counts && !wanted; k++)
        wanted = column_of(p, k)->users > 0;
    return wanted && !p->c->is_closing;
}

static dv_status admit(void *ctx, int64_t row, size_t nbytes, dv_error *err)
{
    dvi_cache *c = ((const dvi_cache_pass *)ctx)->c;
    pthread_mutex_lock(&c->lock);
    const bool fits = nbytes <= c->most_nbytes && c->nbytes <= c->most_nbytes - nbytes;
    const size_t before = c->nbytes;
    c->nbytes += fits ? nbytes : 0;
    pthread_mutex_unlock(&c->lock);
    if (fits)
        return DV_OK;
    return dvi_fail(err, DV_ERR_LIMIT, "memory_nbytes", -1, "rows held in memory",
                    "at most %zu bytes|%zu of them taken, and %zu more from row %lld on",
                    c->most_nbytes, before, nbytes, (long long)row);
}

static void lock(void *ctx)
{
    pthread_mutex_lock(&((const dvi_cache_pass *)ctx)->c->lock);
}

static void unlock(void *ctx)
{
    dvi_cache *c = ((const dvi_cache_pass *)ctx)->c;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static const dvi_filler_class filler_class = {admit, lock, unlock};

/* --- Ending ----------------------------------------------------------------------------------- */

static void free_pass(dvi_cache_pass *p)
{
    const dv_allocator *allocator = &p->c->base.arena.allocator;
    dvi_thread_join(&p->thread);
    dvi_free(allocator, p->columns, (size_t)p->cap * sizeof *p->columns);
    dvi_free(allocator, p, sizeof *p);
}

/* Free passes that have ended and are not held.  Their threads have released the lock for the
 * last time. */
static void free_ended(dvi_cache *c)
{
    for (dvi_cache_pass **at = &c->passes; *at;) {
        dvi_cache_pass *p = *at;
        if (p->state != PASS_ENDED || p->holders > 0 || (p->stays && !c->is_closing)) {
            at = &p->next;
            continue;
        }
        *at = p->next;
        free_pass(p);
    }
}

/* Not a permanent error: another pass may succeed. */
static bool is_passing(dv_status status)
{
    return status == DV_OK || status == DV_END || status == DV_ERR_MEMORY ||
           status == DV_ERR_STOPPED;
}

static void leave_columns(dvi_cache_pass *p)
{
    for (int32_t k = 0; k < p->n + p->counts; k++) {
        dvi_cached *column = column_of(p, k);
        column->is_done = p->status == DV_END;
        column->pass = p->stays ? p : NULL;
    }
}

static dv_status check_count(const dvi_cache_pass *p, dv_error *err)
{
    const int64_t known = atomic_load(&p->c->rows);
    if (known == DV_ROWS_UNKNOWN || known == p->rows)
        return DV_END;
    return dvi_fail_argument(err, "view %s had %lld rows, and now has %lld",
                             dv_view_kind(p->c->base.source), (long long)known, (long long)p->rows);
}

/* The cursor is closed without the lock, since closing may wait for threads of the source. */
static void end_pass(dvi_cache_pass *p, dv_status status, const dv_error *err)
{
    dvi_cache *c = p->c;
    p->is_driven = true;
    pthread_mutex_unlock(&c->lock);
    dvi_filler_free(&p->filler);
    dv_cursor_close(&p->source);
    pthread_mutex_lock(&c->lock);
    p->error = *err;
    p->status = status == DV_END ? check_count(p, &p->error) : status;
    p->stays = !is_passing(p->status);
    if (p->status == DV_END)
        atomic_store(&c->rows, p->rows);
    leave_columns(p);
    p->state = PASS_ENDED;
    pthread_cond_broadcast(&c->changed);
}

/* --- Driving ---------------------------------------------------------------------------------- */

static dv_status report(const dvi_cache_pass *p, dv_error *err)
{
    return dvi_report_progress(&p->c->progress, "rows not cached", p->rows,
                               atomic_load(&p->c->rows), err);
}

/* Read one more batch. */
static dv_status read_batch(dvi_cache_pass *p, dv_error *err)
{
    const dv_status status = dvi_filler_read(&p->filler, p->source, &p->rows, err);
    return status == DV_OK ? report(p, err) : status;
}

/* One step, by whoever has set is_driven. */
static void drive(dvi_cache_pass *p)
{
    dvi_cache *c = p->c;
    dv_error err = DV_ERROR_INIT;
    if (!is_wanted(p)) {
        end_pass(p, DV_OK, &err);
        return;
    }
    pthread_mutex_unlock(&c->lock);
    const dv_status status = read_batch(p, &err);
    pthread_mutex_lock(&c->lock);
    if (p->counts)
        c->held[c->columns].rows = p->rows;
    if (status != DV_OK)
        end_pass(p, status, &err);
    else
        pthread_cond_broadcast(&c->changed);
}

static void *run(void *ctx)
{
    dvi_cache_pass *p = ctx;
    dvi_cache *c = p->c;
    dvi_stop_join(&p->stop);
    pthread_mutex_lock(&c->lock);
    while (p->state == PASS_RUNNING)
        drive(p);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

void dvi_cache_wait(dvi_cache *c, dvi_cache_pass *p)
{
    if (p->state == PASS_OPENING || (p->state == PASS_RUNNING && p->is_driven))
        dvi_stop_wait(&c->changed, &c->lock, &p->stop);
    if (p->state != PASS_RUNNING || p->is_driven)
        return;
    p->is_driven = true;
    drive(p);
    p->is_driven = false;
    pthread_cond_broadcast(&c->changed);
}

void dvi_cache_hold_pass(dvi_cache_pass *p)
{
    if (p)
        p->holders++;
}

void dvi_cache_leave_pass(dvi_cache *c, dvi_cache_pass *p)
{
    if (!p)
        return;
    p->holders--;
    free_ended(c);
}

dv_status dvi_cache_pass_status(const dvi_cache_pass *p, dv_error *err)
{
    if (p->state != PASS_ENDED || p->status >= 0)
        return DV_OK;
    if (err)
        *err = p->error;
    return p->status;
}

/* --- Beginning -------------------------------------------------------------------------------- */

static bool is_lacking(const dvi_cache *c, int32_t k, int64_t end_row)
{
    return !c->column[k].is_done && !c->column[k].pass && c->held[k].rows < end_row;
}

/* Does a pass from that row on also fill the column that counts rows? */
static bool goes_along(const dvi_cache *c, int64_t rows)
{
    return atomic_load(&c->rows) == DV_ROWS_UNKNOWN && is_lacking(c, c->columns, INT64_MAX) &&
           c->held[c->columns].rows == rows;
}

/* An empty pass with room for so many columns. */
static dv_status alloc_pass(dvi_cache_pass **pass_out, dvi_cache *c, int32_t cap, dv_error *err)
{
    const dv_allocator *allocator = &c->base.arena.allocator;
    dvi_cache_pass *p;
    DVI_TRY(DVI_NEW(allocator, &p, 1, err));
    p->c = c;
    p->cap = cap;
    const dv_status status = DVI_NEW(allocator, &p->columns, (size_t)cap, err);
    if (status < 0)
        free_pass(p);
    else
        *pass_out = p;
    return status;
}

/* Make a pass for those of the columns that lack rows and have so many of them, and assign them to
 * it. */
static dv_status make_pass(dvi_cache_pass **pass_out, dvi_cache *c, const int32_t *columns,
                           int32_t n, int64_t rows, int64_t end_row, dv_error *err)
{
    DVI_TRY(alloc_pass(pass_out, c, n, err));
    dvi_cache_pass *p = *pass_out;
    p->rows = rows;
    p->counts = goes_along(c, rows);
    for (int32_t k = 0; k < n; k++) {
        const int32_t column = columns[k];
        if (column == c->columns || !is_lacking(c, column, end_row) || c->held[column].rows != rows)
            continue;
        c->column[column].pass = p;
        p->columns[p->n++] = column;
    }
    if (p->counts)
        c->column[c->columns].pass = p;
    p->next = c->passes;
    c->passes = p;
    return DV_OK;
}

static dv_status open_source(dvi_cache_pass *p, dv_error *err)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = p->columns;
    options.columns_count = p->n;
    options.first_row = p->rows;
    options.threads = p->c->threads;
    DVI_TRY(dvi_filler_init(&p->filler, p->c->held, p->columns, p->n, &p->c->base.arena.allocator,
                            &filler_class, p, err));
    DVI_TRY(report(p, err));
    return dv_cursor_open(&p->source, p->c->base.source, &options, err);
}

/* A failure at the beginning is reported to those who wait now; others try again. */
static dv_status begin_pass(dvi_cache_pass *p, dv_error *err)
{
    dvi_cache *c = p->c;
    dv_error own = DV_ERROR_INIT;
    pthread_mutex_unlock(&c->lock);
    const dv_status status = open_source(p, &own);
    pthread_mutex_lock(&c->lock);
    if (status < 0) {
        end_pass(p, status, &own);
        p->stays = false;
        leave_columns(p);
        if (err)
            *err = own;
        return status;
    }
    p->state = PASS_RUNNING;
    p->is_driven = true; /* the thread starts by taking the lock, which is held here */
    p->is_driven = DVI_ATTEMPT("cache_pass.c begin_pass", dvi_thread_start(&p->thread, run, p, 0));
    pthread_cond_broadcast(&c->changed);
    return DV_OK;
}

dv_status dvi_cache_begin(dvi_cache_pass **pass_out, dvi_cache *c, const int32_t *columns,
                          int32_t n, int64_t rows, int64_t end_row, bool prefetch, dv_error *err)
{
    dvi_cache_pass *p;
    free_ended(c);
    DVI_TRY(make_pass(&p, c, columns, n, rows, end_row, err));
    p->is_prefetch = prefetch;
    p->holders++;
    const dv_status status = begin_pass(p, err);
    if (status < 0)
        dvi_cache_leave_pass(c, p);
    else
        *pass_out = p;
    return status;
}

dv_status dvi_cache_start(dvi_cache *c, const int32_t *columns, int32_t n, int64_t end_row,
                          bool prefetch, dv_error *err)
{
    for (int32_t k = 0; k < n; k++) {
        dvi_cache_pass *p;
        if (!is_lacking(c, columns[k], end_row))
            continue;
        DVI_TRY(dvi_cache_begin(&p, c, columns + k, n - k, c->held[columns[k]].rows, end_row,
                                prefetch, err));
        dvi_cache_leave_pass(c, p);
    }
    return DV_OK;
}

static dvi_cache_pass *find_unwanted(const dvi_cache *c)
{
    for (dvi_cache_pass *p = c->passes; p; p = p->next)
        if (p->state == PASS_RUNNING && !p->is_driven && !is_wanted(p))
            return p;
    return NULL;
}

void dvi_cache_drop_unwanted(dvi_cache *c)
{
    const dv_error none = DV_ERROR_INIT;
    for (dvi_cache_pass *p; (p = find_unwanted(c));)
        end_pass(p, DV_OK, &none);
    free_ended(c);
}

static bool is_any_running(const dvi_cache *c)
{
    for (const dvi_cache_pass *p = c->passes; p; p = p->next)
        if (p->state != PASS_ENDED)
            return true;
    return false;
}

void dvi_cache_end(dvi_cache *c)
{
    pthread_mutex_lock(&c->lock);
    c->is_closing = true;
    for (dvi_cache_pass *p = c->passes; p; p = p->next)
        atomic_store(&p->stop.is_set, true);
    dvi_cache_drop_unwanted(c);
    while (is_any_running(c))
        pthread_cond_wait(&c->changed, &c->lock);
    free_ended(c);
    pthread_mutex_unlock(&c->lock);
}
