/* SPDX-License-Identifier: MIT */
/* test_set_cursor.c: checks that a cursor with threads delivers what one without delivers
 * (cursor_set.h, semantics:5.5). */
#include "support/again.h"
#include "support/allocator.h"
#include "support/produce.h"
#include "support/set_files.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdlib.h>
#include <string.h>

#ifdef DVT_SANITIZED
#define ROWS 8300
#define IS_LEFT_OUT(i) ((i) % 7 != 0) /* each source and each chain is met all the same */
#else
#define ROWS 12000
#define IS_LEFT_OUT(i) false
#endif

/* All remaining rows of a cursor. */
static dv_status put_rest(dvt_lines *lines, dv_cursor *cursor, dv_error *err)
{
    const dv_batch *batch;
    dv_status status;
    int64_t row = 0;
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        cr_assert_eq(batch->position, row);
        cr_assert_eq(dv_batch_chunk(batch), 0);
        row += batch->rows;
        dvt_set_put(lines, batch, true);
    }
    return status;
}

static void expect_same(const dvt_lines *got, const dvt_lines *truth, int source, int chain,
                        int threads)
{
    cr_expect(got->nbytes == truth->nbytes &&
                  (got->nbytes == 0 || memcmp(got->data, truth->data, got->nbytes) == 0),
              "%s, %s, %d threads", dvt_set_source(source), dvt_set_chain(chain), threads);
}

static void check(int source, int chain, dv_view *view, const dv_cursor_options *given,
                  int32_t threads)
{
    dv_cursor_options options = *given;
    dv_cursor *cursor, *members[8];
    dv_error err = DV_ERROR_INIT;
    dvt_lines truth = dvt_set_truth(view, &options, true), got = {0};
    int32_t opened;
    options.threads = threads;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    cr_expect_eq(put_rest(&got, cursor, &err), DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    expect_same(&got, &truth, source, chain, threads);
    dvt_lines_free(&got);

    cr_assert_eq(dv_cursor_set_open(members, threads, &opened, view, &options, &err), DV_OK);
    cr_assert_eq(dv_cursor_set_consolidate(&cursor, members, opened, &err), DV_OK, "%s",
                 err.message);
    for (int32_t i = 0; i < opened; i++)
        cr_expect_null(members[i]);
    cr_expect_eq(put_rest(&got, cursor, &err), DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    expect_same(&got, &truth, source, chain, -threads);
    dvt_lines_free(&got);
    dvt_lines_free(&truth);
}

Test(set_cursor, the_same_rows_for_any_number_of_threads)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 0; chain < dvt_set_chains(); chain++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            options.ids = chain % 2 == 0;
            options.batch_rows = chain % 3 == 1 ? 700 : 0;
            if (view && !IS_LEFT_OUT(source + chain))
                check(source, chain, view, &options, 2 + (source + 3 * chain) % 6);
            dv_view_release(&view);
        }
    dvt_set_files_free(&files);
}

Test(set_cursor, ranges_of_rows)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int chain = 1; chain < 4; chain++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_view *view = dvt_set_view(&files, source, chain, NULL);
            options.first_row = 5;
            options.end_row = ROWS - 1;
            options.ids = true;
            if (view && !IS_LEFT_OUT(source + chain))
                check(source, chain, view, &options, 3);
            dv_view_release(&view);
        }
    dvt_set_files_free(&files);
}

/* --- Early ends ------------------------------------------------------------------------------- */

Test(set_cursor, may_be_closed_at_any_batch)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    for (int source = 0; source < dvt_set_sources(); source++)
        for (int stop = 0; stop < 8; stop++) {
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor;
            const dv_batch *batch, *kept = NULL;
            dv_view *view = dvt_set_view(&files, source, 1 + stop % 4, NULL);
            options.threads = 4;
            if (!view || IS_LEFT_OUT(source + stop)) {
                dv_view_release(&view);
                continue;
            }
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
            for (int i = 0; i < stop && dv_cursor_next(cursor, &batch, NULL) == DV_OK; i++) {
                dv_batch_release(&kept);
                kept = batch;
                dv_batch_retain(kept);
            }
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            dvt_lines lines = {0};
            if (kept)
                dvt_set_put(&lines, kept, true); /* outlives both */
            dvt_lines_free(&lines);
            dv_batch_release(&kept);
        }
    dvt_set_files_free(&files);
}

/* --- Errors ----------------------------------------------------------------------------------- */

/* The rows before the bad one, then the error, for good. */
Test(set_cursor, an_error_comes_after_the_rows_before_it)
{
    dvt_many_rows *rows = dvt_many_rows_create(ROWS, 10);
    rows->table.bad_row = 7005;
    for (int32_t threads = 1; threads <= 5; threads++)
        for (int unknown = 0; unknown < 2; unknown++) {
            const dv_conversion_spec spec = {dv_text_of("b"), dv_text_of(NULL),
                                             dv_type_of(DV_KIND_R4)};
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor;
            dv_view *view;
            const dv_batch *batch;
            dv_error err = DV_ERROR_INIT;
            int64_t seen = 0;
            rows->table.rows_unknown = unknown;
            dv_view *source = dvt_made_table_open(&rows->table, NULL);
            cr_assert_eq(dv_view_convert(&view, source, &spec, 1, NULL, NULL), DV_OK);
            options.threads = threads;
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
            dv_status status;
            while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
                seen += batch->rows;
            cr_expect_eq(status, DV_ERR_CORRUPT);
            cr_expect_eq(err.status, DV_ERR_CORRUPT);
            cr_expect_eq(seen, 7000, "%d threads: %d", (int)threads, (int)seen);
            cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_CORRUPT);
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            dv_view_release(&source);
        }
    dvt_many_rows_free(rows);
}

