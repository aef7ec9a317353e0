/* SPDX-License-Identifier: MIT */
/* test_dense_view.c: a matrix of all rows of a view is that of its batches, for any threads. */
#include "support/allocator.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 60000 /* several parts */
#define WIDTH 7    /* slots of a, b, c, d */

/* How rows are reached: in order, by the number of their block, or nobody knows how many. */
enum { IN_ORDER, BY_BLOCK, UNKNOWN, WAYS };
static const int32_t threads[] = {1, 2, 3, 5};
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void reach(dvt_many_rows *m, int way)
{
    m->table.in_blocks = way == BY_BLOCK;
    m->table.rows_unknown = way == UNKNOWN;
}

/* --- The matrix ------------------------------------------------------------------------------- */

/* What dv_batch_dense_* makes of the batches of one cursor in one thread. */
static int64_t fill_by_batches(void *dst, dv_kind kind, size_t stride, dv_view *view,
                               const dv_cursor_options *given)
{
    dv_cursor_options options = *given;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t rows = 0;
    options.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        dv_status status;
        if (kind == DV_KIND_R4)
            status = dv_batch_dense(batch, DV_KIND_R4, (float *)dst + (size_t)rows * stride, stride,
                                    NULL, NULL);
        else if (kind == DV_KIND_R8)
            status = dv_batch_dense(batch, DV_KIND_R8, (double *)dst + (size_t)rows * stride,
                                    stride, NULL, NULL);
        else
            status = dv_batch_dense(batch, DV_KIND_I8, (int64_t *)dst + (size_t)rows * stride,
                                    stride, NULL, NULL);
        cr_assert_eq(status, DV_OK);
        rows += batch->rows;
    }
    dv_cursor_close(&cursor);
    return rows;
}

static dv_status fill(void *dst, dv_kind kind, int64_t room, size_t stride, dv_view *view,
                      const dv_cursor_options *options, int64_t *rows, dv_error *err)
{
    if (kind == DV_KIND_R4)
        return dv_view_dense(view, DV_KIND_R4, dst, room, stride, options, NULL, rows, err);
    if (kind == DV_KIND_R8)
        return dv_view_dense(view, DV_KIND_R8, dst, room, stride, options, NULL, rows, err);
    return dv_view_dense(view, DV_KIND_I8, dst, room, stride, options, NULL, rows, err);
}

/* The same bytes with any number of threads, gaps between rows and rows after the last untouched.
 */
static void expect_same(dv_view *view, dv_kind kind, const dv_cursor_options *given,
                        const char *what)
{
    const size_t stride = WIDTH + 1, nbytes = (ROWS + 1) * stride * (kind == DV_KIND_R4 ? 4 : 8);
    void *const want = malloc(nbytes), *const got = malloc(nbytes);
    cr_assert(want && got);
    memset(want, 0xA5, nbytes);
    const int64_t rows = fill_by_batches(want, kind, stride, view, given);
    for (size_t i = 0; i < COUNT(threads); i++) {
        dv_cursor_options options = *given;
        dv_error err = DV_ERROR_INIT;
        int64_t filled = -1;
        options.threads = threads[i];
        options.batch_rows = i % 2 ? 100 : 0; /* changes nothing */
        memset(got, 0xA5, nbytes);
        cr_expect_eq(fill(got, kind, rows, stride, view, &options, &filled, &err), DV_OK, "%s: %s",
                     what, err.message);
        cr_expect_eq(filled, rows, "%s", what);
        cr_expect_eq(memcmp(want, got, nbytes), 0, "%s, %d threads", what, threads[i]);
    }
    free(want);
    free(got);
}

static void expect_all_same(dv_view *view, const char *what)
{
    static const int32_t whole[] = {3, 1, 2};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    expect_same(view, DV_KIND_R4, &options, what);
    options.first_row = 1234;
    options.end_row = 45678;
    options.skip = 77;
    options.take = 40000;
    expect_same(view, DV_KIND_R8, &options, what);
    options.columns = whole;
    options.columns_count = 3;
    expect_same(view, DV_KIND_I8, &options, what);
    options.first_row = ROWS; /* no rows */
    options.end_row = -1;
    expect_same(view, DV_KIND_R4, &options, what);
    options.columns_count = 0; /* rows without slots */
    options.first_row = 0;
    options.columns = NULL;
    expect_same(view, DV_KIND_R4, &options, what);
}

