/* SPDX-License-Identifier: MIT */
/* test_cache_disk.c: a cache in a file has the rows of its source, and never those of another one
 * (cache.h). */
#include "support/allocator.h"
#include "support/chain.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/own_table.h"
#include "support/same_table.h"
#include "support/test.h"
#include "support/write_count.h"
#include <dataview/cache.h>
#include <dataview/inspect.h>
#include <dataview/save.h>
#include <dataview/transform.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Open, and return how often the file was written. */
static dv_status open_counted(dv_view **view_out, dv_view *source, const char *path, bool check,
                              int *writes, dv_error *err)
{
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    dvt_write_count count = {0, -1};
    options.progress = (dv_progress){dvt_count_write, &count};
    options.check = check;
    const dv_status status = dv_view_cache_disk(view_out, source, path, &options, NULL, err);
    *writes = count.writes;
    return status;
}

static void expect_rows(const char *story, dv_view *source, const char *path, bool check,
                        int wanted_writes)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    int writes;
    cr_assert_eq(open_counted(&view, source, path, check, &writes, &err), DV_OK, "%s: %s", story,
                 err.message);
    cr_expect_eq(writes, wanted_writes, "%s: %d writes", story, writes);
    const char *wrong = dvt_table_difference(source, view, 0);
    cr_expect_null(wrong, "%s: %s", story, wrong);
    dv_view_release(&view);
}

static bool stop_at_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK;
}

/* --- The same view ---------------------------------------------------------------------------- */

static void expect_same(const char *story, dv_view *source)
{
    static const int64_t sizes[] = {0, 1, 3, 64, 1 << 20};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    dv_verify_options sound = DV_VERIFY_OPTIONS_INIT;
    sound.defect = stop_at_defect;
    for (int again = 0; again < 2; again++) {
        dv_view *view;
        dv_error err = DV_ERROR_INIT;
        int writes;
        cr_assert_eq(open_counted(&view, source, path.text, again, &writes, &err), DV_OK, "%s: %s",
                     story, err.message);
        cr_expect_eq(writes, !again, "%s", story);
        for (size_t i = 0; i < COUNT(sizes); i++) {
            const char *wrong = dvt_table_difference(source, view, sizes[i]);
            cr_expect_null(wrong, "%s, batches of %d: %s", story, (int)sizes[i], wrong);
        }
        cr_expect(dv_view_rows(view) >= 0 && dv_view_can_shuffle(view));
        cr_expect_eq(dv_verify(view, &sound, NULL), DV_OK, "%s", story);
        dv_view_release(&view);
    }
    cr_expect_eq(dvt_folder_entries(&folder), 1, "%s", story);
    dvt_folder_remove(&folder);
}

static void check_file(const dvt_golden *golden)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    if (dv_schema_columns(dv_view_schema(view)) > 0)
        expect_same(golden->path, view);
    dv_view_release(&view);
}

Test(cache_disk, idv_files)
{
    cr_expect_gt(dvt_golden_each(check_file), 30);
}

Test(cache_disk, btable_files)
{
    cr_expect_gt(dvt_golden_each_in("btable", check_file), 10);
}

/* Text from memory, whose number of rows is unknown; metadata, hidden columns, missing values. */
Test(cache_disk, text_and_views_of_views)
{
    static const char *const chains[][2] = {
        {"transform/select-drop/input.idv",
         "{\"transform\":\"Concatenate\",\"name\":\"B\",\"sources\":[\"S\",\"R\",\"P\",\"Q\"]}"},
        {"idv/people.idv", "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"Age\","
                           "\"relations\":6,\"value\":\"30\"}]}"},
        {"idv/scalar-all-raw-rpb7.idv", "{\"transform\":\"BootstrapSample\",\"seed\":1}"},
        {"idv/vector-TX-raw.idv", "{\"transform\":\"Zip\",\"skip\":1}"},
    };
    for (size_t i = 0; i < COUNT(chains); i++) {
        dv_view *source = dvt_golden_open(chains[i][0], NULL), *view;
        cr_assert_eq(dvt_chain_of(&view, source, chains[i][1], NULL, NULL), DV_OK);
        expect_same(chains[i][1], view);
        dv_view_release(&view);
        dv_view_release(&source);
    }
    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    save.format = "text";
    dv_view *people = dvt_golden_open("idv/people.idv", NULL), *text;
    cr_assert_eq(dv_save_memory(people, &buffer, &save, &err), DV_OK, "%s", err.message);
    cr_assert_eq(
        dv_open_memory(&text, buffer.data, buffer.nbytes, NULL, NULL, "people.txt", NULL, &err),
        DV_OK, "%s", err.message);
    expect_same("people.txt", text);
    dv_view_release(&text);
    dv_view_release(&people);
    dv_buffer_release(&buffer);
}

