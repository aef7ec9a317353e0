/* SPDX-License-Identifier: MIT */
/* test_idv_bounds.c: checks the limits on decoded data, and tables of any length. */
#include "support/golden_files.h"
#include "support/test.h"
#include <dataview/cursor.h>
#include <dataview/open.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- cursor_nbytes --- */

/* 100 rows of 20 columns in deflated blocks of 7. Decoding a block takes about 128 bytes at most;
 * decoding a block of every column takes far more. */
#define DEFLATED "idv/scalar-all-deflate-rpb7.idv"
#define DEFLATED_COLUMNS 20

static dv_view *open_deflated(int64_t cursor_nbytes)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.cursor_nbytes = cursor_nbytes;
    return dvt_golden_open(DEFLATED, &how);
}

/* Read all columns, or one (>= 0); returns the rows read before the end or the error. */
static int64_t read_rows(dv_view *view, int32_t column, int32_t threads, dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    options.columns = column < 0 ? NULL : &column;
    options.columns_count = column < 0 ? -1 : 1;
    int64_t rows = 0;
    *err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, err), DV_OK, "%s", err->message);
    while (dv_cursor_next(cursor, &batch, err) == DV_OK)
        rows += batch->rows;
    dv_cursor_close(&cursor);
    return rows;
}

/* Regression: each block respected block_nbytes, but the blocks of a wide table together had no
 * limit: a file of a few MB took all memory. */
Test(idv_bounds, blocks_of_all_columns_keep_to_a_limit)
{
    dv_view *view = open_deflated(300);
    for (int32_t threads = 1; threads <= 4; threads += 3) {
        dv_error err;
        cr_expect_eq(read_rows(view, -1, threads, &err), 0, "%d threads", threads);
        cr_expect_eq(err.status, DV_ERR_LIMIT, "%d threads: %s", threads, err.message);
        cr_expect_str_eq(err.rule, "cursor_nbytes");
        cr_expect(err.offset > 0 && *err.expected && *err.found, "%s", err.message);
        for (int32_t column = 0; column < DEFLATED_COLUMNS; column++) {
            cr_expect_eq(read_rows(view, column, threads, &err), 100, "column %d alone", column);
            cr_expect_eq(err.status, DV_OK, "column %d alone: %s", column, err.message);
        }
    }
    dv_view_release(&view);
}

/* Data decoded ahead counts against the same limit, but does not cause a failure: rows and errors
 * do not depend on the number of threads. */
Test(idv_bounds, threads_do_not_change_what_a_limit_says)
{
    int64_t least = 0; /* the smallest limit with which all can be read */
    for (int64_t nbytes = 1; nbytes < 4000; nbytes += 13) {
        dv_error alone, four;
        dv_view *view = open_deflated(nbytes);
        const int64_t rows = read_rows(view, -1, 1, &alone);
        cr_expect_eq(read_rows(view, -1, 4, &four), rows, "%" PRId64 " bytes", nbytes);
        cr_expect_eq(four.status, alone.status, "%" PRId64 " bytes", nbytes);
        cr_expect_eq(four.offset, alone.offset, "%" PRId64 " bytes", nbytes);
        cr_expect_str_eq(four.message, alone.message);
        cr_expect_eq(rows == 100, alone.status == DV_OK);
        if (rows == 100 && least == 0)
            least = nbytes;
        cr_expect(least == 0 || rows == 100, "%" PRId64 " bytes are enough, %" PRId64 " not", least,
                  nbytes);
        dv_view_release(&view);
    }
    cr_expect(least > 300, "%" PRId64, least);
}

/* --- Generated files --- */

static dvt_path folder, path;

static void start(void)
{
    folder = dvt_folder_create();
    path = dvt_path_in(&folder, "made.idv");
}

static void stop(void)
{
    dvt_folder_remove(&folder);
}

/* Bytes that grow. */
typedef struct made {
    uint8_t data[128 << 10];
    size_t n;
} made;

static void put(made *m, const void *bytes, size_t n)
{
    cr_assert_leq(n, sizeof m->data - m->n);
    memcpy(m->data + m->n, bytes, n);
    m->n += n;
}

static void put_word(made *m, int64_t word)
{
    put(m, &word, sizeof word);
}

static void put_int(made *m, int32_t value)
{
    put(m, &value, sizeof value);
}

