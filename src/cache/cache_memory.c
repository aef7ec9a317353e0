/* SPDX-License-Identifier: MIT */
/* cache_memory.c: a view that keeps in memory what it has read of its source (cache.h). */
#include "cache/cache_memory.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/os.h"
#include "base/size.h"
#include "view/cursor.h"
#include "cache/cache_pass.h"

typedef struct cache_cursor {
    dvi_cache *c;
    const dv_cursor_request *request;
    const int32_t *columns; /* of the request; if it has none, the one that counts rows */
    int32_t n;
    int32_t counting; /* the number of that one */
    int64_t at;
    size_t *hints; /* of each active column */
} cache_cursor;

/* --- Rows ------------------------------------------------------------------------------------- */

/* How many rows from `at` on all columns have.  0: *lacking_out is a column that has none; -1:
 * there are no more rows. */
static int64_t count_rows_there(cache_cursor *r, const dvi_cached **lacking_out)
{
    const int64_t known = atomic_load(&r->c->rows);
    const int64_t end =
        known == DV_ROWS_UNKNOWN ? r->request->end_row : dvi_min_i64(r->request->end_row, known);
    int64_t rows = end - r->at;
    if (rows <= 0)
        return -1;
    if (r->request->columns_count == 0 && known != DV_ROWS_UNKNOWN)
        return rows;
    for (int32_t k = 0; k < r->n; k++) {
        const dvi_cached *column = &r->c->column[r->columns[k]];
        const int64_t there = r->columns[k] == r->counting
                                  ? column->held.rows - r->at
                                  : dvi_column_store_reach(&column->held, r->at, &r->hints[k]);
        if (there <= 0) {
            *lacking_out = column;
            return column->is_done ? -1 : 0;
        }
        rows = dvi_min_i64(rows, there);
    }
    return rows;
}

static dv_status lend_rows(cache_cursor *r, dv_batch *batch, int64_t rows, dv_error *err)
{
    DVI_TRY(dv_batch_start(batch, r->at, rows, err));
    for (int32_t k = 0; k < r->request->columns_count; k++)
        dvi_column_store_lend(&r->c->column[r->columns[k]].held, r->at, rows, r->hints[k], batch,
                              k);
    r->at += rows;
    return DV_OK;
}

/* Hold the pass that fills a column, or start one. */
static dv_status find_pass(const cache_cursor *r, const dvi_cached *lacking,
                           dvi_cache_pass **pass_out, dv_error *err)
{
    if (!lacking->pass)
        return dvi_cache_begin(pass_out, r->c, r->columns, r->n, lacking->held.rows,
                               r->request->end_row, false, err);
    *pass_out = lacking->pass;
    dvi_cache_hold_pass(*pass_out);
    return DV_OK;
}

/* Called with the lock held.  An error of a pass is returned to those who wait for one of its
 * columns, and only if the row is not stored. */
static dv_status find_rows(cache_cursor *r, dv_batch *batch, dv_error *err)
{
    dvi_cache_pass *pass = NULL;
    const dvi_cached *waited = NULL, *lacking = NULL;
    dv_status status = DV_OK;
    int64_t rows;
    while ((rows = count_rows_there(r, &lacking)) == 0) {
        dvi_cache_pass *const before = pass;
        status = lacking == waited ? dvi_cache_pass_status(pass, err) : DV_OK;
        if (status == DV_OK)
            status = find_pass(r, lacking, &pass, err);
        if (status < 0)
            break;
        dvi_cache_leave_pass(r->c, before);
        waited = lacking;
        if (pass == before) /* the lock was not released since the rows were counted */
            dvi_cache_wait(r->c, pass);
    }
    dvi_cache_leave_pass(r->c, pass);
    if (status < 0)
        return status;
    return rows < 0 ? DV_END : lend_rows(r, batch, rows, err);
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    cache_cursor *r = cursor;
    pthread_mutex_lock(&r->c->lock);
    const dv_status status = find_rows(r, batch, err);
    pthread_mutex_unlock(&r->c->lock);
    return status;
}

static dv_status seek(void *cursor, dv_error *err)
{
    cache_cursor *r = cursor;
    (void)err;
    r->at = r->request->first_row;
    return DV_OK;
}

/* --- Cursors ---------------------------------------------------------------------------------- */

static void use_columns(const cache_cursor *r, int64_t users)
{
    for (int32_t k = 0; k < r->n; k++)
        r->c->column[r->columns[k]].users += users;
}

static void free_cursor(cache_cursor *r)
{
    const dv_allocator *allocator = r->request->allocator;
    dvi_free(allocator, r->hints, (size_t)r->n * sizeof *r->hints);
    dvi_free(allocator, r, sizeof *r);
}

static void close_cursor(void *cursor)
{
    cache_cursor *r = cursor;
    dvi_cache *c = r->c;
    pthread_mutex_lock(&c->lock);
    use_columns(r, -1);
    dvi_cache_drop_unwanted(c);
    pthread_mutex_unlock(&c->lock);
    free_cursor(r);
}

