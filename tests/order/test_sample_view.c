/* SPDX-License-Identifier: MIT */
/* test_sample_view.c: a sample has the rows of the model, in every epoch, from any row on
 * (sample.h). */
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/drawn_rows.h"
#include "support/many_rows.h"
#include "support/own_table.h"
#include "support/resumed.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/dense.h>
#include <dataview/inspect.h>
#include <dataview/order.h>
#include <dataview/transform.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_error err;
static dvt_drawn_table table;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

/* Rows of all kinds, of a table with weights. */
static dv_sample_options draw_options(int64_t n, uint64_t *state)
{
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    const int64_t kind = below(state, 4);
    o.replace = below(state, 2);
    o.in_order = !o.replace && below(state, 3) == 0;
    o.rows = below(state, 3) == 0 ? -1 : below(state, n + 5);
    o.seed = dvt_draw(state);
    o.epoch = below(state, 4) == 0 ? below(state, 3) : -1;
    o.weight_column = kind == 1 ? 1 : -1;
    o.class_column = kind == 2 ? 2 : -1;
    o.weights = kind == 3 ? table.weight : NULL;
    o.weights_count = kind == 3 ? n : 0;
    o.threads = (int32_t)below(state, 3);
    return o;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* A row is found by its number, and has its id, weight and text. */
static void expect_row(const dv_batch *batch, int64_t i, int64_t want, const char *story)
{
    const dv_value number = dv_value_at(dv_batch_column(batch, 0), i);
    const dv_value weight = dv_value_at(dv_batch_column(batch, 1), i);
    const dv_value text = dv_value_at(dv_batch_column(batch, 3), i);
    cr_assert_eq(dv_value_i8(&number), want, "%s: position %d: row %d, not %d", story,
                 (int)(batch->first_row + i), (int)dv_value_i8(&number), (int)want);
    cr_assert_eq(dv_value_r8(&weight), table.weight[want], "%s", story);
    const int32_t first = table.ends[want], nbytes = table.ends[want + 1] - first;
    cr_assert_eq(dv_value_tx(&text).nbytes, nbytes, "%s", story);
    cr_assert_eq(memcmp(dv_value_tx(&text).data, table.utf8 + first, (size_t)nbytes), 0);
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
    options.threads = (int32_t)(1 + below(state, 3));
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

/* The same rows as a matrix, and as the numbers of another view. */
static void expect_matrix(dv_view *view, const int64_t *want, int64_t n, int64_t epoch)
{
    static const int32_t columns[] = {0, 1};
    static double got[DVT_DRAWN_MOST][2];
    int64_t rows;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = 2;
    cursor.epoch = epoch;
    cr_assert_eq(dv_view_dense(view, DV_KIND_R8, got[0], n, 2, &cursor, NULL, &rows, &err), DV_OK,
                 "%s", err.message);
    cr_assert_eq(rows, n);
    for (int64_t i = 0; i < n; i++)
        cr_assert(got[i][0] == (double)want[i] && got[i][1] == table.weight[want[i]]);
}

static void expect_sample(dv_view *source, const dv_sample_options *o, uint64_t *state,
                          const char *story)
{
    static int64_t want[DVT_DRAWN_MOST];
    dv_view *view;
    const int64_t n = dvt_drawn_model(want, &table, o, 0);
    const dv_status status = dv_view_sample(&view, source, o, NULL, &err);
    cr_assert_eq(status, n < 0 ? DV_ERR_ARGUMENT : DV_OK, "%s: %s", story, err.message);
    for (int k = 0; view && k < 4; k++) {
        const int64_t epoch = below(state, 4) - 1;
        cr_assert_eq(dvt_drawn_model(want, &table, o, epoch), n);
        cr_assert_eq(dv_view_rows(view), n, "%s", story);
        expect_rows(view, want, n, epoch, state, story);
        expect_matrix(view, want, n, epoch);
    }
    dv_view_release(&view);
}

Test(sample_view, rows_of_the_model)
{
    static const char *const kinds[] = {"equal", "weights by column", "classes", "weights"};
    char story[160];
    for (uint64_t round = 0; round < 300; round++) {
        uint64_t state = round;
        const int64_t n = below(&state, 6) == 0 ? below(&state, 3) : 1 + below(&state, 400);
        dv_view *source = dvt_drawn_open(&table, n, 1 + below(&state, 40), round, NULL), *held;
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, &err), DV_OK);
        const dv_sample_options o = draw_options(n, &state);
        snprintf(story, sizeof story, "round %d: %d rows, %s,%s%s rows %d, seed %llu", (int)round,
                 (int)n,
                 kinds[o.weight_column == 1  ? 1
                       : o.class_column == 2 ? 2
                       : o.weights           ? 3
                                             : 0],
                 o.replace ? " replace," : "", o.in_order ? " in order," : "", (int)o.rows,
                 (unsigned long long)o.seed);
        expect_sample(source, &o, &state, story);
        expect_sample(held, &o, &state, story);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* A source that is read from the start, and whose number of rows is unknown, gives rows in their
 * order; other samples of it are refused. */
Test(sample_view, of_rows_in_sequence)
{
    static int64_t want[DVT_DRAWN_MOST];
    uint64_t state = 5;
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 333, 0, 8, NULL), *view;
    table.made.rows_unknown = true;
    o.rows = 40;
    cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "in sequence") && !view, "%s", err.message);
    o.in_order = true;
    for (o.seed = 0; o.seed < 9; o.seed++) {
        o.weight_column = o.seed % 3 == 1 ? 1 : -1;
        cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_block_rows(view), 0);
        cr_assert_eq(dvt_drawn_model(want, &table, &o, -1), 40);
        expect_rows(view, want, 40, -1, &state, "in sequence");
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* More rows than the permutation's table has, and than its chunks. */
Test(sample_view, of_many_rows)
{
    enum { ROWS = 70000 };
    static int64_t number[ROWS], rows[ROWS], order[ROWS];
    static bool is_drawn[ROWS];
    int64_t n;
    dvt_made_table made = {
        .columns = 1, .rows = ROWS, .block_rows = 1000, .in_blocks = true, .bad_row = -1};
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_epoch_options epoch = DV_EPOCH_OPTIONS_INIT;
    dv_view *view, *source;
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
    made.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    source = dvt_made_table_open(&made, NULL);
    o.seed = epoch.seed = 3;
    epoch.shuffle = DV_SHUFFLE_UNIFORM;
    cr_assert_eq(dv_order_epoch(order, ROWS, &n, ROWS, &epoch, NULL, &err), DV_OK);
    for (int k = 0; k < 3; k++) { /* without replacement the beginning of that order */
        o.replace = k == 2;
        o.in_order = k == 1;
        o.rows = 60000;
        cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_dense(view, DV_KIND_I8, rows, ROWS, 1, NULL, NULL, &n, &err), DV_OK,
                     "%s", err.message);
        cr_assert_eq(n, 60000);
        for (int64_t i = 0; k == 0 && i < n; i++) {
            cr_assert_eq(rows[i], order[i]);
            is_drawn[rows[i]] = true;
        }
        for (int64_t i = 0; k == 1 && i < n; i++)
            cr_assert(is_drawn[rows[i]] && (i == 0 || rows[i] > rows[i - 1]));
        for (int64_t i = 0; k == 2 && i < n; i++)
            cr_assert(rows[i] >= 0 && rows[i] < ROWS);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* --- What users rely on ----------------------------------------------------------------------- */

/* A weight twice as large comes twice as often, within five standard deviations; a class as often
 * as another one. */
Test(sample_view, frequencies)
{
    enum { DRAWS = 200000 };
    static const double weights[] = {1, 2, 0, 4, 0.5, 2.5};
    static int64_t rows[DRAWS];
    int64_t count[6] = {0}, n;
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 6, 3, 0, NULL), *view;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    static const int32_t columns[] = {0};
    cursor.columns = columns;
    cursor.columns_count = 1;
    o.weights = weights;
    o.weights_count = 6;
    o.replace = true;
    o.rows = DRAWS;
    cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_dense(view, DV_KIND_I8, rows, DRAWS, 1, &cursor, NULL, &n, &err), DV_OK);
    for (int64_t i = 0; i < DRAWS; i++)
        count[rows[i]]++;
    for (int i = 0; i < 6; i++) {
        const double draws = DRAWS, p = weights[i] / 10, off = (double)count[i] - draws * p;
        cr_expect_leq(fabs(off), 5 * sqrt(draws * p * (1 - p)), "row %d: %d", i, (int)count[i]);
    }
    dv_view_release(&view);
    dv_view_release(&source);
}

