/* SPDX-License-Identifier: MIT */
/* test_epoch_costly.c: columns that take long are made of the rows of an epoch in their order, not
 * of whole blocks or pools before it, and are the same. */
#include "view/identity.h"
#include "view/view.h"
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/lines.h"
#include "support/made_table.h"
#include "support/resumed.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/cursor_set.h>
#include <dataview/epoch.h>
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 230
#define BLOCK 10
#define JOB 4 /* rows that are enough for a job of a thread */

static dv_error err;
static atomic_int made; /* rows, by the steps that take long */
static int64_t bad = -1;

/* --- Steps: a number of the row, its id and the epoch; one takes long, the other does not ------
 */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *e)
{
    (void)b, (void)learned, (void)e;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *e)
{
    const int64_t *row = (const int64_t *)f->sources[0]->as.fixed.values.data;
    const size_t nbytes = (size_t)f->rows * sizeof *row;
    for (int64_t i = 0; i < f->rows; i++)
        if (row[i] == bad)
            return dv_error_set(e, DV_ERR_ARGUMENT, "a bad row");
    int64_t *values = malloc(nbytes);
    cr_assert(values);
    for (int64_t i = 0; i < f->rows; i++)
        values[i] = row[i] * 100000 + (int64_t)(f->ids[i].lo % 1000) * 100 + f->epoch;
    made += (int)f->rows;
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, values, nbytes, 8, free, values, NULL, e);
}

static const dv_transform_info long_info = {
    .name = "takeslong", .ml_net = "", .summary = "Take long.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_transform_info quick_info = {
    .name = "isquick", .ml_net = "", .summary = "Be quick.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class long_class = {.size = sizeof(dv_step_class),
                                         .version = 1,
                                         .type = type,
                                         .fill = fill,
                                         .reads_ids = true,
                                         .batch_rows = JOB};
static const dv_step_class quick_class = {
    .size = sizeof(dv_step_class), .version = 1, .type = type, .fill = fill, .reads_ids = true};

static int64_t number[ROWS];

