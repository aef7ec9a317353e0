/* SPDX-License-Identifier: MIT */
/* test_places.c: rows in any order, copied from where they lie, are those that are gathered. */
#include "gather/places.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define COLUMNS_MOST 64
#define ROWS_MOST 600
#define THREADS 4

static int64_t draw(uint64_t *state, int64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)((*state >> 33) % (uint64_t)below);
}

/* The scalar columns of fixed width; not BL, which .idv packs, nor DT, which it checks. */
static int32_t fixed_columns(const dv_view *view, int32_t *columns)
{
    const dv_schema *schema = dv_view_schema(view);
    int32_t n = 0;
    for (int32_t k = 0; k < dv_schema_columns(schema) && n < COLUMNS_MOST; k++) {
        const dv_type *type = &dv_schema_column(schema, k)->type;
        const bool is_fixed = type->kind != DV_KIND_TX && type->kind != DV_KIND_BY &&
                              type->kind != DV_KIND_DZ && type->kind != DV_KIND_BL &&
                              type->kind != DV_KIND_DT;
        if (type->rank == 0 && is_fixed)
            columns[n++] = k;
    }
    return n;
}

static dv_status status_of(dv_view *view, const int32_t *columns, int32_t n)
{
    dvi_places *places;
    const dv_status status = dvi_places_open(&places, view, columns, n, NULL, NULL);
    cr_expect_eq(status == DV_OK, places != NULL);
    dvi_places_free(&places);
    return status;
}

/* A table in memory of more than one block. */
static dv_view *make_table(int64_t rows)
{
    float *f4 = malloc((size_t)rows * sizeof *f4);
    double *f8 = malloc((size_t)rows * sizeof *f8);
    int64_t *i8 = malloc((size_t)rows * sizeof *i8);
    int8_t *u1 = malloc((size_t)rows);
    for (int64_t i = 0; i < rows; i++) {
        f4[i] = (float)i + 0.5f;
        f8[i] = (double)i * 3;
        i8[i] = -i;
        u1[i] = (int8_t)(i % 100);
    }
    const dv_table_column columns[] = {{"f4", dv_type_of(DV_KIND_R4), f4, NULL},
                                       {"i8", dv_type_of(DV_KIND_I8), i8, NULL},
                                       {"g4", dv_type_of(DV_KIND_R4), f4, NULL},
                                       {"f8", dv_type_of(DV_KIND_R8), f8, NULL},
                                       {"i1", dv_type_of(DV_KIND_I1), u1, NULL}};
    dv_view *view;
    cr_assert_eq(dv_table_create(&view, columns, COUNT(columns), rows, NULL, NULL), DV_OK);
    free(f4);
    free(f8);
    free(i8);
    free(u1);
    return view;
}

/* The same as a file, with blocks of `rpb` rows, stored as they are. */
static dv_view *saved(dv_view *table, const char *path, int64_t rpb)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    options.format = "idv";
    options.rows_per_block = rpb;
    options.compression = DV_COMPRESSION_NONE;
    cr_assert_eq(dv_save(table, path, &options, &err), DV_OK, "%s", err.message);
    cr_assert_eq(dv_open(&view, path, NULL, &err), DV_OK, "%s", err.message);
    return view;
}

static dv_view *draw_taken(dv_view *source, uint64_t *state)
{
    int64_t rows[ROWS_MOST];
    const int64_t known = dv_view_rows(source), n = known > 0 ? draw(state, ROWS_MOST) : 0;
    dv_view *view;
    for (int64_t i = 0; i < n; i++)
        rows[i] = draw(state, known);
    cr_assert_eq(dv_view_take(&view, source, rows, n, NULL, NULL), DV_OK);
    return view;
}

/* With ids rows are gathered, without them copied from where they lie. */
static void expect_alike(dv_view *taken, const int32_t *columns, int32_t n, uint64_t *state)
{
    dvt_lines gathered = {0}, copied = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    const int64_t rows = dv_view_rows(taken);
    options.columns = columns;
    options.columns_count = n;
    options.batch_rows = draw(state, 3) * 37;
    options.first_row = rows > 0 && draw(state, 2) ? draw(state, rows) : 0;
    options.threads = 1 + (int32_t)draw(state, 3);
    const dv_status status = dvt_put_rows(&copied, taken, &options, dvt_put_batch_by_value, NULL);
    options.ids = true;
    cr_expect_eq(dvt_put_rows(&gathered, taken, &options, dvt_put_batch_by_value, NULL), status);
    cr_expect(gathered.nbytes == copied.nbytes &&
              (copied.nbytes == 0 || memcmp(gathered.data, copied.data, copied.nbytes) == 0));
    dvt_lines_free(&gathered);
    dvt_lines_free(&copied);
}

static void expect_taken(dv_view *source, dv_status wanted, uint64_t *state)
{
    int32_t columns[COLUMNS_MOST];
    const int32_t n = fixed_columns(source, columns);
    cr_expect_eq(status_of(source, columns, n), wanted);
    for (int round = 0; round < 12; round++) {
        dv_view *taken = draw_taken(source, state);
        expect_alike(taken, columns, n, state);
        dv_view_release(&taken);
    }
}

Test(places, taken_rows_are_those_of_the_gatherer)
{
    static const struct {
        const char *name;
        dv_status status;
    } files[] = {{"idv/scalar-all-raw-rpb7.idv", DV_OK},
                 {"idv/scalar-U8-raw.idv", DV_OK},
                 {"idv/scalar-all-deflate-rpb7.idv", DV_NOT_FOUND},
                 {"idv/rows-0-raw.idv", DV_NOT_FOUND}};
    uint64_t state = 7;
    for (size_t i = 0; i < COUNT(files); i++) {
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        how.io = DV_IO_MMAP;
        dv_view *source = dvt_golden_open(files[i].name, &how);
        expect_taken(source, files[i].status, &state);
        dv_view_release(&source);
    }
}

