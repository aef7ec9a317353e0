/* SPDX-License-Identifier: MIT */
/* test_bucket_view.c: buckets have the rows of a short model, in every epoch, from any row on, and
 * similar lengths in each batch (bucket.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/documents.h"
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/resumed.h"
#include "support/test.h"
#include <dataview/bucket.h>
#include <dataview/cursor.h>
#include <dataview/feed.h>
#include <dataview/order.h>
#include <dataview/transform.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST DVT_DOCUMENTS_MOST

static dv_error err;
static dvt_documents documents;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* --- The model: docs/shuffling.md ------------------------------------------------------------- */

/* Sort by insertion: a row goes behind those that are as long. */
static void sort_rows(int64_t *rows, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        const int64_t row = rows[i];
        int64_t at = i;
        for (; at > 0 && documents.length[rows[at - 1]] > documents.length[row]; at--)
            rows[at] = rows[at - 1];
        rows[at] = row;
    }
}

static void model_pool(int64_t *rows, int64_t n, const dv_bucket_options *o, uint64_t key)
{
    int64_t sorted[MOST], order[MOST];
    const int64_t b = o->batch_rows, groups = n / b;
    sort_rows(rows, n);
    if (o->shuffle == DV_SHUFFLE_NONE)
        return;
    memcpy(sorted, rows, (size_t)n * sizeof *rows);
    dvt_model_permutation(order, groups, key);
    for (int64_t i = 0; i < groups * b; i++)
        rows[i] = sorted[order[i / b] * b + i % b];
}

static void model(int64_t *rows, int64_t n, const dv_bucket_options *o, int64_t epoch)
{
    const uint64_t key = dvt_model_key(o->seed, (uint64_t)(epoch < 0 ? 0 : epoch));
    const int64_t wanted = o->pool_rows > 0 ? o->pool_rows : 100 * o->batch_rows;
    const int64_t pool = (wanted + o->batch_rows - 1) / o->batch_rows * o->batch_rows;
    int64_t start[MOST], order[MOST];
    for (int64_t i = 0; i < n; i++)
        start[i] = i;
    if (o->shuffle == DV_SHUFFLE_UNIFORM)
        dvt_model_permutation(start, n, key);
    dvt_model_permutation(order, n / pool, dvt_model_key(key, 0));
    for (int64_t first = 0, i = 0; first < n; first += pool, i++) {
        const int64_t number = o->shuffle == DV_SHUFFLE_POOL && i < n / pool ? order[i] : i;
        const int64_t count = n - first < pool ? n - first : pool;
        memcpy(rows + first, start + number * pool, (size_t)count * sizeof *rows);
        model_pool(rows + first, count, o, dvt_model_key(key, (uint64_t)number + 1));
    }
}

/* --- Rows ------------------------------------------------------------------------------------- */

static void expect_row(const dv_batch *batch, int64_t i, int64_t want, const char *story)
{
    const dv_value number = dv_value_at(dv_batch_column(batch, 0), i);
    const dv_value ids = dv_value_at(dv_batch_column(batch, 1), i);
    const dv_value text = dv_value_at(dv_batch_column(batch, 3), i);
    cr_assert_eq(dv_value_i8(&number), want, "%s: position %d: row %d, not %d", story,
                 (int)(batch->first_row + i), (int)dv_value_i8(&number), (int)want);
    cr_assert_eq(ids.length, documents.length[want], "%s", story);
    cr_assert_eq(dv_value_tx(&text).nbytes, documents.length[want], "%s", story);
    cr_assert(batch->ids[i].lo == (uint64_t)want && batch->ids[i].hi == 0, "%s", story);
}

