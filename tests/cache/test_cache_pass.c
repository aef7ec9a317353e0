/* SPDX-License-Identifier: MIT */
/* test_cache_pass.c: cursors in many threads that share a cache wait for its passes over the source
 * and for nothing else, and passes end when they have no users (cache.h). */
#include "view/column.h"
#include "support/faults.h"
#include "support/many_rows.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/cache.h>
#include <dataview/own_view.h>
#include <dataview/transform.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *cache_of(dv_view *source, const dv_cache_options *options)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_cache(&view, source, options, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_cursor *open_columns(dv_view *view, const int32_t *columns, int32_t n, int64_t first_row)
{
    dv_cursor *cursor = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = n;
    options.first_row = first_row;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    return cursor;
}

/* --- A source with a gate --------------------------------------------------------------------- */

#define BATCH_ROWS 10

/* Row i of the only column is i; batches of BATCH_ROWS rows wait for the gate to open. */
typedef struct gated {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int64_t rows, open_to; /* rows before this one may pass */
    int64_t delivered, waiting, cursors, closed;
    dv_status fail; /* instead of the batch that starts there */
    int64_t fail_at;
} gated;

typedef struct gated_cursor {
    gated *g;
    const dv_cursor_request *request;
    int64_t at;
} gated_cursor;

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    (void)err;
    gated_cursor *w = malloc(sizeof *w);
    *w = (gated_cursor){self, request, request->first_row};
    pthread_mutex_lock(&w->g->lock);
    w->g->cursors++;
    pthread_mutex_unlock(&w->g->lock);
    *cursor_out = w;
    return DV_OK;
}

static void close_walk(void *cursor)
{
    gated_cursor *w = cursor;
    pthread_mutex_lock(&w->g->lock);
    w->g->closed++;
    pthread_mutex_unlock(&w->g->lock);
    free(w);
}

static dv_status fill(gated_cursor *w, dv_batch *batch, int64_t rows, dv_error *err)
{
    int64_t values[BATCH_ROWS];
    for (int64_t i = 0; i < rows; i++)
        values[i] = w->at + i;
    int64_t *kept = malloc(sizeof values);
    memcpy(kept, values, sizeof values);
    dv_column_view view = dvt_made_fixed(dv_type_of(DV_KIND_I8), kept, rows);
    dv_status status = dv_batch_start(batch, w->at, rows, err);
    if (status == DV_OK && w->request->columns_count > 0) {
        status =
            dv_buffer_wrap(&view.as.fixed.values, kept, (size_t)rows * 8, 8, free, kept, NULL, err);
        for (int32_t k = 0; status == DV_OK && k < w->request->columns_count; k++)
            status = dv_batch_fill(batch, k, &view, err);
        dv_buffer_release(&view.as.fixed.values);
    } else {
        free(kept);
    }
    return status;
}

static dv_status next(void *cursor, dv_batch *batch, dv_error *err)
{
    gated_cursor *w = cursor;
    gated *g = w->g;
    pthread_mutex_lock(&g->lock);
    g->waiting++;
    pthread_cond_broadcast(&g->changed);
    while (w->at < g->rows && w->at >= g->open_to)
        pthread_cond_wait(&g->changed, &g->lock);
    g->waiting--;
    const int64_t rows = g->rows - w->at < BATCH_ROWS ? g->rows - w->at : BATCH_ROWS;
    const dv_status fail = w->at == g->fail_at ? g->fail : DV_OK;
    if (fail == DV_OK && rows > 0)
        g->delivered += rows;
    pthread_mutex_unlock(&g->lock);
    if (rows <= 0)
        return DV_END;
    if (fail != DV_OK) {
        *err = (dv_error)DV_ERROR_INIT;
        err->status = fail;
        return fail;
    }
    const dv_status status = fill(w, batch, rows, err);
    w->at += rows;
    return status;
}

static const dv_view_class gated_class = {.size = sizeof gated_class,
                                          .kind = "gated",
                                          .open_cursor = open_cursor,
                                          .next = next,
                                          .close_cursor = close_walk};