/* Tokens go on within an epoch; views that draw otherwise refuse them. */
Test(sample_view, tokens)
{
    uint64_t state = 11;
    for (uint64_t round = 0; round < 24; round++) {
        dv_view *source = dvt_drawn_open(&table, 150, 9, round, NULL), *first, *second;
        dv_sample_options o = draw_options(150, &state);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        o.rows = o.replace ? 200 : -1;
        options.epoch = (int64_t)(round % 3);
        options.ids = true;
        options.batch_rows = 13;
        cr_assert_eq(dv_view_sample(&first, source, &o, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_sample(&second, source, &o, NULL, &err), DV_OK, "%s", err.message);
        const char *difference = dvt_resume_difference(first, second, &options, round);
        cr_expect_null(difference, "round %d: %s", (int)round, difference);
        dv_view_release(&first);
        dv_view_release(&second);
        dv_view_release(&source);
    }
}

static dv_u128 identity_of(dv_view *source, const dv_sample_options *o)
{
    dv_u128 identity;
    dv_view *view;
    cr_assert_eq(dv_view_sample(&view, source, o, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_identity(view, &identity, &err), DV_OK);
    dv_view_release(&view);
    return identity;
}

/* Every option that changes a row changes the identity. */
Test(sample_view, identities)
{
    static double weights[2][90];
    dv_u128 found[12];
    int n = 0;
    dv_view *source = dvt_drawn_open(&table, 90, 7, 4, NULL);
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    found[n++] = identity_of(source, &o);
    o.rows = 20;
    found[n++] = identity_of(source, &o);
    o.in_order = true;
    found[n++] = identity_of(source, &o);
    o.in_order = false;
    o.seed = 1;
    found[n++] = identity_of(source, &o);
    o.epoch = 0;
    found[n++] = identity_of(source, &o);
    o.replace = true;
    found[n++] = identity_of(source, &o);
    o.weight_column = 1;
    found[n++] = identity_of(source, &o);
    o.weight_column = -1;
    o.class_column = 2;
    found[n++] = identity_of(source, &o);
    o.class_column = -1;
    o.weights = weights[0];
    o.weights_count = 90;
    for (int i = 0; i < 90; i++)
        weights[0][i] = weights[1][i] = 1 + i;
    found[n++] = identity_of(source, &o);
    o.weights = weights[1];
    const dv_u128 same = identity_of(source, &o);
    cr_expect(same.lo == found[n - 1].lo && same.hi == found[n - 1].hi);
    weights[1][89] += 1;
    found[n++] = identity_of(source, &o);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            cr_expect(found[i].lo != found[k].lo || found[i].hi != found[k].hi, "%d and %d", i, k);
    dv_view_release(&source);
}

/* The view has the schema of its source, gives rows by number, and nothing in place. */
Test(sample_view, what_it_is)
{
    dv_view *source = dvt_drawn_open(&table, 30, 7, 4, NULL), *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    dv_facts *facts;
    cr_assert_eq(dv_view_sample(&view, source, NULL, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), 30);
    cr_expect_eq(dv_view_block_rows(view), 1);
    cr_expect_str_eq(dv_view_kind(view), "sample");
    cr_expect(!dv_view_can_shuffle(view));
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), 4);
    cr_assert_eq(dv_inspect(&facts, view, &err), DV_OK);
    dv_facts_free(&facts);
    options.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, view, &options, &err), DV_ERR_COPY);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- What is refused -------------------------------------------------------------------------- */

