/* SPDX-License-Identifier: MIT */
/* test_btable_rows.c: rows of any length, read in any order and by many threads; memory, files that
 * change, recognition. */
#include "base/load.h"
#include "support/allocator.h"
#include "support/btable.h"
#include "support/golden_files.h"
#include "support/page.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- Tables of several windows ---------------------------------------------------------------- */

/* Rows of up to 360 KB, and runs of empty ones: windows end in counts, in pairs, between rows. */
static dvt_btable large_table(void)
{
    dvt_btable table = {0};
    dvt_btable_numbered_header(&table, 30011);
    dvt_btable_random_rows(&table, 20, 30011, 15, 1);
    for (int64_t i = 0; i < 70000; i++)
        dvt_btable_count(&table, 0);
    dvt_btable_random_rows(&table, 2, 30011, 1, 2);
    dvt_btable_random_rows(&table, 3, 30011, 2, 3);
    return table;
}

static dvt_lines rows_of(dv_view *view, int64_t first, int64_t end, int64_t batch_rows)
{
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.first_row = first;
    options.end_row = end;
    options.batch_rows = batch_rows;
    cr_assert_eq(dvt_btable_rows(&lines, view, &options, &err), DV_OK, "%s", err.message);
    return lines;
}

/* Read the rows with another implementation. */
static dvt_lines plain_rows(const dvt_btable *table, int32_t slots, int64_t first, int64_t end)
{
    dvt_lines lines = {0};
    const uint8_t *p = table->data + 8 + 2 * (size_t)dvi_load_i32_be(table->data + 4);
    for (int64_t row = 0; row < end && p < table->data + table->nbytes; row++) {
        const int32_t n = dvi_load_i32_be(p);
        const bool is_dense = n == slots;
        p += 4;
        if (row >= first)
            dvt_lines_add(&lines, is_dense ? "[" : "{", 1);
        for (int32_t k = 0; k < n; k++, p += 12) {
            if (row < first)
                continue;
            if (k > 0)
                dvt_lines_add(&lines, " ", 1);
            if (!is_dense)
                dvt_lines_print(&lines, "%d:", dvi_load_i32_be(p));
            dvt_lines_print(&lines, "%016llX", (unsigned long long)dvi_load_u64_be(p + 4));
        }
        if (row >= first)
            dvt_lines_add(&lines, is_dense ? "]" : "}", 1);
    }
    return lines;
}

static void expect_rows(const dvt_btable *table, dv_view *view, int32_t slots, int64_t first,
                        int64_t end, int64_t batch_rows)
{
    dvt_lines want = plain_rows(table, slots, first, end < 0 ? INT64_MAX : end);
    dvt_lines got = rows_of(view, first, end, batch_rows);
    cr_expect(got.nbytes == want.nbytes &&
                  (got.nbytes == 0 || memcmp(got.data, want.data, got.nbytes) == 0),
              "rows %lld:%lld by %lld", (long long)first, (long long)end, (long long)batch_rows);
    dvt_lines_free(&want);
    dvt_lines_free(&got);
}

Test(btable_rows, windows_end_anywhere)
{
    dvt_btable table = large_table();
    for (int way = 0; way < 4; way++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = way % 2 ? DV_IO_PREAD : DV_IO_MMAP;
        how.lenient = way / 2;
        dv_view *view = dvt_btable_open(&table, &how, NULL);
        expect_rows(&table, view, 30011, 19, 70022, 0); /* the offset of 19 is unknown */
        expect_rows(&table, view, 30011, 70019, -1, 1);
        expect_rows(&table, view, 30011, 0, -1, 1000);
        expect_rows(&table, view, 30011, 70000, 70001, 0);
        cr_expect_eq(dv_view_rows(view), 70025);
        dv_view_release(&view);
    }
    dvt_btable_free(&table);
}

/* Only counts are read, so an index may be wrong; the error of a count comes after the rows. */
Test(btable_rows, counting_reads_counts_only)
{
    dvt_btable table = {0};
    dvt_btable_header(&table, "a");
    for (int32_t i = 0; i < 70000; i++) {
        dvt_btable_count(&table, 1);
        dvt_btable_pair(&table, 9, 1);
    }
    dvt_btable_count(&table, -1);
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns_count = 0;
    options.first_row = 10;
    int64_t rows = 0;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, 69990);
    cr_expect_str_eq(err.rule, "btable:COUNT_NEG");
    cr_expect(strstr(err.message, "row 70000"), "%s", err.message);
    dv_cursor_close(&cursor);
    cr_expect_eq(dv_view_rows(view), DV_ROWS_UNKNOWN);
    options.first_row = 70001; /* its offset is unknown */
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), DV_ERR_CORRUPT);
    cr_expect(strstr(err.message, "row 70000"), "%s", err.message);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