/* Two columns, "a" and "b", of the same values. */
static dv_view *open_gated(gated *g, int64_t rows, int64_t open_to)
{
    dv_schema *schema;
    dv_view *view;
    const dv_type type = dv_type_of(DV_KIND_I8);
    *g = (gated){.rows = rows, .open_to = open_to, .fail_at = -1};
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("a"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("b"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &gated_class, g, &schema, NULL, NULL), DV_OK);
    return view;
}

static void open_gate(gated *g, int64_t open_to)
{
    pthread_mutex_lock(&g->lock);
    g->open_to = open_to;
    pthread_cond_broadcast(&g->changed);
    pthread_mutex_unlock(&g->lock);
}

/* Wait until a thread waits at the gate. */
static void await_waiting(gated *g)
{
    pthread_mutex_lock(&g->lock);
    while (g->waiting == 0)
        pthread_cond_wait(&g->changed, &g->lock);
    pthread_mutex_unlock(&g->lock);
}

/* Read up to row `end`: each value is the number of its row. */
static dv_status read_to(dv_cursor *cursor, int64_t end)
{
    const dv_batch *batch;
    dv_status status = DV_OK;
    for (int64_t row = -1; row < end && status == DV_OK;) {
        status = dv_cursor_next(cursor, &batch, NULL);
        if (status != DV_OK)
            break;
        row = batch->first_row + batch->rows;
        const dv_column_view *view = dv_batch_column(batch, 0);
        for (int64_t i = 0; view && i < batch->rows; i++)
            cr_assert_eq(((const int64_t *)view->as.fixed.values.data)[i], batch->first_row + i);
    }
    return status;
}

static const int32_t a[] = {0}, b[] = {1}, ab[] = {0, 1};

/* Rows that the source has delivered can be read, whatever it waits for then. */
Test(cache_pass, waits_for_its_row_only)
{
    gated g;
    dv_view *source = open_gated(&g, 1000, 10), *cached = cache_of(source, NULL);
    dv_cursor *first = open_columns(cached, a, 1, 0);
    for (int64_t row = 10; row <= 100; row += 10) {
        open_gate(&g, row);
        cr_expect_eq(read_to(first, row), DV_OK);
    }
    dv_cursor *late = open_columns(cached, a, 1, 55), *counting = open_columns(cached, NULL, 0, 0);
    cr_expect_eq(read_to(late, 100), DV_OK);
    cr_expect_eq(read_to(counting, 90), DV_OK);
    cr_expect_eq(g.cursors, 1);
    open_gate(&g, 1000);
    cr_expect_eq(read_to(late, 2000), DV_END);
    cr_expect_eq(read_to(first, 2000), DV_END);
    cr_expect_eq(read_to(counting, 2000), DV_END);
    cr_expect_eq(g.delivered, 1000);
    cr_expect_eq(dv_view_rows(cached), 1000);
    dv_cursor *cursors[] = {first, late, counting};
    for (size_t i = 0; i < COUNT(cursors); i++)
        dv_cursor_close(&cursors[i]);
    dv_view_release(&cached);
    cr_expect_eq(g.closed, 1);
    dv_view_release(&source);
}

