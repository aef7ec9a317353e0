/* SPDX-License-Identifier: MIT */
/* test_idv_save_failing.c: memory, disk, source and caller may fail a save at any point. */
#include "view/column.h"
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/kinds_table.h"
#include "support/made_table.h"
#include "support/own_table.h"
#include "support/saved.h"
#include "support/test.h"
#include <dataview/open.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_save_options idv_options(dv_compression compression, int32_t threads)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    options.format = "idv";
    options.rows_per_block = 5;
    options.compression = compression;
    options.threads = threads;
    options.idv_bool_2bit = true;
    return options;
}

/* --- Memory --- */

/* Save with an allocator whose k-th allocation fails: an error, unless the library retried. false:
 * there are fewer than k allocations. */
static bool try_failing(dv_view *view, dv_save_options options, const dv_buffer *truth, int64_t k,
                        const char *name)
{
    dvt_allocator counted;
    dv_error err = DV_ERROR_INIT;
    dv_buffer file;
    dvt_allocator_init(&counted, k);
    options.allocator = &counted.allocator;
    const dv_status status = dv_save_memory(view, &file, &options, &err);
    const bool has_failed = counted.asked >= k;
    cr_expect(status == DV_ERR_MEMORY ? has_failed && err.status == DV_ERR_MEMORY : status == DV_OK,
              "%s, allocation %d: status %d, %s", name, (int)k, status, err.message);
    if (status == DV_OK)
        cr_expect(file.nbytes == truth->nbytes && memcmp(file.data, truth->data, file.nbytes) == 0,
                  "%s, allocation %d: another file", name, (int)k);
    dv_buffer_release(&file);
    cr_expect_eq(counted.live, 0, "%s, allocation %d: a leak", name, (int)k);
    return has_failed;
}

static void check_failing(dv_view *view, const char *name)
{
    static const dv_compression compressions[] = {DV_COMPRESSION_NONE, DV_COMPRESSION_DEFLATE};
    for (size_t i = 0; i < COUNT(compressions); i++)
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            const dv_save_options options = idv_options(compressions[i], threads);
            dv_buffer truth = dvt_save_idv(view, &options);
            int64_t k = 1;
            while (try_failing(view, options, &truth, k, name))
                k++;
            cr_expect_gt(k, 10, "%s needed next to no memory", name);
            dv_buffer_release(&truth);
        }
}

Test(idv_save_failing, each_allocation_may_fail)
{
    static const char *const names[] = {"idv/metadata-raw.idv", "idv/vector-TX-raw.idv",
                                        "idv/people.idv", "idv/random-21.idv"};
    for (size_t i = 0; i < COUNT(names); i++) {
        dv_view *view = dvt_golden_open(names[i], NULL);
        check_failing(view, names[i]);
        dv_view_release(&view);
    }
}

/* The rows of a view without blocks are copied together: these allocations belong to the view. */
Test(idv_save_failing, each_allocation_of_the_view_may_fail)
{
    for (int64_t k = 1;; k += DVT_FAIL_STEP) {
        dvt_allocator counted;
        dvt_kinds_table table;
        dv_error err = DV_ERROR_INIT;
        dv_buffer file;
        dvt_allocator_init(&counted, 0);
        dvt_kinds_make(&table, dvt_kinds_at(DV_KIND_TX - 1), 2);
        dv_view *view = dvt_made_table_open(&table.made, &counted.allocator);
        counted.fail_at = counted.asked + k;
        const dv_save_options options = idv_options(DV_COMPRESSION_DEFLATE, 1);
        const dv_status status = dv_save_memory(view, &file, &options, &err);
        const bool has_failed = counted.asked >= counted.fail_at;
        cr_expect(status == (has_failed ? DV_ERR_MEMORY : DV_OK), "allocation %d: status %d",
                  (int)k, status);
        dv_buffer_release(&file);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
        dvt_kinds_free(&table);
        if (!has_failed)
            break;
    }
}

/* --- Disk space --- */

