/* SPDX-License-Identifier: MIT */
/* test_mapper_part.c: rows that steps make larger, and the limit row_nbytes. */
#include "support/golden_files.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <string.h>

static dv_view *open_people(int64_t row_nbytes)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.row_nbytes = row_nbytes;
    return dvt_golden_open("idv/people.idv", &options);
}

static dv_view *pipe(const char *steps, int64_t row_nbytes)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *source = open_people(row_nbytes), *made;
    const dv_status status = dv_view_pipe(&made, source, dv_text_of(steps), NULL, NULL, &err);
    cr_assert_eq(status, DV_OK, "%s: %s", steps, err.message);
    dv_view_release(&source);
    return made;
}

static dv_status read_all(dv_view *view, int64_t batch_rows, int64_t *rows_out, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = batch_rows;
    *rows_out = 0;
    dv_status status = dv_cursor_open(&cursor, view, &options, err);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, err)) == DV_OK)
        *rows_out += batch->rows;
    dv_cursor_close(&cursor);
    return status;
}

/* Rows that are made a few at a time are the same rows. */
Test(mapper_part, rows_do_not_depend_on_the_limit)
{
    static const char *const steps[] = {
        "combine A:Age,Age; normalize A",
        "chars C:Name; ngram C",
        "hash Tags bits=8; vector V:Tags",
        "combine T:Name,Tags; wordbag W:T; copy X:Name",
        "isna N:Age; rowid I; textnorm Name; tokenize T:Name",
        "term Tags; value Tags; select Tags Seen Name",
        "dropna Age; combine A:Age,Age; combine A:A,A; lpnorm A",
        "onehot Tags; combine F:Age,Tags; combine G:F,F",
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int64_t limit = 2000; limit <= 200000; limit *= 10) {
            dv_view *a = pipe(steps[i], INT64_C(1) << 40), *b = pipe(steps[i], limit);
            for (int64_t batch_rows = 0; batch_rows <= 77; batch_rows += 77) {
                const char *difference = dvt_table_difference(a, b, batch_rows);
                cr_expect_null(difference, "%s, limit %d: %s", steps[i], (int)limit, difference);
            }
            dv_view_release(&a);
            dv_view_release(&b);
        }
}

/* 1.9 KB of steps that doubled a vector 24 times took 1.1 GB for one row. */
Test(mapper_part, a_row_that_grows_meets_the_limit)
{
    char steps[2048] = "combine A:Name,Name";
    for (int i = 0; i < 24; i++)
        strcat(steps, "; combine A:A,A");
    strcat(steps, "; chars A");
    dv_view *view = pipe(steps, 1 << 20);
    for (int64_t batch_rows = 0; batch_rows < 3; batch_rows++) {
        int64_t rows;
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(read_all(view, batch_rows, &rows, &err), DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "row_nbytes");
        cr_expect(strstr(err.message, "column \"A\"") && strstr(err.message, "option row_nbytes"),
                  "%s", err.message);
        cr_expect_eq(rows, 0);
    }
    dv_view_release(&view);
}

/* The steps of a chain count together: a row of 20 KB is within the limit, 60 times it is not. */
Test(mapper_part, the_steps_of_a_chain_count_together)
{
    char steps[4096] = "combine A:Name,Name";
    for (int i = 0; i < 11; i++)
        strcat(steps, "; combine A:A,A");
    const size_t few = strlen(steps);
    for (int i = 0; i < 60; i++)
        strcat(steps, "; textnorm A");
    int64_t rows;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = pipe(steps, 1 << 20);
    cr_expect_eq(read_all(view, 0, &rows, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "row_nbytes");
    dv_view_release(&view);
    steps[few] = 0;
    view = pipe(steps, 1 << 20);
    cr_expect_eq(read_all(view, 0, &rows, &err), DV_END, "%s", err.message);
    cr_expect_eq(rows, 600);
    dv_view_release(&view);
}

/* A step above a zip sees a row of each of its views: they count together. */
Test(mapper_part, the_views_of_a_zip_count_together)
{
    char steps[4096] = "combine A:Name,Name";
    for (int i = 0; i < 11; i++)
        strcat(steps, "; combine A:A,A");
    for (int i = 0; i < 12; i++)
        strcat(steps, "; textnorm A");
    const size_t same = strlen(steps);
    dv_view *views[3], *zip, *top;
    for (int i = 0; i < 3; i++) {
        snprintf(steps + same, sizeof steps - same, "; copy B%d:A; select B%d", i, i);
        views[i] = pipe(steps, 1 << 20);
    }
    for (int32_t n = 1; n <= 3; n += 2) {
        int64_t rows;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dv_view_zip(&zip, views, n, NULL, &err), DV_OK, "%s", err.message);
        cr_assert_eq(dv_view_pipe(&top, zip, dv_text_of("textnorm B0"), NULL, NULL, &err), DV_OK,
                     "%s", err.message);
        cr_expect_eq(read_all(top, 0, &rows, &err), n == 1 ? DV_END : DV_ERR_LIMIT, "%d: %s", n,
                     err.message);
        dv_view_release(&zip);
        dv_view_release(&top);
    }
    for (int i = 0; i < 3; i++)
        dv_view_release(&views[i]);
}