/* Values are used in place. */
Test(cache_disk, is_used_in_place)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    dv_view *source = dvt_golden_open("idv/scalar-all-deflate-rpb7.idv", NULL), *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    options.zero_copy_only = true;
    cr_assert_eq(dv_view_cache_disk(&view, source, path.text, NULL, NULL, NULL), DV_OK);
    dv_view_release(&source);
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(view), "R8", NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    const dv_buffer *values = &dv_batch_column(batch, 0)->as.fixed.values;
    cr_expect(values->is_borrowed && values->is_aligned);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- What makes it stale ---------------------------------------------------------------------- */

/* 40,000 lines: more than the first and last bytes that an identity looks at. */
static void write_lines(const dvt_path *path, char of_row_20000)
{
    enum { ROWS = 40000, WIDTH = 8 };
    char *text = malloc(ROWS * WIDTH);
    for (int i = 0; i < ROWS; i++)
        memcpy(text + i * WIDTH, i % 3 ? "1.5\tabc\n" : "225\txyz\n", WIDTH);
    text[20000 * WIDTH] = of_row_20000;
    dvt_file_write(path, text, ROWS * WIDTH);
    free(text);
}

static dv_view *open_lines(const dvt_path *path, const char *how)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    options.text = how;
    cr_assert_eq(dv_open(&view, path->text, &options, &err), DV_OK, "%s", err.message);
    return view;
}

#define AS_NUMBERS "col=x:R4:0 col=t:TX:1"
#define AS_DOUBLES "col=x:R8:0 col=t:TX:1"

static void expect_lines(const char *story, const dvt_path *data, const char *how,
                         const dvt_path *cache, int writes)
{
    dv_view *source = open_lines(data, how);
    expect_rows(story, source, cache->text, false, writes);
    dv_view_release(&source);
}

Test(cache_disk, follows_its_source)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path data = dvt_path_in(&folder, "data.txt"), copy = dvt_path_in(&folder, "copy.txt");
    const dvt_path cache = dvt_path_in(&folder, "rows.cache");
    write_lines(&data, '1');
    expect_lines("new", &data, AS_NUMBERS, &cache, 1);
    expect_lines("the same", &data, AS_NUMBERS, &cache, 0);
    expect_lines("other options", &data, AS_DOUBLES, &cache, 1);
    expect_lines("the first options", &data, AS_NUMBERS, &cache, 1);

    struct timespec then[2] = {{1000000000, 5}, {1000000000, 5}};
    cr_assert_eq(utimensat(AT_FDCWD, data.text, then, 0), 0);
    expect_lines("another time", &data, AS_NUMBERS, &cache, 1);
    write_lines(&data, '9');
    cr_assert_eq(utimensat(AT_FDCWD, data.text, then, 0),
                 0); /* one time can be set, not the other */
    expect_lines("another byte in the middle", &data, AS_NUMBERS, &cache, 1);
    dvt_file_resize(&data, 8 * 30000);
    expect_lines("shorter", &data, AS_NUMBERS, &cache, 1);
    expect_lines("the same again", &data, AS_NUMBERS, &cache, 0);
    write_lines(&copy, '9');
    expect_lines("another file", &copy, AS_NUMBERS, &cache, 1);

    dv_view *source = open_lines(&copy, AS_NUMBERS), *few;
    cr_assert_eq(dv_view_slice(&few, source, 1, 50, NULL, NULL), DV_OK);
    expect_rows("some of its rows", few, cache.text, false, 1);
    dv_view_release(&few);
    cr_assert_eq(dv_view_slice(&few, source, 2, 50, NULL, NULL), DV_OK);
    expect_rows("other rows", few, cache.text, false, 1);
    expect_rows("these again", few, cache.text, true, 0);
    dv_view_release(&few);
    dv_view_release(&source);
    cr_expect_eq(dvt_folder_entries(&folder), 3);
    dvt_folder_remove(&folder);
}

/* Bytes in memory have no time of change: all of them count. */
Test(cache_disk, follows_bytes_in_memory)
{
    enum { NBYTES = 40000 * 8 };
    dvt_path folder = dvt_folder_create();
    const dvt_path cache = dvt_path_in(&folder, "rows.cache");
    char *text = malloc(NBYTES);
    for (int i = 0; i < NBYTES; i += 8)
        memcpy(text + i, "1.5\tabc\n", 8);
    for (int i = 0; i < 3; i++) {
        dv_view *source;
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        options.text = AS_NUMBERS;
        text[NBYTES / 2] = i == 0 ? '1' : '7';
        cr_assert_eq(dv_open_memory(&source, text, NBYTES, NULL, NULL, "lines", &options, NULL),
                     DV_OK);
        expect_rows("bytes", source, cache.text, false, i < 2);
        dv_view_release(&source);
    }
    free(text);
    dvt_folder_remove(&folder);
}