Test(dense_view, is_the_matrix_of_its_batches)
{
    static const int64_t sizes[] = {700, 30000, INT64_C(1) << 62};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        dvt_many_rows *m = dvt_many_rows_create(ROWS, sizes[i]);
        for (int way = 0; way < WAYS; way++) {
            reach(m, way);
            dv_view *view = dvt_made_table_open(&m->table, NULL);
            expect_all_same(view, way == BY_BLOCK ? "by block" : "in order");
            dv_view_release(&view);
        }
        dvt_many_rows_free(m);
    }
}

Test(dense_view, of_a_file_is_the_matrix_of_its_batches)
{
    dvt_many_rows *m = dvt_many_rows_create(ROWS, 5000);
    dv_view *made = dvt_made_table_open(&m->table, NULL), *view, *some;
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    const dv_condition less = {
        .column = dv_text_of("b"), .relations = DV_IS_LESS, .value = dv_text_of("150")};
    dv_buffer file;
    how.format = "idv";
    how.rows_per_block = 900;
    how.compression = DV_COMPRESSION_DEFLATE;
    cr_assert_eq(dv_save_memory(made, &file, &how, NULL), DV_OK);
    cr_assert_eq(dv_open_memory(&view, file.data, file.nbytes, NULL, NULL, "m.idv", NULL, NULL),
                 DV_OK);
    expect_all_same(view, "deflated");
    cr_assert_eq(dv_view_filter(&some, view, &less, 1, NULL, NULL), DV_OK);
    const dv_cursor_options all = DV_CURSOR_OPTIONS_INIT;
    expect_same(some, DV_KIND_R8, &all, "filtered");
    dv_view_release(&some);
    dv_view_release(&view);
    dv_view_release(&made);
    dv_buffer_release(&file);
    dvt_many_rows_free(m);
}

Test(dense_view, goes_on_at_a_token)
{
    dvt_many_rows *m = dvt_many_rows_create(ROWS, 700);
    m->table.in_blocks = true;
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_token token;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    for (int i = 0; i < 3; i++)
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_assert_eq(dv_cursor_token(cursor, &token, NULL), DV_OK);
    dv_cursor_close(&cursor);
    options.token = token.text;
    expect_same(view, DV_KIND_R4, &options, "from a token");
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* --- Errors ----------------------------------------------------------------------------------- */

static float matrix[(ROWS + 1) * WIDTH];

/* The same error for any number of threads. */
static void expect_error(dv_view *view, const dv_dense_options *options, dv_status status,
                         const char *rule, const char *found)
{
    for (size_t i = 0; i < COUNT(threads); i++) {
        dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
        dv_error err = DV_ERROR_INIT;
        int64_t filled = -1;
        rows.threads = threads[i];
        rows.first_row = 5;
        cr_expect_eq(
            dv_view_dense(view, DV_KIND_R4, matrix, ROWS, WIDTH, &rows, options, &filled, &err),
            status, "%s", err.message);
        cr_expect_eq(filled, 0);
        cr_expect_str_eq(err.rule, rule);
        cr_expect(!found || strstr(err.message, found), "%d threads: %s", threads[i], err.message);
    }
}

/* The first NA in the order of rows: those of other columns come in earlier tiles, and those of
 * other parts are met earlier. */
Test(dense_view, refuses_the_first_na_of_all_rows)
{
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    options.na = DV_DENSE_NA_REFUSED;
    for (int way = 0; way < WAYS; way++) {
        dvt_many_rows *m = dvt_many_rows_create(ROWS, 3000);
        for (int64_t i = 0; i < ROWS; i++)
            m->real[i] = i < 59000 ? (double)i : NAN;
        reach(m, way);
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        expect_error(view, &options, DV_ERR_LIMIT, "na",
                     "column 0: items: expected none that is NA, "
                     "found one in row 58995, slot 0");
        m->few[50000] = m->many[50000] = INT32_MIN;
        m->real[50001] = NAN; /* column 0 is written first, but this is a row later */
        expect_error(view, &options, DV_ERR_LIMIT, "na",
                     "column 1: items: expected none that is NA, "
                     "found one in row 49995, slot 0");
        m->real[50000] = NAN;
        expect_error(view, &options, DV_ERR_LIMIT, "na", "column 0");
        m->few[3001] = INT32_MIN;
        expect_error(view, &options, DV_ERR_LIMIT, "na", "row 2996");
        dv_view_release(&view);
        dvt_many_rows_free(m);
    }
}

Test(dense_view, a_batch_names_its_first_na_too)
{
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    dvt_many_rows *m = dvt_many_rows_create(2000, 2000);
    options.na = DV_DENSE_NA_REFUSED;
    for (int64_t i = 0; i < 2000; i++)
        m->real[i] = i == 900 ? NAN : 1;
    m->many[899] = INT32_MIN;
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(dv_batch_dense(batch, DV_KIND_R4, matrix, WIDTH, &options, &err), DV_ERR_LIMIT);
    cr_expect(strstr(err.message, "column 2") && strstr(err.message, "row 899"), "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

Test(dense_view, an_error_is_that_of_the_first_row)
{
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    options.na = DV_DENSE_NA_REFUSED;
    for (int way = 0; way < WAYS; way++) {
        dvt_many_rows *m = dvt_many_rows_create(ROWS, 3000);
        for (int64_t i = 0; i < ROWS; i++)
            m->real[i] = 1;
        m->table.bad_row = 40000;
        m->few[55000] = INT32_MIN;
        reach(m, way);
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        expect_error(view, &options, DV_ERR_CORRUPT, "", NULL);
        m->few[30000] = INT32_MIN;
        expect_error(view, &options, DV_ERR_LIMIT, "na", "row 29995");
        dv_view_release(&view);
        dvt_many_rows_free(m);
    }
}

Test(dense_view, needs_room)
{
    for (int way = 0; way < WAYS; way++) {
        dvt_many_rows *m = dvt_many_rows_create(5000, 700);
        reach(m, way);
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        dv_error err = DV_ERROR_INIT;
        int64_t rows;
        memset(matrix, 0xA5, sizeof matrix);
        cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 4999, WIDTH, NULL, NULL, &rows, &err),
                     DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "rows_room");
        cr_expect_eq(rows, 5000);
        cr_expect(strstr(err.message, "5000") && strstr(err.message, "4999"), "%s", err.message);
        const uint8_t *end = (const uint8_t *)(matrix + (size_t)4999 * WIDTH);
        cr_expect(*end == 0xA5, "not past the room");
        cr_expect(way == UNKNOWN || *(const uint8_t *)matrix == 0xA5, "nothing, if rows are known");
        cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 0, WIDTH, NULL, NULL, &rows, NULL),
                     DV_ERR_LIMIT);
        cr_expect_eq(rows, way == UNKNOWN ? 700 : 5000);
        cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH, NULL, NULL, NULL, NULL),
                     DV_OK);
        dv_view_release(&view);
        dvt_many_rows_free(m);
    }
}

