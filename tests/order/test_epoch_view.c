/* SPDX-License-Identifier: MIT */
/* test_epoch_view.c: an epoch has every row once over all workers, in the promised order, and the
 * rows are those of the source (epoch.h; the orders themselves: test_epoch_order.c). */
#include "order/epoch_order.h"
#include "order/epoch_view.h"
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/transform.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* --- Rows ------------------------------------------------------------------------------------- */

typedef struct truth {
    dvt_lines all;
    char **starts;
    int64_t rows;
} truth;

/* Line i is row i of the source, with its id. */
static truth read_truth(dv_view *source)
{
    truth t = {.all = {0}};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    cr_assert_eq(dvt_put_numbered(&t.all, source, &options, NULL), DV_OK);
    for (size_t i = 0; i < t.all.nbytes; i++)
        t.rows += t.all.data[i] == '\n';
    t.starts = malloc((size_t)(t.rows + 1) * sizeof *t.starts);
    char *p = t.all.data;
    for (int64_t i = 0; i < t.rows; i++) {
        t.starts[i] = p;
        p = strchr(p, '\n') + 1;
    }
    t.starts[t.rows] = p;
    return t;
}

static void free_truth(truth *t)
{
    free(t->starts);
    dvt_lines_free(&t->all);
}

/* The lines that rows first..end-1 of the epoch must have, by the numbers of the order. */
static void put_epoch(dvt_lines *lines, const truth *t, const dvi_epoch_plan *plan, int64_t first,
                      int64_t end)
{
    dvi_epoch_order *order;
    cr_assert_eq(dvi_epoch_order_create(&order, plan, NULL, NULL), DV_OK);
    for (int64_t i = 0; i < end; i++) {
        int64_t row;
        cr_assert_eq(dvi_epoch_order_next(order, &row, 1), 1);
        if (i < first)
            continue;
        const char *rest = t->starts[row] + strcspn(t->starts[row], " ");
        dvt_lines_print(lines, "%d", (int)i);
        dvt_lines_add(lines, rest, (size_t)(t->starts[row + 1] - rest));
    }
    dvi_epoch_order_free(&order);
}

static dv_epoch_options draw_options(dv_view *source, uint64_t *state)
{
    static const double pools[] = {0, 0.3, 1, 4, 100};
    const bool sequential = dv_view_block_rows(source) == 0;
    dv_epoch_options o = DV_EPOCH_OPTIONS_INIT;
    o.shuffle = sequential ? (below(state, 2) ? DV_SHUFFLE_POOL : DV_SHUFFLE_NONE)
                           : (dv_shuffle)below(state, 4);
    o.seed = dvt_draw(state);
    o.epoch = below(state, 3);
    o.block_rows = below(state, 3) ? 1 + below(state, 70) : 0;
    o.pool_blocks = pools[below(state, COUNT(pools))];
    o.pool_rows = below(state, 3) ? 0 : 1 + below(state, 90);
    o.shards = (int32_t)(1 + below(state, 5));
    o.shard = (int32_t)below(state, o.shards);
    o.shard_by = o.shuffle == DV_SHUFFLE_UNIFORM ? DV_SHARD_BY_ROWS : (dv_shard_by)below(state, 3);
    o.shard_size = (dv_shard_size)below(state, 3);
    return o;
}

static void expect_epoch(const char *story, dv_view *source, const truth *t, uint64_t *state)
{
    static const int64_t sizes[] = {0, 1, 3, 64, INT64_MAX};
    const dv_epoch_options how = draw_options(source, state);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvi_epoch_plan plan;
    dv_view *view;
    dvt_lines want = {0}, got = {0};
    cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, &err), DV_OK, "%s: %s", story,
                 err.message);
    cr_assert_eq(dvi_epoch_plan_make(&plan, t->rows, dv_view_block_rows(source), &how, NULL),
                 DV_OK);
    const int64_t rows = dv_view_rows(view);
    cr_assert_eq(rows, plan.count);
    options.ids = true;
    options.batch_rows = sizes[below(state, COUNT(sizes))];
    options.first_row = below(state, 2) ? below(state, rows + 1) : 0;
    options.end_row = below(state, 2) ? options.first_row + below(state, rows + 1) : rows;
    const int64_t end = options.end_row < rows ? options.end_row : rows;
    put_epoch(&want, t, &plan, options.first_row, end);
    cr_expect_eq(dvt_put_numbered(&got, view, &options, &err), DV_OK, "%s: %s", story, err.message);
    cr_expect_str_eq(got.data ? got.data : "", want.data ? want.data : "",
                     "%s: shuffle %d, blocks of %d, shard %d of %d by %d: wanted\n%.200s\ngot\n"
                     "%.200s",
                     story, (int)how.shuffle, (int)plan.block_rows, how.shard, how.shards,
                     (int)how.shard_by, want.data ? want.data : "", got.data ? got.data : "");
    dvt_lines_free(&want);
    dvt_lines_free(&got);
    dv_view_release(&view);
}