/* Columns that are being read are not read again, and others do not wait for them. */
Test(cache_pass, one_pass_for_what_is_missing)
{
    gated g;
    dv_view *source = open_gated(&g, 100, 20), *cached = cache_of(source, NULL);
    dv_cursor *first = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(first, 20), DV_OK);
    dv_cursor *second = open_columns(cached, ab, 2, 0);
    cr_expect_eq(read_to(second, 20), DV_OK);
    cr_expect_eq(g.cursors, 2);
    open_gate(&g, 100);
    cr_expect_eq(read_to(second, 200), DV_END);
    cr_expect_eq(g.delivered, 200);
    dv_cursor_close(&first);
    dv_cursor_close(&second);
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* No cursor is left: the pass ends where the source is, and a later one continues from there. */
Test(cache_pass, ends_when_nobody_needs_it)
{
    gated g;
    dv_view *source = open_gated(&g, 1000, 30), *cached = cache_of(source, NULL);
    dv_cursor *cursor = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(cursor, 30), DV_OK);
    await_waiting(&g);
    dv_cursor_close(&cursor);
    open_gate(&g, 1000);
    dv_view_release(&cached); /* waits for the pass */
    cr_expect_eq(g.delivered, 40);
    cr_expect_eq(g.closed, g.cursors);

    g.delivered = 0;
    g.open_to = 30;
    cached = cache_of(source, NULL);
    cursor = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(cursor, 30), DV_OK);
    await_waiting(&g);
    dv_cursor_close(&cursor);
    open_gate(&g, 1000);
    cursor = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(cursor, 2000), DV_END);
    cr_expect_eq(g.delivered, 1000); /* each row once, by one pass or two */
    dv_cursor_close(&cursor);
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* Columns that stopped at different rows continue, each from its own. */
Test(cache_pass, goes_on_from_different_rows)
{
    gated g;
    dv_view *source = open_gated(&g, 200, 50), *cached = cache_of(source, NULL);
    dv_cursor *cursor = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(cursor, 50), DV_OK);
    await_waiting(&g);
    dv_cursor_close(&cursor);
    pthread_mutex_lock(&g.lock);
    g.rows = 60; /* the source ends there for the pass that waits, and so for all */
    pthread_mutex_unlock(&g.lock);
    open_gate(&g, 200);
    cursor = open_columns(cached, b, 1, 0);
    cr_expect_eq(read_to(cursor, 2000), DV_END);
    dv_cursor_close(&cursor);
    cursor = open_columns(cached, ab, 2, 0);
    cr_expect_eq(read_to(cursor, 2000), DV_END);
    cr_expect_eq(g.delivered, 120);
    dv_cursor_close(&cursor);
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* No memory for a moment: cursors that wait get DV_ERR_MEMORY, and others get the rest. */
Test(cache_pass, goes_on_after_a_lack_of_memory)
{
    gated g;
    dv_view *source = open_gated(&g, 300, 100), *cached = cache_of(source, NULL);
    g.fail = DV_ERR_MEMORY;
    g.fail_at = 100;
    dv_cursor *cursor = open_columns(cached, ab, 2, 0), *other = open_columns(cached, a, 1, 0);
    cr_expect_eq(read_to(cursor, 100), DV_OK);
    open_gate(&g, 300);
    cr_expect_eq(read_to(cursor, 110), DV_ERR_MEMORY);
    pthread_mutex_lock(&g.lock);
    g.fail_at = -1;
    pthread_mutex_unlock(&g.lock);
    cr_expect_eq(read_to(cursor, 1000), DV_ERR_MEMORY);
    dv_cursor_close(&cursor);
    cursor = open_columns(cached, ab, 2, 0);
    cr_expect_eq(read_to(cursor, 1000), DV_END);
    cr_expect_eq(read_to(other, 1000), DV_END);
    cr_expect_eq(g.delivered, 300);
    dv_cursor_close(&cursor);
    dv_cursor_close(&other);
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* --- Without threads -------------------------------------------------------------------------- */

static void refuse_threads(void)
{
    dvt_faults_start_at("dvi_thread_start", 1, DVT_FAULT_FROM, EAGAIN);
}

Test(cache_pass, the_caller_reads_where_there_are_no_threads)
{
    gated g;
    refuse_threads();
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.prefetch = b;
    options.prefetch_count = 1;
    dv_view *source = open_gated(&g, 1000, 1000), *cached = cache_of(source, &options);
    cr_expect_eq(g.delivered, 0);
    dv_cursor *cursor = open_columns(cached, a, 1, 0), *other = open_columns(cached, ab, 2, 0);
    cr_expect_eq(read_to(cursor, 10), DV_OK);
    cr_expect_eq(g.delivered, 10);
    cr_expect_eq(read_to(other, 10), DV_OK);
    cr_expect_eq(g.delivered, 20);
    dv_cursor_close(&cursor);
    cr_expect_eq(read_to(other, 500), DV_OK);
    dv_cursor_close(&other); /* no thread drives it now: its cursor is closed, the rows stay */
    cr_expect_eq(g.closed, 1);
    cursor = open_columns(cached, ab, 2, 0);
    cr_expect_eq(read_to(cursor, 2000), DV_END);
    cr_expect_eq(g.delivered, 2000);
    dv_cursor_close(&cursor);
    dv_view_release(&cached);
    dvt_faults_stop();
    cr_expect_eq(g.closed, g.cursors);
    dv_view_release(&source);
}

/* --- Many threads ----------------------------------------------------------------------------- */

#define THREADS 6

typedef struct job {
    dv_view *view;
    const dvt_many_rows *many;
    const int32_t *columns;
    int32_t n;
    int64_t first_row, batch_rows, stop_at;
    int64_t seen, wrong;
} job;

/* Count rows whose values are not those of the table; a test's thread must not fail by itself. */
static void check_batch(job *j, const dv_batch *batch)
{
    for (int32_t k = 0; k < j->n; k++) {
        const dv_column_view *view = dv_batch_column(batch, k);
        dvi_column truth;
        dvi_column_assign(&truth, &j->many->table.column[j->columns[k]]);
        if (view->layout != DV_LAYOUT_FIXED)
            continue;
        const size_t width = dvi_width_of(&view->type);
        const char *want =
            (const char *)truth.view.as.fixed.values.data + (size_t)batch->first_row * width;
        j->wrong += memcmp(want, view->as.fixed.values.data, (size_t)batch->rows * width) != 0;
    }
    j->seen += batch->rows;
}

static void *read_as_told(void *ctx)
{
    job *j = ctx;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = j->columns;
    options.columns_count = j->n;
    options.first_row = j->first_row;
    options.batch_rows = j->batch_rows;
    if (dv_cursor_open(&cursor, j->view, &options, NULL) != DV_OK) {
        j->wrong++;
        return NULL;
    }
    while (j->seen < j->stop_at && dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        check_batch(j, batch);
    dv_cursor_close(&cursor);
    return NULL;
}

static void run_jobs(dv_view *cached, const dvt_many_rows *many, bool refuse)
{
    static const int32_t columns[] = {0, 1, 2, 3, 0};
    pthread_t threads[THREADS];
    job jobs[THREADS];
    uint64_t state = 3;
    const int64_t rows = many->table.rows;
    if (refuse)
        refuse_threads();
    for (int i = 0; i < THREADS; i++) {
        const int32_t first = (int32_t)(dvt_draw(&state) % 4);
        const int32_t n = (int32_t)(dvt_draw(&state) % (uint64_t)(5 - first)) + 1;
        jobs[i] = (job){cached,
                        many,
                        columns + first,
                        n,
                        (int64_t)(dvt_draw(&state) % 3) * 700,
                        i % 2 ? 64 : 0,
                        i % 3 == 2 ? 900 : rows,
                        0,
                        0};
        cr_assert_eq(pthread_create(&threads[i], NULL, read_as_told, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        cr_expect_eq(jobs[i].wrong, 0);
        if (jobs[i].stop_at == rows)
            cr_expect_eq(jobs[i].seen, rows - jobs[i].first_row);
    }
    dvt_faults_stop();
}

/* Cursors on different columns, some of them closed early; the last user releases the view. */
Test(cache_pass, many_threads_on_one_cache)
{
    enum { ROWS = 20000 };
    for (int i = 0; i < 8; i++) {
        dvt_many_rows *many = dvt_many_rows_create(ROWS, i % 2 ? 512 : 33);
        many->table.rows_unknown = i % 4 < 2;
        dv_view *source = dvt_made_table_open(&many->table, NULL);
        dv_view *cached = cache_of(source, NULL);
        run_jobs(cached, many, i >= 6);
        const int64_t read = many->table.read;
        const char *wrong = dvt_table_difference(source, cached, 0);
        cr_expect_null(wrong, "%s", wrong);
        cr_expect_leq(read, 4 * ROWS);
        dv_view_release(&cached);
        dv_view_release(&source);
        dvt_many_rows_free(many);
    }
}
