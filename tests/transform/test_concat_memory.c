/* SPDX-License-Identifier: MIT */
/* test_concat_memory.c: memory of several views as one: failing allocations, lifetimes, threads. */
#include "support/again.h"
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static const char *const sets[] = {"people people", "metadata-raw metadata-raw metadata-raw",
                                   "scalar-all-deflate-rpb7 scalar-all-raw-rpb7",
                                   "vector-TX-raw vector-TX-raw"};
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Opens the files of that set as one view. */
static dv_status use_set(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const char *names = what;
    dvt_path paths[3];
    const char *path[3];
    dv_view *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    int32_t n = 0;
    how.allocator = allocator;
    how.io = options->ids ? DV_IO_PREAD : DV_IO_MMAP;
    for (; *names; n++) {
        char name[96];
        const int k = (int)strcspn(names, " ");
        snprintf(name, sizeof name, "golden/idv/%.*s.idv", k, names);
        paths[n] = dvt_test_path(name);
        path[n] = paths[n].text;
        names += k + (names[k] == ' ');
    }
    dv_status status = dv_open_many(&view, path, n, &how, err);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_put_numbered, options, lines, err);
    dv_view_release(&view);
    return status;
}

Test(concat_memory, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(sets); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 9;
        options.threads = i % 2 ? 1 : 4;
        options.ids = i < 2;
        dvt_fail_each_allocation(use_set, sets[i], sets[i], &options);
    }
}

/* After DV_ERR_MEMORY a cursor goes on at the token: no row is lost or comes twice. */
Test(concat_memory, a_cursor_goes_on_after_a_failure)
{
    for (size_t i = 0; i < COUNT(sets); i++)
        for (int64_t size = 0; size <= 8; size += 4) {
            dvt_allocator counted;
            dv_open_options how = DV_OPEN_OPTIONS_INIT;
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_view *view;
            dvt_allocator_init(&counted, 0);
            how.allocator = &counted.allocator;
            options.batch_rows = size;
            options.ids = true;
            options.threads = i % 2 ? 4 : 1;
            dvt_set set = dvt_set_open(sets[i], &how);
            cr_assert_eq(dv_view_concat(&view, set.view, set.n, &counted.allocator, NULL), DV_OK);
            const int64_t rows = dv_view_rows(view);
            int failures = 0;
            for (int64_t k = 1, is_done = 0; !is_done; k += DVT_FAIL_STEP) {
                dv_cursor *cursor = NULL;
                const dv_batch *batch;
                dv_u128 before = {0, 0};
                int64_t next = 0;
                int failed = 0;
                counted.fail_at = counted.asked + k;
                dv_status status = dvt_open_again(&cursor, view, &options, &failed, NULL);
                while (status == DV_OK && (status = dvt_next_again(&cursor, view, &options, &batch,
                                                                   &failed, NULL)) == DV_OK) {
                    cr_expect_eq(batch->first_row, next, "allocation %d", (int)k);
                    cr_expect_eq(batch->position, next);
                    cr_expect(batch->ids[0].lo != before.lo);
                    before = batch->ids[batch->rows - 1];
                    next += batch->rows;
                }
                cr_expect_eq(status, DV_END);
                cr_expect_eq(next, rows, "%s, allocation %d", sets[i], (int)k);
                failures += failed;
                is_done = counted.asked < counted.fail_at;
                dv_cursor_close(&cursor);
            }
            cr_expect_gt(failures, 5 / DVT_FAIL_STEP);
            counted.fail_at = 0;
            dv_view_release(&view);
            dvt_set_release(&set);
            cr_expect_eq(counted.live, 0);
        }
}

/* Within one file a batch allocates nothing, even with ids and batches of one size. */
Test(concat_memory, none_per_batch)
{
    for (int64_t size = 0; size <= 3; size += 3) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *view;
        dv_cursor *cursor;
        const dv_batch *batch;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        options.batch_rows = size;
        options.ids = true;
        options.threads = 1;
        options.columns = (const int32_t[]){5, 9};
        options.columns_count = 2;
        dvt_set set = dvt_set_open("scalar-all-raw-rpb7 scalar-all-raw-rpb7", &how);
        cr_assert_eq(dv_view_concat(&view, set.view, set.n, &counted.allocator, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
        int64_t rows = 0, asked = 0;
        while (rows < 98 && dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
            rows += batch->rows;
            asked = rows <= 42 ? counted.asked : asked;
        }
        cr_expect_eq(counted.asked, asked, "%d rows a batch", (int)size);
        dv_cursor_close(&cursor);
        dv_view_release(&view);
        dvt_set_release(&set);
    }
}

/* Batches of every file, and those with rows of two files. */
Test(concat_memory, batches_outlive_everything)
{
    for (int i = 0; i < 8; i++) {
        dvt_allocator counted;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dv_view *view;
        dvt_allocator_init(&counted, 0);
        how.allocator = &counted.allocator;
        how.io = i & 1 ? DV_IO_PREAD : DV_IO_MMAP;
        options.batch_rows = i & 2 ? 7 : 0;
        options.threads = i & 4 ? 4 : 1;
        options.ids = true;
        dvt_set set = dvt_set_open(i & 1 ? "people people" : sets[2], &how);
        cr_assert_eq(dv_view_concat(&view, set.view, set.n, &counted.allocator, NULL), DV_OK);
        dvt_set_release(&set);
        dvt_outlive_view(view, &counted, &options);
    }
}

#define THREADS 6

typedef struct reader {
    pthread_t thread;
    dv_view *view;
    int number;
    dv_status status;
    uint64_t hash;
} reader;

static void *read_all(void *ctx)
{
    reader *r = ctx;
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = r->number % 3 * 5;
    options.threads = 1 + r->number % 2 * 2;
    options.ids = true;
    r->status = dvt_put_numbered(&lines, r->view, &options, NULL);
    r->hash = dvt_lines_hash(&lines);
    dvt_lines_free(&lines);
    dv_view_release(&r->view);
    return NULL;
}

Test(concat_memory, cursors_in_many_threads)
{
    for (size_t i = 0; i < COUNT(sets); i++) {
        dv_view *view;
        reader many[THREADS];
        dvt_set set = dvt_set_open(sets[i], NULL);
        dvt_lines truth = {0};
        cr_assert_eq(dv_view_concat(&view, set.view, set.n, NULL, NULL), DV_OK);
        dvt_put_truth(&truth, &set, 0, INT64_MAX, true);
        dvt_set_release(&set);
        for (int k = 0; k < THREADS; k++) {
            dv_view_retain(view);
            many[k] = (reader){.view = view, .number = k};
            cr_assert_eq(pthread_create(&many[k].thread, NULL, read_all, &many[k]), 0);
        }
        dv_view_release(&view);
        for (int k = 0; k < THREADS; k++) {
            pthread_join(many[k].thread, NULL);
            cr_expect_eq(many[k].status, DV_OK);
            cr_expect_eq(many[k].hash, dvt_lines_hash(&truth), "%s, thread %d", sets[i], k);
        }
        dvt_lines_free(&truth);
    }
}
