/* SPDX-License-Identifier: MIT */
/* test_save.c: a view is saved completely or not at all, in a format that the test defines
 * (save.h). */
#include "support/allocator.h"
#include "support/file.h"
#include "support/line_format.h"
#include "support/lines.h"
#include "support/own_table.h"
#include "support/test.h"
#include <dataview/value.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of the own table. */
enum { HIDDEN_X, T, Z, V, W, B };
static const int32_t plain_columns[] = {HIDDEN_X, W};

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

/* --- Failures --------------------------------------------------------------------------------- */

/* A failed save must not replace the file: the old one is there, and nothing else. */
static void expect_old(const dvt_path *folder, const dvt_path *path)
{
    size_t nbytes;
    uint8_t *data = dvt_file_read(path->text, &nbytes);
    cr_expect(nbytes == 3 && memcmp(data, "old", 3) == 0);
    free(data);
    cr_expect_eq(dvt_folder_entries(folder), 1);
}

Test(save, what_fails_leaves_the_old_file)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.line");
    dv_save_options options = plain_options(), all = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_file_write(&path, "old", 3);

    /* What schema and metadata show. */
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &all, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, "out.line: not saved as line without loss: "), "%s", err.message);
    cr_expect_eq(table.cursors_opened, 0);
    expect_old(&folder, &path);

    /* What a value shows. */
    static const int32_t with_na[] = {HIDDEN_X, B};
    options.columns = with_na;
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_ERR_LOSS);
    cr_expect(strstr(err.message, "out.line: value: expected no NA, found row 2"), "%s",
              err.message);
    expect_old(&folder, &path);
    options.allow_loss = DV_LOSS_NA;
    options.sync = false;
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_OK);
    dvt_file_write(&path, "old", 3);

    /* An error of the view's cursor is passed on, and not attributed to the file. */
    err = (dv_error)DV_ERROR_INIT;
    table.next_status = DV_ERR_CORRUPT;
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_ERR_CORRUPT);
    cr_expect_str_empty(err.file);
    expect_old(&folder, &path);
    table.open_status = DV_ERR_LIMIT;
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_ERR_LIMIT);
    expect_old(&folder, &path);
    cr_expect_eq(table.cursors_opened, table.cursors_closed);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Progress --------------------------------------------------------------------------------- */

typedef struct watcher {
    dvt_lines seen;
    int calls, stop_at; /* 0: never */
    pthread_t thread;
} watcher;

static bool watch(void *ctx, int64_t rows_done, int64_t rows)
{
    watcher *w = ctx;
    cr_expect(pthread_equal(w->thread, pthread_self()));
    dvt_lines_print(&w->seen, "%d/%d ", (int)rows_done, (int)rows);
    return ++w->calls != w->stop_at;
}

Test(save, progress_is_reported_and_can_stop)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.line");
    dv_save_options options = plain_options();
    dv_error err = DV_ERROR_INIT;
    watcher w = {.thread = pthread_self()};
    options.progress = (dv_progress){watch, &w};
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_OK);
    cr_expect_str_eq(w.seen.data, "0/12 2/12 5/12 6/12 10/12 12/12 ");
    dvt_lines_free(&w.seen);
    table.rows_unknown = true;
    options.take = 7;
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err), DV_OK);
    cr_expect_str_eq(w.seen.data, "0/-1 2/-1 5/-1 6/-1 7/-1 ");

    dvt_file_write(&path, "old", 3);
    for (int stop = 1; stop <= 4; stop++) {
        w.calls = 0;
        w.stop_at = stop;
        cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, &err),
                     DV_ERR_STOPPED);
        cr_expect_eq(w.calls, stop);
        cr_expect(strstr(err.message, "out.line: not saved: stopped on request"), "%s",
                  err.message);
        expect_old(&folder, &path);
    }
    cr_expect_eq(table.cursors_opened, table.cursors_closed);
    dvt_lines_free(&w.seen);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Options ---------------------------------------------------------------------------------- */

static void expect_wrong(const dv_save_options *options)
{
    dv_error err = DV_ERROR_INIT;
    dv_save_options ignored;
    cr_expect_eq(dvi_save_read_options(options, &ignored, &err), DV_ERR_ARGUMENT);
    cr_expect_str_not_empty(err.message);
}

#define EXPECT_WRONG(member, value)                                                                \
    do {                                                                                           \
        dv_save_options options = DV_SAVE_OPTIONS_INIT;                                            \
        options.member = value;                                                                    \
        expect_wrong(&options);                                                                    \
    } while (0)

