/* SPDX-License-Identifier: MIT */
/* test_open_source.c: a view of a source has the rows of the file, in few requests, by threads of
 * the library (source.h). */
#include "base/load.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/same_table.h"
#include "support/slow_source.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static dv_view *open_one(dv_source source, const dv_source_options *source_options,
                         const dv_open_options *options)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_open_source(&view, &source, 1, source_options, options, &err), DV_OK, "%s",
                 err.message);
    return view;
}

/* The table of a file, and of the same file as a source. */
static void compare(const char *path)
{
    dvt_store store = {0};
    dv_error err = DV_ERROR_INIT;
    dv_view *file, *view;
    cr_assert_eq(dv_open(&file, path, NULL, &err), DV_OK, "%s", err.message);
    view = open_one(dvt_slow_file(&store, path), NULL, NULL);
    cr_expect_str_eq(dv_view_kind(view), dv_view_kind(file));
    const char *difference = dvt_table_difference(file, view, 7);
    cr_expect_null(difference, "%s: %s", path, difference);
    dv_u128 a, b;
    cr_expect_eq(dv_view_identity(file, &a, NULL), DV_OK);
    cr_expect_eq(dv_view_identity(view, &b, NULL), DV_OK);
    cr_expect(a.lo == b.lo && a.hi == b.hi, "%s", path); /* a token of one fits the other */
    dv_facts *facts;
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_str_eq(facts->io, "source");
    dv_facts_free(&facts);
    dv_view_release(&view);
    dv_view_release(&file);
    cr_expect_eq(store.live, 0);
    cr_expect_not(store.is_outside);
}

static void compare_golden(const dvt_golden *golden)
{
    compare(golden->path);
}

Test(open_source, golden_files)
{
    dvt_golden_each(compare_golden);
    dvt_golden_each_in("btable", compare_golden);
}

Test(open_source, datadings_with_the_files_beside_it)
{
    const dvt_path path = dvt_test_path("golden/datadings/tiny.msgpack");
    dvt_store store = {0};
    compare(path.text);
    dv_view *view = open_one(dvt_slow_file(&store, path.text), NULL, NULL);
    dv_facts *facts;
    cr_assert_eq(dv_inspect(&facts, view, NULL), DV_OK);
    cr_expect_eq(facts->files, 5);
    dv_facts_free(&facts);
    dv_view_release(&view);
}

/* A table of texts and numbers in each format. */
Test(open_source, text_and_what_is_compressed)
{
    static const char *const formats[] = {"text", "idv"};
    dvt_path folder = dvt_folder_create();
    const dvt_path people = dvt_test_path("golden/idv/people.idv");
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_assert_eq(dv_open(&view, people.text, NULL, &err), DV_OK, "%s", err.message);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        const dvt_path path = dvt_path_in(&folder, i == 0 ? "people.csv" : "people.idv");
        dv_save_options options = DV_SAVE_OPTIONS_INIT;
        options.format = formats[i];
        options.allow_loss = (DV_LOSS_FORMS << 1) - 1;
        cr_assert_eq(dv_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
        compare(path.text);
    }
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Several ---------------------------------------------------------------------------------- */

Test(open_source, several_sources_are_one_view)
{
    const dvt_path people = dvt_test_path("golden/idv/people.idv");
    dvt_store store = {0};
    dv_error err = DV_ERROR_INIT;
    dv_source sources[20];
    dv_view *view;
    for (int i = 0; i < 20; i++)
        sources[i] = dvt_slow_file(&store, people.text);
    cr_assert_eq(dv_open_source(&view, sources, 20, NULL, NULL, &err), DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(view), 20 * 600);
    cr_expect_eq(store.requests, 20); /* a small file in one */
    dv_view_release(&view);
    cr_expect_eq(store.live, 0);
}

/* --- Requests --------------------------------------------------------------------------------- */

#define WIDE 4096
#define WIDE_ROWS 5000
#define WIDE_BLOCK 1024
#define WIDE_NBYTES ((int64_t)WIDE * WIDE_BLOCK * 4) /* a block of each column */

/* A file of 4,096 columns of R4 in blocks. */
static dvt_path wide_file(const dvt_path *folder)
{
    static float values[WIDE_ROWS];
    static char names[WIDE][8];
    static dv_table_column columns[WIDE];
    const dvt_path path = dvt_path_in(folder, "wide.idv");
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    for (int i = 0; i < WIDE_ROWS; i++)
        values[i] = (float)i;
    for (int i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        columns[i] = (dv_table_column){names[i], {.kind = DV_KIND_R4}, values, NULL};
    }
    cr_assert_eq(dv_table_create(&view, columns, WIDE, WIDE_ROWS, NULL, &err), DV_OK, "%s",
                 err.message);
    options.rows_per_block = WIDE_BLOCK;
    options.compression = DV_COMPRESSION_NONE;
    cr_assert_eq(dv_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    return path;
}

/* Read rows of n columns; returns how many. */
static int64_t read_rows(dv_view *view, const int32_t *columns, int32_t n, int64_t rows)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    int64_t count = 0;
    dv_status status;
    options.columns = columns;
    options.columns_count = n;
    options.end_row = rows;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, &err), DV_OK, "%s", err.message);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        count += batch->rows;
    cr_expect_eq(status, DV_END, "%s", err.message);
    dv_cursor_close(&cursor);
    return count;
}

