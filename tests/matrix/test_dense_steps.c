/* SPDX-License-Identifier: MIT */
/* test_dense_steps.c: a matrix of large rows that a step makes is filled a few rows at a time, and
 * one of rows that take long by all threads. */
#include "support/made_table.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <dataview/pipeline.h>
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 40, JOB_ROWS = 16, SLOTS = 1 << 17 /* half a MiB a row */ };

static int64_t most_rows; /* that fill got at once */

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    (void)b, (void)learned, (void)err;
    *type_out = dv_type_vector(dv_type_of(DV_KIND_R4), SLOTS);
    return DV_OK;
}

static void free_values(void *ctx)
{
    free(ctx);
}

static dv_status wrap(dv_buffer *buffer, void *values, size_t nbytes, dv_error *err)
{
    return dv_buffer_wrap(buffer, values, nbytes, 4, free_values, values, NULL, err);
}

/* All slots are the value of the source. */
static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    static _Thread_local dv_column_view items;
    const float *source = f->sources[0]->as.fixed.values.data;
    const int64_t n = f->rows * SLOTS;
    float *values = malloc((size_t)n * 4);
    int32_t *dense = malloc((size_t)f->rows * 4);
    cr_assert(values && dense);
    for (int64_t i = 0; i < n; i++)
        values[i] = source[i / SLOTS];
    for (int64_t i = 0; i < f->rows; i++)
        dense[i] = -1;
    if (f->rows > most_rows)
        most_rows = f->rows;
    items = (dv_column_view){.type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = n};
    out->layout = DV_LAYOUT_VECTOR;
    out->as.vector = (dv_vector_layout){.length = SLOTS, .items = &items};
    cr_assert_eq(wrap(&items.as.fixed.values, values, (size_t)n * 4, err), DV_OK);
    return wrap(&out->as.vector.counts, dense, (size_t)f->rows * 4, err);
}

Test(dense_steps, large_rows_come_a_few_at_a_time)
{
    static const dv_transform_info info = {.name = "widen",
                                           .ml_net = "",
                                           .summary = "Repeat a value.",
                                           .columns = DV_STEP_COLUMNS_ONE};
    static const dv_step_class class = {.size = sizeof(dv_step_class),
                                        .version = 1,
                                        .type = type,
                                        .fill = fill,
                                        .batch_rows = JOB_ROWS};
    static float first[ROWS];
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    dv_view *view;
    int32_t column;
    int64_t rows;
    for (int i = 0; i < ROWS; i++)
        first[i] = (float)i;
    dvt_made_table table = {
        .columns = 1, .rows = ROWS, .block_rows = ROWS, .in_blocks = true, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), first, ROWS);
    dv_view *source = dvt_made_table_open(&table, NULL);
    cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of("widen w:a"), NULL, NULL, &err), DV_OK,
                 "%s", err.message);
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("w"), &column), DV_OK);
    float *matrix = malloc((size_t)ROWS * SLOTS * 4);
    how.columns = &column;
    how.columns_count = 1;
    how.threads = 1;
    cr_assert_eq(dv_view_dense(view, DV_KIND_R4, matrix, ROWS, SLOTS, &how, NULL, &rows, &err),
                 DV_OK, "%s", err.message);
    cr_expect_eq(rows, ROWS);
    cr_expect_eq(most_rows, 2, "%d rows", (int)most_rows);
    for (int64_t i = 0; i < (int64_t)ROWS * SLOTS; i += SLOTS / 2)
        cr_assert_eq(matrix[i], (float)(i / SLOTS));
    free(matrix);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* --- Parts ------------------------------------------------------------------------------------ */

enum { MANY = 200000, SHORT_BLOCK = 10, THREADS = 4 };

static dv_status scalar_type(dv_type *type_out, const dv_step_binding *b, void *learned,
                             dv_error *err)
{
    (void)b, (void)learned, (void)err;
    *type_out = dv_type_of(DV_KIND_R4);
    return DV_OK;
}

static dv_status copy_values(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    const size_t nbytes = (size_t)f->rows * sizeof(float);
    float *values = malloc(nbytes);
    cr_assert(values);
    memcpy(values, f->sources[0]->as.fixed.values.data, nbytes);
    out->layout = DV_LAYOUT_FIXED;
    return wrap(&out->as.fixed.values, values, nbytes, err);
}

static bool count(void *ctx, int64_t done, int64_t total)
{
    (void)done, (void)total;
    ++*(int64_t *)ctx;
    return true;
}

/* In how many parts the column is filled in: `progress` is told at first, and after each. */
static int64_t parts_of(dv_view *view, const char *name, int64_t rows_room)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    int32_t column;
    int64_t rows, reports = 0;
    float *matrix = malloc((size_t)rows_room * sizeof *matrix);
    cr_assert(matrix);
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of(name), &column), DV_OK);
    how.columns = &column;
    how.columns_count = 1;
    how.threads = THREADS;
    how.progress = (dv_progress){count, &reports};
    cr_assert_eq(dv_view_dense(view, DV_KIND_R4, matrix, rows_room, 1, &how, NULL, &rows, &err),
                 DV_OK, "%s", err.message);
    cr_assert_eq(rows, rows_room);
    for (int64_t i = 0; i < rows; i++)
        cr_assert_eq(matrix[i], (float)i);
    free(matrix);
    return reports - 1;
}

/* Moving a cursor to a block takes longer than to copy the few rows of it. */
Test(dense_steps, short_blocks_are_filled_many_at_a_time)
{
    static float values[MANY];
    for (int i = 0; i < MANY; i++)
        values[i] = (float)i;
    dvt_made_table table = {
        .columns = 1, .rows = MANY, .block_rows = SHORT_BLOCK, .in_blocks = true, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), values, MANY);
    dv_view *view = dvt_made_table_open(&table, NULL);
    const int64_t parts = parts_of(view, "a", MANY);
    cr_expect(parts >= 2 && parts <= 2 * THREADS, "%d parts", (int)parts);
    dv_view_release(&view);
}

/* Rows that take long are shared, however few bytes they are; others are not worth a thread. */
Test(dense_steps, costly_rows_are_shared)
{
    static const dv_transform_info info = {
        .name = "slowly", .ml_net = "", .summary = "Copy.", .columns = DV_STEP_COLUMNS_ONE};
    static const dv_step_class class = {.size = sizeof(dv_step_class),
                                        .version = 1,
                                        .type = scalar_type,
                                        .fill = copy_values,
                                        .batch_rows = JOB_ROWS};
    static float values[ROWS];
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    for (int i = 0; i < ROWS; i++)
        values[i] = (float)i;
    dvt_made_table table = {
        .columns = 1, .rows = ROWS, .block_rows = ROWS, .in_blocks = true, .bad_row = -1};
    table.column[0] = dvt_made_fixed(dv_type_of(DV_KIND_R4), values, ROWS);
    dv_view *source = dvt_made_table_open(&table, NULL);
    cr_assert_eq(dv_step_register(&info, &class, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of("slowly s:a"), NULL, NULL, &err), DV_OK,
                 "%s", err.message);
    cr_expect_eq(parts_of(view, "s", ROWS), THREADS);
    cr_expect_eq(parts_of(view, "a", ROWS), 1);
    dv_view_release(&view);
    dv_view_release(&source);
}