static void check_room(dv_view *view, dv_save_options options)
{
    dv_buffer truth = dvt_save_idv(view, &options), file;
    for (size_t room = 0; room < truth.nbytes; room += (size_t)DVT_FAIL_STEP) {
        dv_error err = DV_ERROR_INIT;
        options.memory_nbytes = (int64_t)room;
        cr_assert_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LIMIT, "%zu bytes", room);
        cr_assert_str_eq(err.rule, "memory_nbytes");
        cr_assert_null(file.data);
    }
    options.memory_nbytes = (int64_t)truth.nbytes;
    cr_expect_eq(dv_save_memory(view, &file, &options, NULL), DV_OK);
    dv_buffer_release(&file);
    dv_buffer_release(&truth);
}

Test(idv_save_failing, every_write_may_fail)
{
    dv_view *view = dvt_golden_open("idv/metadata-raw.idv", NULL);
    check_room(view, idv_options(DV_COMPRESSION_NONE, 1));
    check_room(view, idv_options(DV_COMPRESSION_DEFLATE, 2));
    dv_view_release(&view);
}

/* --- The source --- */

Test(idv_save_failing, rows_that_cannot_be_read)
{
    for (int32_t threads = 1; threads <= 3; threads++)
        for (int64_t bad = 0; bad < DVT_KINDS_ROWS; bad += 7) {
            dvt_kinds_table table;
            dv_error err = DV_ERROR_INIT;
            dv_buffer file;
            dvt_kinds_make(&table, dvt_kinds_at(0), 2);
            table.made.bad_row = bad;
            dv_view *view = dvt_made_table_open(&table.made, NULL);
            dv_save_options options = idv_options(DV_COMPRESSION_ZLIB, threads);
            cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_CORRUPT);
            options.end_row = bad / 2 * 2;
            cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_OK);
            dv_buffer_release(&file);
            dv_view_release(&view);
            dvt_kinds_free(&table);
        }
}

Test(idv_save_failing, metadata_that_cannot_be_read)
{
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    how.metadata_nbytes = 1;
    dv_view *view = dvt_golden_open("idv/metadata-raw.idv", &how);
    dv_buffer file;
    const dv_save_options options = idv_options(DV_COMPRESSION_NONE, 1);
    cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LIMIT, "%s", err.message);
    cr_expect_str_eq(err.rule, "metadata_nbytes");
    dv_view_release(&view);
}

/* --- Limits --- */

#define HUGE ((size_t)INT32_MAX - 5)

static dv_status open_huge(void *self, const dv_cursor_request *request, void **cursor_out,
                           dv_error *err)
{
    (void)self;
    (void)request;
    (void)err;
    static int64_t row;
    row = 0;
    *cursor_out = &row;
    return DV_OK;
}