/* A block that does not inflate: the same error at the same row, from any thread. */
Test(set_cursor, a_bad_block_is_told_in_its_place)
{
    dvt_set_files files = dvt_set_files_create(ROWS);
    const dvt_path path = dvt_path_in(&files.folder, "small.idv");
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(path.text, &nbytes);
    memset(bytes + nbytes / 2, 0xFF, 64);
    dvt_file_write(&path, bytes, nbytes);
    free(bytes);
    int64_t rows[4] = {0};
    dv_error err[4];
    dv_view *view = dvt_set_view(&files, 2, 3, NULL);
    for (int i = 0; i < 4; i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        err[i] = (dv_error)DV_ERROR_INIT;
        options.threads = 1 + i;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        dv_status status;
        while ((status = dv_cursor_next(cursor, &batch, &err[i])) == DV_OK)
            rows[i] += batch->rows;
        cr_expect_eq(status, DV_ERR_CORRUPT);
        cr_expect_eq(rows[i], rows[0]);
        cr_expect_str_eq(err[i].message, err[0].message);
        dv_cursor_close(&cursor);
    }
    cr_expect_gt(rows[0], 0);
    dv_view_release(&view);
    dvt_set_files_free(&files);
}

Test(set_cursor, refuses)
{
    dvt_set_files files = dvt_set_files_create(5000);
    dv_view *view = dvt_set_view(&files, 0, 3, NULL);
    dv_cursor *a[2], *b[2], *mixed[2], *cursor;
    int32_t opened;
    const dv_batch *batch;
    cr_assert_eq(dv_cursor_set_open(a, 2, &opened, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_set_open(b, 2, &opened, view, NULL, NULL), DV_OK);
    mixed[0] = a[0];
    mixed[1] = b[0];
    cr_expect_eq(dv_cursor_set_consolidate(&cursor, mixed, 2, NULL), DV_ERR_ARGUMENT);
    cr_expect_null(cursor);
    cr_expect_eq(dv_cursor_set_consolidate(&cursor, a, 0, NULL), DV_ERR_ARGUMENT);
    mixed[1] = NULL;
    cr_expect_eq(dv_cursor_set_consolidate(&cursor, mixed, 2, NULL), DV_ERR_ARGUMENT);
    cr_expect_eq(dv_cursor_next(a[1], &batch, NULL), DV_OK);
    cr_expect_eq(dv_cursor_set_consolidate(&cursor, a, 2, NULL), DV_ERR_ARGUMENT);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    mixed[0] = cursor;
    dv_cursor *made;
    cr_expect_eq(dv_cursor_set_consolidate(&made, mixed, 1, NULL), DV_ERR_ARGUMENT);
    dv_cursor_close(&cursor);
    for (int i = 0; i < 2; i++) {
        dv_cursor_close(&a[i]);
        dv_cursor_close(&b[i]);
    }
    dv_view_release(&view);
    dvt_set_files_free(&files);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Chunks of about 1 MiB, as many as threads and two, and what each member works with. */
Test(set_cursor, memory_is_bounded)
{
    dvt_set_files files = dvt_set_files_create(60000);
    int64_t highest[2];
    for (int i = 0; i < 2; i++) {
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_cursor *cursor;
        const dv_batch *batch;
        dvt_allocator_init(&counted, 0);
        dv_view *view = dvt_set_view(&files, 2, 1, &counted.allocator);
        options.threads = 3;
        options.take = i == 0 ? 20000 : -1;
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
            continue;
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        cr_expect_eq(counted.live, 0);
        highest[i] = counted.highest;
    }
    cr_expect_lt(highest[1], 12 << 20, "%lld", (long long)highest[1]);
    dvt_set_files_free(&files);
}

/* Each allocation fails once: all rows are delivered, some after a token. */
Test(set_cursor, each_allocation_may_fail)
{
    dvt_set_files files = dvt_set_files_create(8300);
    static const int sources[] = {2, 4, 8};
    for (int i = 0; i < 3; i++) {
        dv_view *plain = dvt_set_view(&files, sources[i], 3, NULL);
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_lines truth = dvt_set_truth(plain, &options, true);
        dv_view_release(&plain);
        options.threads = 3;
        bool is_done = false;
        for (int64_t k = 1; !is_done; k += dvt_fail_step(k < 150 ? 1 : 7, 35)) {
            dvt_allocator counted;
            dv_cursor *cursor;
            dvt_lines got = {0};
            int failed = 0;
            dvt_allocator_init(&counted, 0);
            dv_view *view = dvt_set_view(&files, sources[i], 3, &counted.allocator);
            counted.fail_at = counted.asked + k;
            const dv_batch *batch;
            dv_status status = dvt_open_again(&cursor, view, &options, &failed, NULL);
            while (status == DV_OK && (status = dvt_next_again(&cursor, view, &options, &batch,
                                                               &failed, NULL)) == DV_OK)
                dvt_set_put(&got, batch, true);
            cr_expect_eq(status, DV_END);
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0, "%s, allocation %d: a leak", dvt_set_source(sources[i]),
                         (int)k);
            expect_same(&got, &truth, sources[i], 3, (int)k);
            is_done = counted.asked < counted.fail_at;
            dvt_lines_free(&got);
        }
        dvt_lines_free(&truth);
    }
    dvt_set_files_free(&files);
}