static void expect_cost(const char *what, dvt_store *store, int64_t requests, int64_t nbytes)
{
    cr_expect_leq(store->requests, 2 * requests, "%s: %d requests, least %d", what,
                  (int)store->requests, (int)requests);
    cr_expect_leq(store->nbytes, 2 * nbytes, "%s: %d bytes, least %d", what, (int)store->nbytes,
                  (int)nbytes);
    printf("%-12s %4d requests (least %d), %9d bytes (least %d)\n", what, (int)store->requests,
           (int)requests, (int)store->nbytes, (int)nbytes);
    dvt_store_reset(store);
}

/* At most twice the requests and twice the bytes that what is asked for needs (docs/remote.md). */
Test(open_source, few_requests_and_bytes)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = wide_file(&folder);
    dvt_store store = {0};
    dv_view *view = open_one(dvt_slow_file(&store, path.text), NULL, NULL);
    uint8_t *file = dvt_file_read(path.text, &(size_t){0});
    const int64_t toc = dvi_load_i64(file + 24), tail = dvi_load_i64(file + 32);
    free(file);
    expect_cost("open, schema", &store, 2, 256 + tail + 8 - toc); /* header; columns and tail */

    const int32_t column = 1234;
    cr_expect_eq(read_rows(view, &column, 1, -1), WIDE_ROWS);
    expect_cost("one column", &store, 6, (int64_t)WIDE_ROWS * 4); /* its table and 5 blocks */

    static int32_t all[WIDE];
    for (int32_t i = 0; i < WIDE; i++)
        all[i] = i;
    cr_expect_eq(read_rows(view, all, WIDE, 10), 10);
    expect_cost("ten rows", &store, 5, WIDE_NBYTES); /* tables; blocks, 4 MiB a request */
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Blocks on disk --------------------------------------------------------------------------- */

/* Open the wide file with a folder of blocks. */
static dv_view *open_on_disk(dvt_store *store, const dvt_path *path, const char *version,
                             const dvt_path *disk)
{
    dv_source_options options = DV_SOURCE_OPTIONS_INIT;
    dv_source source = dvt_slow_file(store, path->text);
    source.version = version;
    options.disk_folder = disk->text;
    options.disk_nbytes = INT64_C(256) << 20;
    return open_one(source, &options, NULL);
}

static dv_source_facts facts_of(dv_view *view)
{
    dv_facts *facts;
    cr_assert_eq(dv_inspect_briefly(&facts, view, NULL), DV_OK);
    const dv_source_facts found = facts->source;
    dv_facts_free(&facts);
    return found;
}