/* --- What makes it unsound -------------------------------------------------------------------- */

static void spoil(const dvt_path *path, size_t at)
{
    size_t n;
    uint8_t *data = dvt_file_read(path->text, &n);
    data[at < n ? at : n - 1] ^= 0x10;
    dvt_file_write(path, data, n);
    free(data);
}

Test(cache_disk, is_written_anew_when_damaged)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path cache = dvt_path_in(&folder, "rows.cache");
    dv_view *source = dvt_golden_open("idv/people.idv", NULL);
    size_t n;
    expect_rows("new", source, cache.text, false, 1);
    free(dvt_file_read(cache.text, &n));
    for (size_t at = 0; at < 120; at++) /* the header, as far as it has a meaning */
        if (at < 64 || at >= 72) {
            spoil(&cache, at);
            expect_rows("header", source, cache.text, false, 1);
        }
    const int64_t lengths[] = {(int64_t)n - 1, (int64_t)n + 1, 300, 256, 120, 0};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        dvt_file_resize(&cache, lengths[i]);
        expect_rows("length", source, cache.text, false, 1);
    }
    for (size_t at = 256; at < n; at += 97) {
        spoil(&cache, at);
        expect_rows("any byte", source, cache.text, true, 1);
    }
    expect_rows("sound", source, cache.text, true, 0);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

/* --- What cannot be --------------------------------------------------------------------------- */

static void expect_failure(dv_view *source, const char *path, dv_status status, const char *message)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_view_cache_disk(&view, source, path, NULL, NULL, &err), status, "%s",
                 err.message);
    cr_expect_null(view);
    cr_expect_eq(err.status, status);
    cr_expect(strstr(err.message, message), "%s: %s", message, err.message);
}

/* The rows are cached in memory instead. */
static void expect_memory(dv_view *source, const char *path)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.or_memory = true;
    cr_assert_eq(dv_view_cache_disk(&view, source, path, &options, NULL, &err), DV_OK, "%s",
                 err.message);
    cr_expect_str_eq(dv_view_kind(view), "cache");
    const char *wrong = dvt_table_difference(source, view, 0);
    cr_expect_null(wrong, "%s", wrong);
    dv_view_release(&view);
}

/* If the path is that of the data, the data stays. */
Test(cache_disk, replaces_no_other_file)
{
    static const char *const names[] = {"golden/idv/people.idv", "golden/btable/article.btable"};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "data");
    dv_view *source = dvt_golden_open("idv/people.idv", NULL);
    for (size_t i = 0; i < COUNT(names); i++) {
        size_t n, m;
        uint8_t *data = dvt_file_read(dvt_test_path(names[i]).text, &n);
        dvt_file_write(&path, data, n);
        expect_failure(source, path.text, DV_ERR_ARGUMENT, "data: ");
        dv_view *view;
        dv_cache_options options = DV_CACHE_OPTIONS_INIT;
        options.or_memory = true; /* or_memory does not help */
        cr_expect_eq(dv_view_cache_disk(&view, source, path.text, &options, NULL, NULL),
                     DV_ERR_ARGUMENT);
        uint8_t *now = dvt_file_read(path.text, &m);
        cr_expect(n == m && memcmp(data, now, n) == 0);
        free(data);
        free(now);
    }
    dvt_file_write(&path, "", 0);
    expect_rows("an empty file", source, path.text, false, 1);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

Test(cache_disk, where_there_can_be_no_file)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path none = dvt_path_in(&folder, "none/rows.cache");
    dv_view *source = dvt_golden_open("idv/people.idv", NULL);
    expect_failure(source, none.text, DV_ERR_IO, "none/rows.cache");
    expect_memory(source, none.text);
    expect_failure(source, folder.text, DV_ERR_IO, "");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

/* .idv cannot hold vectors of bytes: the column is named, and nothing is touched. */
Test(cache_disk, types_that_the_file_cannot_hold)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.datadings = "col=key:V<BY,*>";
    const dvt_path data = dvt_test_path("golden/datadings/tiny.msgpack");
    dv_view *source;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&source, data.text, &options, &err), DV_OK, "%s", err.message);
    expect_failure(source, path.text, DV_ERR_LOSS, "key");
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

/* A view of your own without `identify` has no identity. */
Test(cache_disk, views_without_an_identity)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    dvt_own_table table = {.rows_unknown = true};
    dv_view *source, *some;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    cr_assert_eq(dv_view_slice(&some, source, 0, 5, NULL, NULL), DV_OK);
    expect_failure(source, path.text, DV_ERR_ARGUMENT, "identify");
    expect_failure(some, path.text, DV_ERR_ARGUMENT, "identify");
    expect_memory(some, path.text);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    dv_view_release(&some);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

