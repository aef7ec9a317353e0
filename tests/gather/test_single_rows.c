/* SPDX-License-Identifier: MIT */
/* test_single_rows.c: rows that take long are made alone when they are taken by number, unless
 * blocks must be decoded for them. */
#include "view/view.h"
#include "support/made_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 97
#define BLOCK 10

static dv_error err;
static atomic_int made; /* rows */

/* --- A step that takes long: the same numbers ------------------------------------------------- */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *e)
{
    (void)b, (void)learned, (void)e;
    *type_out = dv_type_of(DV_KIND_I8);
    return DV_OK;
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *e)
{
    const size_t nbytes = (size_t)f->rows * sizeof(int64_t);
    void *copy = malloc(nbytes);
    cr_assert(copy);
    memcpy(copy, f->sources[0]->as.fixed.values.data, nbytes);
    made += (int)f->rows;
    out->layout = DV_LAYOUT_FIXED;
    return dv_buffer_wrap(&out->as.fixed.values, copy, nbytes, sizeof(int64_t), free, copy, NULL,
                          e);
}

static const dv_transform_info info = {
    .name = "takeslong", .ml_net = "", .summary = "Take long.", .columns = DV_STEP_COLUMNS_ONE};
static const dv_step_class class = {
    .size = sizeof(dv_step_class), .version = 1, .type = type, .fill = fill, .batch_rows = 4};

static void start(void)
{
    static bool is_done; /* once in a process */
    if (!is_done)
        cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
    is_done = true;
}

TestSuite(single_rows, .init = start);

/* --- Rows taken ------------------------------------------------------------------------------- */

/* A file of the numbers from 0 on. */
static dv_buffer save_numbers(dv_compression compression)
{
    static int64_t number[ROWS];
    dvt_made_table table = {.columns = 1, .rows = ROWS, .block_rows = BLOCK, .bad_row = -1};
    dv_save_options how = DV_SAVE_OPTIONS_INIT;
    for (int64_t i = 0; i < ROWS; i++)
        number[i] = i;
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_I8), number, ROWS);
    how.rows_per_block = BLOCK;
    how.compression = compression;
    dv_view *view = dvt_made_table_open(&table, NULL);
    const dv_buffer file = dvt_save_idv(view, &how);
    dv_view_release(&view);
    return file;
}

static dv_view *with_step(dv_view *source)
{
    dv_view *view;
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of("takeslong g:a"), NULL, NULL, &err), DV_OK,
                 "%s", err.message);
    return view;
}

/* Take rows of a view whose column 1 has the step; returns how many were made. */
static int count_made(dv_view *view, const int64_t *rows, int64_t n)
{
    static const int32_t columns[] = {1};
    dv_view *taken;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 1;
    options.batch_rows = n;
    cr_assert_eq(dv_view_take(&taken, view, rows, n, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_cursor_open(&cursor, taken, &options, &err), DV_OK);
    made = 0;
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    cr_assert_eq(batch->rows, n);
    cr_expect_eq(memcmp(dv_batch_column(batch, 0)->as.fixed.values.data, rows, 8 * (size_t)n), 0);
    dv_cursor_close(&cursor);
    dv_view_release(&taken);
    return made;
}

static const int64_t some_rows[] = {11, 12, 14, 16, 18, 33, 37};

/* Rows of the file, of a slice of it, and of two of it. */
static void expect_made(dv_compression compression, int least, int most)
{
    dv_buffer file = save_numbers(compression);
    dv_view *saved = dvt_open_saved(&file), *slice, *both;
    dv_view *const two[] = {saved, saved};
    cr_assert_eq(dv_view_slice(&slice, saved, 0, 60, NULL, &err), DV_OK);
    cr_assert_eq(dv_view_concat(&both, two, 2, NULL, &err), DV_OK, "%s", err.message);
    dv_view *all[] = {saved, slice, both};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        dv_view *view = with_step(all[i]);
        const int n = count_made(view, some_rows, 7);
        cr_expect(n >= least && n <= most, "view %zu: %d", i, n);
        dv_view_release(&view);
        dv_view_release(&all[i]);
    }
    dv_buffer_release(&file);
}

/* The step may stand below views of several views: one after another, and side by side. */
Test(single_rows, of_several_views)
{
    dv_buffer file = save_numbers(DV_COMPRESSION_NONE);
    dv_view *saved = dvt_open_saved(&file), *view = with_step(saved), *all[2], *none;
    dv_view *const after[] = {view, view}, *const beside[] = {view, saved};
    dv_view *const quick[] = {saved, saved};
    cr_assert_eq(dv_view_concat(&all[0], after, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_zip(&all[1], beside, 2, NULL, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_zip(&none, quick, 2, NULL, &err), DV_OK, "%s", err.message);
    for (int32_t k = 0; k < 3; k++)
        cr_expect_eq(dvi_view_job_rows(all[1], &k, 1), k == 1 ? 4 : 0, "column %d", k);
    for (int32_t k = 0; k < 2; k++) {
        cr_expect_eq(dvi_view_job_rows(all[0], &k, 1), k == 1 ? 4 : 0, "column %d", k);
        cr_expect_eq(dvi_view_job_rows(none, &k, 1), 0);
        cr_expect_eq(count_made(all[k], some_rows, 7), 7, "view %d", k);
    }
    dv_view_release(&all[0]);
    dv_view_release(&all[1]);
    dv_view_release(&none);
    dv_view_release(&view);
    dv_view_release(&saved);
    dv_buffer_release(&file);
}

Test(single_rows, of_blocks_in_place)
{
    expect_made(DV_COMPRESSION_NONE, 7, 7);
}

/* Two blocks are decoded once and their rows made, rather than decoded for each row. */
Test(single_rows, of_compressed_blocks)
{
    expect_made(DV_COMPRESSION_DEFLATE, 8, 2 * BLOCK);
    expect_made(DV_COMPRESSION_ZLIB, 8, 2 * BLOCK);
}
