/* SPDX-License-Identifier: MIT */
/* test_cache_memory.c: a cache in memory has the rows of its source, which is read once
 * (cache.h). */
#include "support/again.h"
#include "support/allocator.h"
#include "support/chain.h"
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/own_table.h"
#include "support/random_table.h"
#include "support/same_table.h"
#include "support/test.h"
#include <dataview/cache.h>
#include <dataview/digest.h>
#include <dataview/inspect.h>
#include <dataview/save.h>
#include <dataview/transform.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static dv_view *cache_of(dv_view *source, const dv_cache_options *options)
{
    dv_view *view = NULL;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_view_cache(&view, source, options, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static bool stop_at_defect(void *ctx, const dv_error *what)
{
    (void)ctx;
    return what->status == DV_OK;
}

/* --- The same view ---------------------------------------------------------------------------- */

/* The rows of the source, read in several ways: rows, ids, batches of any size. */
static void expect_same(const char *story, dv_view *source)
{
    static const int64_t sizes[] = {0, 1, 3, 64, 1 << 20};
    dv_verify_options sound = DV_VERIFY_OPTIONS_INIT;
    sound.defect = stop_at_defect;
    dv_view *cached = cache_of(source, NULL);
    for (size_t i = 0; i < COUNT(sizes); i++) {
        const char *wrong = dvt_table_difference(source, cached, sizes[i]);
        cr_expect_null(wrong, "%s, batches of %d: %s", story, (int)sizes[i], wrong);
    }
    cr_expect(dv_view_rows(cached) >= 0, "%s", story);
    cr_expect_eq(dv_verify(cached, &sound, NULL), dv_verify(source, &sound, NULL), "%s", story);
    dv_view_release(&cached);
}

/* The facts are those of the source's file. */
static void expect_facts(dv_view *source)
{
    dv_facts *facts;
    dv_view *cached = cache_of(source, NULL);
    cr_assert_eq(dv_inspect(&facts, cached, NULL), DV_OK);
    cr_expect_str_eq(facts->format, dv_view_kind(source));
    cr_expect_eq(facts->columns, dv_schema_columns(dv_view_schema(source)));
    dv_facts_free(&facts);
    dv_view_release(&cached);
}

static void check_file(const dvt_golden *golden)
{
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dv_open(&view, golden->path, NULL, &err), DV_OK, "%s", err.message);
    expect_same(golden->path, view);
    expect_facts(view);
    dv_view_release(&view);
}

DVT_TEST_WITHOUT_THREADS(cache_memory, idv_files)
{
    cr_expect_gt(dvt_golden_each(check_file), 30);
}

DVT_TEST_WITHOUT_THREADS(cache_memory, btable_files)
{
    cr_expect_gt(dvt_golden_each_in("btable", check_file), 10);
}

DVT_TEST_WITHOUT_THREADS(cache_memory, datadings_and_text)
{
    dv_view *view = dvt_golden_open("datadings/tiny.msgpack", NULL), *text;
    expect_same("tiny.msgpack", view);
    dv_view_release(&view);

    dv_save_options save = DV_SAVE_OPTIONS_INIT;
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    save.format = "text";
    view = dvt_golden_open("idv/people.idv", NULL);
    cr_assert_eq(dv_save_memory(view, &buffer, &save, &err), DV_OK, "%s", err.message);
    cr_assert_eq(
        dv_open_memory(&text, buffer.data, buffer.nbytes, NULL, NULL, "people.txt", NULL, &err),
        DV_OK, "%s", err.message);
    cr_expect_eq(dv_view_rows(text), DV_ROWS_UNKNOWN);
    expect_same("people.txt", text);
    dv_view_release(&text);
    dv_view_release(&view);
    dv_buffer_release(&buffer);
}

/* Batches of every size, cut anywhere; sources that do not know their rows. */
DVT_TEST_WITHOUT_THREADS(cache_memory, views_of_views)
{
    static const char *const chains[][2] = {
        {"transform/select-drop/input.idv",
         "{\"transform\":\"Concatenate\",\"name\":\"B\",\"sources\":[\"S\",\"R\",\"P\",\"Q\"]}"},
        {"idv/people.idv", "{\"transform\":\"Filter\",\"conditions\":[{\"column\":\"Age\","
                           "\"relations\":6,\"value\":\"30\"}]}"},
        {"idv/scalar-all-raw-rpb7.idv", "{\"transform\":\"BootstrapSample\",\"seed\":1}"},
        {"idv/vector-TX-raw.idv", "{\"transform\":\"SkipTake\",\"skip\":2}"},
        {"idv/vector-TX-raw.idv", "{\"transform\":\"Zip\",\"skip\":1}"},
    };
    for (size_t i = 0; i < COUNT(chains); i++) {
        dv_view *source = dvt_golden_open(chains[i][0], NULL), *view;
        dv_error err = DV_ERROR_INIT;
        cr_assert_eq(dvt_chain_of(&view, source, chains[i][1], NULL, &err), DV_OK, "%s",
                     err.message);
        expect_same(chains[i][1], view);
        dv_view_release(&view);
        dv_view_release(&source);
    }
}

Test(cache_memory, random_tables)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        dvt_random_table *random = dvt_random_table_create(seed);
        random->table.rows_unknown = seed % 2;
        dv_view *view = dvt_made_table_open(&random->table, NULL);
        expect_same("random", view);
        dv_view_release(&view);
        dvt_random_table_free(random);
    }
}

