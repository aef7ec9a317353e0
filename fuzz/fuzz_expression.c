/* SPDX-License-Identifier: MIT */
/* fuzz_expression.c: any bytes as an expression: its stored form is that of itself; on a table with
 * a column of each kind it gives the same values for batches of any size, and a filter keeps the
 * rows for which the computed condition is true. */
#include "meter.h"
#include "support/expression_table.h"
#include "support/lines.h"
#include "support/text_table.h"
#include <dataview/expression.h>
#include <string.h>

enum {
    TEXT_NBYTES = 1 << 12 /* longer inputs are not looked at */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool print(dvt_lines *lines, dv_text text)
{
    const dv_sink sink = dvt_lines_sink(lines);
    dv_error err = DV_ERROR_INIT;
    const dv_status status = dv_expression_print(text, &sink, NULL, &err);
    DVT_CHECK(status == DV_OK || (status == DV_ERR_ARGUMENT && *err.message));
    return status == DV_OK;
}

static void check_text(const dvt_lines *first)
{
    dvt_lines second = {0};
    DVT_CHECK(print(&second, dvt_lines_text(first)));
    DVT_CHECK(first->nbytes == second.nbytes &&
              memcmp(first->data, second.data, first->nbytes) == 0);
    dvt_lines_free(&second);
}

/* The values of the only computed column. */
static dv_status read_rows(dvt_lines *lines, dv_view *view, const char *column, int64_t batch_rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    int32_t number;
    DVT_CHECK(dv_schema_find(dv_view_schema(view), dv_text_of(column), &number) == DV_OK);
    options.columns = &number;
    options.columns_count = 1;
    options.threads = 1;
    options.batch_rows = batch_rows;
    const dv_status status = dvt_text_rows(lines, view, &options, &err);
    DVT_CHECK(status == DV_END || status == DV_ERR_LOSS);
    return status;
}

static dv_status compute(dvt_lines *lines, dv_view *table, dv_text text, bool *is_made)
{
    dvt_lines single = {0};
    const dv_computed column = {dv_text_of("x"), text};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    const dv_status made = dv_view_compute(&view, table, &column, 1, NULL, &err);
    DVT_CHECK(made == DV_OK || (made == DV_ERR_ARGUMENT && *err.message));
    *is_made = made == DV_OK;
    if (!*is_made)
        return made;
    const dv_status status = read_rows(lines, view, "x", 0);
    DVT_CHECK(read_rows(&single, view, "x", 1) == status);
    if (status == DV_END)
        DVT_CHECK(lines->nbytes == single.nbytes &&
                  memcmp(lines->data, single.data, lines->nbytes) == 0);
    dvt_lines_free(&single);
    dv_view_release(&view);
    return status;
}

static int64_t count(const dvt_lines *lines, const char *line)
{
    int64_t n = 0;
    for (const char *at = lines->data; at && *at; at = strchr(at, '\n') + 1)
        n += strncmp(at, line, strlen(line)) == 0;
    return n;
}

/* As many rows pass as have a condition that is true, unless reading one of them fails. */
static void check_filter(dv_view *table, dv_text text, const dvt_lines *values, dv_status computed)
{
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    if (dv_view_where(&view, table, text, NULL, &err) != DV_OK) {
        DVT_CHECK(*err.message);
        return;
    }
    const dv_status status = read_rows(&rows, view, "i1", 0);
    if (status == DV_END && computed == DV_END)
        DVT_CHECK(count(&rows, "") == count(values, "1\n"));
    dvt_lines_free(&rows);
    dv_view_release(&view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const dv_text text = {(const char *)data, (int64_t)n};
    dvt_lines stored = {0}, values = {0}, again = {0};
    bool is_made, is_made_again;
    if (n > TEXT_NBYTES || !print(&stored, text)) {
        dvt_lines_free(&stored);
        return 0;
    }
    check_text(&stored);
    dv_view *table = dvt_expression_table();
    const dv_status status = compute(&values, table, text, &is_made);
    DVT_CHECK(compute(&again, table, dvt_lines_text(&stored), &is_made_again) == status);
    DVT_CHECK(is_made == is_made_again && values.nbytes == again.nbytes);
    if (is_made && values.nbytes > 0)
        DVT_CHECK(memcmp(values.data, again.data, values.nbytes) == 0);
    if (is_made)
        check_filter(table, text, &values, status);
    dv_view_release(&table);
    dvt_lines_free(&stored);
    dvt_lines_free(&values);
    dvt_lines_free(&again);
    return 0;
}
