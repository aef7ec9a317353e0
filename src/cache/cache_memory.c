/* SPDX-License-Identifier: MIT */
/* cache_memory.c: a view that keeps in memory what it has read of its source (cache.h). */
#include "cache/cache_memory.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "base/os.h"
#include "base/size.h"
#include "scan/cursor.h"
#include "cache/cache_pass.h"

/* --- Rows ------------------------------------------------------------------------------------- */

/* The columns of a request; if it has none, the one that counts rows.  Returns how many. */
static int32_t list_columns(const dvi_cache *c, const dv_cursor_request *request,
                            const int32_t **columns_out)
{
    *columns_out = request->columns_count > 0 ? request->columns : &c->columns;
    return request->columns_count > 0 ? request->columns_count : 1;
}

/* As dvi_column_stores_next. */
static dv_status lend_rows(dvi_memory_cursor *r, dv_batch *batch, int32_t *lacking_out,
                           dv_error *err)
{
    const dvi_cache *c = r->view;
    const int32_t *columns;
    const int64_t known = atomic_load(&c->rows);
    int32_t n = list_columns(c, r->request, &columns);
    if (r->request->columns_count == 0 && known != DV_ROWS_UNKNOWN)
        n = 0;
    const dv_status status =
        dvi_column_stores_next(c->held, r, columns, n, known, batch, lacking_out, err);
    return status == DV_NOT_FOUND && c->column[*lacking_out].is_done ? DV_END : status;
}

/* Hold the pass that fills a column, or start one. */
static dv_status find_pass(const dvi_memory_cursor *r, int32_t lacking, dvi_cache_pass **pass_out,
                           dv_error *err)
{
    dvi_cache *c = r->view;
    const int32_t *columns;
    const int32_t n = list_columns(c, r->request, &columns);
    if (!c->column[lacking].pass)
        return dvi_cache_begin(pass_out, c, columns, n, c->held[lacking].rows, r->request->end_row,
                               false, err);
    *pass_out = c->column[lacking].pass;
    dvi_cache_hold_pass(*pass_out);
    return DV_OK;
}

/* Called with the lock held.  An error of a pass is returned to those who wait for one of its
 * columns, and only if the row is not stored. */
static dv_status find_rows(dvi_memory_cursor *r, dv_batch *batch, dv_error *err)
{
    dvi_cache *c = r->view;
    dvi_cache_pass *pass = NULL;
    int32_t waited = -1, lacking = -1;
    dv_status status;
    while ((status = lend_rows(r, batch, &lacking, err)) == DV_NOT_FOUND) {
        dvi_cache_pass *const before = pass;
        status = lacking == waited ? dvi_cache_pass_status(pass, err) : DV_OK;
        if (status == DV_OK)
            status = find_pass(r, lacking, &pass, err);
        if (status < 0)
            break;
        dvi_cache_leave_pass(c, before);
        waited = lacking;
        if (pass == before) /* the lock was not released since the rows were counted */
            dvi_cache_wait(c, pass);
    }
    dvi_cache_leave_pass(c, pass);
    return status;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    dvi_memory_cursor *r = cursor;
    dvi_cache *c = r->view;
    pthread_mutex_lock(&c->lock);
    const dv_status status = find_rows(r, batch, err);
    pthread_mutex_unlock(&c->lock);
    return status;
}

/* --- Cursors ---------------------------------------------------------------------------------- */

static void use_columns(const dvi_memory_cursor *r, int64_t users)
{
    const dvi_cache *c = r->view;
    const int32_t *columns;
    const int32_t n = list_columns(c, r->request, &columns);
    for (int32_t k = 0; k < n; k++)
        c->column[columns[k]].users += users;
}

static void close_cursor(void *cursor)
{
    dvi_memory_cursor *r = cursor;
    dvi_cache *c = r->view;
    pthread_mutex_lock(&c->lock);
    use_columns(r, -1);
    dvi_cache_drop_unwanted(c);
    pthread_mutex_unlock(&c->lock);
    dvi_memory_cursor_close(r);
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    dvi_cache *c = self;
    const int32_t *columns;
    const int32_t n = list_columns(c, request, &columns);
    if (request->zero_copy_only)
        return dvi_fail(err, DV_ERR_COPY, "", -1, "cached rows",
                        "rows as they are stored|copies in memory");
    void *cursor;
    DVI_TRY(dvi_memory_cursor_open(self, request, &cursor, err));
    dv_status status = DV_OK;
    pthread_mutex_lock(&c->lock);
    use_columns(cursor, 1);
    if (request->columns_count > 0 || atomic_load(&c->rows) == DV_ROWS_UNKNOWN)
        status = dvi_cache_start(c, columns, n, request->end_row, false, err);
    pthread_mutex_unlock(&c->lock);
    if (status < 0)
        close_cursor(cursor);
    else
        *cursor_out = cursor;
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
        dvi_column_store_free(&c->held[k], &c->base.arena.allocator);
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
                                          .seek = dvi_memory_cursor_seek,
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
    void *made, *held, *column;
    DVI_TRY(dvi_derived_create(&made, sizeof(dvi_cache), source, allocator, err));
    dvi_cache *c = made;
    c->columns = dv_schema_columns(dv_view_schema(source));
    const size_t n = (size_t)c->columns + 1;
    dv_status status = dvi_arena_alloc(&c->base.arena, &held, n * sizeof *c->held, err);
    if (status >= 0)
        status = dvi_arena_alloc(&c->base.arena, &column, n * sizeof *c->column, err);
    if (status < 0) {
        dvi_derived_close(c);
        return status;
    }
    c->held = held;
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