/* A text of 10 bytes, then one of nearly 2^31 bytes, which are never read. */
static dv_status next_huge(void *cursor, dv_batch *batch, dv_error *err)
{
    static void *pages;
    static const int32_t ends[] = {10, (int32_t)HUGE};
    int64_t *row = cursor;
    if (!pages)
        pages = mmap(NULL, HUGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (*row == 2 || pages == MAP_FAILED)
        return DV_END;
    const dv_column_view view = dvt_made_text(DV_KIND_TX, pages, &ends[*row], 1);
    dv_batch_start(batch, (*row)++, 1, err);
    return dv_batch_fill(batch, 0, &view, err);
}

Test(idv_save_failing, texts_too_long_for_a_block)
{
    static const dv_view_class huge = {
        .size = sizeof huge, .kind = "huge", .open_cursor = open_huge, .next = next_huge};
    const dv_type type = dv_type_of(DV_KIND_TX);
    dv_error err = DV_ERROR_INIT;
    dv_schema *schema;
    dv_view *view;
    dv_buffer file;
    cr_assert_eq(dv_schema_create(&schema, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_add(schema, dv_text_of("t"), &type, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_create(&view, &huge, NULL, &schema, NULL, NULL), DV_OK);
    dv_save_options options = idv_options(DV_COMPRESSION_NONE, 1);
    options.block_nbytes = INT64_C(1) << 40;
    cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LIMIT, "%s", err.message);
    cr_expect_str_eq(err.rule, "rows_per_block");
    dv_view_release(&view);
}

/* --- The caller --- */

typedef struct asked {
    int64_t stop_at, last, times;
} asked;

static bool ask(void *ctx, int64_t rows_done, int64_t rows)
{
    asked *a = ctx;
    cr_expect_geq(rows_done, a->last);
    cr_expect_eq(rows, DVT_KINDS_ROWS);
    a->last = rows_done;
    return ++a->times != a->stop_at;
}

Test(idv_save_failing, the_user_may_stop_it)
{
    for (int32_t threads = 1; threads <= 3; threads++) {
        dvt_kinds_table table;
        dvt_kinds_make(&table, dvt_kinds_at(3), 7);
        dv_view *view = dvt_made_table_open(&table.made, NULL);
        dv_save_options options = idv_options(DV_COMPRESSION_DEFLATE, threads);
        asked a = {0, 0, 0};
        options.progress = (dv_progress){ask, &a};
        dv_buffer file = dvt_save_idv(view, &options);
        dv_buffer_release(&file);
        cr_expect_eq(a.last, DVT_KINDS_ROWS);
        const int64_t times = a.times;
        cr_expect_geq(times, DVT_KINDS_ROWS / 5);
        for (int64_t k = 1; k <= times; k++) {
            a = (asked){k, 0, 0};
            const dv_status status = dv_save_memory(view, &file, &options, NULL);
            if (status == DV_OK && k > DVT_KINDS_ROWS / 5) { /* the first save was slow: it had
                                                                reports while it waited */
                dv_buffer_release(&file);
                break;
            }
            cr_expect_eq(status, DV_ERR_STOPPED);
            cr_expect_eq(a.times, k);
        }
        dv_view_release(&view);
        dvt_kinds_free(&table);
    }
}

static bool count_reports(void *ctx, int64_t rows_done, int64_t rows)
{
    asked *a = ctx;
    cr_expect(rows_done >= a->last && rows_done <= rows);
    a->last = rows_done;
    return ++a->times != a->stop_at;
}

/* A slow level compressed a block of 80 MB for many seconds without a report, so that a terminal
 * showed nothing and Ctrl-C did nothing. This block takes a second; three reports are those of any
 * block. */
Test(idv_save_failing, a_slow_block_is_reported_while_it_is_compressed)
{
    enum { ROWS = 1 << 21 };
    double *values = malloc(ROWS * sizeof *values);
    cr_assert_not_null(values);
    for (uint64_t i = 0, x = 1; i < ROWS; i++) {
        x = x * UINT64_C(6364136223846793005) + 1;
        values[i] = (double)(x >> 56) + (double)(i % 1000) / 1000;
    }
    dvt_made_table table = {.column = {dvt_made_fixed(dv_type_of(DV_KIND_R8), values, ROWS)},
                            .columns = 1,
                            .rows = ROWS,
                            .block_rows = ROWS,
                            .bad_row = -1};
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (int32_t threads = 1; threads <= 2; threads++) {
        dv_save_options options = idv_options(DV_COMPRESSION_DEFLATE, threads);
        asked a = {0, 0, 0};
        dv_buffer file;
        options.rows_per_block = ROWS;
        options.level = 12;
        options.progress = (dv_progress){count_reports, &a};
        cr_expect_eq(dv_save_memory(view, &file, &options, NULL), DV_OK);
        dv_buffer_release(&file);
        cr_expect_eq(a.last, ROWS);
        cr_expect_geq(a.times, 6, "%d reports", (int)a.times);
    }
    dv_view_release(&view);
    free(values);
}

/* Regression, found by fuzz_roundtrip: with threads, the cursor was ahead of the blocks written,
 * and an error in a block that it could not read hid the NA in an earlier row. */
Test(idv_save_failing, the_first_error_is_reported_by_any_number_of_threads)
{
    const int8_t values[20] = {0, 1, DV_BL_NA};
    dvt_made_table table = {.column = {dvt_made_fixed(dv_type_of(DV_KIND_BL), values, 20)},
                            .columns = 1,
                            .rows = 20,
                            .block_rows = 5,
                            .bad_row = 12};
    dv_view *view = dvt_made_table_open(&table, NULL);
    for (int32_t threads = 1; threads <= 5; threads += 2) {
        dv_save_options options = idv_options(DV_COMPRESSION_DEFLATE, threads);
        dv_error err = DV_ERROR_INIT;
        dv_buffer file;
        cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_CORRUPT);
        options.idv_bool_2bit = false;
        cr_expect_eq(dv_save_memory(view, &file, &options, &err), DV_ERR_LOSS);
        cr_expect(strstr(err.message, "row 2"), "%s", err.message);
    }
    dv_view_release(&view);
}