typedef struct refusal {
    const char *says;
    dv_sample_options options;
} refusal;

#define REFUSED(text, ...)                                                                         \
    {                                                                                              \
        text,                                                                                      \
        {                                                                                          \
            .size = sizeof(dv_sample_options), __VA_ARGS__                                         \
        }                                                                                          \
    }
#define NO_COLUMN .weight_column = -1, .class_column = -1

Test(sample_view, what_is_refused)
{
    static const double good[] = {1, 2, 3}, negative[] = {1, -0.5, 3}, nan[] = {1, NAN, 3},
                        infinite[] = {1, 2, INFINITY}, none[] = {0, 0, 0};
    static const refusal refusals[] = {
        {"DV_SAMPLE_OPTIONS_INIT", {.size = 3}},
        REFUSED("rows", .rows = -2, NO_COLUMN),
        REFUSED("2^62", .rows = INT64_MAX, .replace = true, NO_COLUMN),
        REFUSED("4 rows, each at most once, of 3 rows", .rows = 4, NO_COLUMN),
        REFUSED("epoch", .epoch = -2, NO_COLUMN),
        REFUSED("threads", .threads = -1, NO_COLUMN),
        REFUSED("in_order", .in_order = true, .replace = true, NO_COLUMN),
        REFUSED("weight_column", .weight_column = -2, .class_column = -1),
        REFUSED("class_column", .weight_column = -1, .class_column = -2),
        REFUSED("one of them", .weight_column = 1, .class_column = 2),
        REFUSED("one of them", .weight_column = 1, .class_column = -1, .weights = good),
        REFUSED("weight_column is 4", .weight_column = 4, .class_column = -1),
        REFUSED("column 4", .weight_column = -1, .class_column = 4),
        REFUSED("TX", .weight_column = 3, .class_column = -1),
        REFUSED("2 weights of 3 rows", .weights = good, .weights_count = 2, NO_COLUMN),
        REFUSED("row 1", .weights = negative, .weights_count = 3, NO_COLUMN),
        REFUSED("row 1", .weights = nan, .weights_count = 3, NO_COLUMN),
        REFUSED("row 2", .weights = infinite, .weights_count = 3, NO_COLUMN),
        REFUSED("3 rows are 0", .weights = none, .weights_count = 3, NO_COLUMN),
    };
    dv_view *source = dvt_drawn_open(&table, 3, 2, 1, NULL), *view;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        cr_expect_eq(dv_view_sample(&view, source, &refusals[i].options, NULL, &err),
                     DV_ERR_ARGUMENT, "%d", (int)i);
        cr_expect(!view && strstr(err.message, refusals[i].says), "%d: %s", (int)i, err.message);
        dv_view_release(&view);
    }
    dv_view_release(&source);
}

