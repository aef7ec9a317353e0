/* SPDX-License-Identifier: MIT */
/* test_idv_contiguous.c: contiguous stored blocks become one batch; a bad block ends it. */
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 640
#define COLUMNS_MAX 2
#define TOC 256
#define TOC_ENTRY_NBYTES 27

/* Columns "x", "y" of Int64, whose value in row r is r + 1000 * column; where their blocks lie. */
typedef struct layout {
    int32_t columns;
    int64_t rows, rpb;
    int64_t at[COLUMNS_MAX][BLOCKS_MAX]; /* offset of a block, after the TOC */
    int64_t end;                         /* end of all blocks */
} layout;

typedef struct made {
    uint8_t *data;
    size_t nbytes;
    int64_t lookup; /* of the first column; the others follow */
} made;

static int64_t blocks_of(const layout *l)
{
    return (l->rows + l->rpb - 1) / l->rpb;
}

static int64_t rows_of(const layout *l, int64_t block)
{
    const int64_t left = l->rows - block * l->rpb;
    return left < l->rpb ? left : l->rpb;
}

/* Contiguous blocks, column by column. */
static layout touching(int32_t columns, int64_t rows, int64_t rpb)
{
    layout l = {.columns = columns, .rows = rows, .rpb = rpb};
    cr_assert_leq(blocks_of(&l), BLOCKS_MAX);
    for (int32_t c = 0; c < columns; c++)
        for (int64_t k = 0; k < blocks_of(&l); k++) {
            l.at[c][k] = l.end;
            l.end += 8 * rows_of(&l, k);
        }
    return l;
}

/* Blocks in row order: block 0 of each column, then block 1. */
static layout interleaved(int32_t columns, int64_t rows, int64_t rpb)
{
    layout l = {.columns = columns, .rows = rows, .rpb = rpb};
    for (int64_t k = 0; k < blocks_of(&l); k++)
        for (int32_t c = 0; c < columns; c++) {
            l.at[c][k] = l.end;
            l.end += 8 * rows_of(&l, k);
        }
    return l;
}

static void put(uint8_t **at, const void *bytes, size_t n)
{
    memcpy(*at, bytes, n);
    *at += n;
}

static void put_word(uint8_t **at, int64_t word)
{
    put(at, &word, sizeof word);
}

/* The number of rows per block always takes three bytes. */
static void put_toc(uint8_t *data, const layout *l, int64_t lookup)
{
    const uint8_t rpb[] = {(uint8_t)(l->rpb | 128), (uint8_t)(l->rpb >> 7 | 128),
                           (uint8_t)(l->rpb >> 14)};
    for (int32_t c = 0; c < l->columns; c++) {
        const char name[2] = {1, (char)('x' + c)};
        put(&data, name, sizeof name);
        put(&data, "\5Int64\0\0", 8); /* codec, stored */
        put(&data, rpb, sizeof rpb);
        put_word(&data, lookup + 16 * c * blocks_of(l));
        put_word(&data, 0);
    }
}

static void put_blocks(uint8_t *data, const layout *l, int64_t first)
{
    uint8_t *entry = data + first + l->end;
    for (int32_t c = 0; c < l->columns; c++)
        for (int64_t k = 0; k < blocks_of(l); k++) {
            const int32_t nbytes = (int32_t)(8 * rows_of(l, k));
            uint8_t *value = data + first + l->at[c][k];
            for (int64_t r = 0; r < rows_of(l, k); r++)
                put_word(&value, k * l->rpb + r + 1000 * c);
            put_word(&entry, first + l->at[c][k]);
            put(&entry, &nbytes, 4);
            put(&entry, &nbytes, 4);
        }
}

static made make(const layout *l)
{
    const int64_t first = (TOC + TOC_ENTRY_NBYTES * l->columns + 7) / 8 * 8;
    const int64_t lookup = first + l->end;
    const int64_t tail = lookup + 16 * l->columns * blocks_of(l);
    const int64_t version = INT64_C(0x0001000100010006);
    const int64_t header[] = {0x00425644004C4D43, version, version, TOC, tail, l->rows, l->columns};
    made m = {calloc(1, (size_t)tail + 8), (size_t)tail + 8, lookup};
    cr_assert_not_null(m.data);
    memcpy(m.data, header, sizeof header);
    put_toc(m.data + TOC, l, lookup);
    put_blocks(m.data, l, first);
    memcpy(m.data + tail, "\0BVD\0LMC", 8);
    return m;
}

/* how: NULL: in place. */
static dv_view *open_made(const made *m, const dv_open_options *how)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    cr_assert_eq(dv_open_memory(&view, m->data, m->nbytes, NULL, NULL, "made", how, &err), DV_OK,
                 "%s", err.message);
    return view;
}