static void expect_rows(dv_view *view, const int64_t *want, int64_t n, int64_t epoch,
                        uint64_t *state, const char *story)
{
    static const int64_t sizes[] = {0, 1, 7, 64, INT64_MAX};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    options.first_row = below(state, 2) ? below(state, n + 1) : 0;
    options.end_row = below(state, 2) ? options.first_row + below(state, n + 1) : -1;
    options.batch_rows = sizes[below(state, COUNT(sizes))];
    options.threads = (int32_t)(1 + below(state, 4));
    options.epoch = epoch;
    options.ids = true;
    const int64_t end = options.end_row < 0 || options.end_row > n ? n : options.end_row;
    int64_t at = options.first_row;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s: %s", story,
                 err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, at++) {
            cr_assert_lt(at, end, "%s", story);
            expect_row(batch, i, want[at], story);
        }
    cr_assert_eq(status, DV_END, "%s: %s", story, err.message);
    cr_assert_eq(at, end > options.first_row ? end : options.first_row, "%s", story);
    dv_cursor_close(&cursor);
}

static dv_bucket_options draw_options(uint64_t *state)
{
    static const dv_shuffle shuffles[] = {DV_SHUFFLE_NONE, DV_SHUFFLE_UNIFORM, DV_SHUFFLE_POOL};
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    o.batch_rows = 1 + below(state, 12);
    o.pool_rows = below(state, 120);
    o.shuffle = shuffles[below(state, 3)];
    o.seed = dvt_draw(state);
    o.threads = (int32_t)below(state, 5);
    return o;
}

static void expect_buckets(dv_view *source, int32_t column, const dv_bucket_options *o, int64_t n,
                           uint64_t *state, const char *story)
{
    static int64_t want[MOST];
    dv_view *view;
    cr_assert_eq(dv_view_bucket(&view, source, column, o, NULL, &err), DV_OK, "%s: %s", story,
                 err.message);
    cr_assert_eq(dv_view_rows(view), n, "%s", story);
    for (int k = 0; k < 4; k++) {
        const int64_t epoch = below(state, 4) - 1;
        model(want, n, o, epoch);
        expect_rows(view, want, n, epoch, state, story);
    }
    dv_view_release(&view);
}

Test(bucket_view, rows_of_the_model)
{
    char story[160];
    for (uint64_t round = 0; round < 300; round++) {
        uint64_t state = round;
        const int64_t n = below(&state, 6) == 0 ? below(&state, 3) : 1 + below(&state, MOST);
        const int32_t most = (int32_t)(1 + below(&state, 40));
        dv_view *held,
            *source = dvt_documents_open(&documents, n, most, 1 + below(&state, 40), round, NULL);
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
        const dv_bucket_options o = draw_options(&state);
        const int32_t column = (int32_t)(1 + below(&state, 4));
        snprintf(story, sizeof story,
                 "round %d: %d rows, column %d, batch_rows %d, pool_rows %d, shuffle %d, seed %llu",
                 (int)round, (int)n, (int)column, (int)o.batch_rows, (int)o.pool_rows,
                 (int)o.shuffle, (unsigned long long)o.seed);
        expect_buckets(source, column, &o, n, &state, story);
        expect_buckets(held, column, &o, n, &state, story);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* More groups than a permutation's table, in one pool: each row once, and lengths that hardly
 * differ in a group. */
Test(bucket_view, of_many_rows)
{
    enum { ROWS = 30000, GROUP = 4 };
    static int32_t length[ROWS];
    static int64_t number[ROWS];
    static bool is_there[ROWS];
    uint64_t state = 3;
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_made_table made = {
        .columns = 2, .rows = ROWS, .block_rows = 1000, .in_blocks = true, .bad_row = -1};
    dv_view *view, *source;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t groups = 0, apart = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        number[i] = i;
        length[i] = (int32_t)below(&state, ROWS);
    }
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    made.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I4), length, ROWS);
    source = dvt_made_table_open(&made, NULL);
    o.batch_rows = GROUP;
    o.pool_rows = ROWS;
    cr_assert_eq(dv_view_bucket(&view, source, 1, &o, NULL, &err), DV_OK, "%s", err.message);
    options.batch_rows = GROUP;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK) {
        int64_t least = INT64_MAX, most = 0;
        for (int64_t i = 0; i < batch->rows; i++) {
            const dv_value row = dv_value_at(dv_batch_column(batch, 0), i);
            const int64_t at = dv_value_i8(&row);
            cr_assert(!is_there[at]);
            is_there[at] = true;
            least = length[at] < least ? length[at] : least;
            most = length[at] > most ? length[at] : most;
        }
        apart += most - least;
        groups++;
    }
    cr_expect_eq(groups, ROWS / GROUP);
    cr_expect_lt(apart / groups, 10); /* in random order about 18000 */
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- What users rely on ----------------------------------------------------------------------- */