Test(open_source, blocks_on_disk)
{
    static const char *const versions[] = {"1", "1", "2", NULL, "1"};
    static int32_t all[WIDE];
    dvt_path folder = dvt_folder_create(), disk = dvt_folder_create();
    const dvt_path path = wide_file(&folder);
    size_t nbytes;
    free(dvt_file_read(path.text, &nbytes));
    for (int32_t i = 0; i < WIDE; i++)
        all[i] = i;
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        dvt_store store = {0};
        dv_view *view = open_on_disk(&store, &path, versions[i], &disk);
        cr_expect_eq(read_rows(view, all, WIDE, -1), WIDE_ROWS);
        const bool is_there = i == 1 || i == 4;
        const dv_source_facts facts = facts_of(view);
        cr_expect_eq(facts.requests, store.requests);
        cr_expect_eq(facts.fetched_nbytes, store.nbytes);
        cr_expect(is_there ? store.requests == 0 : store.nbytes >= (int64_t)nbytes, "%zu", i);
        cr_expect(!versions[i] || store.nbytes == (is_there ? 0 : (int64_t)nbytes), "%zu: %d", i,
                  (int)store.nbytes); /* no block was fetched twice */
        cr_expect(is_there ? facts.disk_read_nbytes >= (int64_t)nbytes : true, "%zu", i);
        cr_expect_eq(facts.disk_kept_nbytes, versions[i] ? store.nbytes : 0);
        cr_expect_str_eq(facts.disk_note, versions[i] ? "" : "the source has no version");
        cr_expect_leq(store.most, 4);
        dv_view_release(&view);
        cr_expect_eq(store.live, 0);
        cr_expect_not(store.is_outside);
    }
    dvt_folder_remove(&disk);
    dvt_folder_remove(&folder);
}

/* --- Failures --------------------------------------------------------------------------------- */

/* Every second request fails, and is tried again. */
Test(open_source, what_passes_is_tried_again)
{
    const dvt_path people = dvt_test_path("golden/idv/people.idv");
    dv_source_options options = DV_SOURCE_OPTIONS_INIT;
    dvt_store store = {.fail_each = 2};
    dv_view *file, *view;
    options.requests = 1; /* in turn, so that each attempt after a failure works */
    options.least_nbytes = options.request_nbytes = 1024;
    cr_assert_eq(dv_open(&file, people.text, NULL, NULL), DV_OK);
    view = open_one(dvt_slow_file(&store, people.text), &options, NULL);
    cr_expect_null(dvt_table_difference(file, view, 0));
    dv_view_release(&view);
    dv_view_release(&file);
}

static dv_status fail_length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    (void)ctx;
    *nbytes_out = 0;
    return dv_source_fail(err, DV_ERR_IO, "no such object");
}

static dv_status endless_length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    (void)ctx;
    (void)err;
    *nbytes_out = INT64_MAX;
    return DV_OK;
}

static dv_status negative_length(void *ctx, int64_t *nbytes_out, dv_error *err)
{
    (void)ctx;
    (void)err;
    *nbytes_out = -1;
    return DV_OK;
}

typedef struct failing {
    dv_source source[3];
    int32_t n;
    dv_source_options options;
    dv_open_options open;
} failing;

static failing sound(dvt_store *store)
{
    failing f = {.n = 3, .options = DV_SOURCE_OPTIONS_INIT, .open = DV_OPEN_OPTIONS_INIT};
    for (int i = 0; i < 3; i++)
        f.source[i] = dvt_slow_memory(store, "a,b\n1,2\n", 8, "ab.csv");
    return f;
}

static void expect_failure(failing *f, dvt_store *store, dv_status expected, const char *message)
{
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    const dv_status status = dv_open_source(&view, f->source, f->n, &f->options, &f->open, &err);
    cr_expect_eq(status, expected, "%s: %s", message, dv_status_name(status));
    cr_expect(strstr(err.message, message), "%s", err.message);
    cr_expect_null(view);
    cr_expect_eq(store->live, 0, "%s", message); /* released in any case */
    store->live = 0;
}

