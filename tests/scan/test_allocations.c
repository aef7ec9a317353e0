/* SPDX-License-Identifier: MIT */
/* test_allocations.c: checks that memory is allocated only when views and cursors are opened, and
 * that every allocation may fail. */
#include "base/load.h"
#include "support/again.h"
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <dataview/row.h>
#include <stdlib.h>

static const dv_io ios[] = {DV_IO_MMAP, DV_IO_PREAD};
static const int32_t thread_counts[] = {1, 4};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *open_counted(const char *name, dv_io io, dvt_allocator *counted)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.io = io;
    options.allocator = &counted->allocator;
    return dvt_golden_open(name, &options);
}

/* --- None in steady state --------------------------------------------------------------------- */

/* The reader of a table of contents, for make_uniform. */
static uint64_t take_leb(const uint8_t **p)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        const uint8_t byte = *(*p)++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Make every block of a column but the last a copy of the first: equal blocks must need no memory
 * after the first one.  (idv:3.1, idv:3.2) */
static void make_uniform(uint8_t *file)
{
    const int64_t rows = dvi_load_i64(file + 40);
    const int32_t columns = dvi_load_i32(file + 48);
    const uint8_t *p = file + dvi_load_i64(file + 24);
    for (int32_t i = 0; i < columns; i++) {
        p += take_leb(&p); /* name */
        p += take_leb(&p); /* codec, its parameters */
        p += take_leb(&p) + 1;
        const int64_t rpb = (int64_t)take_leb(&p), blocks = (rows - 1) / rpb + 1;
        uint8_t *lookup = file + dvi_load_i64(p);
        for (int64_t k = 1; k + 1 < blocks; k++)
            memcpy(lookup + 16 * k, lookup, 16);
        p += 16;
    }
}

/* The allocations after a number of delivered rows, and the number of rows that followed. */
static int64_t asked_after(dv_view *view, const dv_cursor_options *options, int64_t warm_up,
                           const dvt_allocator *counted, int64_t *rows_out)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int64_t before = 0, rows = 0, warm_rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, options, &err), DV_OK, "%s", err.message);
    dv_status status;
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK) {
        rows += batch->rows;
        if (warm_rows == 0 && rows >= warm_up) {
            before = counted->asked;
            warm_rows = rows;
        }
    }
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    *rows_out = rows - warm_rows;
    return counted->asked - before;
}

/* A golden file, and the rows of its blocks, all but the last of which are made the same. */
typedef struct blocks {
    const char *name;
    int64_t rows, rows_per_block;
} blocks;

static void check_steady(const blocks *b, dv_io io, int32_t threads, int64_t batch_rows)
{
    dvt_allocator counted;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    size_t nbytes;
    int64_t rows;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, b->name);
    uint8_t *file = dvt_file_read(path.text, &nbytes);
    make_uniform(file);
    dvt_allocator_init(&counted, 0);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.io = io;
    how.allocator = &counted.allocator;
    cr_assert_eq(dv_open_memory(&view, file, nbytes, NULL, NULL, b->name, &how, &err), DV_OK, "%s",
                 err.message);
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    options.batch_rows = batch_rows;
    options.end_row = b->rows / b->rows_per_block * b->rows_per_block;
    options.ids = true;
    /* Until every slot of the pipeline was used, and every way in which batches cut the blocks. */
    const int64_t warm_up = (threads + 3 + batch_rows) * b->rows_per_block;
    const int64_t asked = asked_after(view, &options, warm_up, &counted, &rows);
    cr_expect_gt(rows, 10, "%s is too short", b->name);
    cr_expect_eq(asked, 0, "%s, io %d, %d threads, %d rows a batch: %d allocations in %d rows",
                 b->name, (int)io, threads, (int)batch_rows, (int)asked, (int)rows);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
    free(file);
}

static const blocks many_blocks[] = {
    {"idv/scalar-all-raw-rpb7.idv", 100, 7},
    {"idv/scalar-all-raw-rpb1.idv", 100, 1},
    {"idv/scalar-all-deflate-rpb7.idv", 100, 7},
    {"idv/text-unicode-raw-rpb1.idv", 199, 1},
    {"idv/random-10.idv", 32, 1}, /* vectors of both kinds */
};

Test(allocations, none_per_batch)
{
    for (size_t i = 0; i < COUNT(many_blocks); i++)
        for (size_t j = 0; j < COUNT(ios); j++)
            for (size_t k = 0; k < COUNT(thread_counts); k++) {
                check_steady(&many_blocks[i], ios[j], thread_counts[k], 0);
                check_steady(&many_blocks[i], ios[j], thread_counts[k], 1);
                check_steady(&many_blocks[i], ios[j], thread_counts[k], 3);
                check_steady(&many_blocks[i], ios[j], 1, 5);
            }
}

