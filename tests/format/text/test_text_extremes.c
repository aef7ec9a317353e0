/* SPDX-License-Identifier: MIT */
/* test_text_extremes.c: lines and columns that are far too long, and bytes that are not text, give
 * a value, NA or an error that names the limit; memory never follows a declared size. */
#include "support/allocator.h"
#include "support/file.h"
#include "support/pipe.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/batch.h>
#include <dataview/schema.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (INT64_C(1) << 20)
#define GIB (INT64_C(1) << 30)

static dv_status read_path(const char *path, const char *text, int64_t cursor_nbytes, dv_io io,
                           dvt_allocator *counted, dvt_lines *lines, dv_error *err)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    dvt_allocator_init(counted, 0);
    options.allocator = &counted->allocator;
    options.cursor_nbytes = cursor_nbytes;
    options.io = io;
    options.text = text;
    dv_status status = dv_open(&view, path, &options, err);
    if (status == DV_OK)
        status = dvt_text_rows(lines, view, NULL, err);
    dv_view_release(&view);
    cr_expect_eq(counted->live, 0);
    return status;
}

/* NULs, which a sparse file has in any number. */
Test(text_extremes, a_line_of_a_gigabyte)
{
    static const dv_io both[] = {DV_IO_MMAP, DV_IO_PREAD};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "long.txt");
    dvt_file_write(&path, "1\n2\n", 4);
    dvt_file_resize(&path, GIB);
    for (int i = 0; i < 2; i++) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dv_error err = DV_ERROR_INIT;
        cr_expect_eq(read_path(path.text, "col=A:I4:0", 8 * MIB, both[i], &counted, &lines, &err),
                     DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "cursor_nbytes");
        cr_expect_eq(err.offset, 4);
        cr_expect_str_eq(lines.data, "1\n2\n");
        cr_expect_lt(counted.highest, 40 * MIB);
        dvt_lines_free(&lines);
    }
    dvt_folder_remove(&folder);
}

Test(text_extremes, a_line_of_a_pipe_without_end)
{
    dvt_allocator counted;
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    uint8_t *data = calloc(1, (size_t)(64 * MIB));
    cr_assert_not_null(data);
    memcpy(data, "1\n2\n", 4);
    dvt_pipe pipe = dvt_pipe_of(data, (size_t)(64 * MIB), 1 << 16);
    cr_expect_eq(read_path(pipe.path, "col=A:I4:0", 8 * MIB, DV_IO_MMAP, &counted, &lines, &err),
                 DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "cursor_nbytes");
    cr_expect_lt(counted.highest, 60 * MIB);
    dvt_pipe_close(&pipe);
    dvt_lines_free(&lines);
    free(data);
}

/* A line below the limit is read like any other. */
Test(text_extremes, a_line_of_32_megabytes)
{
    const size_t n = (size_t)(32 * MIB);
    char *data = malloc(n);
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    cr_assert_not_null(data);
    memset(data, '0', n);
    memcpy(data + n - 4, "7\n8\n", 4);
    dv_view *view = dvt_text_open("col=A:I4:0", data, n, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(lines.data, "7\n8\n");
    dv_view_release(&view);
    dvt_lines_free(&lines);
    free(data);
}

static void expect(const char *options, const char *data, size_t n, const char *want)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_view *view = dvt_text_open(options, data, n, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(lines.data, want);
    dv_view_release(&view);
    dvt_lines_free(&lines);
}

Test(text_extremes, bytes_that_are_no_text)
{
    static const char nuls[] = "a\0b\t\0\n\0\t5\n";
    static const char bytes[] = "\xFF\t\xC3\n\xE2\x82x\t7\n\xED\xA0\x80\t\x80\n";
    expect("col=A:TX:0 col=B:I4:1", nuls, sizeof nuls - 1, "\"a\\u0000b\" NA\n\"\\u0000\" 5\n");
    expect("col=A:TX:0 col=B:I4:1", bytes, sizeof bytes - 1,
           "\"\xEF\xBF\xBD\" NA\n\"\xEF\xBF\xBDx\" 7\n"
           "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\" NA\n");
    expect("sep=comma quote- col=A:TX:0", "\"\0\"", 3, "\"\\u0022\\u0000\\u0022\"\n");
}

/* --- 100,000 columns --- */

#define COLUMNS 100000

static dvt_lines wide_line(void)
{
    dvt_lines line = {0};
    for (int i = 0; i < COLUMNS; i++) {
        dvt_lines_print(&line, "%s", i > 0 ? "," : "");
        dvt_lines_print(&line, "%d", i);
    }
    dvt_lines_add(&line, "\n", 1);
    return line;
}

Test(text_extremes, as_many_slots)
{
    dvt_lines line = wide_line();
    dv_error err = DV_ERROR_INIT;
    const dv_batch *batch;
    dv_cursor *cursor = NULL;
    dv_view *view = dvt_text_open("sep=comma col=F:R4:0-*", line.data, line.nbytes, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dv_schema_column(dv_view_schema(view), 0)->type.size, COLUMNS);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, &err), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, &err), DV_OK, "%s", err.message);
    const dv_buffer *values = &dv_batch_column(batch, 0)->as.vector.items->as.fixed.values;
    cr_assert_eq(values->nbytes, 4 * COLUMNS);
    for (int i = 0; i < COLUMNS; i++) {
        float value;
        memcpy(&value, (const char *)values->data + 4 * i, sizeof value);
        cr_assert(value == (float)i);
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_lines_free(&line);
}

Test(text_extremes, as_many_columns)
{
    dvt_lines line = wide_line(), options = {0};
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options some = DV_CURSOR_OPTIONS_INIT;
    const int32_t last[] = {COLUMNS - 1};
    dvt_lines rows = {0};
    dvt_lines_print(&options, "sep=comma");
    for (int i = 0; i < COLUMNS; i++)
        dvt_lines_print(&options, " col=c%d:I4:%d", i, i);
    dv_view *view = dvt_text_open(options.data, line.data, line.nbytes, NULL, &err);
    cr_assert_not_null(view, "%s", err.message);
    cr_expect_eq(dv_schema_columns(dv_view_schema(view)), COLUMNS);
    some.columns = last;
    some.columns_count = 1;
    cr_expect_eq(dvt_text_rows(&rows, view, &some, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(rows.data, "99999\n");
    dv_view_release(&view);

    how.columns = COLUMNS - 1;
    cr_expect_null(dvt_text_open(options.data, line.data, line.nbytes, &how, &err));
    cr_expect_str_eq(err.rule, "columns");
    dvt_lines_free(&rows);
    dvt_lines_free(&options);
    dvt_lines_free(&line);
}