Test(open_source, each_way_to_fail)
{
    dvt_store store = {0};
    failing f = sound(&store);
    f.source[1].length = fail_length;
    expect_failure(&f, &store, DV_ERR_IO, "ab.csv: not read: no such object");
    f = sound(&store);
    f.source[1].length = negative_length;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "a source of -1 bytes");
    f = sound(&store);
    f.source[0].length = endless_length;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "a source of 9223372036854775807 bytes");
    f = sound(&store);
    f.options.cache_nbytes = INT64_MAX;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "at most 2^48");
    f = sound(&store);
    f.source[2].read_at = NULL;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "a source without read_at");
    f = sound(&store);
    f.source[2].length = NULL;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "a source without length");
    f = sound(&store);
    f.open.columns = 0;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "every limit");
    f = sound(&store);
    f.options.requests = 257;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "requests must be 1 to 256");
    f = sound(&store);
    f.options.attempts = 0;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "attempts");
    f = sound(&store);
    f.options.piece_nbytes = 1000;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "a power of two");
    f = sound(&store);
    f.options.cache_nbytes = f.options.request_nbytes;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "at most half of");
    f = sound(&store);
    f.options.disk_nbytes = (4 << 20) - 1;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "disk_nbytes must be 4 MiB to 2^60");
    f = sound(&store);
    f.options.disk_nbytes = INT64_MAX;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "disk_nbytes must be 4 MiB to 2^60");
    f = sound(&store);
    f.options.disk_folder = "/nonexistent/folder";
    expect_failure(&f, &store, DV_ERR_IO, "/nonexistent/folder: disk_folder, cannot be opened");
    f = sound(&store);
    f.options.disk_folder = "/dev/null";
    expect_failure(&f, &store, DV_ERR_IO, "/dev/null: disk_folder, cannot be opened");
    f = sound(&store);
    f.options.size = 3;
    expect_failure(&f, &store, DV_ERR_ARGUMENT, "DV_SOURCE_OPTIONS_INIT");
    f = sound(&store);
    store.fail_with = DV_ERR_CORRUPT;
    expect_failure(&f, &store, DV_ERR_CORRUPT, "ab.csv: not read: the store is out of order");

    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    cr_expect_eq(dv_open_source(&view, NULL, 0, NULL, NULL, &err), DV_ERR_ARGUMENT);
    const dv_source_options defaults = DV_SOURCE_OPTIONS_INIT;
    cr_expect_eq(defaults.size, sizeof defaults);
}

static dv_status refuse_beside(void *ctx, const char *suffix, dv_source *source_out, dv_error *err)
{
    (void)ctx;
    (void)suffix;
    (void)source_out;
    return dv_source_fail(err, DV_ERR_IO, "the store is busy");
}

/* The format of a file was sought with the errors ignored: a store that was busy for a moment made
 * a BTable something unknown, and datadings a file without an index. */
Test(open_source, failed_read_decides_no_format)
{
    static uint8_t btable[8 + 2 * 3000 + 4] = {0, 0, 0, 0, 0, 0, 0x0b, 0xb8}; /* 3000 labels */
    dvt_store store = {0};
    dv_source_options how = DV_SOURCE_OPTIONS_INIT;
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    options.lenient = true;
    how.attempts = how.requests = 1;
    how.least_nbytes = 0;
    for (store.fail_each = 6; store.fail_each >= 1; store.fail_each--) {
        dv_source source = dvt_slow_memory(&store, btable, sizeof btable, "x");
        dvt_store_reset(&store);
        const dv_status status = dv_open_source(&view, &source, 1, &how, &options, &err);
        if (status == DV_OK)
            cr_expect_str_eq(dv_view_kind(view), "btable");
        else
            cr_expect_eq(status, DV_ERR_IO, "%d: %s", store.fail_each, err.message);
        dv_view_release(&view);
    }
    cr_expect_eq(store.fail_each, 0);

    dv_source source = dvt_slow_memory(&store, "\1nything", 8, "x");
    cr_expect_eq(dv_open_source(&view, &source, 1, NULL, NULL, &err), DV_ERR_UNSUPPORTED);
    source = dvt_slow_memory(&store, "\1nything", 8, "x");
    source.beside = refuse_beside;
    cr_expect_eq(dv_open_source(&view, &source, 1, NULL, NULL, &err), DV_ERR_IO, "%s", err.message);
    cr_expect(strstr(err.message, "the store is busy"), "%s", err.message);
    cr_expect_eq(store.live, 0);
}

static dv_status attempt(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    dvt_store store = {0};
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    dv_source source = dvt_slow_file(&store, what);
    dv_view *view;
    open.allocator = allocator;
    dv_status status = dv_open_source(&view, &source, 1, NULL, &open, err);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    cr_expect_eq(store.live, 0);
    return status;
}

Test(open_source, every_allocation_can_fail)
{
    const dvt_path people = dvt_test_path("golden/idv/people.idv");
    const dvt_path tiny = dvt_test_path("golden/datadings/tiny.msgpack");
    dvt_fail_each_allocation(attempt, people.text, "people", NULL);
    dvt_fail_each_allocation(attempt, tiny.text, "tiny", NULL);
}