static bool is_right(const dv_batch *batch)
{
    for (int32_t c = 0; c < batch->columns; c++) {
        const dv_column_view *column = dv_batch_column(batch, c);
        const int64_t *values = column->as.fixed.values.data;
        if (column->rows != batch->rows ||
            column->as.fixed.values.nbytes != 8 * (size_t)batch->rows)
            return false;
        for (int64_t r = 0; r < batch->rows; r++)
            if (values[r] != batch->first_row + r + 1000 * c)
                return false;
    }
    return true;
}

/* Read rows first..end-1 (end -1: all), in place if `how` is NULL. The batches must have these row
 * counts; the list ends with 0. Returns the final status. */
static dv_status read_rows(const made *m, const dv_open_options *how, int64_t first, int64_t end,
                           const int64_t *rows, dv_error *err)
{
    dv_view *view = open_made(m, how);
    dv_cursor *cursor = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first;
    options.end_row = end;
    options.zero_copy_only = !how;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, err), DV_OK, "%s", err->message);
    const dv_batch *batch;
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        cr_expect_eq(batch->rows, *rows, "%lld rows at %lld", (long long)batch->rows,
                     (long long)batch->first_row);
        cr_expect(is_right(batch), "rows from %lld", (long long)batch->first_row);
        rows += *rows > 0;
    }
    cr_expect_eq(*rows, 0, "one more batch");
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    return status;
}

#define ROWS(...)                                                                                  \
    (const int64_t[])                                                                              \
    {                                                                                              \
        __VA_ARGS__, 0                                                                             \
    }

static void expect_batches(const layout *l, int64_t first, int64_t end, const int64_t *rows)
{
    dv_error err = DV_ERROR_INIT;
    made m = make(l);
    cr_expect_eq(read_rows(&m, NULL, first, end, rows, &err), DV_END, "%s", err.message);
    free(m.data);
}

/* The same for a file that is read. cursor_nbytes: 0: the default. */
static dv_status read_copied(const layout *l, int64_t cursor_nbytes, const int64_t *rows,
                             dv_error *err)
{
    made m = make(l);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = DV_IO_PREAD;
    if (cursor_nbytes > 0)
        how.cursor_nbytes = cursor_nbytes;
    const dv_status status = read_rows(&m, &how, 0, -1, rows, err);
    free(m.data);
    return status;
}

static void expect_copied(const layout *l, int64_t cursor_nbytes, const int64_t *rows)
{
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(read_copied(l, cursor_nbytes, rows, &err), DV_END, "%s", err.message);
}

Test(idv_contiguous, blocks_that_touch_are_one_batch)
{
    const layout one = touching(1, 30, 8), two = touching(2, 30, 8);
    expect_batches(&one, 0, -1, ROWS(30));
    expect_batches(&two, 0, -1, ROWS(30));
    expect_batches(&one, 5, 27, ROWS(22));
    expect_batches(&one, 8, 16, ROWS(8));
    expect_batches(&two, 29, 30, ROWS(1));
}

Test(idv_contiguous, other_blocks_are_not)
{
    const layout l = interleaved(2, 30, 8), alone = interleaved(1, 8, 8);
    expect_batches(&l, 0, -1, ROWS(8, 8, 8, 6));
    expect_batches(&l, 10, 25, ROWS(6, 8, 1));
    expect_batches(&alone, 0, -1, ROWS(8));
}

Test(idv_contiguous, a_gap_ends_a_run)
{
    layout l = touching(1, 48, 8);
    for (int64_t k = 3; k < 6; k++)
        l.at[0][k] += 16;
    l.end += 16;
    expect_batches(&l, 0, -1, ROWS(24, 24));
    /* a gap in one column ends the batch of all columns */
    layout two = touching(2, 48, 8);
    for (int64_t k = 2; k < 6; k++)
        two.at[1][k] += 8;
    two.end += 8;
    expect_batches(&two, 0, -1, ROWS(16, 32));
}

Test(idv_contiguous, blocks_may_lie_in_any_order)
{
    layout l = touching(1, 40, 8);
    for (int64_t k = 0; k < 5; k++)
        l.at[0][k] = 64 * (4 - k);
    expect_batches(&l, 0, -1, ROWS(8, 8, 8, 8, 8));
    const int64_t order[] = {0, 64, 192, 128, 256};
    memcpy(l.at[0], order, sizeof order);
    expect_batches(&l, 0, -1, ROWS(16, 8, 8, 8));
}

