/* SPDX-License-Identifier: MIT */
/* test_read_cursor.c: requests to classes with `read`, and answers that are refused. */
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define ROWS INT64_C(3000)

/* How a source answers. */
typedef enum answer { WELL, SHIFTED, EMPTY, TOO_MANY, ENDS, SOME_IDS } answer;

typedef struct source {
    int64_t block, bad; /* bad: this row cannot be read; -1: all can */
    answer how;
    atomic_int_fast64_t opened, closed,
        used_again;                  /* counts; used_again: a scratch, after an error */
    atomic_int_fast64_t least, most; /* rows that were asked for */
} source;

typedef struct scratch {
    source *s;
    bool has_failed;
} scratch;

static int64_t count_rows(void *self)
{
    (void)self;
    return ROWS;
}

static int64_t block_rows(void *self)
{
    return ((const source *)self)->block;
}

static dv_status open_scratch(void *self, const dv_cursor_request *request, void **scratch_out,
                              dv_error *err)
{
    scratch *x = calloc(1, sizeof *x);
    (void)request, (void)err;
    cr_assert_not_null(x);
    x->s = self;
    x->s->opened++;
    *scratch_out = x;
    return DV_OK;
}

static void close_scratch(void *memory)
{
    ((scratch *)memory)->s->closed++;
    free(memory);
}

static dv_status fill(const dv_cursor_request *request, dv_batch *batch, int64_t first, int64_t n,
                      dv_error *err)
{
    static const int64_t values[2 * ROWS]; /* only their number counts */
    dv_status status = dv_batch_start(batch, first, n, err);
    for (int32_t k = 0; status == DV_OK && k < request->columns_count; k++) {
        dv_column_view column = {
            .type = dv_type_of(DV_KIND_I8), .layout = DV_LAYOUT_FIXED, .rows = n};
        column.as.fixed.values = (dv_buffer){values + first, 8 * (size_t)n, NULL, true, true};
        status = dv_batch_fill(batch, k, &column, err);
    }
    return status;
}

static dv_status read_rows(void *self, const dv_cursor_request *request, void *memory,
                           dv_batch *batch, dv_error *err)
{
    source *s = self;
    scratch *x = memory;
    int64_t first = request->first_row, n = request->end_row - first;
    s->used_again += x->has_failed;
    if (first < s->least)
        s->least = first;
    if (first + n - 1 > s->most)
        s->most = first + n - 1;
    if (first == s->bad) {
        x->has_failed = true;
        return dv_error_set(err, DV_ERR_CORRUPT, "bad row");
    }
    if (s->bad > first && s->bad < first + n)
        n = s->bad - first;
    switch (s->how) {
    case EMPTY:
        return DV_OK;
    case ENDS:
        return first > 0 ? DV_END : fill(request, batch, first, n, err);
    case TOO_MANY:
        return fill(request, batch, first, n + 1, err);
    case SHIFTED:
        return fill(request, batch, first + 1, n, err);
    default:
        return fill(request, batch, first, n, err);
    }
}

/* Rows 0 to 99 of each split. */
static dv_status read_split(void *self, const dv_cursor_request *request, void *memory,
                            dv_batch *batch, dv_error *err)
{
    source *s = self;
    (void)memory;
    if (request->first_row > 0)
        return DV_END;
    const dv_status status = fill(request, batch, 0, 100, err);
    static const dv_u128 ids[100];
    return status == DV_OK && s->how == SOME_IDS && request->split == 3 && request->ids
               ? dv_batch_fill_ids(batch, ids, err)
               : status;
}

static int64_t ten(void *self)
{
    (void)self;
    return 10;
}

static const dv_view_class block_class = {.size = sizeof block_class,
                                          .kind = "blocks",
                                          .rows = count_rows,
                                          .block_rows = block_rows,
                                          .read = read_rows,
                                          .open_scratch = open_scratch,
                                          .close_scratch = close_scratch};
static const dv_view_class split_class = {
    .size = sizeof split_class, .kind = "splits", .read = read_split, .splits = ten};