static bool stop(void *ctx, int64_t rows_done, int64_t rows)
{
    (void)ctx, (void)rows_done, (void)rows;
    return false;
}

Test(cache_disk, is_stopped_as_asked)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *view;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.progress.report = stop;
    cr_expect_eq(dv_view_cache_disk(&view, source, path.text, &options, NULL, NULL),
                 DV_ERR_STOPPED);
    cr_expect_null(view);
    cr_expect_eq(dvt_folder_entries(&folder), 0);
    options.size = 0;
    cr_expect_eq(dv_view_cache_disk(&view, source, path.text, &options, NULL, NULL),
                 DV_ERR_ARGUMENT);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

/* A file that changes while its rows are written leaves no cache. */
static bool change_source(void *ctx, int64_t rows_done, int64_t rows)
{
    (void)rows;
    if (rows_done == 0)
        write_lines(ctx, '3');
    return true;
}

Test(cache_disk, a_source_that_changes_meanwhile)
{
    dvt_path folder = dvt_folder_create();
    dvt_path data = dvt_path_in(&folder, "data.txt");
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    write_lines(&data, '1');
    struct timespec then[2] = {{1000000000, 5}, {1000000000, 5}};
    cr_assert_eq(utimensat(AT_FDCWD, data.text, then, 0), 0);
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *source, *view;
    dv_error err = DV_ERROR_INIT;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    how.text = AS_NUMBERS;
    how.io = DV_IO_PREAD;
    options.progress = (dv_progress){change_source, &data};
    cr_assert_eq(dv_open(&source, data.text, &how, NULL), DV_OK);
    cr_expect_eq(dv_view_cache_disk(&view, source, path.text, &options, NULL, &err), DV_ERR_IO,
                 "%s", err.message);
    cr_expect_null(view);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dv_view_release(&source);
    dvt_folder_remove(&folder);
}

/* --- No memory, many threads ------------------------------------------------------------------ */

Test(cache_disk, each_allocation_may_fail)
{
    static const char *const names[] = {"idv/people.idv", "idv/vector-TX-raw.idv"};
    for (size_t i = 0; i < 2 * COUNT(names); i++) {
        dvt_path folder = dvt_folder_create();
        const dvt_path path = dvt_path_in(&folder, "rows.cache");
        dv_view *source = dvt_golden_open(names[i / 2], NULL);
        dv_status status = DV_ERR_MEMORY;
        dv_cache_options options = DV_CACHE_OPTIONS_INIT;
        options.threads = 1;
        options.check = i % 2;
        if (i % 2)
            expect_rows("new", source, path.text, false, 1);
        for (int64_t k = 1; status != DV_OK; k += DVT_FAIL_STEP) {
            dvt_allocator counted;
            dv_view *view;
            dvt_allocator_init(&counted, k);
            status =
                dv_view_cache_disk(&view, source, path.text, &options, &counted.allocator, NULL);
            cr_assert(status == DV_OK || status == DV_ERR_MEMORY, "%d", status);
            cr_expect_eq(status == DV_OK, view != NULL);
            counted.fail_at = 0;
            if (view)
                cr_expect_null(dvt_table_difference(source, view, 0));
            dv_view_release(&view);
            cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        }
        cr_expect_eq(dvt_folder_entries(&folder), 1);
        dv_view_release(&source);
        dvt_folder_remove(&folder);
    }
}

typedef struct visitor {
    const char *path;
    const char *file;
    int writes;
    dv_status status;
    int64_t rows;
} visitor;

static void *visit(void *ctx)
{
    visitor *v = ctx;
    dv_view *source, *view = NULL;
    v->status = dv_open(&source, v->file, NULL, NULL);
    if (v->status == DV_OK)
        v->status = open_counted(&view, source, v->path, false, &v->writes, NULL);
    if (view)
        v->rows = dv_view_rows(view);
    dv_view_release(&view);
    dv_view_release(&source);
    return NULL;
}

/* The first one writes the file; all others wait, and read. */
Test(cache_disk, one_of_many_threads_writes_it)
{
    enum { THREADS = 6 };
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.cache");
    const dvt_path data = dvt_test_path("golden/idv/people.idv");
    visitor visitors[THREADS];
    pthread_t threads[THREADS];
    int writes = 0;
    for (int i = 0; i < THREADS; i++) {
        visitors[i] = (visitor){.path = path.text, .file = data.text};
        cr_assert_eq(pthread_create(&threads[i], NULL, visit, &visitors[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        writes += visitors[i].writes;
        cr_expect_eq(visitors[i].status, DV_OK);
        cr_expect_eq(visitors[i].rows, visitors[0].rows);
    }
    cr_expect_eq(writes, 1);
    cr_expect_eq(dvt_folder_entries(&folder), 1);
    dvt_folder_remove(&folder);
}