/* Lookup entries are read 16 at a time, then twice as many each time. */
Test(idv_contiguous, long_tables)
{
    const layout l = touching(1, 600, 1);
    expect_batches(&l, 0, -1, ROWS(16, 32, 64, 128, 256, 104));
    expect_batches(&l, 100, 500, ROWS(16, 32, 64, 128, 160));
}

/* A batch has at most 1 MiB of the widest column. */
Test(idv_contiguous, a_batch_is_bounded)
{
    const layout l = touching(1, 5 * 50000, 50000), large = touching(1, 3 * 200000, 200000);
    expect_batches(&l, 0, -1, ROWS(100000, 100000, 50000));
    expect_batches(&large, 0, -1, ROWS(200000, 200000, 200000));
}

/* --- Blocks that are copied ------------------------------------------------------------------- */

/* The first batch is one block, and each has twice as many and one more than the last one. */
Test(idv_contiguous, copied_batches_grow)
{
    const layout one = touching(1, 600, 1), two = touching(2, 30, 8), apart = interleaved(2, 30, 8);
    expect_copied(&one, 0, ROWS(1, 3, 7, 5, 11, 21, 43, 21, 43, 85, 171, 85, 104));
    expect_copied(&two, 0, ROWS(8, 22));
    expect_copied(&apart, 0, ROWS(8, 8, 8, 6));
}

/* All columns of a batch have at most 256 KiB, and not more than cursor_nbytes. */
Test(idv_contiguous, a_copied_batch_is_bounded)
{
    enum { ROWS_64_KIB = 8192, N = ROWS_64_KIB };
    const layout one = touching(1, 9 * N, N), two = touching(2, 6 * N, N);
    const layout large = touching(1, 3 * 50000, 50000);
    dv_error err = DV_ERROR_INIT;
    expect_copied(&one, 0, ROWS(N, 3 * N, 4 * N, N));
    expect_copied(&two, 0, ROWS(N, 2 * N, 2 * N, N));
    expect_copied(&large, 0, ROWS(50000, 50000, 50000));
    expect_copied(&one, 150000, ROWS(N, 2 * N, 2 * N, 2 * N, 2 * N));
    expect_copied(&two, 150000, ROWS(N, N, N, N, N, N));
    expect_copied(&two, 2 * 65536, ROWS(N, N, N, N, N, N));
    cr_expect_eq(read_copied(&two, 2 * 65536 - 1, ROWS(0), &err), DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "cursor_nbytes");
}

/* --- Bad blocks ------------------------------------------------------------------------------- */

/* Break the entry of a block by writing a word into it: the blocks before it are delivered. */
static void break_entry(int64_t block, int64_t at, int64_t word, size_t width,
                        const dv_open_options *how, const int64_t *rows, const char *rule)
{
    const layout l = touching(2, 48, 8);
    for (int32_t column = 0; column < 2; column++) {
        dv_error err = DV_ERROR_INIT;
        made m = make(&l);
        const int64_t entry = m.lookup + 16 * (6 * column + block);
        memcpy(m.data + entry + at, &word, width);
        cr_expect_eq(read_rows(&m, how, 0, -1, rows, &err), DV_ERR_CORRUPT);
        cr_expect_str_eq(err.rule, rule);
        cr_expect(err.offset >= entry && err.offset < entry + 16, "%lld", (long long)err.offset);
        cr_expect(strstr(err.message, column ? "\"y\"" : "\"x\""), "%s", err.message);
        free(m.data);
    }
}

static void expect_broken(int64_t block, int64_t at, int64_t word, size_t width,
                          const int64_t *rows, const char *rule)
{
    break_entry(block, at, word, width, NULL, rows, rule);
}

Test(idv_contiguous, blocks_before_a_bad_one_are_delivered)
{
    expect_broken(3, 0, 255, 8, ROWS(24), "idv:L4");
    expect_broken(3, 0, INT64_MAX, 8, ROWS(24), "idv:L4");
    expect_broken(5, 8, -1, 4, ROWS(40), "idv:L2");
    expect_broken(0, 8, INT64_MIN, 8, (const int64_t[]){0}, "idv:L3");
    expect_broken(1, 8, (INT64_C(56) << 32) | 56, 8, ROWS(8), "idv:5.1");
    expect_broken(2, 12, 63, 4, ROWS(16), "idv:6");
}

Test(idv_contiguous, blocks_before_a_bad_one_are_copied)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = DV_IO_PREAD;
    break_entry(3, 0, 255, 8, &how, ROWS(8, 16), "idv:L4");
    break_entry(5, 8, -1, 4, &how, ROWS(8, 24, 8), "idv:L2");
    break_entry(0, 8, INT64_MIN, 8, &how, (const int64_t[]){0}, "idv:L3");
    break_entry(2, 12, 63, 4, &how, ROWS(8, 8), "idv:6");
}