static dv_status make(dv_view **view_out, const dv_view_class *cls, source *s, dv_error *err)
{
    dv_schema *schema;
    const dv_type type = dv_type_of(DV_KIND_I8);
    cr_assert_eq(dv_schema_create(&schema, NULL, err), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("a"), &type, NULL, err), DV_OK);
    const dv_status status = dv_view_create(view_out, cls, s, &schema, NULL, err);
    dv_schema_free(&schema);
    return status;
}

static dv_status read_all(dv_view *view, int32_t threads, bool ids, int64_t *rows_out,
                          dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    options.ids = ids;
    *rows_out = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, err), DV_OK);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        *rows_out += batch->rows;
    dv_cursor_close(&cursor);
    return status;
}

Test(read_cursor, classes_that_are_refused)
{
    dv_error err = DV_ERROR_INIT;
    source s = {.block = 100, .bad = -1};
    dv_view *view;
    dv_view_class cls = block_class;
    cls.block_rows = NULL;
    cr_expect_eq(make(&view, &cls, &s, &err), DV_ERR_ARGUMENT);
    cls = split_class;
    cls.block_rows = block_rows;
    cr_expect_eq(make(&view, &cls, &s, &err), DV_ERR_ARGUMENT);
    cls = split_class;
    cls.open_cursor = open_scratch;
    cr_expect_eq(make(&view, &cls, &s, &err), DV_ERR_ARGUMENT);
    cls = split_class;
    cls.read = NULL;
    cr_expect_eq(make(&view, &cls, &s, &err), DV_ERR_ARGUMENT);
}

Test(read_cursor, answers_that_are_refused)
{
    static const answer hows[] = {SHIFTED, EMPTY, TOO_MANY, ENDS};
    for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            dv_error err = DV_ERROR_INIT;
            source s = {.block = 10, .bad = -1, .how = hows[i]};
            dv_view *view;
            int64_t rows;
            cr_assert_eq(make(&view, &block_class, &s, &err), DV_OK);
            cr_expect_eq(read_all(view, threads, false, &rows, &err), DV_ERR_ARGUMENT, "way %d",
                         (int)i);
            cr_expect_not_null(strstr(err.message, "blocks"), "%s", err.message);
            dv_view_release(&view);
            cr_expect_eq(s.opened, s.closed);
        }
}

Test(read_cursor, ids_of_some_rows_are_refused)
{
    for (int32_t threads = 1; threads <= 4; threads++) {
        dv_error err = DV_ERROR_INIT;
        source s = {.how = SOME_IDS};
        dv_view *view;
        int64_t rows;
        cr_assert_eq(make(&view, &split_class, &s, &err), DV_OK);
        cr_expect_eq(read_all(view, threads, true, &rows, &err), DV_ERR_ARGUMENT);
        cr_expect_eq(rows, 300);
        cr_expect_eq(read_all(view, threads, false, &rows, &err), DV_END);
        cr_expect_eq(rows, 1000);
        dv_view_release(&view);
    }
}

/* A scratch that has seen an error is not used again, and rows that were not taken are not read. */
Test(read_cursor, takes)
{
    dv_error err = DV_ERROR_INIT;
    source s = {.block = 1000, .bad = 500};
    dv_view *view, *taken;
    int64_t rows;
    cr_assert_eq(make(&view, &block_class, &s, &err), DV_OK);
    cr_assert_eq(dv_view_take(&taken, view, (int64_t[]){10, 2010, 700}, 3, NULL, &err), DV_OK);
    cr_expect_eq(read_all(taken, 1, false, &rows, &err), DV_END, "%s", err.message);
    cr_expect_eq(rows, 3);
    cr_expect_eq(s.used_again, 0);
    dv_view_release(&taken);
    dv_view_release(&view);
    cr_expect_eq(s.opened, s.closed);

    source single = {.block = 1, .bad = 0, .least = ROWS};
    cr_assert_eq(make(&view, &block_class, &single, &err), DV_OK);
    cr_assert_eq(dv_view_take(&taken, view, (int64_t[]){5, 7}, 2, NULL, &err), DV_OK);
    cr_expect_eq(read_all(taken, 1, false, &rows, &err), DV_END, "%s", err.message);
    cr_expect_eq(rows, 2);
    cr_expect(single.least == 5 && single.most == 7, "rows %d to %d", (int)single.least,
              (int)single.most);
    dv_view_release(&taken);
    dv_view_release(&view);
}