/* A view of your own with every layout and a hidden column. */
Test(cache_memory, a_view_of_ones_own)
{
    dvt_own_table table = {.rows_unknown = true};
    dv_view *source;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    expect_same("own", source);
    dv_view_release(&source);
    cr_expect_eq(table.cursors_opened, table.cursors_closed);
    cr_expect_eq(table.views_closed, 1);
}

/* --- Rows by number --------------------------------------------------------------------------- */

/* Runs of vectors are far longer than the distance of two marks; rows are read in any order. */
Test(cache_memory, rows_by_number)
{
    enum { ROWS = 150000, PICKS = 50 }; /* the source reads all rows before it */
    static const int64_t blocks[] = {ROWS, 8192, 100, 7};
    for (size_t i = 0; i < COUNT(blocks); i++) {
        dvt_many_rows *many = dvt_many_rows_create(ROWS, blocks[i]);
        dv_view *source = dvt_made_table_open(&many->table, NULL), *a, *b;
        dv_view *cached = cache_of(source, NULL);
        int64_t rows[PICKS];
        uint64_t state = 9;
        for (size_t k = 0; k < PICKS; k++)
            rows[k] = (int64_t)(dvt_draw(&state) % ROWS);
        cr_expect_eq(dv_view_block_rows(cached), 1);
        cr_expect(dv_view_can_shuffle(cached));
        cr_assert_eq(dv_view_take(&a, source, rows, PICKS, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_take(&b, cached, rows, PICKS, NULL, NULL), DV_OK);
        cr_expect_null(dvt_table_difference(a, b, 0));
        const char *wrong = i == 0 ? NULL : dvt_table_difference(source, cached, 0);
        cr_expect_null(wrong, "%s", wrong);
        dv_view *views[] = {a, b, cached, source};
        for (size_t k = 0; k < COUNT(views); k++)
            dv_view_release(&views[k]);
        dvt_many_rows_free(many);
    }
}

/* Ranges of rows, with their numbers and ids, before and after all are cached. */
Test(cache_memory, ranges_of_rows)
{
    static const int64_t ranges[][2] = {{590, -1}, {3, 3}, {0, 1}, {5, 64}, {64, 600}, {0, -1}};
    dv_view *source = dvt_golden_open("idv/people.idv", NULL);
    dv_view *cached = cache_of(source, NULL);
    for (size_t i = 0; i < COUNT(ranges); i++) {
        dvt_lines truth = {0}, lines = {0};
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.first_row = ranges[i][0];
        options.end_row = ranges[i][1];
        options.ids = i % 2;
        cr_expect_eq(dvt_put_numbered(&truth, source, &options, NULL), DV_OK);
        cr_expect_eq(dvt_put_numbered(&lines, cached, &options, NULL), DV_OK);
        cr_expect_eq(truth.nbytes, lines.nbytes);
        cr_expect(truth.nbytes == 0 || memcmp(truth.data, lines.data, truth.nbytes) == 0);
        dvt_lines_free(&truth);
        dvt_lines_free(&lines);
    }
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* The ids are the row numbers, whatever the source has. */
Test(cache_memory, ids_are_row_numbers)
{
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *twice;
    dv_view *both[] = {source, source};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    int64_t row = 0;
    cr_assert_eq(dv_view_concat(&twice, both, 2, NULL, NULL), DV_OK);
    dv_view *cached = cache_of(twice, NULL);
    options.ids = true;
    cr_assert_eq(dv_cursor_open(&cursor, cached, &options, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, row++)
            cr_assert(batch->ids[i].lo == (uint64_t)row && batch->ids[i].hi == 0);
    cr_expect_eq(status, DV_END);
    cr_expect_eq(row, dv_view_rows(twice));
    dv_cursor_close(&cursor);
    dv_view_release(&cached);
    dv_view_release(&twice);
    dv_view_release(&source);
}

/* --- Once ------------------------------------------------------------------------------------- */

static int64_t count_read(dv_view *view, const int32_t *columns, int32_t n)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    int64_t rows = 0;
    options.columns = columns;
    options.columns_count = n;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(status, DV_END);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_END);
    dv_cursor_close(&cursor);
    return rows;
}

Test(cache_memory, each_column_is_read_once)
{
    static const int32_t first[] = {1}, more[] = {1, 3, 1}, all[] = {0, 1, 2, 3};
    enum { ROWS = 5000 };
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 100);
    many->table.rows_unknown = true;
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_view *cached = cache_of(source, NULL);
    cr_expect_eq(many->table.read, 0);
    cr_expect_eq(dv_view_rows(cached), DV_ROWS_UNKNOWN);
    cr_expect_eq(count_read(cached, first, 1), ROWS);
    cr_expect_eq(many->table.read, ROWS);
    cr_expect_eq(dv_view_rows(cached), ROWS);
    cr_expect_eq(count_read(cached, more, 3), ROWS);
    cr_expect_eq(many->table.read, 2 * ROWS);
    cr_expect_eq(count_read(cached, all, 4), ROWS);
    cr_expect_eq(count_read(cached, all, 4), ROWS);
    cr_expect_eq(many->table.read, 4 * ROWS);
    dv_view_release(&cached);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* No column is active: rows are counted, once, and nothing else is read. */
Test(cache_memory, rows_are_counted)
{
    dvt_own_table table = {.rows_unknown = true};
    dv_view *source;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    dv_view *cached = cache_of(source, NULL);
    cr_expect_eq(count_read(cached, NULL, 0), DVT_OWN_ROWS);
    cr_expect_eq(table.request.columns_count, 0);
    cr_expect_eq(dv_view_rows(cached), DVT_OWN_ROWS);
    cr_expect_eq(count_read(cached, NULL, 0), DVT_OWN_ROWS);
    cr_expect_eq(table.cursors_opened, 1);
    dv_view_release(&cached);

    cached = cache_of(source, NULL); /* again; any other pass counts them, too */
    cr_expect_eq(count_read(cached, NULL, -1), DVT_OWN_ROWS);
    cr_expect_eq(count_read(cached, NULL, 0), DVT_OWN_ROWS);
    cr_expect_eq(table.cursors_opened, 2);
    dv_view_release(&cached);
    dv_view_release(&source);
}

/* Columns that are being read, or were, are not read again for a cursor. */
Test(cache_memory, prefetch)
{
    static const int32_t wanted[] = {2, 0};
    enum { ROWS = 3000 };
    for (int32_t all = 0; all <= 1; all++) {
        dvt_many_rows *many = dvt_many_rows_create(ROWS, 64);
        dv_view *source = dvt_made_table_open(&many->table, NULL);
        dv_cache_options options = DV_CACHE_OPTIONS_INIT;
        options.prefetch = all ? NULL : wanted;
        options.prefetch_count = all ? -1 : 2;
        options.threads = 1;
        dv_view *cached = cache_of(source, &options);
        cr_expect_eq(count_read(cached, wanted, 2), ROWS);
        cr_expect_eq(many->table.read, all ? 4 * ROWS : 2 * ROWS);
        dv_view_release(&cached);
        cached = cache_of(source, &options); /* released before it is used */
        dv_view_release(&cached);
        dv_view_release(&source);
        dvt_many_rows_free(many);
    }
}

static bool stop_third(void *ctx, int64_t done, int64_t total)
{
    int *calls = ctx;
    cr_expect_eq(total, 300);
    cr_expect_leq(done, total);
    return ++*calls != 3;
}

/* A pass that is stopped leaves its rows, and a later cursor continues from there. */
Test(cache_memory, a_pass_is_stopped)
{
    int calls = 0;
    int64_t rows = 0;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    dvt_many_rows *many = dvt_many_rows_create(300, 10);
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.threads = 1;
    options.progress = (dv_progress){stop_third, &calls};
    dv_view *cached = cache_of(source, &options);
    const int32_t column = 0;
    dv_cursor_options one = DV_CURSOR_OPTIONS_INIT;
    one.columns = &column;
    one.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, cached, &one, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows += batch->rows;
    /* A cursor that came after the end of the pass has another one begun. */
    cr_expect(status == DV_ERR_STOPPED || (status == DV_END && rows == 300), "%s", err.message);
    dv_cursor_close(&cursor);
    cr_expect_eq(count_read(cached, &column, 1), 300);
    cr_expect_eq(many->table.read, 300);
    dv_view_release(&cached); /* waits for the thread of the pass */
    cr_expect_geq(calls, 3 + 28);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* A pass that is stopped at its beginning. */
static bool stop_at_once(void *ctx, int64_t done, int64_t total)
{
    (void)ctx;
    (void)total;
    return done > 0;
}

Test(cache_memory, prefetch_is_stopped)
{
    dv_view *cached;
    dv_error err = DV_ERROR_INIT;
    dvt_many_rows *many = dvt_many_rows_create(300, 10);
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    options.prefetch_count = -1;
    options.progress = (dv_progress){stop_at_once, NULL};
    cr_expect_eq(dv_view_cache(&cached, source, &options, NULL, &err), DV_ERR_STOPPED);
    cr_expect_null(cached);
    cr_expect_eq(err.status, DV_ERR_STOPPED);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* --- Failures --------------------------------------------------------------------------------- */

static void expect_rows_then(dv_view *view, const int32_t *columns, int32_t n, int64_t rows,
                             dv_status wanted)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    dv_error err = DV_ERROR_INIT;
    options.columns = columns;
    options.columns_count = n;
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, &err)) == DV_OK)
        rows -= batch->rows;
    cr_expect_eq(rows, 0);
    cr_expect_eq(status, wanted);
    cr_expect_eq(wanted == DV_END ? DV_OK : err.status, wanted == DV_END ? DV_OK : wanted);
    cr_expect_eq(dv_cursor_next(cursor, &batch, &err), wanted);
    dv_cursor_close(&cursor);
}

