/* SPDX-License-Identifier: MIT */
/* test_save.c: is a view saved whole, or refused in full?  In a format of the tests' own.  (save.h)
 */
#include "support/file.h"
#include "support/line_format.h"
#include "support/lines.h"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/value.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the own table. */
enum { HIDDEN_X, T, Z, V, W, B };
static const int32_t plain_columns[] = {HIDDEN_X, W};
static const int32_t all_but_z[] = {T, V, W, B};

static dv_view *own_view(dvt_own_table *table)
{
    dv_view *view;
    cr_assert_eq(dvt_own_table_open(&view, table, NULL, NULL), DV_OK);
    return view;
}

static dv_save_options plain_options(void)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.columns = plain_columns;
    options.columns_count = 2;
    return options;
}

/* What the line format makes of rows first..end-1 of these columns. */
static dvt_lines truth(dv_view *view, const dv_cursor_options *options)
{
    dvt_lines lines = {0};
    const dv_sink sink = dvt_lines_sink(&lines);
    const dv_batch *batch;
    dv_cursor *cursor;
    int64_t rows = 0;
    dvt_lines_add(&lines, (const char *)&rows, sizeof rows);
    cr_assert_eq(dv_cursor_open(&cursor, view, options, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        for (int64_t i = 0; i < batch->rows; i++)
            for (int32_t k = 0; k < batch->columns; k++) {
                const dv_value value = dv_value_at(dv_batch_column(batch, k), i);
                dv_value_write(&value, DV_STYLE_EXACT, &sink);
                dvt_lines_add(&lines, "\n", 1);
            }
        rows += batch->rows;
    }
    dv_cursor_close(&cursor);
    memcpy(lines.data, &rows, sizeof rows);
    return lines;
}

static bool holds(const char *path, const dvt_lines *expected)
{
    size_t nbytes;
    uint8_t *data = dvt_file_read(path, &nbytes);
    const bool is_same = nbytes == expected->nbytes && memcmp(data, expected->data, nbytes) == 0;
    free(data);
    return is_same;
}

Test(save, saves_rows_and_columns_of_a_users_view)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.line");
    dv_save_options options = plain_options();
    dv_cursor_options rows = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    rows.columns = plain_columns;
    rows.columns_count = 2;
    rows.first_row = options.first_row = 1;
    rows.end_row = options.end_row = 11;
    rows.skip = options.skip = 1;
    rows.take = options.take = 7;
    dvt_lines expected = truth(view, &rows);
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_OK, "%s",
                 err.message);
    cr_expect(holds(path.text, &expected));

    dv_buffer buffer;
    cr_expect_eq(dvi_save_memory(view, &dvt_line_format, &buffer, &options, &err), DV_OK);
    dv_view_release(&view);
    cr_expect(buffer.nbytes == expected.nbytes &&
              memcmp(buffer.data, expected.data, expected.nbytes) == 0);
    cr_expect_not(buffer.is_borrowed);
    dv_buffer_release(&buffer);
    dvt_lines_free(&expected);
    dvt_folder_remove(&folder);
}

/* --- Losses ----------------------------------------------------------------------------------- */

static bool keep_report(void *ctx, const dv_loss_report *report)
{
    dvt_lines_print(ctx, "%s|%d|%d|%.*s|%s\n", dv_loss_name(report->loss), report->is_allowed,
                    report->column, (int)report->metadata.nbytes, report->metadata.data,
                    report->sentence);
    return true;
}

Test(save, refuses_all_that_would_be_lost_as_one_list)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_lines reports = {0};
    options.allow_loss = DV_LOSS_COLUMNS;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, &options, keep_report, &reports, &err),
                 DV_ERR_LOSS);
    cr_expect_str_eq(reports.data,
                     "columns|1|1||column \"t\": text has no place\n"
                     "|0|2||column \"z\": a DZ has no place\n"
                     "metadata|0|3|Note|column \"v\": metadata Note: there is no place for it\n"
                     "metadata|0|3|Ticks|column \"v\": metadata Ticks: there is no place for it\n");
    cr_expect_str_eq(
        err.message,
        "not saved as line without loss: column \"z\": a DZ has no place (impossible); "
        "column \"v\": metadata Note: there is no place for it (metadata); "
        "column \"v\": metadata Ticks: there is no place for it (metadata) "
        "(allow_loss)");
    cr_expect_str_eq(err.expected, "");
    cr_expect_eq(table.cursors_opened, 0);
    dvt_lines_free(&reports);

    options.columns = all_but_z;
    options.columns_count = 4;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, &options, NULL, NULL, &err), DV_ERR_LOSS);
    cr_expect_str_eq(err.expected, "metadata");
    options.allow_loss = 0;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, &options, NULL, NULL, &err), DV_ERR_LOSS);
    cr_expect_str_eq(err.expected, "columns,metadata");
    options.allow_loss = DV_LOSS_COLUMNS | DV_LOSS_METADATA;
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, &options, NULL, NULL, &err), DV_OK);
    dv_view_release(&view);
}
