/* SPDX-License-Identifier: MIT */
/* test_text_pieces.c: are the rows the same for pieces of any size, any number of threads, plain
 * lines or not, as line by line? (option piece; semantics:6.2 to semantics:6.5) */
#include "support/allocator.h"
#include "support/many_rows.h"
#include "support/test.h"
#include "support/text_table.h"
#include <dataview/batch.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#ifdef DVT_SANITIZED
#define SEEDS 12 /* each number of rows with each number of threads */
#define MANY 9000
#else
#define SEEDS 24
#define MANY 30000
#endif

static const char *const options[] = {
    "sep=comma col=A:R4:0 col=B:I4:1 col=C:TX:2",
    "sep=comma quote- sparse- col=A:R4:0 col=F:R4:0-2 col=T:TX:1-2",
    "sep=comma header+ col=F:R4:2,0-1 col=B:BL:0 col=U:U1:1 col=D:DZ:2",
    "sep=comma trim+ multilines+ col=A:TX:0 col=B:R8:1 col=C:TX:0",
    "sep=comma trim+ blank=empty col=A:R4:1 col=B:TX:2 col=C:I4:2",
    "sep=comma blank=empty missingrealnan+ col=F:R8:0-2 col=G:I8:1-2 col=K:U4[9]:0",
    "sep=comma blank=empty size=3 col=F:R4:0-2 col=T:TX:0-2",
    "sep=comma blank=empty col=F:I4:0-2 col=S:TX:1-2 col=I:I1:1 col=J:I2:2",
    "sep=comma escapechar=\\\\ col=A:TX:0 col=B:TX:1",
    "sep=comma,space decimal=. rows=9 col=A:R4:0 col=B:U8:1 col=C:TS:1 col=D:DT:2",
    "sep=comma size=2 col=A:R4:0 col=F:R4:0-2",
    "sep=comma col=A:U2:0 col=V:R4:1-** col=W:U4:0",
};

static const int pieces[] = {1, 2, 3, 7, 64, 1000, 0};

/* Random lines: mostly numbers and words, but anything can occur. */
static void make_text(dvt_lines *text, uint64_t seed, size_t lines)
{
    static const char *const usual[] = {"1", "2.5", "-3", "word", "1e3", "\"5\"", "\"a b\"", "7"};
    static const char *const odd[] = {"",
                                      " ",
                                      "\"\"",
                                      "\"a\"\"b\"",
                                      "\" 4\"",
                                      "\"a",
                                      "\"a\"b",
                                      "0:1",
                                      "2:x",
                                      "12:30",
                                      "5 ",
                                      " 6",
                                      "\"8\" ",
                                      "NA",
                                      "?",
                                      "1:2:3",
                                      "\xE2",
                                      "a\xFF",
                                      "\xC3\xA9",
                                      "#",
                                      "//",
                                      "\"x",
                                      "y\"",
                                      "a\"b",
                                      "\"a\\\"b\"",
                                      "2020-01-02T03:04:05Z",
                                      "a very long word that is no number",
                                      "\"a,b\"",
                                      "\"//\"",
                                      "300",
                                      "-200",
                                      "\"3",
                                      "\"1\"\"2\"",
                                      "\"1\"2\"",
                                      "\"\xE2\x82\"",
                                      "4\t",
                                      "\302\2407"};
    static const char *const ends[] = {"\n", "\n", "\n", "\r\n", "\r", "\n\n", "\n// no row\n"};
    uint64_t draws = seed;
    const uint64_t rarely = dvt_draw(&draws) % 3 == 0 ? 3 : 12;
    dvt_lines_print(text, "%s", dvt_draw(&draws) % 4 ? "" : "# before all\n\n");
    for (size_t i = 0; i < lines; i++) {
        const size_t fields = dvt_draw(&draws) % rarely ? 3 : dvt_draw(&draws) % 6;
        for (size_t k = 0; k < fields; k++) {
            const bool is_odd = dvt_draw(&draws) % rarely == 0;
            const uint64_t draw = dvt_draw(&draws);
            dvt_lines_print(text, "%s%s", k > 0 ? "," : "",
                            is_odd ? odd[draw % COUNT(odd)] : usual[draw % COUNT(usual)]);
        }
        dvt_lines_print(text, "%s", ends[dvt_draw(&draws) % COUNT(ends)]);
    }
    if (dvt_draw(&draws) % 2)
        dvt_lines_print(text, "9,8,7");
}