/* In one block, a row at a time. */
Test(allocations, none_per_slice_of_a_block)
{
    static const char *const names[] = {"idv/vector-I4.idv", "idv/vector-UG.idv",
                                        "idv/scalar-all-raw-rows-only.idv", "idv/rows-8193.idv"};
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t j = 0; j < COUNT(ios); j++) {
            dvt_allocator counted;
            int64_t rows;
            dvt_allocator_init(&counted, 0);
            dv_view *view = open_counted(names[i], ios[j], &counted);
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.batch_rows = 1;
            options.end_row = i == 2 ? 30 : 8192; /* one block */
            const int64_t asked = asked_after(view, &options, 1, &counted, &rows);
            cr_expect_eq(asked, 0, "%s: %d allocations", names[i], (int)asked);
            cr_expect_gt(rows, 20);
            dv_view_release(&view);
        }
}

Test(allocations, none_per_row)
{
    for (size_t i = 0; i < COUNT(many_blocks); i++)
        for (size_t j = 0; j < COUNT(ios); j++) {
            dvt_allocator counted;
            dv_row_cursor *cursor = NULL;
            dvt_allocator_init(&counted, 0);
            dv_view *view = open_counted(many_blocks[i].name, ios[j], &counted);
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.threads = 1;
            cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, NULL), DV_OK);
            int64_t rows = 0, first_of_block = 0;
            for (; dv_row_next(cursor, NULL) == DV_OK; rows++) {
                dv_value value;
                cr_assert_eq(dv_row_value(cursor, 0, &value, NULL), DV_OK);
                if (value.row == 0)
                    first_of_block = counted.asked;
                cr_expect_eq(counted.asked, first_of_block, "row %d allocates", (int)rows);
            }
            cr_expect_geq(rows, 32);
            dv_row_cursor_close(&cursor);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0);
        }
}

/* --- Any of them may fail --------------------------------------------------------------------- */

static const char *const fragile[] = {
    "idv/people.idv",
    "idv/metadata-raw.idv",
    "idv/scalar-all-deflate-rpb64-anyorder.idv",
    "idv/random-21.idv",
    "idv/vector-TX-raw.idv",
    "idv/names-duplicate-kept.idv",
    "idv-crafted/version-1113-slotnames.idv",
    "idv-crafted/compression-zlib.idv",
};

static bool no_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK; /* warnings are fine */
}

/* Facts, schema with all metadata, every row in two ways, verification. */
static dv_status use_all(dv_view *view, dvt_lines *lines, int32_t threads, dv_error *err)
{
    dv_facts *facts = NULL;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_verify_options check = DV_VERIFY_OPTIONS_INIT;
    dvt_lines more = {0};
    check.defect = no_defect;
    options.threads = threads;
    dv_status status = dv_inspect(&facts, view, err);
    dv_facts_free(&facts);
    if (status == DV_OK)
        status = dvt_produce_by_value(lines, view, &options, err);
    options.batch_rows = 5;
    options.ids = true;
    if (status == DV_OK)
        status = dvt_produce_by_getter(&more, view, &options, err);
    if (status == DV_OK)
        status = dv_verify(view, &check, err);
    dvt_lines_free(&more);
    return status;
}

/* An allocator that refuses everything from one allocation on, on top of one that counts. */
typedef struct drying {
    dvt_allocator counted;
    dv_allocator allocator;
    int64_t dry_from;
} drying;

static void *allocate_until_dry(void *ctx, size_t nbytes, size_t alignment)
{
    drying *d = ctx;
    if (d->counted.asked + 1 >= d->dry_from) {
        atomic_fetch_add(&d->counted.asked, 1);
        return NULL;
    }
    return d->counted.allocator.allocate(&d->counted, nbytes, alignment);
}

static void release_drying(void *ctx, void *memory, size_t nbytes)
{
    drying *d = ctx;
    d->counted.allocator.release(&d->counted, memory, nbytes);
}

static dv_io io_now;
static int32_t threads_now;

/* Do everything with this allocator, which fails at its k-th call. false: it was called less often.
 */