/* The header and TOC of columns "x" of Int64, without rows; metadata: where its table lies. */
static made *make_columns(int32_t columns, int64_t metadata)
{
    made *m = calloc(1, sizeof *m);
    cr_assert_not_null(m);
    m->n = 256;
    for (int32_t i = 0; i < columns; i++) {
        put(m, "\1x\5Int64\0\0\1", 11); /* name, codec, compression, rows per block */
        put_word(m, 0);
        put_word(m, metadata);
    }
    const int64_t version = INT64_C(0x0001000100010006);
    const int64_t header[] = {0x00425644004C4D43, version, version, 256, 0, 0, columns};
    memcpy(m->data, header, sizeof header);
    return m;
}

/* Write the file with its tail; frees it. */
static void finish(made *m)
{
    const int64_t tail = (int64_t)m->n;
    memcpy(m->data + 32, &tail, sizeof tail);
    put(m, "\0BVD\0LMC", 8);
    dvt_file_write(&path, m->data, m->n);
    free(m);
}

/* --- metadata_nbytes --- */

#define SLOTS 4096
#define BLOCK_NBYTES (16 + SLOTS / 8)

/* Metadata "K": one dense vector of Booleans, a bit each. */
static void make_bits(void)
{
    const int64_t toc = 256 + 27, block = toc + 64;
    made *m = make_columns(1, toc);
    put(m, "\1\1K\7VBuffer\x11\7Boolean\0", 21);
    put_int(m, 1); /* rank, and the only dimension */
    put_int(m, SLOTS);
    put(m, "", 1); /* stored */
    put_word(m, block);
    put(m, (const uint8_t[]){BLOCK_NBYTES % 128 | 128, BLOCK_NBYTES / 128}, 2);
    cr_assert_leq((int64_t)m->n, block);
    m->n = (size_t)block;
    put_int(m, 1); /* vectors, slots, dense, indices */
    put_int(m, SLOTS);
    put_int(m, -1);
    put_int(m, 0);
    m->n += SLOTS / 8;
    finish(m);
}

static dv_status read_bits(int64_t limit, dv_io io, dv_error *err)
{
    dv_view *view;
    const dv_batch *value;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    how.metadata_nbytes = limit;
    *err = (dv_error)DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, path.text, &how, err), DV_OK, "%s", err->message);
    const dv_status status = dv_schema_metadata_value(dv_view_schema(view), 0, 0, &value, err);
    dv_batch_release(&value);
    dv_view_release(&view);
    return status;
}

/* Regression: a Boolean is a bit in the file and a byte in memory. Decoded metadata was limited by
 * block_nbytes, which is 16 times as large: 64 MiB of bits became 512 MiB. */
Test(idv_bounds, decoded_metadata_keeps_to_its_own_limit, .init = start, .fini = stop)
{
    static const int64_t too_small[] = {SLOTS - 1, BLOCK_NBYTES, BLOCK_NBYTES - 1, 1};
    make_bits();
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err;
        cr_expect_eq(read_bits(SLOTS, (dv_io)io, &err), DV_OK, "%s", err.message);
        for (size_t i = 0; i < sizeof too_small / sizeof *too_small; i++) {
            cr_expect_eq(read_bits(too_small[i], (dv_io)io, &err), DV_ERR_LIMIT, "%" PRId64,
                         too_small[i]);
            cr_expect_str_eq(err.rule, "metadata_nbytes");
            cr_expect(err.offset == 256 + 27 + 64 && strstr(err.message, "metadata_nbytes"), "%s",
                      err.message);
        }
    }
}

/* --- Tables beyond one window --- */

#define COLUMNS 3000 /* of 27 bytes: more than the first window of 64 KiB */

/* Regression: an entry that does not fit the window is parsed again. The first attempt left its
 * error in err although the call returned DV_OK. */
Test(idv_bounds, a_long_toc_leaves_err_alone, .init = start, .fini = stop)
{
    finish(make_columns(COLUMNS, 0));
    for (int io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = {.status = DV_NOT_FOUND, .offset = 77, .message = "of the caller"};
        dv_view *view;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = (dv_io)io;
        cr_assert_eq(dv_open(&view, path.text, &how, &err), DV_OK);
        cr_expect(err.status == DV_NOT_FOUND && err.offset == 77, "%d", (int)err.status);
        cr_expect_str_eq(err.message, "of the caller");
        cr_expect(!*err.file && !*err.rule && !*err.expected && !*err.found);
        cr_expect_eq(dv_schema_columns(dv_view_schema(view)), COLUMNS);
        dv_view_release(&view);
    }
}