static void start(void)
{
    static bool is_done; /* once in a process */
    if (!is_done) {
        cr_assert_eq(dv_step_register(&long_info, &long_class, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_step_register(&quick_info, &quick_class, &err), DV_OK, "%s", err.message);
    }
    is_done = true;
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
}

TestSuite(epoch_costly, .init = start);

/* --- Views ------------------------------------------------------------------------------------ */

/* Rows that are reached one after the other, as text, or by their block; a filter has fewer. */
typedef struct source {
    dvt_made_table table;
    dv_view *view;
} source;

static void open_source(source *s, bool in_blocks, bool is_filtered, const dv_allocator *allocator)
{
    s->table = (dvt_made_table){.columns = 1, .rows = ROWS, .block_rows = BLOCK, .bad_row = -1};
    s->table.in_blocks = in_blocks;
    s->table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    s->view = dvt_made_table_open(&s->table, allocator);
    if (!is_filtered)
        return;
    dv_view *whole = s->view;
    cr_assert_eq(dv_view_pipe(&s->view, whole,
                              dv_text_of("convert r:a type=R8; range r min=20 max=200"), NULL,
                              allocator, &err),
                 DV_OK, "%s", err.message);
    dv_view_release(&whole);
}

static dv_view *piped(dv_view *of, const char *steps, const dv_allocator *allocator)
{
    dv_view *view;
    cr_assert_eq(dv_view_pipe(&view, of, dv_text_of(steps), NULL, allocator, &err), DV_OK, "%s: %s",
                 steps, err.message);
    return view;
}

static dv_view *epoch_of(dv_view *view, const dv_epoch_options *order)
{
    dv_view *epoch;
    cr_assert_eq(dv_view_epoch(&epoch, view, order, NULL, &err), DV_OK, "%s", err.message);
    return epoch;
}

static dv_epoch_options order_of(int k, bool in_blocks)
{
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shuffle = in_blocks ? (dv_shuffle)(k % 4) : DV_SHUFFLE_POOL;
    order.seed = (uint64_t)k;
    order.epoch = k % 3;
    order.block_rows = k % 2 ? BLOCK : 0;
    order.pool_blocks = 2;
    order.pool_rows = k % 5 ? 0 : 25;
    order.shards = order.shuffle == DV_SHUFFLE_NONE || k % 3 == 0 ? 3 : 1;
    order.shard = order.shards - 1;
    return order;
}

static dv_cursor_options reading(int k, const dv_view *epoch)
{
    static const int64_t sizes[] = {0, 1, 7, 64};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    options.epoch = 3;
    options.batch_rows = sizes[k % 4];
    options.threads = 1 + k % 3;
    options.first_row = k % 2 ? 0 : dv_view_rows(epoch) / 3;
    options.end_row = k % 5 ? dv_view_rows(epoch) : dv_view_rows(epoch) / 2;
    return options;
}

/* --- The same rows ---------------------------------------------------------------------------- */

/* Steps that take long, and the same without. */
static const struct {
    const char *costly, *quick;
} chains[] = {{"takeslong g:a", "isquick g:a"},
              {"copy b:a; takeslong g:b; select g b", "copy b:a; isquick g:b; select g b"},
              {"takeslong g:a; convert h:g type=R8; takeslong i:g",
               "isquick g:a; convert h:g type=R8; isquick i:g"},
              {"takeslong g:a; convert r:a type=R8; range r min=30 max=90",
               "isquick g:a; convert r:a type=R8; range r min=30 max=90"}};
#define CHAINS (sizeof chains / sizeof *chains)

static void expect_same(dv_view *costly, dv_view *quick, int k, bool in_blocks)
{
    const dv_epoch_options order = order_of(k, in_blocks);
    dv_view *got = epoch_of(costly, &order), *want = epoch_of(quick, &order);
    const dv_cursor_options options = reading(k, want);
    dvt_lines got_lines = {0}, want_lines = {0};
    cr_assert_eq(dv_view_rows(got), dv_view_rows(want));
    cr_assert_eq(dv_view_block_rows(got), dv_view_block_rows(want));
    cr_assert_eq(dvt_put_numbered(&want_lines, want, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dvt_put_numbered(&got_lines, got, &options, &err), DV_OK, "%s", err.message);
    const char *wanted = want_lines.data ? want_lines.data : "";
    const char *found = got_lines.data ? got_lines.data : "";
    cr_assert(*wanted || order.shards > 1 || options.first_row == options.end_row);
    cr_expect_str_eq(found, wanted, "order %d: wanted\n%.200s\ngot\n%.200s", k, wanted, found);
    dvt_lines_free(&got_lines);
    dvt_lines_free(&want_lines);
    dv_view_release(&got);
    dv_view_release(&want);
}

Test(epoch_costly, has_the_rows_of_any_other)
{
    for (size_t i = 0; i < 4 * CHAINS; i++) {
        source s;
        const bool in_blocks = i % 2;
        open_source(&s, in_blocks, i % 4 == 2, NULL);
        dv_view *costly = piped(s.view, chains[i / 4].costly, NULL);
        dv_view *quick = piped(s.view, chains[i / 4].quick, NULL);
        for (int k = 0; k < 60; k++)
            expect_same(costly, quick, k, in_blocks && dv_view_block_rows(costly) > 0);
        dv_view_release(&costly);
        dv_view_release(&quick);
        dv_view_release(&s.view);
    }
}

/* --- What a row takes ------------------------------------------------------------------------- */

static void expect_costs(dv_view *view, dv_view *of, const char *story)
{
    for (int32_t k = 0; k < dv_schema_columns(dv_view_schema(of)); k++)
        cr_expect_eq(dvi_view_job_rows(view, &k, 1), dvi_view_job_rows(of, &k, 1), "%s, column %d",
                     story, (int)k);
    cr_expect_eq(dvi_view_takes_long(view), dvi_view_takes_long(of), "%s", story);
    cr_expect_eq(dvi_view_decodes_blocks(view), dvi_view_decodes_blocks(of), "%s", story);
}

/* A row of another order takes as long as before: above the steps, and above the order too. */
static void expect_all_costs(dv_view *rows, const char *steps)
{
    static const int64_t some[] = {7, 3, 5};
    dv_view *view = piped(rows, steps, NULL), *taken, *more;
    for (int k = 0; k < 24; k++) {
        const dv_epoch_options order = order_of(k, true);
        dv_view *epoch = epoch_of(view, &order);
        expect_costs(epoch, view, "epoch");
        dv_view *above = piped(epoch, "isquick z:g", NULL);
        expect_costs(above, view, "above");
        const bool is_far = order.shuffle != DV_SHUFFLE_NONE && dvi_view_decodes_blocks(view);
        cr_expect(dvi_view_decodes_far_blocks(above) == is_far || order.shards > 1);
        dv_view_release(&above);
        dv_view_release(&epoch);
    }
    cr_assert_eq(dv_view_take(&taken, view, some, 3, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_take(&more, taken, some + 1, 0, NULL, &err), DV_OK);
    expect_costs(taken, view, "rows taken");
    expect_costs(more, view, "rows taken of these");
    cr_expect(!dvi_view_decodes_far_blocks(view));
    dv_view_release(&more);
    dv_view_release(&taken);
    dv_view_release(&view);
}

Test(epoch_costly, takes_as_long_as_before)
{
    source s;
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    open_source(&s, true, false, NULL);
    how.rows_per_block = BLOCK;
    how.compression = DV_COMPRESSION_DEFLATE;
    dv_buffer file = dvt_save_idv(s.view, &how);
    dv_view *saved = dvt_open_saved(&file);
    for (size_t i = 0; i < CHAINS - 1; i++) {
        expect_all_costs(s.view, chains[i].costly);
        expect_all_costs(s.view, chains[i].quick);
        expect_all_costs(saved, chains[i].costly);
    }
    dv_view_release(&saved);
    dv_buffer_release(&file);
    dv_view_release(&s.view);
}

/* Steps above an order are divided as finely, unless rows are reached one after the other. */
Test(epoch_costly, is_divided_among_a_set)
{
    for (int k = 1; k < 4; k++) {
        source s;
        open_source(&s, true, false, NULL);
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = (dv_shuffle)k;
        order.block_rows = JOB;
        dv_view *view = piped(s.view, "takeslong g:a", NULL), *epoch = epoch_of(view, &order),
                *above = piped(epoch, "isquick h:g", NULL);
        dv_cursor *members[2];
        const dv_batch *batch;
        int64_t rows = 0, in_chunk[ROWS] = {0};
        int32_t opened;
        const dv_cursor_options options = reading(1, above);
        cr_assert_eq(dv_cursor_set_open(members, 2, &opened, above, &options, &err), DV_OK, "%s",
                     err.message);
        cr_assert_eq(opened, 2);
        for (int i = 0, ended = 0; ended < 2; i = !i) {
            const dv_status status = dv_cursor_next(members[i], &batch, &err);
            cr_assert(status == DV_OK || status == DV_END, "%s", err.message);
            ended = status == DV_END ? ended + 1 : 0;
            if (status == DV_END)
                continue;
            const int64_t chunk = dv_batch_chunk(batch);
            cr_assert(chunk >= 0 && chunk < ROWS);
            rows += batch->rows;
            in_chunk[chunk] += batch->rows;
            cr_expect_leq(in_chunk[chunk], JOB, "order %d: %d rows", k, (int)in_chunk[chunk]);
        }
        cr_expect_eq(rows, ROWS);
        for (int i = 0; i < 2; i++)
            dv_cursor_close(&members[i]);
        dv_view_release(&above);
        dv_view_release(&epoch);
        dv_view_release(&view);
        dv_view_release(&s.view);
    }
}

/* Threads above an order deliver what one does. */
static void expect_same_above(dv_view *rows, int k)
{
    const dv_epoch_options order = order_of(k, true);
    dv_view *costly = piped(rows, "takeslong g:a", NULL), *quick = piped(rows, "isquick g:a", NULL);
    dv_view *got = epoch_of(costly, &order), *want = epoch_of(quick, &order);
    dv_view *got_above = piped(got, "isquick h:g", NULL),
            *want_above = piped(want, "isquick h:g", NULL);
    dvt_lines got_lines = {0}, want_lines = {0};
    dv_cursor_options options = reading(k, want);
    cr_assert_eq(dvt_put_numbered(&want_lines, want_above, &options, &err), DV_OK, "%s",
                 err.message);
    for (options.threads = 1; options.threads < 6; options.threads++) {
        got_lines.nbytes = 0;
        cr_assert_eq(dvt_put_numbered(&got_lines, got_above, &options, &err), DV_OK, "%s",
                     err.message);
        cr_expect(got_lines.nbytes == want_lines.nbytes &&
                      (want_lines.nbytes == 0 ||
                       memcmp(got_lines.data, want_lines.data, want_lines.nbytes) == 0),
                  "order %d, %d threads", k, (int)options.threads);
    }
    dvt_lines_free(&got_lines);
    dvt_lines_free(&want_lines);
    dv_view *all[] = {got_above, want_above, got, want, costly, quick};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dv_view_release(&all[i]);
}

Test(epoch_costly, is_the_same_above_the_order)
{
    source s;
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    open_source(&s, true, false, NULL);
    how.rows_per_block = BLOCK;
    how.compression = DV_COMPRESSION_DEFLATE;
    dv_buffer file = dvt_save_idv(s.view, &how);
    dv_view *saved = dvt_open_saved(&file);
    for (int k = 0; k < 16; k++) {
        expect_same_above(s.view, k);
        expect_same_above(saved, k);
    }
    dv_view_release(&saved);
    dv_buffer_release(&file);
    dv_view_release(&s.view);
}

/* --- Tokens ----------------------------------------------------------------------------------- */

/* A token continues in a view that was made again, and is of the view that was given: the order of
 * what it is made of has another identity. */
Test(epoch_costly, continues_after_a_token)
{
    for (int k = 0; k < 24; k++) {
        source s;
        open_source(&s, k % 2, false, NULL);
        dv_view *view = piped(s.view, "takeslong g:a", NULL),
                *again = piped(s.view, "takeslong g:a", NULL);
        const dv_epoch_options order = order_of(k, k % 2);
        dv_view *first = epoch_of(view, &order), *second = epoch_of(again, &order),
                *below = epoch_of(s.view, &order);
        dv_cursor_options options = reading(k, first);
        dv_u128 a, b, c;
        const char *difference = dvt_resume_difference(first, second, &options, (uint64_t)k);
        cr_expect_null(difference, "order %d: %s", k, difference);
        cr_assert_eq(dvi_view_identity(first, false, &a, &err), DV_OK);
        cr_assert_eq(dvi_view_identity(second, false, &b, &err), DV_OK);
        cr_assert_eq(dvi_view_identity(below, false, &c, &err), DV_OK);
        cr_expect(a.lo == b.lo && a.hi == b.hi);
        cr_expect(a.lo != c.lo || a.hi != c.hi);
        dv_view_release(&first);
        dv_view_release(&second);
        dv_view_release(&below);
        dv_view_release(&again);
        dv_view_release(&view);
        dv_view_release(&s.view);
    }
}

/* --- What is made ----------------------------------------------------------------------------- */

static dv_cursor *open_cursor(dv_view *view, int64_t batch_rows, int32_t threads)
{
    dv_cursor *cursor;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    return cursor;
}

static void read_rows(dv_cursor *cursor, int64_t rows)
{
    const dv_batch *batch;
    for (int64_t n = 0; n < rows; n += batch->rows)
        cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
}

/* The first rows are there before the others of the pool and of their blocks are made. */
Test(epoch_costly, makes_only_what_is_read)
{
    for (int k = 0; k < 8; k++) {
        source s;
        open_source(&s, k % 2, false, NULL);
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = k % 2 ? (dv_shuffle)(1 + k / 2 % 3) : DV_SHUFFLE_POOL;
        order.pool_blocks = 100;
        dv_view *view = piped(s.view, "takeslong g:a", NULL), *epoch = epoch_of(view, &order);
        dv_cursor *cursor = open_cursor(epoch, 4, 1);
        made = 0;
        read_rows(cursor, 8);
        cr_expect_eq(made, 8, "order %d: %d rows", k, (int)made);
        read_rows(cursor, ROWS - 8);
        cr_expect_eq(made, ROWS);
        dv_cursor_close(&cursor);
        cursor = open_cursor(epoch, 4, 3);
        made = 0;
        read_rows(cursor, 8);
        cr_expect_lt(made, 64);
        dv_cursor_close(&cursor);
        dv_view_release(&epoch);
        dv_view_release(&view);
        dv_view_release(&s.view);
    }
}

/* Of a compressed file, each block is decoded for many rows, and each row made once. */
Test(epoch_costly, of_compressed_blocks)
{
    source s;
    open_source(&s, true, false, NULL);
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    how.rows_per_block = BLOCK;
    how.compression = DV_COMPRESSION_DEFLATE;
    dv_buffer file = dvt_save_idv(s.view, &how);
    dv_view *saved = dvt_open_saved(&file), *view = piped(saved, "takeslong g:a", NULL);
    for (int k = 1; k < 4; k++) {
        dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
        order.shuffle = (dv_shuffle)k;
        dv_view *epoch = epoch_of(view, &order);
        dv_cursor *cursor = open_cursor(epoch, 0, 1 + k % 2);
        made = 0;
        read_rows(cursor, ROWS);
        cr_expect_eq(made, ROWS);
        dv_cursor_close(&cursor);
        dv_view_release(&epoch);
    }
    dv_view_release(&view);
    dv_view_release(&saved);
    dv_buffer_release(&file);
    dv_view_release(&s.view);
}

/* --- Failures --------------------------------------------------------------------------------- */

/* The rows before are delivered; a row that the message counts is one of the new order. */
Test(epoch_costly, a_bad_row_fails)
{
    source s;
    open_source(&s, true, false, NULL);
    dv_view *view = piped(s.view, "takeslong g:a", NULL);
    for (int k = 0; k < 12; k++) {
        const dv_epoch_options order = order_of(4 * k + 1 + k % 3, true);
        dv_view *epoch = epoch_of(view, &order);
        dv_cursor *cursor = open_cursor(epoch, 1, 1 + k % 3);
        const dv_batch *batch;
        dv_status status;
        bad = number[17 * k];
        while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), 0);
            cr_assert_neq(dv_value_i8(&value), bad);
        }
        cr_assert(status == DV_END || status == DV_ERR_ARGUMENT);
        cr_assert(order.shards > 1 || status == DV_ERR_ARGUMENT);
        if (status != DV_END)
            cr_expect_not_null(strstr(err.message, "in the new order: "), "%s", err.message);
        dv_cursor_close(&cursor);
        bad = -1; /* no thread reads ahead any more */
        dv_view_release(&epoch);
    }
    dv_view_release(&view);
    dv_view_release(&s.view);
}