/* All rows, then the error if there is one. */
static dvt_lines read_rows(const char *how_read, const dvt_lines *text, int piece,
                           const dv_cursor_options *how, dv_io io)
{
    char with_piece[300];
    dvt_lines rows = {0};
    dv_error err = DV_ERROR_INIT;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    open.io = io;
    open.cursor_nbytes = 1 << 20;
    snprintf(with_piece, sizeof with_piece, "%s piece=%d", how_read, piece);
    dv_view *view = dvt_text_open(with_piece, text->data, text->nbytes, &open, &err);
    dvt_lines_print(&rows, "%s\n", view ? "opened" : err.message);
    if (view && dvt_text_rows(&rows, view, how, &err) < 0)
        dvt_lines_print(&rows, "%s\n", err.message);
    dvt_lines_print(&rows, "%lld rows\n", view ? (long long)dv_view_rows(view) : -1LL);
    dv_view_release(&view);
    return rows;
}

static void expect_same(const char *how_read, const dvt_lines *text, uint64_t seed, int64_t first)
{
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    how.first_row = first;
    how.threads = 1;
    dvt_lines right = read_rows(how_read, text, 0, &how, DV_IO_MMAP);
    for (size_t k = 0; k < COUNT(pieces); k++) {
        how.threads = 1 << (seed + k) % 3;
        how.batch_rows = (int64_t)((seed + k) % 2) * 5;
        const int piece = pieces[k] > 0 ? pieces[k] : 1 << 20;
        const dv_io io = (seed + k) % 5 < 3 ? DV_IO_MMAP : DV_IO_PREAD;
        dvt_lines rows = read_rows(how_read, text, piece, &how, io);
        cr_expect_str_eq(rows.data, right.data, "seed %d, %s, piece=%d", (int)seed, how_read,
                         piece);
        dvt_lines_free(&rows);
    }
    dvt_lines_free(&right);
}

Test(text_pieces, of_any_size_have_the_same_rows)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (size_t i = 0; i < COUNT(options); i++) {
            dvt_lines text = {0};
            make_text(&text, 100 * seed + i, 1 + (size_t)seed % 4 * 9);
            expect_same(options[i], &text, seed, (int64_t)(seed % 3) * 4);
            dvt_lines_free(&text);
        }
}

/* Lines across windows and pieces; a line as long as several of either. */
Test(text_pieces, of_a_larger_file_have_the_same_rows)
{
    for (size_t i = 0; i < 2; i++) {
        dvt_lines text = {0};
        make_text(&text, 77 + i, MANY);
        for (int k = 0; k < 100000; k++)
            dvt_lines_print(&text, "%d,", k % 10);
        make_text(&text, 79 + i, 5000);
        expect_same(options[i], &text, 1, MANY / 3);
        dvt_lines_free(&text);
    }
}

/* --- Errors --- */

/* The error is in the same row for every way of reading. */
static void expect_error(const char *how_read, const dvt_lines *text, const char *message)
{
    for (int k = 0; k < 12; k++) {
        dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
        how.threads = 1 + k % 4;
        dvt_lines rows =
            read_rows(how_read, text, k * k * k, &how, k % 2 ? DV_IO_MMAP : DV_IO_PREAD);
        const char *said = strstr(rows.data, "\n4 \"four\"\n");
        cr_expect(said && strncmp(said + 10, message, strlen(message)) == 0, "piece %d: %s",
                  k * k * k, rows.data);
        dvt_lines_free(&rows);
    }
}

Test(text_pieces, fail_at_the_row_that_is_wrong)
{
    dvt_lines text = {0}, open = {0};
    for (int i = 0; i < 5; i++)
        dvt_lines_print(&text, "%d,%s\n", i, i == 4 ? "four" : "x");
    dvt_lines_print(&open, "%s5,\"six\n7,eight\n", text.data);
    expect_error("sep=comma multilines+ col=A:I4:0 col=B:TX:1", &open,
                 "input: offset 23: row 5: quoted field");
    dvt_lines_print(&text, "5,");
    for (int i = 0; i < 1 << 18; i++)
        dvt_lines_print(&text, "too long");
    dvt_lines_print(&text, "\n6,six\n");
    expect_error("sep=comma col=A:I4:0 col=B:TX:1", &text, "input: offset 23: row 5: line");
    dvt_lines_free(&open);
    dvt_lines_free(&text);
}

