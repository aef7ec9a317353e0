/* SPDX-License-Identifier: MIT */
/* test_text_stream.c: checks that a pipe gives the rows of a file, and files that grow. */
#include "support/allocator.h"
#include "support/file.h"
#include "support/pipe.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/batch.h>
#include <dataview/inspect.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_path(const char *path, const char *text, const dv_open_options *how,
                          dv_error *err)
{
    dv_open_options options = how ? *how : (dv_open_options)DV_OPEN_OPTIONS_INIT;
    dv_view *view = NULL;
    options.text = text;
    dv_open(&view, path, &options, err);
    return view;
}

static const struct {
    const char *text, *file;
} tables[] = {
    {"col=A:I4:0 col=B:TX:1", "1\ta\n2\tb\n3\tc"},
    {"sep=comma header+ multilines+ col=A:R4:0-* ", "a,b\n1,2\n\"3\n\",4\n5,6\n"},
    {"", "#@ Text{ sep=comma col=A:TX:0 col=B:R4:1-** }\nx,1,2\ny\nz,3\n"},
    {"col=A:TX:0", "\xFF\xFE"
                   "a\0\n\0b\0"},
    {"col=A:TX:0", ""},
    {"col=A:TX:0", "\n\r\n# nothing\n"},
    {"col=A:TX:0", "cut off in mid-l"},
};

Test(text_stream, rows_are_those_of_a_file)
{
    static const size_t pieces[] = {1, 2, 3, 1000};
    for (size_t i = 0; i < COUNT(tables); i++)
        for (size_t k = 0; k < COUNT(pieces); k++) {
            const size_t n = i == 3 ? 8 : strlen(tables[i].file);
            dv_error err = DV_ERROR_INIT;
            dvt_lines want = {0}, got = {0};
            dv_view *file = dvt_text_open(tables[i].text, tables[i].file, n, NULL, &err);
            cr_assert_not_null(file, "%s", err.message);
            cr_expect_eq(dvt_text_rows(&want, file, NULL, NULL), DV_END);
            dvt_pipe pipe = dvt_pipe_of(tables[i].file, n, pieces[k]);
            dv_view *view = open_path(pipe.path, tables[i].text, NULL, &err);
            cr_assert_not_null(view, "%s", err.message);
            cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
            cr_expect_eq(dvt_text_rows(&got, view, NULL, &err), DV_END, "%s", err.message);
            cr_expect(dv_text_equal(dvt_lines_text(&got), dvt_lines_text(&want)), "table %zu: %s",
                      i, got.nbytes > 0 ? got.data : "");
            cr_expect_eq(dv_view_rows(view), dv_view_rows(file));
            dv_view_release(&view);
            dv_view_release(&file);
            dvt_pipe_close(&pipe);
            dvt_lines_free(&want);
            dvt_lines_free(&got);
        }
}

static dvt_lines many_lines(int n)
{
    dvt_lines lines = {0};
    for (int i = 0; i < n; i++)
        dvt_lines_print(&lines, "%d,%d\n", i, 3 * i);
    return lines;
}

static uint64_t hash_rows(dv_view *view, int threads)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    uint64_t hash = 0;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        const dv_buffer *values = &dv_batch_column(batch, 0)->as.fixed.values;
        for (int64_t i = 0; i < batch->rows; i++) {
            int32_t value;
            memcpy(&value, (const char *)values->data + 4 * i, sizeof value);
            hash = 31 * hash + (uint64_t)value;
        }
    }
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    return hash;
}

/* Far more data than is kept in memory, with any number of threads; a second pass fails. */
Test(text_stream, long_pipes_take_little_memory)
{
    static const char text[] = "sep=comma col=A:I4:0 col=B:R4:1";
    dvt_lines lines = many_lines(1000000); /* 14 MB */
    dv_view *file = dvt_text_open(text, lines.data, lines.nbytes, NULL, NULL);
    const uint64_t want = hash_rows(file, 1);
    for (int threads = 1; threads <= 4; threads += 3) {
        dvt_allocator counted;
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        dvt_pipe pipe = dvt_pipe_of(lines.data, lines.nbytes, 9973);
        dv_view *view = open_path(pipe.path, text, &how, &err);
        cr_assert_not_null(view, "%s", err.message);
        cr_expect_eq(hash_rows(view, threads), want);
        cr_expect_lt(counted.highest, (int64_t)lines.nbytes);
        dvt_lines again = {0};
        cr_expect_eq(dvt_text_rows(&again, view, NULL, &err), DV_ERR_IO);
        cr_expect_eq(err.os_code, ESPIPE);
        cr_expect(strstr(err.message, "save it into a file first"), "%s", err.message);
        dvt_lines_free(&again);
        dv_view_release(&view);
        dvt_pipe_close(&pipe);
        cr_expect_eq(counted.live, 0);
    }
    dv_view_release(&file);
    dvt_lines_free(&lines);
}