Test(epoch_view, rows_of_all_formats)
{
    static const char *const sources[] = {
        "idv/people.idv",
        "idv/scalar-all-raw-rpb7.idv",
        "idv/scalar-all-deflate-rpb64-anyorder.idv",
        "idv/random-21.idv",
        "idv/vector-TX-raw.idv",
        "idv/rows-0-raw.idv",
        "btable/article.btable",
        "btable/random-03.btable",
        "datadings/tiny.msgpack",
        "text/load/embed-rows.txt",
    };
    uint64_t state = 41;
    for (size_t i = 0; i < COUNT(sources); i++) {
        dv_view *source = dvt_golden_open(sources[i], NULL), *held;
        truth t = read_truth(source);
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
        for (int j = 0; j < 40; j++) {
            expect_epoch(sources[i], source, &t, &state);
            expect_epoch("held", held, &t, &state);
        }
        free_truth(&t);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* Also if the number of rows is unknown, and they are counted. */
Test(epoch_view, rows_that_are_made)
{
    uint64_t state = 43;
    dvt_many_rows *many = dvt_many_rows_create(3000, 64);
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    truth t = read_truth(source);
    for (int j = 0; j < 60; j++) {
        many->table.in_blocks = j % 2;
        many->table.rows_unknown = j % 3 == 0;
        expect_epoch("made", source, &t, &state);
    }
    free_truth(&t);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* --- Shards ----------------------------------------------------------------------------------- */

/* Count each row that a shard delivers; its own number is column "c" of a made table. */
static int64_t count_shard(dv_view *source, const dv_epoch_options *how, int64_t *seen)
{
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    int64_t rows = 0;
    options.columns_count = 0;
    options.ids = true;
    cr_assert_eq(dv_view_epoch(&view, source, how, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        for (int64_t i = 0; i < batch->rows; i++)
            seen[batch->ids[i].lo]++;
        rows += batch->rows;
    }
    cr_expect_eq(rows, dv_view_rows(view));
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return rows;
}

static void expect_partition(dv_view *source, dv_epoch_options how)
{
    const int64_t rows = dv_view_rows(source);
    int64_t *seen = calloc((size_t)rows + 1, sizeof *seen), total = 0, first = 0;
    for (how.shard = 0; how.shard < how.shards; how.shard++) {
        const int64_t own = count_shard(source, &how, seen);
        first = how.shard == 0 ? own : first;
        total += own;
        cr_expect(how.shard_size == DV_SHARD_AS_IS || own == first, "shard %d: %d rows, not %d",
                  how.shard, (int)own, (int)first);
    }
    int64_t never = 0, again = 0;
    for (int64_t i = 0; i < rows; i++) {
        never += seen[i] == 0;
        again += seen[i] > 1 ? seen[i] - 1 : 0;
    }
    cr_expect(how.shard_size == DV_SHARD_DROP || never == 0, "%d rows never", (int)never);
    cr_expect(how.shard_size == DV_SHARD_PAD || again == 0, "%d rows again", (int)again);
    cr_expect_eq(total, rows - never + again);
    free(seen);
}

Test(epoch_view, every_row_once_over_all_shards)
{
    static const int64_t tables[] = {0, 1, 63, 64, 65, 1000};
    static const int32_t shards[] = {1, 2, 3, 4, 7, 16, 33};
    for (size_t i = 0; i < COUNT(tables); i++) {
        dvt_many_rows *many = dvt_many_rows_create(tables[i], 64);
        many->table.in_blocks = true;
        dv_view *source = dvt_made_table_open(&many->table, NULL);
        for (size_t n = 0; n < COUNT(shards); n++)
            for (int how = 0; how < 4 * 2 * 3; how++) {
                dv_epoch_options o = DV_EPOCH_OPTIONS_INIT;
                o.shuffle = (dv_shuffle)(how % 4);
                o.shard_by = how / 4 % 2 ? DV_SHARD_BY_ROWS : DV_SHARD_BY_DEFAULT;
                o.shard_size = (dv_shard_size)(how / 8);
                o.shards = shards[n];
                o.pool_blocks = 1.5;
                o.seed = 7;
                expect_partition(source, o);
            }
        dv_view_release(&source);
        dvt_many_rows_free(many);
    }
}

/* --- What is known, lent and refused ---------------------------------------------------------- */

static bool no_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK;
}

Test(epoch_view, what_is_known)
{
    static const struct {
        dv_shuffle shuffle;
        int64_t block_rows;
    } table[] = {{DV_SHUFFLE_NONE, 128},
                 {DV_SHUFFLE_UNIFORM, 1},
                 {DV_SHUFFLE_POOL, 0},
                 {DV_SHUFFLE_BLOCKS, 128}};
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *view;
    for (size_t i = 0; i < COUNT(table); i++) {
        dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
        dv_verify_options check = DV_VERIFY_OPTIONS_INIT;
        how.shuffle = table[i].shuffle;
        check.defect = no_defect;
        cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, NULL), DV_OK);
        cr_expect_str_eq(dv_view_kind(view), "epoch");
        cr_expect_eq(dv_view_rows(view), 600);
        cr_expect_eq(dv_view_block_rows(view), table[i].block_rows);
        cr_expect_not(dv_view_can_shuffle(view));
        cr_expect_eq(dv_verify(view, &check, NULL), DV_OK);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* Rows in their order, for one worker, are borrowed from the mapped file; others are copies. */
Test(epoch_view, lends_what_is_in_order)
{
    dv_view *source = dvt_golden_open("idv/scalar-all-raw-rpb7.idv", NULL), *view;
    dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int32_t column;
    cr_assert_eq(dv_schema_find(dv_view_schema(source), dv_text_of("R4"), &column), DV_OK);
    options.columns = &column;
    options.columns_count = 1;
    for (int i = 0; i < 3; i++) {
        how.shuffle = i == 1 ? DV_SHUFFLE_UNIFORM : DV_SHUFFLE_NONE;
        how.shards = i == 2 ? 2 : 1;
        options.zero_copy_only = false;
        cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
        cr_expect_eq(dv_batch_column(batch, 0)->as.fixed.values.is_borrowed, i == 0);
        dv_cursor_close(&cursor);
        options.zero_copy_only = true;
        cr_expect_eq(dv_cursor_open(&cursor, view, &options, NULL), i == 0 ? DV_OK : DV_ERR_COPY);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

Test(epoch_view, uniform_needs_rows_by_number)
{
    dv_error err = DV_ERROR_INIT;
    dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
    dv_view *source = dvt_golden_open("text/load/embed-rows.txt", NULL), *view, *held;
    how.shuffle = DV_SHUFFLE_UNIFORM;
    cr_expect_eq(dv_view_epoch(&view, source, &how, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect_null(view);
    cr_expect_not_null(strstr(err.message, "materialize"), "%s", err.message);
    cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_epoch(&view, held, &how, NULL, &err), DV_OK);
    dv_view_release(&view);
    dv_view_release(&held);
    dv_view_release(&source);
}

/* An error of the source while its rows are counted. */
Test(epoch_view, rows_that_cannot_be_counted)
{
    dv_view *source, *view, *bad;
    dv_condition everything = {dv_text_of("a"), DV_IS_LESS | DV_IS_EQUAL, dv_text_of("1e300")};
    dvt_many_rows *many = dvt_many_rows_create(100, 10);
    many->table.bad_row = 55;
    source = dvt_made_table_open(&many->table, NULL);
    cr_assert_eq(dv_view_filter(&bad, source, &everything, 1, NULL, NULL), DV_OK);
    cr_expect_eq(dv_view_epoch(&view, bad, NULL, NULL, NULL), DV_ERR_CORRUPT);
    cr_expect_null(view);
    dv_view_release(&bad);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

typedef struct reports {
    int64_t calls, done, total, stop_at; /* stop_at: the call that stops; 0: none */
} reports;

static bool report(void *ctx, int64_t done, int64_t total)
{
    reports *r = ctx;
    cr_expect_geq(done, r->done);
    r->done = done;
    r->total = total;
    return ++r->calls != r->stop_at;
}

/* Counting reports each batch, and each report can stop it. */
Test(epoch_view, counting_is_stopped)
{
    dv_error err = DV_ERROR_INIT;
    reports all = {0};
    dv_view *view;
    dvt_many_rows *many = dvt_many_rows_create(100, 10);
    many->table.rows_unknown = true;
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
    how.progress = (dv_progress){report, &all};
    cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, &err), DV_OK);
    cr_expect_eq(all.done, 100);
    cr_expect_eq(all.total, 100);
    cr_expect_geq(all.calls, 12);
    dv_view_release(&view);
    for (int64_t k = 1; k <= all.calls; k++) {
        reports some = {.stop_at = k};
        how.progress.ctx = &some;
        cr_expect_eq(dv_view_epoch(&view, source, &how, NULL, &err), DV_ERR_STOPPED);
        cr_expect_null(view);
        cr_expect_eq(some.calls, k);
        cr_expect_eq(err.status, DV_ERR_STOPPED);
    }
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* --- Memory, and several cursors -------------------------------------------------------------- */

static dv_status try_all(const char *file, dv_shuffle shuffle, const dv_allocator *allocator,
                         dvt_lines *lines)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
    dv_view *source = NULL, *view = NULL;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, file);
    open.allocator = allocator;
    options.ids = true;
    how.shuffle = shuffle;
    how.pool_rows = 20;
    how.shards = shuffle == DV_SHUFFLE_BLOCKS ? 2 : 1;
    dv_status status = dv_open(&source, path.text, &open, &err);
    if (status == DV_OK)
        status = dv_view_epoch(&view, source, &how, allocator, &err);
    if (status == DV_OK)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

static void expect_survival(const char *file, dv_shuffle shuffle)
{
    dvt_lines want = {0};
    int64_t k = 1 - DVT_FAIL_STEP;
    cr_assert_eq(try_all(file, shuffle, NULL, &want), DV_OK);
    for (bool is_done = false; !is_done;) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dvt_allocator_init(&counted, k += DVT_FAIL_STEP);
        const dv_status status = try_all(file, shuffle, &counted.allocator, &lines);
        is_done = counted.asked < k;
        cr_expect(status == (is_done ? DV_OK : DV_ERR_MEMORY) || status == DV_OK, "allocation %d",
                  (int)k);
        if (status == DV_OK)
            cr_expect_str_eq(lines.data, want.data, "allocation %d", (int)k);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        dvt_lines_free(&lines);
    }
    dvt_lines_free(&want);
}

Test(epoch_view, each_allocation_may_fail)
{
    for (int shuffle = DV_SHUFFLE_NONE; shuffle <= DV_SHUFFLE_BLOCKS; shuffle++) {
        expect_survival("idv/scalar-all-deflate-rpb7.idv", (dv_shuffle)shuffle);
        expect_survival("idv/vector-TX-raw.idv", (dv_shuffle)shuffle);
        expect_survival("btable/article.btable", (dv_shuffle)shuffle);
    }
}

/* Each worker of a shared pool delivers some rows of every block; no block is read again. */
Test(epoch_view, shared_pools_read_once)
{
    static const dv_conversion_spec decoded = {{"d", 1}, {"d", 1}, {.kind = DV_KIND_R8}};
    dvt_many_rows *many = dvt_many_rows_create(40000, 500);
    for (int i = 0; i < 2; i++) {
        dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
        dv_view *source, *table = dvt_made_table_open(&many->table, NULL), *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        int64_t rows = 0;
        many->table.in_blocks = i == 1;
        many->table.read = 0;
        how.shuffle = DV_SHUFFLE_POOL;
        how.block_rows = 500;
        how.shards = 3;
        how.shard_by = DV_SHARD_BY_ROWS;
        cr_assert_eq(dv_view_convert(&source, table, &decoded, 1, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            rows += batch->rows;
        cr_expect_eq(rows, dv_view_rows(view));
        cr_expect_lt(many->table.read, 4 * 40500, "%d: %d values were read", i,
                     (int)many->table.read);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dv_view_release(&source);
        dv_view_release(&table);
    }
    dvt_many_rows_free(many);
}

typedef struct reader {
    pthread_t thread;
    dv_view *view;
    dvt_lines lines;
    dv_status status;
} reader;

static void *read_all(void *ctx)
{
    reader *r = ctx;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    r->status = dvt_put_numbered(&r->lines, r->view, &options, NULL);
    return NULL;
}

/* Cursors of one view are independent. */
Test(epoch_view, several_cursors_at_once)
{
    static const char *const sources[] = {"idv/people.idv", "idv/scalar-all-raw-rpb7.idv",
                                          "btable/article.btable", "datadings/tiny.msgpack"};
    for (size_t i = 0; i < 4 * COUNT(sources); i++) {
        dv_epoch_options how = DV_EPOCH_OPTIONS_INIT;
        dv_view *source = dvt_golden_open(sources[i / 4], NULL), *view;
        reader readers[3] = {{.view = NULL}};
        how.shuffle = (dv_shuffle)(i % 4);
        cr_assert_eq(dv_view_epoch(&view, source, &how, NULL, NULL), DV_OK);
        for (size_t k = 0; k < COUNT(readers); k++) {
            readers[k].view = view;
            cr_assert_eq(pthread_create(&readers[k].thread, NULL, read_all, &readers[k]), 0);
        }
        for (size_t k = 0; k < COUNT(readers); k++) {
            pthread_join(readers[k].thread, NULL);
            cr_expect_eq(readers[k].status, DV_OK);
            cr_expect_str_eq(readers[k].lines.data, readers[0].lines.data);
        }
        for (size_t k = 0; k < COUNT(readers); k++)
            dvt_lines_free(&readers[k].lines);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}