static dv_status read_all(dv_view *view, const dv_allocator *allocator, int64_t *rows_out)
{
    dv_view *epoch;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    order.shuffle = DV_SHUFFLE_POOL;
    *rows_out = 0;
    dv_status status = dv_view_epoch(&epoch, view, &order, allocator, &err);
    if (status != DV_OK)
        return status;
    status = dv_cursor_open(&cursor, epoch, NULL, &err);
    dv_view_release(&epoch);
    if (status != DV_OK)
        return status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        *rows_out += batch->rows;
    dv_cursor_close(&cursor);
    return status;
}

Test(epoch_costly, every_allocation_may_fail)
{
    source s;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    open_source(&s, false, false, &counted.allocator);
    dv_view *view = piped(s.view, "takeslong g:a; convert h:g type=R8", &counted.allocator);
    dv_status status = DV_ERR_MEMORY;
    const int64_t live = counted.live;
    for (int64_t k = 1; status != DV_END; k += DVT_FAIL_STEP) {
        int64_t rows;
        counted.fail_at = counted.asked + k;
        status = read_all(view, &counted.allocator, &rows);
        cr_assert_eq(counted.live, live, "allocation %d", (int)k);
        cr_assert(status == DV_ERR_MEMORY || (status == DV_END && rows == ROWS), "%s", err.message);
    }
    dv_view_release(&view);
    dv_view_release(&s.view);
    cr_expect_eq(counted.live, 0);
}