/* A slice lends its rows, and a table in memory has several blocks. */
Test(places, slices_and_tables)
{
    uint64_t state = 8;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(150000), *file = saved(table, path.text, 100);
    dv_view *both[] = {table, file};
    for (int i = 0; i < 2; i++) {
        dv_view *slice;
        expect_taken(both[i], DV_OK, &state);
        cr_assert_eq(dv_view_slice(&slice, both[i], 70001, 5000, NULL, NULL), DV_OK);
        expect_taken(slice, DV_OK, &state);
        dv_view_release(&slice);
    }
    dv_view_release(&file);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

/* --- Matrices --------------------------------------------------------------------------------- */

Test(places, matrices)
{
    static const int32_t columns[] = {2, 0}, right_to_left[] = {1, 0};
    static float all[150000 * 2], got[ROWS_MOST * 3];
    uint64_t state = 9;
    dv_view *table = make_table(150000);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = 2;
    cr_assert_eq(dv_view_dense(table, DV_KIND_R4, all, 150000, 2, &cursor, NULL, NULL, NULL),
                 DV_OK);
    for (int round = 0; round < 40; round++) {
        dv_dense_options options = DV_DENSE_OPTIONS_INIT;
        int64_t rows[ROWS_MOST], filled;
        dv_view *taken;
        const int64_t n = draw(&state, ROWS_MOST);
        const bool turned = round % 2;
        for (int64_t i = 0; i < n; i++)
            rows[i] = draw(&state, 150000);
        if (turned) {
            options.columns = right_to_left;
            options.columns_count = 2;
        }
        options.na = round % 3 ? DV_DENSE_NA_KEEP : DV_DENSE_NA_REFUSED; /* by a cursor */
        cursor.threads = 1 + round % 3;
        cr_assert_eq(dv_view_take(&taken, table, rows, n, NULL, NULL), DV_OK);
        cr_assert_eq(dv_view_dense(taken, DV_KIND_R4, got, n, 3, &cursor, &options, &filled, NULL),
                     DV_OK);
        cr_expect_eq(filled, n);
        for (int64_t i = 0; i < n; i++)
            for (int k = 0; k < 2; k++)
                cr_assert_eq(got[3 * i + k], all[2 * rows[i] + (turned ? 1 - k : k)]);
        dv_view_release(&taken);
    }
    dv_view_release(&table);
}

/* --- Damage, memory, threads ------------------------------------------------------------------ */

/* A block whose entry is damaged: the rows before it come, then the same error as ever. */
Test(places, damaged_blocks)
{
    uint64_t state = 11;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(1000), *view = saved(table, path.text, 100);
    dv_view_release(&view);
    size_t n;
    uint8_t *bytes = dvt_file_read(path.text, &n);
    int failed = 0;
    for (int round = 0; round < 300; round++) {
        int32_t columns[COLUMNS_MOST];
        dv_open_options how = DV_OPEN_OPTIONS_INIT;
        const size_t at = n - 1 - (size_t)draw(&state, 1000); /* entries lie at the end */
        const uint8_t before = bytes[at];
        bytes[at] ^= (uint8_t)(1 + draw(&state, 255));
        if (dv_open_memory(&view, bytes, n, NULL, NULL, "rows", &how, NULL) == DV_OK) {
            dv_view *taken = draw_taken(view, &state);
            expect_alike(taken, columns, fixed_columns(view, columns), &state);
            failed++;
            dv_view_release(&taken);
            dv_view_release(&view);
        }
        bytes[at] = before;
    }
    cr_expect_gt(failed, 30);
    free(bytes);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

static dv_status attempt(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *given, dvt_lines *lines, dv_error *err)
{
    static const int64_t rows[] = {9, 3, 4, 20, 0, 9, 13, 1, 2};
    int32_t columns[COLUMNS_MOST];
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_cursor_options options = *given;
    dv_view *source = NULL, *view = NULL;
    how.allocator = allocator;
    how.io = DV_IO_MMAP;
    const dvt_path path = dvt_test_path(what);
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = dv_view_take(&view, source, rows, COUNT(rows), allocator, err);
    if (status == DV_OK) {
        options.columns = columns;
        options.columns_count = fixed_columns(view, columns);
        status = dvt_put_rows(lines, view, &options, dvt_put_batch_by_value, err);
    }
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(places, each_allocation_may_fail)
{
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_fail_each_allocation(attempt, "golden/idv/scalar-all-raw-rpb7.idv", "raw", &options);
}

static void *take_many(void *ctx)
{
    dv_view *view = ctx;
    static const int32_t columns[] = {0, 2};
    uint64_t state = 12;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = 2;
    cursor.threads = 1;
    for (int round = 0; round < 50; round++) {
        float got[2 * 64];
        int64_t rows[64];
        dv_view *taken;
        for (int i = 0; i < 64; i++)
            rows[i] = draw(&state, 20000);
        DVT_MUST(dv_view_take(&taken, view, rows, 64, NULL, NULL) == DV_OK);
        DVT_MUST(dv_view_dense(taken, DV_KIND_R4, got, 64, 2, &cursor, NULL, NULL, NULL) == DV_OK);
        for (int i = 0; i < 64; i++)
            DVT_MUST(got[2 * i] == (float)rows[i] + 0.5f && got[2 * i + 1] == got[2 * i]);
        dv_view_release(&taken);
    }
    return NULL;
}

/* The first readers of a view find the addresses at the same time. */
Test(places, threads)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(20000), *view = saved(table, path.text, 16);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, take_many, view), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    dv_view_release(&view);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}