static void run_feed(int64_t *rows, int64_t n, dv_view *view, int32_t shard, int32_t shards,
                     int64_t batch_rows)
{
    static const int32_t column[] = {0};
    dv_feed_options options = DV_FEED_OPTIONS_INIT;
    dv_dense_options features = DV_DENSE_OPTIONS_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    const dv_feed_batch *batch;
    dv_feed *feed;
    int64_t at = 0;
    features.columns = column;
    features.columns_count = 1;
    const dv_feed_matrix matrices[] = {{&features, DV_KIND_I8, NULL}};
    options.matrices = matrices;
    options.matrices_count = 1;
    order.shard = shard;
    order.shards = shards;
    options.order = &order;
    options.batch_rows = batch_rows;
    options.epochs = 2;
    cr_assert_eq(dv_feed_open(&feed, view, &options, &err), DV_OK, "%s", err.message);
    while (dv_feed_next(feed, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, at++) {
            cr_assert_lt(at, n);
            rows[at] = ((const int64_t *)batch->matrices[0].items)[i];
        }
    cr_assert_eq(at, n);
    dv_feed_close(&feed);
}

/* A feed of two shards has both halves of a group in one step, in each epoch anew. */
Test(bucket_view, feeds_of_shards)
{
    enum { ROWS = 240 };
    static int64_t want[2][ROWS], rows[2][ROWS];
    dv_view *source = dvt_documents_open(&documents, ROWS, 40, 16, 5, NULL), *view;
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    o.batch_rows = 12;
    o.pool_rows = 60;
    o.seed = 8;
    cr_assert_eq(dv_view_bucket(&view, source, 1, &o, NULL, &err), DV_OK, "%s", err.message);
    for (int epoch = 0; epoch < 2; epoch++)
        model(want[epoch], ROWS, &o, epoch);
    for (int32_t shard = 0; shard < 2; shard++)
        run_feed(rows[shard], ROWS, view, shard, 2, 6);
    for (int64_t i = 0; i < ROWS; i++) {
        cr_assert_eq(rows[i % 2][i / 2], want[0][i], "epoch 0, position %d", (int)i);
        cr_assert_eq(rows[i % 2][ROWS / 2 + i / 2], want[1][i], "epoch 1, position %d", (int)i);
    }
    dv_view_release(&view);
    dv_view_release(&source);
}

Test(bucket_view, tokens)
{
    uint64_t state = 11;
    for (uint64_t round = 0; round < 20; round++) {
        dv_view *source = dvt_documents_open(&documents, 150, 30, 9, round, NULL), *first, *second;
        const dv_bucket_options o = draw_options(&state);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.epoch = (int64_t)(round % 3);
        options.ids = true;
        options.batch_rows = 13;
        cr_assert_eq(dv_view_bucket(&first, source, 1, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_bucket(&second, source, 1, &o, NULL, &err), DV_OK, "%s", err.message);
        const char *difference = dvt_resume_difference(first, second, &options, round);
        cr_expect_null(difference, "round %d: %s", (int)round, difference);
        dv_view_release(&first);
        dv_view_release(&second);
        dv_view_release(&source);
    }
}

static dv_u128 identity_of(dv_view *source, int32_t column, const dv_bucket_options *o)
{
    dv_u128 identity;
    dv_view *view;
    cr_assert_eq(dv_view_bucket(&view, source, column, o, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_identity(view, &identity, &err), DV_OK);
    dv_view_release(&view);
    return identity;
}

/* Every option that changes a row changes the identity. */
Test(bucket_view, identities)
{
    dv_u128 found[8];
    int n = 0;
    dv_view *source = dvt_documents_open(&documents, 90, 20, 7, 4, NULL);
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    found[n++] = identity_of(source, 1, &o);
    found[n++] = identity_of(source, 2, &o);
    o.batch_rows = 8;
    found[n++] = identity_of(source, 1, &o);
    o.pool_rows = 80;
    found[n++] = identity_of(source, 1, &o);
    o.shuffle = DV_SHUFFLE_POOL;
    found[n++] = identity_of(source, 1, &o);
    o.seed = 1;
    found[n++] = identity_of(source, 1, &o);
    o.pool_rows = 73; /* rounded up to 80 */
    const dv_u128 same = identity_of(source, 1, &o);
    cr_expect(same.lo == found[n - 1].lo && same.hi == found[n - 1].hi);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            cr_expect(found[i].lo != found[k].lo || found[i].hi != found[k].hi, "%d and %d", i, k);
    dv_view_release(&source);
}

Test(bucket_view, what_it_is)
{
    dv_view *source = dvt_documents_open(&documents, 30, 20, 7, 4, NULL), *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    cr_assert_eq(dv_view_bucket(&view, source, 1, NULL, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), 30);
    cr_expect_eq(dv_view_block_rows(view), 1);
    cr_expect_str_eq(dv_view_kind(view), "bucket");
    cr_expect(!dv_view_can_shuffle(view));
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), 5);
    options.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, &err), DV_ERR_COPY);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- What is refused -------------------------------------------------------------------------- */