Test(dense_view, refuses_what_batches_refuse_before_it_reads)
{
    dvt_many_rows *m = dvt_many_rows_create(5000, 700);
    dv_view *view = dvt_made_table_open(&m->table, NULL);
    dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
    dv_dense_options options = DV_DENSE_OPTIONS_INIT;
    static const int32_t none[] = {4};
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, -1, WIDTH, NULL, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH - 1, NULL, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, NULL, 5000, WIDTH, NULL, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, INT64_MAX, WIDTH, NULL, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dv_view_dense(view, DV_KIND_TX, matrix, 5000, WIDTH, NULL, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT, "no items of a matrix");
    options.columns = none;
    options.columns_count = 1;
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH, NULL, &options, NULL, NULL),
                 DV_ERR_ARGUMENT);
    options.size = 1;
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH, NULL, &options, NULL, NULL),
                 DV_ERR_ARGUMENT);
    rows.first_row = -1;
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH, &rows, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    rows.first_row = 0;
    rows.token = "dv1-nothing";
    cr_expect_eq(dv_view_dense(view, DV_KIND_R4, matrix, 5000, WIDTH, &rows, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(atomic_load(&m->table.read), 0);
    dv_view_release(&view);
    dvt_many_rows_free(m);
}

/* --- A view that does not keep its word ------------------------------------------------------- */

typedef struct liar {
    int64_t delivers, block_rows;
} liar;

static int64_t said(void *self)
{
    (void)self;
    return 10;
}

static int64_t blocks(void *self)
{
    return ((const liar *)self)->block_rows;
}

static dv_status open_lie(void *self, const dv_cursor_request *request, void **cursor_out,
                          dv_error *err)
{
    (void)request;
    (void)err;
    *cursor_out = malloc(sizeof(liar));
    memcpy(*cursor_out, self, sizeof(liar));
    return DV_OK;
}

static dv_status tell(void *cursor, dv_batch *batch, dv_error *err)
{
    static const float items[64];
    liar *l = cursor;
    if (l->delivers == 0)
        return DV_END;
    const dv_column_view column = dvt_made_fixed(dv_type_of(DV_KIND_R4), items, l->delivers);
    dv_status status = dv_batch_start(batch, 0, l->delivers, err);
    if (status == DV_OK)
        status = dv_batch_fill(batch, 0, &column, err);
    l->delivers = 0;
    return status;
}

Test(dense_view, another_number_of_rows_than_promised_is_an_error)
{
    static const dv_view_class liars = {.size = sizeof liars,
                                        .kind = "liar",
                                        .rows = said,
                                        .block_rows = blocks,
                                        .open_cursor = open_lie,
                                        .next = tell,
                                        .close_cursor = free};
    for (int i = 0; i < 6; i++) {
        liar l = {(const int64_t[]){9, 10, 11}[i % 3], i / 3};
        const dv_type type = dv_type_of(DV_KIND_R4);
        dv_schema *schema;
        dv_view *view;
        float room[10];
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
        cr_assert_eq(dv_schema_add(schema, dv_text_of("x"), &type, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_create(&view, &liars, &l, &schema, NULL, NULL), DV_OK);
        const dv_status status =
            dv_view_dense(view, DV_KIND_R4, room, 10, 1, NULL, NULL, NULL, &err);
        cr_expect_eq(status, i % 3 == 1 ? DV_OK : DV_ERR_ARGUMENT, "%d: %s", i, err.message);
        dv_view_release(&view);
    }
}

/* --- Progress, memory ------------------------------------------------------------------------- */

typedef struct watcher {
    pthread_t thread;
    int64_t n, first, done, total, stop_at;
    bool is_sound;
} watcher;

static bool watch(void *ctx, int64_t done, int64_t total)
{
    watcher *w = ctx;
    w->is_sound &= pthread_equal(w->thread, pthread_self()) && done >= w->done;
    w->first = w->n == 0 ? done : w->first;
    w->done = done;
    w->total = total;
    return ++w->n != w->stop_at;
}

Test(dense_view, reports_in_the_thread_of_the_caller_and_stops)
{
    dvt_many_rows *m = dvt_many_rows_create(ROWS, 700);
    for (int way = 0; way < WAYS; way++) {
        reach(m, way);
        dv_view *view = dvt_made_table_open(&m->table, NULL);
        dv_status status = DV_ERR_STOPPED;
        for (int64_t k = 1; status == DV_ERR_STOPPED; k += 1 + k / 4) {
            dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
            watcher w = {.thread = pthread_self(), .stop_at = k, .is_sound = true};
            int64_t filled;
            rows.progress = (dv_progress){watch, &w};
            rows.threads = 3;
            status =
                dv_view_dense(view, DV_KIND_R4, matrix, ROWS, WIDTH, &rows, NULL, &filled, NULL);
            cr_expect(w.is_sound);
            cr_expect_eq(w.first, 0);
            cr_expect(w.total == ROWS || (way == UNKNOWN && status == DV_ERR_STOPPED &&
                                          w.total == -1)); /* at the end it is known */
            cr_expect(status == DV_ERR_STOPPED ? w.n == k && filled == 0
                                               : w.n < k && w.done == ROWS && filled == ROWS);
        }
        cr_expect_eq(status, DV_OK);
        dv_view_release(&view);
    }
    dvt_many_rows_free(m);
}

/* Let each allocation fail: DV_ERR_MEMORY or the matrix, and nothing is lost. */
Test(dense_view, without_memory)
{
    dvt_many_rows *m = dvt_many_rows_create(30000, 3000);
    dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
    float *want = malloc(sizeof matrix);
    cr_assert_not_null(want);
    for (int i = 0; i < WAYS * 2; i++) {
        dv_status status = DV_ERR_MEMORY;
        int failed = 0;
        reach(m, i / 2);
        rows.threads = i % 2 ? 3 : 1;
        memset(want, 0, sizeof matrix);
        for (int64_t k = 1; status == DV_ERR_MEMORY; k++) {
            dvt_allocator counted;
            int64_t filled;
            dvt_allocator_init(&counted, 0);
            dv_view *view = dvt_made_table_open(&m->table, &counted.allocator);
            if (k == 1)
                cr_assert_eq(
                    dv_view_dense(view, DV_KIND_R4, want, 30000, WIDTH, NULL, NULL, NULL, NULL),
                    DV_OK);
            counted.fail_at = atomic_load(&counted.asked) + k;
            memset(matrix, 0, sizeof matrix);
            status =
                dv_view_dense(view, DV_KIND_R4, matrix, 30000, WIDTH, &rows, NULL, &filled, NULL);
            cr_expect(status == DV_ERR_MEMORY || memcmp(want, matrix, sizeof matrix) == 0);
            failed += status == DV_ERR_MEMORY;
            dv_view_release(&view);
            cr_expect_eq(atomic_load(&counted.live), 0);
        }
        cr_expect_eq(status, DV_OK);
        cr_expect_gt(failed, 3);
    }
    free(want);
    dvt_many_rows_free(m);
}