Test(text_stream, only_text_comes_through_a_pipe)
{
    static const char idv[] = "CML\0DVB\0 and more, so that it is one";
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_pipe pipe = dvt_pipe_of(idv, sizeof idv, 1);
    cr_expect_null(open_path(pipe.path, NULL, NULL, &err));
    cr_expect(strstr(err.message, "idv in a pipe: save it into a file first"), "%s", err.message);
    dvt_pipe_close(&pipe);

    how.format = "btable";
    pipe = dvt_pipe_of(idv, sizeof idv, 1);
    err = (dv_error)DV_ERROR_INIT;
    cr_expect_null(open_path(pipe.path, NULL, &how, &err));
    cr_expect_eq(err.os_code, ESPIPE);
    dvt_pipe_close(&pipe);
}

/* The writer is killed: what it wrote is read. */
Test(text_stream, a_writer_that_is_killed)
{
    int ends[2];
    char path[32];
    dvt_lines lines = {0};
    cr_assert_eq(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        const ssize_t wrote = write(ends[1], "1\t2\n3\t", 6);
        raise(wrote == 6 ? SIGKILL : SIGABRT);
    }
    close(ends[1]);
    waitpid(child, NULL, 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    dv_view *view = open_path(path, "col=A:I4:0 col=B:TX:1", NULL, NULL);
    cr_assert_not_null(view);
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, NULL), DV_END);
    cr_expect_str_eq(lines.data, "1 \"2\"\n3 null\n");
    dv_view_release(&view);
    dvt_lines_free(&lines);
    close(ends[0]);
}

Test(text_stream, facts_need_the_only_pass)
{
    dv_facts *facts;
    dvt_pipe pipe = dvt_pipe_of("1\nx\n", 4, 1);
    dv_view *view = open_path(pipe.path, "col=A:I4:0", NULL, NULL);
    cr_assert_not_null(view);
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_eq(facts->rows, 2);
    cr_expect_eq(facts->file_nbytes, 4);
    cr_expect_eq(facts->warnings, 1);
    dv_facts_free(&facts);
    cr_expect_eq(dv_inspect(&facts, view, NULL), DV_ERR_IO);
    dv_view_release(&view);
    dvt_pipe_close(&pipe);
}

/* --- Files that grow --- */

/* A file with an open view. */
typedef struct growing {
    dvt_path folder, path;
    dv_view *view;
} growing;

static growing open_growing(const char *content, const char *text, dv_io io)
{
    growing g = {.folder = dvt_folder_create()};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    g.path = dvt_path_in(&g.folder, "log.txt");
    dvt_file_write(&g.path, content, strlen(content));
    g.view = open_path(g.path.text, text, &how, NULL);
    cr_assert_not_null(g.view);
    return g;
}

static void close_growing(growing *g)
{
    dv_view_release(&g->view);
    dvt_folder_remove(&g->folder);
}

static void append(const growing *g, const char *text)
{
    FILE *file = fopen(g->path.text, "a");
    cr_assert_not_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_rows(dv_view *view, const char *want)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvt_text_rows(&lines, view, NULL, &err), DV_END, "%s", err.message);
    cr_expect_str_eq(lines.data, want);
    dvt_lines_free(&lines);
}

/* A cursor that reaches the end reads all lines that are there, and fixes the number of rows. */
Test(text_stream, a_file_that_grows)
{
    static const dv_io both[] = {DV_IO_MMAP, DV_IO_PREAD};
    for (int i = 0; i < 2; i++) {
        growing g = open_growing("1\n2", "col=A:I4:0", both[i]);
        append(&g, "3\n4\n");
        expect_rows(g.view, "1\n23\n4\n");
        cr_expect_eq(dv_view_rows(g.view), 3);
        append(&g, "5\n");
        expect_rows(g.view, "1\n23\n4\n");
        close_growing(&g);
    }
}

/* A last line without a line end was delivered as a row: bytes appended to it make no other row. */
Test(text_stream, a_last_line_that_grows)
{
    const dv_batch *batch;
    dv_cursor *cursor = NULL;
    growing g = open_growing("1\n2", "col=A:I4:0", DV_IO_MMAP);
    cr_assert_eq(dv_cursor_open(&cursor, g.view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    cr_expect_eq(batch->rows, 2);
    append(&g, "3\n4\n");
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    cr_expect_eq(dv_view_rows(g.view), 2);
    dv_cursor_close(&cursor);
    expect_rows(g.view, "1\n23\n");
    close_growing(&g);
}

/* No line starts in the last piece, so it gets no bytes of the line before. */
Test(text_stream, pieces_of_a_file_that_grows)
{
    growing g = open_growing("1\n2\n1234567", "piece=4 col=A:I8:0", DV_IO_MMAP);
    append(&g, "89\n");
    expect_rows(g.view, "1\n2\n123456789\n");
    close_growing(&g);
}