static dv_status make_cursor(cache_cursor **cursor_out, dvi_cache *c,
                             const dv_cursor_request *request, dv_error *err)
{
    void *made, *hints;
    DVI_TRY(dvi_alloc_zeroed(request->allocator, &made, sizeof(cache_cursor), err));
    cache_cursor *r = made;
    *r = (cache_cursor){.c = c,
                        .request = request,
                        .columns = request->columns,
                        .n = request->columns_count,
                        .counting = c->columns,
                        .at = request->first_row};
    if (r->n == 0) {
        r->columns = &r->counting;
        r->n = 1;
    }
    const dv_status status =
        dvi_alloc_zeroed(request->allocator, &hints, (size_t)r->n * sizeof *r->hints, err);
    r->hints = hints;
    if (status < 0)
        free_cursor(r);
    else
        *cursor_out = r;
    return status;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    dvi_cache *c = self;
    cache_cursor *r = NULL;
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "cached rows",
                        "rows as they are stored|copies in memory");
    DVI_TRY(make_cursor(&r, c, request, err));
    dv_status status = DV_OK;
    pthread_mutex_lock(&c->lock);
    use_columns(r, 1);
    if (request->columns_count > 0 || atomic_load(&c->rows) == DV_ROWS_UNKNOWN)
        status = dvi_cache_start(c, r->columns, r->n, request->end_row, false, err);
    pthread_mutex_unlock(&c->lock);
    if (status < 0)
        close_cursor(r);
    else
        *cursor_out = r;
    return status;
}

/* --- What is known of the view ---------------------------------------------------------------- */

static int64_t count_rows(void *self)
{
    return atomic_load(&((const dvi_cache *)self)->rows);
}

static void close_cache(void *self)
{
    dvi_cache *c = self;
    dvi_cache_end(c);
    for (int32_t k = 0; k < c->columns; k++)
        dvi_column_store_free(&c->column[k].held, &c->base.arena.allocator);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    dvi_derived_close(c);
}

static dv_status identify(void *self, dv_identity *identity, dv_error *err)
{
    return dv_identity_add_view(identity, ((const dvi_cache *)self)->base.source, err);
}

static const dv_view_class cache_class = {.size = sizeof cache_class,
                                          .kind = "cache",
                                          .rows = count_rows,
                                          .can_shuffle = dvi_always_shuffles,
                                          .close = close_cache,
                                          .open_cursor = open_cursor,
                                          .next = next,
                                          .close_cursor = close_cursor,
                                          .check = dvi_nothing_to_check,
                                          .seek = seek,
                                          .block_rows = dvi_single_rows,
                                          .identify = identify};

/* --- Making ----------------------------------------------------------------------------------- */

dv_status dvi_cache_read_options(const dv_cache_options *given, dv_cache_options *options,
                                 dv_error *err)
{
    *options = (dv_cache_options)DV_CACHE_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_CACHE_OPTIONS_INIT", err));
    DVI_TRY(dvi_options_least("threads", options->threads, 0, err));
    return dvi_options_least("memory_nbytes", options->memory_nbytes, 0, err);
}

static dv_status make_cache(dvi_cache **cache_out, dv_view *source, const dv_cache_options *options,
                            const dv_allocator *allocator, dv_error *err)
{
    void *made, *column;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_cache), source, allocator, err));
    dvi_cache *c = made;
    c->columns = dv_schema_columns(dv_view_schema(source));
    const dv_status status =
        dvi_arena_alloc(&c->base.arena, &column, ((size_t)c->columns + 1) * sizeof *c->column, err);
    if (status < 0) {
        dvi_derived_close(c);
        return status;
    }
    c->column = column;
    c->threads = options->threads;
    c->progress = options->progress;
    c->most_nbytes = options->memory_nbytes > 0 ? (size_t)options->memory_nbytes : SIZE_MAX;
    atomic_init(&c->rows, dv_view_rows(source));
    pthread_mutex_init(&c->lock, NULL);
    dvi_os_condition_init(&c->changed);
    *cache_out = c;
    return DV_OK;
}

static dv_status prefetch(dvi_cache *c, const dv_cache_options *options, dv_error *err)
{
    dv_cursor_options of_cursor = DV_CURSOR_OPTIONS_INIT;
    int32_t *columns, n;
    if (options->prefetch_count == 0)
        return DV_OK;
    of_cursor.columns = options->prefetch;
    of_cursor.columns_count = options->prefetch_count;
    const dv_allocator *allocator = &c->base.arena.allocator;
    dv_status status = dvi_cursor_read_columns(dv_view_schema(c->base.source), &of_cursor,
                                               allocator, &columns, &n, err);
    if (status == DV_OK) {
        pthread_mutex_lock(&c->lock);
        status = dvi_cache_start(c, columns, n, INT64_MAX, true, err);
        pthread_mutex_unlock(&c->lock);
    }
    dvi_free(allocator, columns, (size_t)n * sizeof *columns);
    return status;
}

/* Prefetching begins last: a failure then closes the view. */
dv_status dv_view_cache(dv_view **view_out, dv_view *source, const dv_cache_options *given,
                        const dv_allocator *allocator, dv_error *err)
{
    dv_cache_options options;
    dvi_cache *c;
    *view_out = NULL;
    DVI_TRY(dvi_cache_read_options(given, &options, err));
    DVI_TRY(make_cache(&c, source, &options, allocator, err));
    DVI_TRY(dvi_derived_view(view_out, &cache_class, c, NULL, err));
    const dv_status status = prefetch(c, &options, err);
    if (status < 0)
        dv_view_release(view_out);
    return status;
}