/* Every cursor gets the rows before it, then the same error, which the source returned once. */
Test(cache_memory, an_error_of_the_source)
{
    static const int32_t one[] = {1}, other[] = {2}, both[] = {1, 0};
    dvt_many_rows *many = dvt_many_rows_create(1000, 10);
    many->table.bad_row = 777;
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_view *cached = cache_of(source, NULL);
    expect_rows_then(cached, one, 1, 770, DV_ERR_CORRUPT);
    const int64_t read = many->table.read;
    many->table.bad_row = -1;
    expect_rows_then(cached, one, 1, 770, DV_ERR_CORRUPT);
    cr_expect_eq(many->table.read, read);
    expect_rows_then(cached, other, 1, 1000, DV_END); /* columns have errors of their own */
    expect_rows_then(cached, both, 2, 770, DV_ERR_CORRUPT);
    cr_expect_eq(count_read(cached, NULL, 0), 1000);
    dv_view_release(&cached);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

Test(cache_memory, a_cursor_that_the_source_refuses)
{
    dvt_own_table table = {.open_status = DV_ERR_UNSUPPORTED};
    dv_view *source, *cached;
    dv_cursor *cursor;
    dv_error err = DV_ERROR_INIT;
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    cr_assert_eq(dvt_own_table_open(&source, &table, NULL, NULL), DV_OK);
    options.prefetch_count = -1;
    cr_expect_eq(dv_view_cache(&cached, source, &options, NULL, &err), DV_ERR_UNSUPPORTED);
    cr_expect_null(cached);
    cached = cache_of(source, NULL);
    cr_expect_eq(dv_cursor_open(&cursor, cached, NULL, &err), DV_ERR_UNSUPPORTED);
    cr_expect_eq(dv_cursor_open(&cursor, cached, NULL, &err), DV_ERR_UNSUPPORTED);
    table.open_status = DV_OK; /* it is asked again */
    cr_expect_eq(count_read(cached, NULL, -1), DVT_OWN_ROWS);
    dv_cursor_options in_place = DV_CURSOR_OPTIONS_INIT;
    in_place.zero_copy_only = true;
    cr_expect_eq(dv_cursor_open(&cursor, cached, &in_place, &err), DV_ERR_COPY);
    dv_view_release(&cached);
    dv_view_release(&source);
    cr_expect_eq(table.views_closed, 1);
}

/* The limit counts bytes; the error names its option, and the rows that fit stay. */
Test(cache_memory, a_limit_of_memory)
{
    static const int32_t wide[] = {0}, narrow[] = {1};
    enum { ROWS = 100000 };
    dvt_many_rows *many = dvt_many_rows_create(ROWS, 1000);
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_cache_options options = DV_CACHE_OPTIONS_INIT;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    options.memory_nbytes = 500000; /* of 800,000 that column 0 has, and 400,000 of column 1 */
    dv_view *cached;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options of_cursor = DV_CURSOR_OPTIONS_INIT;
    cr_assert_eq(dv_view_cache(&cached, source, &options, &counted.allocator, &err), DV_OK);
    of_cursor.columns = wide;
    of_cursor.columns_count = 1;
    cr_assert_eq(dv_cursor_open(&cursor, cached, &of_cursor, NULL), DV_OK);
    int64_t rows = 0;
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(err.status, DV_ERR_LIMIT);
    cr_expect_str_eq(err.rule, "memory_nbytes");
    cr_expect(strstr(err.message, "500000"), "%s", err.message);
    cr_expect(rows > 50000 && rows < 62500, "%d", (int)rows);
    cr_expect_lt(counted.highest, 700000);
    dv_cursor_close(&cursor);
    expect_rows_then(cached, wide, 1, rows, DV_ERR_LIMIT);
    dv_view_release(&cached);
    cr_expect_eq(counted.live, 0);

    cached = cache_of(source, &options);
    cr_expect_eq(count_read(cached, narrow, 1), ROWS);
    dv_view_release(&cached);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* A source whose number of rows changes cannot be cached. */
Test(cache_memory, a_source_that_changes)
{
    static const int32_t one[] = {1}, other[] = {2};
    dvt_many_rows *many = dvt_many_rows_create(1000, 10);
    many->table.rows_unknown = true;
    dv_view *source = dvt_made_table_open(&many->table, NULL);
    dv_view *cached = cache_of(source, NULL);
    cr_expect_eq(count_read(cached, one, 1), 1000);
    many->table.rows = 900;
    expect_rows_then(cached, other, 1, 900, DV_ERR_ARGUMENT);
    dv_view_release(&cached);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

Test(cache_memory, options_that_are_none)
{
    static const int32_t no_column[] = {0, 99};
    dv_view *source = dvt_golden_open("idv/people.idv", NULL), *cached;
    dv_error err = DV_ERROR_INIT;
    for (int i = 0; i < 6; i++) {
        dv_cache_options options = DV_CACHE_OPTIONS_INIT;
        options.size = i == 0 ? 0 : i == 1 ? sizeof options + 1 : sizeof options;
        options.threads = i == 2 ? -1 : 0;
        options.memory_nbytes = i == 3 ? -1 : 0;
        options.prefetch = i == 4 ? no_column : NULL;
        options.prefetch_count = i == 4 ? 2 : i == 5 ? 1 : 0;
        cr_expect_eq(dv_view_cache(&cached, source, &options, NULL, &err), DV_ERR_ARGUMENT, "%d",
                     i);
        cr_expect_null(cached);
    }
    dv_view_release(&source);
}

/* --- No memory -------------------------------------------------------------------------------- */

#define COLUMNS_MAX 40

typedef struct digests {
    dv_u128 of[COLUMNS_MAX];
    int64_t rows;
} digests;

/* After DV_ERR_MEMORY a cursor goes on at the token, and every row comes once. */
static digests read_all(dv_view *view, int *failures)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    digests d = {.rows = 0};
    dv_digester *digester[COLUMNS_MAX] = {0};
    cr_assert_eq(dvt_open_again(&cursor, view, NULL, failures, NULL), DV_OK);
    for (int32_t k = 0; k < COLUMNS_MAX; k++)
        cr_assert_eq(dv_digester_create(&digester[k], NULL, NULL), DV_OK);
    while ((status = dvt_next_again(&cursor, view, NULL, &batch, failures, NULL)) == DV_OK) {
        cr_assert_leq(batch->columns, COLUMNS_MAX);
        d.rows += batch->rows;
        for (int32_t k = 0; k < batch->columns; k++)
            dv_digester_add_column(digester[k], dv_batch_column(batch, k));
    }
    cr_assert_eq(status, DV_END);
    dv_cursor_close(&cursor);
    for (int32_t k = 0; k < COLUMNS_MAX; k++) {
        d.of[k] = dv_digester_result(digester[k]);
        dv_digester_free(&digester[k]);
    }
    return d;
}

Test(cache_memory, each_allocation_may_fail)
{
    static const char *const names[] = {"idv/people.idv", "idv/vector-TX-raw.idv",
                                        "idv/scalar-all-raw-rpb7.idv"};
    for (size_t i = 0; i < COUNT(names); i++) {
        dv_view *source = dvt_golden_open(names[i], NULL);
        bool is_done = false;
        int none = 0;
        const digests truth = read_all(source, &none);
        for (int64_t k = 1; !is_done; k += DVT_FAIL_STEP) {
            dvt_allocator counted;
            dv_view *cached;
            dv_cache_options options = DV_CACHE_OPTIONS_INIT;
            int failures = 0;
            options.prefetch_count = k % 3 == 0 ? -1 : 0;
            dvt_allocator_init(&counted, k);
            const dv_status status =
                dv_view_cache(&cached, source, &options, &counted.allocator, NULL);
            cr_assert(status == DV_OK || status == DV_ERR_MEMORY);
            cr_expect_eq(status == DV_OK, cached != NULL);
            for (int pass = 0; cached && pass < 2; pass++) {
                const digests d = read_all(cached, &failures);
                cr_expect(memcmp(&d, &truth, sizeof d) == 0, "%s, allocation %d", names[i], (int)k);
            }
            cr_expect_leq(failures, 1);
            dv_view_release(&cached);
            is_done = counted.asked < k;
            cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        }
        dv_view_release(&source);
    }
}