/* Weights and classes are single values; rows of nothing cannot be drawn. */
Test(sample_view, other_columns_are_refused)
{
    dvt_own_table own = {0};
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_view *view, *source, *rows;
    cr_assert_eq(dvt_own_table_open(&rows, &own, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_materialize(&source, rows, NULL, NULL, &err), DV_OK, "%s", err.message);
    int32_t vectors;
    cr_assert_eq(dv_schema_find(dv_view_schema(source), dv_text_of("v"), &vectors), DV_OK);
    o.weight_column = vectors;
    cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "\"v\" has vectors"), "%s", err.message);
    o.weight_column = -1;
    o.class_column = vectors;
    cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_ARGUMENT);
    cr_expect(strstr(err.message, "single values"), "%s", err.message);
    dv_view_release(&source);
    dv_view_release(&rows);
    source = dvt_drawn_open(&table, 0, 2, 1, NULL);
    o = (dv_sample_options)DV_SAMPLE_OPTIONS_INIT;
    o.replace = true;
    cr_assert_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), 0);
    dv_view_release(&view);
    o.rows = 1;
    cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_ARGUMENT);
    dv_view_release(&source);
}

/* A row of the column that cannot be read, and a stop, are what the call returns. */
static bool stop(void *ctx, int64_t rows, int64_t total)
{
    (void)ctx;
    (void)rows;
    (void)total;
    return false;
}

Test(sample_view, failures_of_the_source)
{
    dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 100, 10, 1, NULL), *view;
    table.made.bad_row = 57;
    for (int k = 0; k < 2; k++) {
        o.weight_column = k == 0 ? 1 : -1;
        o.class_column = k == 1 ? 2 : -1;
        cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_CORRUPT, "%s",
                     err.message);
        cr_expect_null(view);
    }
    table.made.bad_row = -1;
    for (int k = 0; k < 2; k++) {
        o.weight_column = k == 0 ? 1 : -1;
        o.class_column = k == 1 ? 2 : -1;
        o.progress.report = stop;
        cr_expect_eq(dv_view_sample(&view, source, &o, NULL, &err), DV_ERR_STOPPED, "%s",
                     err.message);
        cr_expect_null(view);
    }
    dv_view_release(&source);
}

/* --- Memory ----------------------------------------------------------------------------------- */

static dv_status try_all(const dv_sample_options *o, const dv_allocator *allocator,
                         dvt_lines *lines)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *source = dvt_drawn_open(&table, 60, 7, 3, NULL), *view = NULL;
    dv_status status = dv_view_sample(&view, source, o, allocator, &err);
    for (options.epoch = 0; status == DV_OK && options.epoch < 2; options.epoch++)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(sample_view, each_allocation_may_fail)
{
    for (int kind = 0; kind < 6; kind++) {
        dv_sample_options o = DV_SAMPLE_OPTIONS_INIT;
        dvt_lines truth = {0};
        int64_t k = 0;
        o.replace = kind % 2;
        o.in_order = kind == 2;
        o.weight_column = kind / 2 == 1 ? 1 : -1;
        o.class_column = kind / 2 == 2 ? 2 : -1;
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