static bool try_failing(const dvt_golden *golden, dvt_allocator *counted,
                        const dv_allocator *allocator, int64_t k, bool is_dry)
{
    char message[DVT_MESSAGE_NBYTES];
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    dvt_lines lines = {0};
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.io = io_now;
    options.allocator = allocator;
    dv_status status = dv_open(&view, golden->path, &options, &err);
    if (status == DV_OK)
        status = use_all(view, &lines, threads_now, &err);
    const bool has_failed = counted->asked >= k;
    cr_expect(status == DV_ERR_MEMORY ? has_failed && err.status == DV_ERR_MEMORY
                                      : status == DV_OK && !(has_failed && is_dry),
              "%s, allocation %d of %d: status %d, %s", golden->path, (int)k, (int)counted->asked,
              status, err.message);
    if (status == DV_OK)
        cr_expect(
            dvt_golden_compare(golden->lines, dvt_lines_text(&lines), golden->mapping, message),
            "%s, allocation %d: %s", golden->path, (int)k, message);
    dv_view_release(&view);
    cr_expect_eq(counted->live, 0, "%s, allocation %d: a leak", golden->path, (int)k);
    cr_expect_eq(counted->nbytes, 0);
    dvt_lines_free(&lines);
    return has_failed;
}

/* One allocation fails: an error, unless the library tried again.  All fail from one on: an error.
 */
static void check_failing(const dvt_golden *golden)
{
    int64_t k = 1 - DVT_FAIL_STEP;
    drying d;
    do {
        dvt_allocator_init(&d.counted, k += DVT_FAIL_STEP);
    } while (try_failing(golden, &d.counted, &d.counted.allocator, k, false));
    cr_expect_gt(k, 10, "%s needed next to no memory", golden->path);

    k = 1 - DVT_FAIL_STEP;
    d.allocator = (dv_allocator){allocate_until_dry, release_drying, &d};
    do {
        dvt_allocator_init(&d.counted, 0);
        d.dry_from = k += DVT_FAIL_STEP;
    } while (try_failing(golden, &d.counted, &d.allocator, k, true));
}

Test(allocations, each_may_fail)
{
    for (size_t i = 0; i < COUNT(fragile); i++)
        for (size_t j = 0; j < COUNT(ios); j++) {
            io_now = ios[j];
            threads_now = thread_counts[(i + j) % 2];
            dvt_golden_one(fragile[i], check_failing);
        }
}

/* --- And the call may be repeated ------------------------------------------------------------- */

/* Every row, where a call that found no memory is repeated.  Counts those. */
static int read_patiently(dvt_lines *lines, dv_view *view, const dv_cursor_options *options)
{
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int failed = 0;
    int64_t position = 0;
    dv_status status = dvt_open_again(&cursor, view, options, &failed, NULL);
    while (status == DV_OK &&
           (status = dvt_next_again(&cursor, view, options, &batch, &failed, NULL)) == DV_OK) {
        cr_expect_eq(batch->position, position);
        cr_expect_eq(batch->first_row, position);
        position += batch->rows;
        dvt_put_batch_by_value(lines, batch);
    }
    cr_assert_eq(status, DV_END);
    dv_cursor_close(&cursor);
    return failed;
}

static int read_rows_patiently(dvt_lines *lines, dv_view *view, const dv_cursor_options *options)
{
    dv_row_cursor *cursor = NULL;
    int failed = 0;
    const dv_sink sink = dvt_lines_sink(lines);
    if (dv_row_cursor_open(&cursor, view, options, NULL) != DV_OK)
        failed += dv_row_cursor_open(&cursor, view, options, NULL) == DV_OK;
    cr_assert_not_null(cursor);
    for (dv_status status; (status = dv_row_next(cursor, NULL)) != DV_END;) {
        cr_assert(status == DV_OK || (status == DV_ERR_MEMORY && failed++ < 100));
        if (status == DV_ERR_MEMORY)
            cr_assert_eq(dvt_row_again(&cursor, view, options, NULL), DV_OK);
        for (int32_t i = 0; status == DV_OK && i < dv_schema_columns(dv_view_schema(view)); i++) {
            dv_value value;
            if (dv_row_value(cursor, i, &value, NULL) == DV_OK) {
                dvt_lines_print(lines, "%s", i > 0 ? "," : "\n");
                dv_value_write(&value, DV_STYLE_EXACT, &sink);
            }
        }
    }
    dv_row_cursor_close(&cursor);
    return failed;
}

typedef int read_fn(dvt_lines *lines, dv_view *view, const dv_cursor_options *options);

/* Lets each allocation after the opening of the view fail in turn. */
static void check_patience(const char *name, dv_io io, const dv_cursor_options *options,
                           read_fn *read)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *view = open_counted(name, io, &counted);
    dvt_lines expected = {0};
    read(&expected, view, options);
    int failures = 0;
    for (int64_t k = 1;; k += DVT_FAIL_STEP) {
        dvt_lines lines = {0};
        counted.fail_at = counted.asked + k;
        const int failed = read(&lines, view, options);
        const bool is_done = counted.asked < counted.fail_at;
        cr_expect_leq(failed, is_done ? 0 : 1, "%s, allocation %d", name, (int)k);
        cr_expect(lines.nbytes == expected.nbytes &&
                      dvt_lines_hash(&lines) == dvt_lines_hash(&expected),
                  "%s, %d rows a batch, %d threads: other rows after allocation %d failed", name,
                  (int)options->batch_rows, options->threads, (int)k);
        dvt_lines_free(&lines);
        failures += failed;
        if (is_done)
            break;
    }
    cr_expect_gt(failures, 3 / DVT_FAIL_STEP, "%s", name);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0, "%s", name);
    dvt_lines_free(&expected);
}