static void expect_refused(dv_view *source, int32_t column, const dv_bucket_options *o,
                           const char *says)
{
    dv_view *view;
    cr_expect_eq(dv_view_bucket(&view, source, column, o, NULL, &err), DV_ERR_ARGUMENT, "%s", says);
    cr_expect(!view && strstr(err.message, says), "expected %s: %s", says, err.message);
    dv_view_release(&view);
}

Test(bucket_view, what_is_refused)
{
#define WITH(...) &(dv_bucket_options){.size = sizeof(dv_bucket_options), __VA_ARGS__}
    dv_view *source = dvt_documents_open(&documents, 3, 20, 2, 1, NULL);
    expect_refused(source, 1, &(dv_bucket_options){.size = 3}, "DV_BUCKET_OPTIONS_INIT");
    expect_refused(source, 1, WITH(.batch_rows = 0), "batch_rows");
    expect_refused(source, 1, WITH(.batch_rows = INT64_C(1) << 31), "batch_rows");
    expect_refused(source, 1, WITH(.batch_rows = 4, .pool_rows = -1), "pool_rows");
    expect_refused(source, 1, WITH(.batch_rows = 4, .pool_rows = INT64_MAX), "pool_rows");
    expect_refused(source, 1, WITH(.batch_rows = 4, .threads = -1), "threads");
    expect_refused(source, 1, WITH(.batch_rows = 4, .shuffle = DV_SHUFFLE_BLOCKS), "shuffle is 3");
    expect_refused(source, 1, WITH(.batch_rows = 4, .shuffle = (dv_shuffle)9), "shuffle is 9");
    expect_refused(source, -1, NULL, "column -1: the view has 5 columns");
    expect_refused(source, 5, NULL, "column 5");
    dv_view_release(&source);
    source = dvt_documents_open(&documents, 3, 20, 0, 1, NULL);
    expect_refused(source, 1, NULL, "in sequence");
    dv_view_release(&source);
#undef WITH
}