static void expect_all_with_failures(const dvt_lines *text, const char *how_read, int32_t threads)
{
    dvt_lines right = {0};
    dv_view *view = dvt_text_open(how_read, text->data, text->nbytes, NULL, NULL);
    cr_assert_eq(dvt_text_rows(&right, view, NULL, NULL), DV_END);
    dv_view_release(&view);
    bool is_done = false;
    for (int64_t k = 1; !is_done; k += DVT_FAIL_STEP) {
        dvt_allocator counted;
        dvt_lines rows = {0};
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, k);
        how.allocator = &counted.allocator;
        how.io = k % 2 ? DV_IO_MMAP : DV_IO_PREAD;
        cursor.threads = threads;
        view = dvt_text_open(how_read, text->data, text->nbytes, &how, NULL);
        if (view) {
            cr_expect_eq(dvt_text_rows(&rows, view, &cursor, NULL), DV_END);
            cr_expect_str_eq(rows.data, right.data, "allocation %d", (int)k);
        }
        is_done = counted.asked < k;
        dvt_lines_free(&rows);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
    }
    dvt_lines_free(&right);
}

Test(text_pieces, survive_each_allocation_that_fails)
{
    dvt_lines text = {0};
    make_text(&text, 5, 12);
    for (int32_t threads = 1; threads <= 3; threads += 2) {
        expect_all_with_failures(&text, "sep=comma piece=100 col=A:TX:0 col=F:R4:0-2", threads);
        expect_all_with_failures(&text, "sep=comma blank=empty piece=100000 col=A:TX:0 col=F:0-2",
                                 threads);
    }
    dvt_lines_free(&text);
}

/* --- Cursors that are closed early --- */

/* A batch stays valid although pieces after it are being read. */
Test(text_pieces, are_left_in_the_middle)
{
    dvt_lines text = {0};
    for (int i = 0; i < 20000; i++)
        dvt_lines_print(&text, "%d\t%d.5\n", i, i);
    for (int32_t threads = 1; threads <= 4; threads++)
        for (int batches = 0; batches < 4; batches++) {
            const dv_batch *batch, *kept = NULL;
            dv_cursor *cursor;
            dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
            dv_view *view =
                dvt_text_open("piece=1000 col=A:I4:0 col=B:1", text.data, text.nbytes, NULL, NULL);
            how.threads = threads;
            cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
            for (int k = 0; k < batches; k++) {
                cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
                if (k == 0) {
                    kept = batch;
                    dv_batch_retain(kept);
                }
            }
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            for (int64_t row = 0; kept && row < kept->rows; row++) {
                const dv_value value = dv_value_at(dv_batch_column(kept, 0), row);
                cr_expect_eq(dv_value_i4(&value), row);
            }
            dv_batch_release(&kept);
        }
    dvt_lines_free(&text);
}

static const char *last_line(const dvt_lines *lines)
{
    const char *line = lines->data;
    for (const char *p = line; *p; p++)
        line = *p == '\n' && p[1] ? p + 1 : line;
    return line;
}

Test(text_pieces, are_counted_without_columns)
{
    for (uint64_t seed = 0; seed < 12; seed++) {
        dvt_lines text = {0};
        make_text(&text, seed, 40);
        dv_cursor_options none = DV_CURSOR_OPTIONS_INIT;
        none.columns_count = 0;
        none.threads = 1 + (int32_t)(seed % 3);
        dvt_lines right = read_rows(options[seed % 4], &text, 0, NULL, DV_IO_MMAP);
        dvt_lines counted =
            read_rows(options[seed % 4], &text, pieces[seed % 6], &none, DV_IO_PREAD);
        cr_expect_str_eq(last_line(&counted), last_line(&right));
        dvt_lines_free(&counted);
        dvt_lines_free(&right);
        dvt_lines_free(&text);
    }
}