Test(btable_rows, rows_before_an_unsound_one_are_delivered)
{
    dvt_btable table = {0};
    dvt_lines lines = {0};
    dv_error err = DV_ERROR_INIT;
    dvt_btable_hex(&table, "00000000 00000003 0061001F0062 00000000 00000001 00000000"
                           "3FF0000000000000 00000001 00000007 3FF0000000000000 00000000");
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    cr_expect_eq(dvt_btable_rows(&lines, view, NULL, &err), DV_ERR_CORRUPT);
    cr_expect_str_eq(lines.data, "{}{0:3FF0000000000000}");
    cr_expect(strstr(err.message, "row 2"), "%s", err.message);
    dvt_lines_free(&lines);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

Test(btable_rows, cannot_be_borrowed)
{
    dvt_btable table = {0};
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines lines = {0};
    dvt_btable_header(&table, "a");
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    options.zero_copy_only = true;
    cr_expect_eq(dvt_btable_rows(&lines, view, &options, &err), DV_OK); /* no row, no copy */
    dv_view_release(&view);
    dvt_btable_count(&table, 0);
    view = dvt_btable_open(&table, NULL, NULL);
    cr_expect_eq(dvt_btable_rows(&lines, view, &options, &err), DV_ERR_COPY);
    cr_expect(*err.expected && *err.found);
    dv_view_release(&view);
    dvt_lines_free(&lines);
    dvt_btable_free(&table);
}

/* --- Threads ---------------------------------------------------------------------------------- */

typedef struct reader {
    dv_view *view;
    const dvt_btable *table;
    int64_t first;
} reader;

static void *read_from(void *ctx)
{
    const reader *r = ctx;
    for (int64_t i = 0; i < 20; i++)
        expect_rows(r->table, r->view, 7, r->first + 400 * i, r->first + 400 * i + 3, 0);
    return NULL;
}

/* The index grows while many threads read it. */
Test(btable_rows, many_cursors_look_for_rows_at_once)
{
    dvt_btable table = {0};
    dvt_btable_header(&table, "a|b|c|d|e|f|g");
    dvt_btable_random_rows(&table, 9000, 7, 3, 8);
    dv_view *view = dvt_btable_open(&table, NULL, NULL);
    pthread_t threads[4];
    reader readers[4];
    for (int i = 0; i < 4; i++) {
        readers[i] = (reader){view, &table, 97 * i};
        cr_assert_eq(pthread_create(&threads[i], NULL, read_from, &readers[i]), 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Use all functions of a view. */
static dv_status use_all(const dvt_btable *table, dvt_allocator *counted, bool lenient)
{
    dvt_lines lines = {0};
    dv_facts *facts = NULL;
    const dv_batch *names = NULL;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    how.io = DV_IO_PREAD;
    how.lenient = lenient;
    how.allocator = &counted->allocator;
    options.first_row = 70;
    dv_view *view = dvt_btable_open(table, &how, &err);
    dv_status status = view ? DV_OK : err.status;
    if (status == DV_OK)
        status = dvt_btable_rows(&lines, view, &options, &err);
    if (status == DV_OK)
        status = dv_schema_metadata_value(dv_view_schema(view), 0, 0, &names, &err);
    if (status == DV_OK)
        status = dv_inspect(&facts, view, &err);
    dv_facts_free(&facts);
    dv_batch_release(&names);
    dv_view_release(&view);
    dvt_lines_free(&lines);
    cr_expect_eq(counted->live, 0);
    return status;
}

Test(btable_rows, every_allocation_may_fail)
{
    dvt_btable table = {0};
    dvt_btable_header(&table, "a|b|c");
    dvt_btable_random_rows(&table, 5000, 3, 2, 4);
    dvt_btable_count(&table, 2);
    dvt_btable_pair(&table, 2, 1);
    dvt_btable_pair(&table, 1, 1); /* to be repaired */
    int64_t k = 1;
    for (dv_status status = DV_ERR_MEMORY; status != DV_OK; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        status = use_all(&table, &counted, true);
        cr_assert(status == DV_OK ? counted.asked < k : status == DV_ERR_MEMORY, "%lld: %s",
                  (long long)k, dv_status_name(status));
    }
    cr_expect_gt(k, 10);
    dvt_btable_free(&table);
}

/* The memory allocated after the first batches. */
static int64_t asked_later(const dvt_btable *table, dv_io io, int64_t batch_rows, int64_t *rows_out)
{
    dvt_allocator counted;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_allocator_init(&counted, 0);
    how.io = io;
    how.allocator = &counted.allocator;
    options.batch_rows = batch_rows;
    options.end_row = 60000; /* the last window is shorter */
    dv_view *view = dvt_btable_open(table, &how, NULL);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    int64_t before = 0, rows = 0;
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        if (rows < 20000)
            before = counted.asked;
        rows += batch->rows;
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    *rows_out = rows;
    return counted.asked - before;
}

Test(btable_rows, none_is_allocated_per_batch)
{
    static const int64_t sizes[] = {0, 1, 7, 1000};
    dvt_btable table = {0};
    dvt_btable_numbered_header(&table, 21);
    dvt_btable_random_rows(&table, 80000, 21, 3, 6);
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int64_t rows;
            cr_expect_eq(asked_later(&table, io, sizes[i], &rows), 0, "io %d, by %lld", (int)io,
                         (long long)sizes[i]);
            cr_expect_eq(rows, 60000);
        }
    dvt_btable_free(&table);
}

/* With a low limit windows are smaller; only a row that needs more memory is refused. */
Test(btable_rows, memory_keeps_to_cursor_nbytes)
{
    dvt_btable table = {0};
    dvt_btable_numbered_header(&table, 2000);
    dvt_btable_random_rows(&table, 200, 2000, 15, 7); /* of 1.6 KB */
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = io;
        how.cursor_nbytes = 20000;
        dv_view *view = dvt_btable_open(&table, &how, NULL);
        expect_rows(&table, view, 2000, 0, -1, 0);
        dv_view_release(&view);
        how.cursor_nbytes = 1000;
        view = dvt_btable_open(&table, &how, NULL);
        cr_expect_eq(dvt_btable_rows(&lines, view, NULL, &err), DV_ERR_LIMIT);
        cr_expect_str_eq(err.rule, "cursor_nbytes");
        cr_expect(err.offset > 8 && *err.expected && *err.found, "%s", err.message);
        dv_view_release(&view);
        dvt_lines_free(&lines);
    }
    dvt_btable_free(&table);
}

Test(btable_rows, names_keep_to_metadata_nbytes)
{
    dvt_btable table = {0};
    const dv_batch *names;
    dv_error err = DV_ERROR_INIT;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dvt_btable_header(&table, "abc|def"); /* 6 bytes and 2 ends */
    for (how.metadata_nbytes = 13; how.metadata_nbytes <= 14; how.metadata_nbytes++) {
        dv_view *view = dvt_btable_open(&table, &how, NULL);
        const dv_status status = dv_schema_metadata_value(dv_view_schema(view), 0, 0, &names, &err);
        cr_expect_eq(status, how.metadata_nbytes == 13 ? DV_ERR_LIMIT : DV_OK);
        dv_batch_release(&names);
        dv_view_release(&view);
    }
    cr_expect_str_eq(err.rule, "metadata_nbytes");
    dvt_btable_free(&table);
}

/* --- Files that change ------------------------------------------------------------------------ */

Test(btable_rows, a_file_that_shrank_is_an_error)
{
    for (dv_io io = DV_IO_MMAP; io <= DV_IO_PREAD; io++) {
        dvt_btable table = {0};
        dvt_lines lines = {0};
        const dv_batch *names;
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "x.btable");
        dvt_btable_header(&table, "a|b|c");
        dvt_btable_random_rows(&table, 1000, 3, 2, 4);
        dvt_file_write(&path, table.data, table.nbytes);
        how.io = io;
        cr_assert_eq(dv_open(&view, path.text, &how, NULL), DV_OK);
        dvt_file_resize(&path, 10);
        cr_expect_eq(dvt_btable_rows(&lines, view, NULL, &err), DV_ERR_IO);
        cr_expect_eq(dv_schema_metadata_value(dv_view_schema(view), 0, 0, &names, &err), DV_ERR_IO);
        dv_view_release(&view);
        dvt_lines_free(&lines);
        dvt_folder_remove(&folder);
        dvt_btable_free(&table);
    }
}

/* Labels that change after opening do not overrun their memory. */
Test(btable_rows, labels_that_changed_are_an_error)
{
    dvt_path folder = dvt_folder_create(), path = dvt_path_in(&folder, "x.btable");
    static const char *const others[] = {"abcde", "\xE2\x82\xAC", "a|b|c"};
    for (size_t i = 0; i < 3; i++) {
        dvt_btable table = {0}, other = {0};
        dv_view *view;
        const dv_batch *names;
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        dvt_btable_header(&table, "ab|cd");
        dvt_btable_hex(&other, i == 1 ? "00000000 00000005 20AC20AC001F20AC20AC" : "");
        if (i != 1)
            dvt_btable_header(&other, others[i]);
        dvt_file_write(&path, table.data, table.nbytes);
        how.io = DV_IO_PREAD;
        cr_assert_eq(dv_open(&view, path.text, &how, NULL), DV_OK);
        dvt_file_write(&path, other.data, other.nbytes);
        cr_expect_eq(dv_schema_metadata_value(dv_view_schema(view), 0, 0, &names, NULL), DV_ERR_IO);
        dv_view_release(&view);
        dvt_btable_free(&table);
        dvt_btable_free(&other);
    }
    dvt_folder_remove(&folder);
}

/* --- Recognition ------------------------------------------------------------------------------ */

static void expect_looks(const char *hex, bool does)
{
    dvt_btable table = {0};
    dv_view *view;
    dvt_btable_hex(&table, hex);
    const dv_status status =
        dv_open_memory(&view, table.data, table.nbytes, NULL, NULL, "x.bin", NULL, NULL);
    cr_expect_eq(status, does ? DV_OK : DV_ERR_UNSUPPORTED, "%s", hex);
    dv_view_release(&view);
    dvt_btable_free(&table);
}

Test(btable_rows, is_known_by_its_looks)
{
    expect_looks("00000000 00000001 0061", true);
    expect_looks("00000000 00000001 0061 00000000", true);
    expect_looks("00000000 00000001 0061 00000001 00000000 3FF0000000000000", true);
    expect_looks("00000000 00000000 00000001 00000000 3FF0000000000000", true);
    expect_looks("00000000 00000000", false); /* zeros may be any format */
    expect_looks("00000000 00000000 00000000 00000000", false);
    expect_looks("00000000 00000001 0061 0000", false);
    expect_looks("00000000 00000001 0061 00000003", false);
    expect_looks("00000000 00000001 0061 00000001", false);
    expect_looks("00000000 00000001 0061 FFFFFFFF", false);
    expect_looks("00000000 00000002 0061", false);
    expect_looks("00000000 FFFFFFFF 0061", false);
    expect_looks("00000001 00000001 0061", false);
    expect_looks("00000000 0000", false);
}

/* --- The published table (btable:9) ----------------------------------------------------------- */

static void look_at_batch(const dv_batch *batch, int64_t *items, int64_t *indices, uint64_t *bits,
                          int64_t counted[19])
{
    const dv_vector_layout *v = &dv_batch_column(batch, 0)->as.vector;
    for (int64_t row = 0; row < batch->rows; row++) {
        const int32_t n = dvi_load_i32((const char *)v->counts.data + 4 * row);
        cr_assert(n >= 0 && n <= 18);
        counted[n]++;
    }
    for (int64_t k = 0; k < v->items->rows; k++) {
        *indices += dvi_load_i32((const char *)v->indices.data + 4 * k);
        *bits ^= dvi_load_u64((const char *)v->items->as.fixed.values.data + 8 * k);
    }
    *items += v->items->rows;
}

Test(btable_rows, facts_of_the_published_table)
{
    static const int64_t want[19] = {4,   35,  146, 281, 515, 732, 812, 754, 600, 418,
                                     339, 183, 94,  51,  23,  6,   4,   2,   1};
    const char *shared = getenv("DV_GOLDEN_DIR");
    char path[600] = "";
    if (shared)
        snprintf(path, sizeof path, "%s/btable/table.btable", shared);
    if (access(path, R_OK) != 0)
        cr_skip_test("there is no table.btable");
    int64_t items = 0, indices = 0, counted[19] = {0};
    uint64_t bits = 0;
    dv_view *view;
    dv_cursor *cursor;
    const dv_batch *batch;
    cr_assert_eq(dv_open(&view, path, NULL, NULL), DV_OK);
    cr_expect_eq(dv_schema_column(dv_view_schema(view), 0)->type.size, 100);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        look_at_batch(batch, &items, &indices, &bits, counted);
    dv_cursor_close(&cursor);
    cr_expect_eq(dv_view_rows(view), 5000);
    cr_expect(items == 33324 && indices == 1653272);
    cr_expect_eq(bits, UINT64_C(0x7fdabc478c70b033));
    cr_expect_arr_eq(counted, want, sizeof want);
    dvt_lines names = {0};
    cr_assert(dvt_btable_names(&names, view));
    cr_expect(memcmp(names.data, "jhyststz6py4woqh80eha2dwe6j0tnq5xlu2kdz4eny1z3", 46) == 0);
    cr_expect_eq(names.nbytes, 10099);
    dvt_lines_free(&names);
    dv_facts *facts;
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect(facts->rows == 5000 && facts->items == 33324 && facts->warnings == 0);
    dv_facts_free(&facts);
    dv_view_release(&view);
}