/* A value that is not a length is named with its row; so is a column without lengths. */
Test(bucket_view, lengths_that_are_refused)
{
    static const int64_t wide[] = {1, INT64_C(1) << 32}, good[] = {0, UINT32_MAX};
    static const int16_t negative[] = {1, -1}, na[] = {1, INT16_MIN};
    static const uint64_t huge[] = {1, UINT64_MAX};
    static const int32_t ends[] = {1, (int32_t)(INT32_MIN | 1)};
    static const double reals[] = {1, 2};
    dvt_made_table made = {
        .columns = 7, .rows = 2, .block_rows = 2, .in_blocks = true, .bad_row = -1};
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), wide, 2);
    made.column[1] = dvt_made_fixed(dv_type_of(DV_KIND_I2), negative, 2);
    made.column[2] = dvt_made_fixed(dv_type_of(DV_KIND_I2), na, 2);
    made.column[3] = dvt_made_fixed(dv_type_of(DV_KIND_U8), huge, 2);
    made.column[4] = dvt_made_text(DV_KIND_TX, "a", ends, 2);
    made.column[5] = dvt_made_fixed(dv_type_of(DV_KIND_R8), reals, 2);
    made.column[6] = dvt_made_fixed(dv_type_of(DV_KIND_I8), good, 2);
    dv_view *source = dvt_made_table_open(&made, NULL), *view;
    expect_refused(source, 0, NULL, "column \"a\"");
    cr_expect(strstr(err.message, "row 1") && strstr(err.message, "4294967296"), "%s", err.message);
    expect_refused(source, 1, NULL, "found -1");
    expect_refused(source, 2, NULL, "found NA");
    expect_refused(source, 3, NULL, "row 1");
    expect_refused(source, 4, NULL, "found NA");
    expect_refused(source, 5, NULL, "R8 has no lengths");
    cr_expect_eq(dv_view_bucket(&view, source, 6, NULL, NULL, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    dv_view_release(&source);
}

static bool stop(void *ctx, int64_t rows, int64_t total)
{
    (void)ctx;
    (void)rows;
    (void)total;
    return false;
}

Test(bucket_view, failures_of_the_source)
{
    dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
    dv_view *source = dvt_documents_open(&documents, 100, 30, 10, 1, NULL), *view;
    documents.made.bad_row = 57;
    cr_expect_eq(dv_view_bucket(&view, source, 1, &o, NULL, &err), DV_ERR_CORRUPT);
    cr_expect_null(view);
    documents.made.bad_row = -1;
    o.progress.report = stop;
    cr_expect_eq(dv_view_bucket(&view, source, 1, &o, NULL, &err), DV_ERR_STOPPED);
    cr_expect_null(view);
    dv_view_release(&source);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static dv_status try_all(const dv_bucket_options *o, const dv_allocator *allocator,
                         dvt_lines *lines)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = dvt_documents_open(&documents, 60, 20, 7, 3, NULL), *view = NULL;
    dv_status status = dv_view_bucket(&view, source, 1, o, allocator, &err);
    for (options.epoch = 0; status == DV_OK && options.epoch < 2; options.epoch++)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(bucket_view, each_allocation_may_fail)
{
    for (int kind = 0; kind < 3; kind++) {
        dv_bucket_options o = DV_BUCKET_OPTIONS_INIT;
        dvt_lines truth = {0};
        int64_t k = 0;
        o.batch_rows = 4;
        o.pool_rows = 20;
        o.shuffle = (dv_shuffle)kind;
        cr_assert_eq(try_all(&o, NULL, &truth), DV_OK, "%s", err.message);
        for (bool is_done = false; !is_done;) {
            dvt_allocator counted;
            dvt_lines lines = {0};
            dvt_allocator_init(&counted, ++k);
            const dv_status status = try_all(&o, &counted.allocator, &lines);
            is_done = counted.asked < k;
            cr_expect(status == DV_OK || (!is_done && status == DV_ERR_MEMORY),
                      "kind %d, allocation %d: %s", kind, (int)k, err.message);
            if (status == DV_OK)
                cr_expect_str_eq(lines.data, truth.data, "kind %d, allocation %d", kind, (int)k);
            cr_expect_eq(counted.live, 0, "kind %d, allocation %d: a leak", kind, (int)k);
            dvt_lines_free(&lines);
        }
        cr_expect_gt(k, 10);
        dvt_lines_free(&truth);
    }
}