Test(save, options_out_of_range_are_refused)
{
    dv_save_options read;
    EXPECT_WRONG(size, 0);
    EXPECT_WRONG(size, sizeof(dv_save_options) + 1);
    EXPECT_WRONG(columns_count, -2);
    EXPECT_WRONG(first_row, -1);
    EXPECT_WRONG(end_row, -2);
    EXPECT_WRONG(skip, -1);
    EXPECT_WRONG(take, -2);
    EXPECT_WRONG(threads, -1);
    EXPECT_WRONG(allow_loss, 1 << 10);
    EXPECT_WRONG(memory_nbytes, -1);
    EXPECT_WRONG(rows_per_block, -1);
    EXPECT_WRONG(block_nbytes, -1);
    EXPECT_WRONG(compression, (dv_compression)3);
    EXPECT_WRONG(compression, (dv_compression)-1);
    EXPECT_WRONG(level, -1);
    EXPECT_WRONG(level, 13);
    EXPECT_WRONG(align, 0);
    EXPECT_WRONG(align, -64);
    EXPECT_WRONG(align, 4);
    EXPECT_WRONG(align, 48);
    EXPECT_WRONG(align, 8192);
    cr_expect_eq(dvi_save_read_options(NULL, &read, NULL), DV_OK);
    cr_expect_eq(read.align, 64);
}

Test(save, columns_that_are_none_are_refused)
{
    static const int32_t wrong[] = {0, 6};
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dvt_path folder = dvt_folder_create();
    dv_save_options options = plain_options();
    dv_buffer buffer;
    options.columns = wrong;
    const dvt_path path = dvt_path_in(&folder, "out.line");
    cr_expect_eq(dvi_save_file(view, &dvt_line_format, path.text, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dvi_save_memory(view, &dvt_line_format, &buffer, &options, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(buffer.data);
    cr_expect_eq(dvi_save_check(view, &dvt_line_format, "", &options, NULL, NULL, NULL),
                 DV_ERR_ARGUMENT);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* A format that only records which columns it was given. */
static char given[64];

static dv_status tell_columns(const dvi_saving *saving, dvi_losses *losses, dv_error *err)
{
    (void)losses;
    (void)err;
    size_t n = 0;
    *given = 0;
    for (int32_t k = 0; k < saving->columns_count; k++)
        n += (size_t)snprintf(given + n, sizeof given - n, "%d ", saving->columns[k]);
    return DV_OK;
}

Test(save, hidden_columns_are_saved_when_asked_for)
{
    const dvi_format format = {.info = {.name = "f", .extensions = ".f"},
                               .check_save = tell_columns};
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, NULL), DV_OK);
    cr_expect_str_eq(given, "1 2 3 4 5 ");
    options.hidden = true;
    cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, NULL), DV_OK);
    cr_expect_str_eq(given, "0 1 2 3 4 5 ");
    options.columns = plain_columns;
    options.columns_count = 2;
    cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, NULL), DV_OK);
    cr_expect_str_eq(given, "0 4 ");
    options.columns_count = 0;
    cr_expect_eq(dvi_save_check(view, &format, "", &options, NULL, NULL, NULL), DV_OK);
    cr_expect_str_eq(given, "");
    dv_view_release(&view);
}

/* --- Memory ----------------------------------------------------------------------------------- */

Test(save, bytes_in_memory_have_a_limit)
{
    dvt_own_table table = {.open_status = DV_OK};
    dv_view *view = own_view(&table);
    dv_save_options options = plain_options();
    dv_error err = DV_ERROR_INIT;
    dv_buffer buffer;
    options.memory_nbytes = 100;
    cr_expect_eq(dvi_save_memory(view, &dvt_line_format, &buffer, &options, &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "memory_nbytes");
    cr_expect_null(buffer.data);
    cr_expect_eq(buffer.nbytes, 0);
    dv_view_release(&view);
}

Test(save, memory_may_run_out)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.line");
    dvt_file_write(&path, "old", 3);
    dv_status status = DV_ERR_MEMORY;
    int64_t k = 1;
    for (; status == DV_ERR_MEMORY && k < 1000; k++) {
        dvt_own_table table = {.open_status = DV_OK};
        dvt_allocator counted;
        dv_save_options options = plain_options();
        dv_error err = DV_ERROR_INIT;
        dv_buffer buffer = {0};
        dv_view *view;
        dvt_allocator_init(&counted, 0);
        options.allocator = &counted.allocator;
        cr_assert_eq(dvt_own_table_open(&view, &table, &counted.allocator, NULL), DV_OK);
        counted.fail_at = counted.asked + k;
        status = dvi_save_file(view, &dvt_line_format, path.text, &options, &err);
        if (status != DV_OK)
            expect_old(&folder, &path);
        counted.fail_at = counted.asked + k;
        const dv_status in_memory =
            dvi_save_memory(view, &dvt_line_format, &buffer, &options, &err);
        cr_expect(in_memory == DV_OK || in_memory == DV_ERR_MEMORY);
        cr_expect_eq(buffer.data != NULL, in_memory == DV_OK);
        dv_buffer_release(&buffer);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
        cr_expect_eq(table.cursors_opened, table.cursors_closed);
    }
    cr_expect_eq(status, DV_OK);
    cr_expect_gt(k, 10);
    dvt_folder_remove(&folder);
}