Test(allocations, a_call_that_failed_may_be_repeated)
{
    static const int64_t sizes[] = {0, 1, 10, 1000};
    for (size_t i = 0; i < COUNT(fragile); i++)
        for (size_t j = 0; j < COUNT(sizes); j++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            options.batch_rows = sizes[j];
            options.threads = thread_counts[(i + j) % 2];
            options.ids = j % 2;
            check_patience(fragile[i], ios[j % 2], &options, read_patiently);
            check_patience(fragile[i], ios[(j + 1) % 2], &options, read_patiently);
        }
}

Test(allocations, a_row_that_failed_may_be_asked_for_again)
{
    for (size_t i = 0; i < COUNT(fragile); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.threads = thread_counts[i % 2];
        check_patience(fragile[i], DV_IO_PREAD, &options, read_rows_patiently);
    }
}

/* --- Bytes in memory -------------------------------------------------------------------------- */

static void count_release(void *ctx)
{
    ++*(int *)ctx;
}

/* Whether opening fails or not, the bytes come back once. */
Test(allocations, bytes_in_memory_come_back_once)
{
    size_t nbytes;
    const dvt_path path = dvt_test_path("golden/idv/people.idv");
    uint8_t *file = dvt_file_read(path.text, &nbytes);
    for (int64_t k = 1, done = 0; !done; k++) {
        dvt_allocator counted;
        dv_view *view = NULL;
        int released = 0;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        dvt_allocator_init(&counted, k);
        options.allocator = &counted.allocator;
        const dv_status status =
            dv_open_memory(&view, file, nbytes, count_release, &released, "it", &options, NULL);
        done = counted.asked < k;
        cr_expect_eq(status, done ? DV_OK : DV_ERR_MEMORY, "allocation %d", (int)k);
        cr_expect_eq(released, done ? 0 : 1, "allocation %d", (int)k);
        dv_view_release(&view);
        cr_expect_eq(released, 1, "allocation %d", (int)k);
        cr_expect_eq(counted.live, 0, "allocation %d", (int)k);
    }
    free(file);
}

/* A skip crosses blocks and runs out of memory on the way.  The token is then of a row that it has
 * not passed. */
static int skip_through(const char *path, int64_t stride, int64_t dry_from)
{
    drying d = {.allocator = {allocate_until_dry, release_drying, &d}, .dry_from = INT64_MAX};
    dvt_allocator_init(&d.counted, 0);
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    open.io = DV_IO_PREAD;
    open.allocator = &d.allocator;
    options.threads = 1;
    dv_view *view;
    dv_row_cursor *cursor;
    cr_assert_eq(dv_open(&view, path, &open, NULL), DV_OK);
    cr_assert_eq(dv_row_cursor_open(&cursor, view, &options, NULL), DV_OK);
    d.dry_from = d.counted.asked + dry_from;
    int failed = 0;
    int64_t left = stride;
    for (int64_t row = stride - 1; row < dv_view_rows(view);) {
        const dv_status status = dv_row_skip(cursor, left, NULL);
        if (status == DV_ERR_MEMORY) {
            failed++;
            d.dry_from = INT64_MAX;
            cr_assert_eq(dvt_row_again(&cursor, view, &options, NULL), DV_OK);
            cr_assert_eq(dv_row_next(cursor, NULL), DV_OK);
            left = row - dv_row_position(cursor);
            cr_assert_geq(left, 0);
            if (left > 0)
                continue;
        }
        cr_assert(status == DV_OK || status == DV_ERR_MEMORY);
        left = stride;
        cr_expect_eq(dv_row_position(cursor), row, "dry from %d: row %d", (int)dry_from,
                     (int)dv_row_position(cursor));
        row += stride;
    }
    dv_row_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(d.counted.live, 0);
    return failed;
}

static void check_skips(const dvt_golden *golden)
{
    static const int64_t strides[] = {20, 90}; /* block by block, and past several blocks */
    for (int i = 0; i < 2; i++) {
        int failed = 0;
        for (int64_t k = 1; k < 60; k++)
            failed += skip_through(golden->path, strides[i], k);
        cr_expect_gt(failed, 3, "%s", golden->path);
    }
}

Test(allocations, a_skip_that_failed_goes_on_at_the_token)
{
    dvt_golden_one("idv/scalar-all-deflate-rpb7.idv", check_skips);
}
