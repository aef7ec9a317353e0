/* SPDX-License-Identifier: MIT */
/* test_kept_rows.c: rows that a view keeps side by side have the values of its columns, whatever
 * was read before, by how many threads, and whatever cannot be kept. */
#include "gather/kept_rows.h"
#include "gather/places.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/dense.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/table.h>
#include <dataview/transform.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 6
#define ROWS 20001 /* the last group is short */
#define TAKEN 300
#define THREADS 4

static int64_t draw(uint64_t *state, int64_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (int64_t)((*state >> 33) % (uint64_t)below);
}

static double value_of(int64_t row, int32_t column)
{
    return (double)(8 * row + column % COLUMNS);
}

/* Six columns of float, then six of double. */
static dv_view *make_table(const dv_allocator *allocator)
{
    dv_table_options options = DV_TABLE_OPTIONS_INIT;
    dv_table_column columns[2 * COLUMNS];
    void *values[2 * COLUMNS];
    char names[2 * COLUMNS][4];
    dv_view *view;
    options.allocator = allocator;
    for (int32_t k = 0; k < 2 * COLUMNS; k++) {
        const bool is_r4 = k < COLUMNS;
        float *f4 = values[k] = malloc(ROWS * sizeof(double));
        double *f8 = values[k];
        for (int64_t i = 0; i < ROWS; i++)
            if (is_r4)
                f4[i] = (float)value_of(i, k);
            else
                f8[i] = value_of(i, k);
        snprintf(names[k], sizeof names[k], "c%d", (int)k);
        columns[k] = (dv_table_column){names[k], dv_type_of(is_r4 ? DV_KIND_R4 : DV_KIND_R8),
                                       values[k], NULL};
    }
    cr_assert_eq(dv_table_create(&view, columns, 2 * COLUMNS, ROWS, &options, NULL), DV_OK);
    for (int k = 0; k < 2 * COLUMNS; k++)
        free(values[k]);
    return view;
}

static dv_view *saved(dv_view *table, const char *path, int64_t rows_per_block)
{
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_view *view;
    options.format = "idv";
    options.rows_per_block = rows_per_block;
    options.compression = DV_COMPRESSION_NONE;
    cr_assert_eq(dv_save(table, path, &options, NULL), DV_OK);
    cr_assert_eq(dv_open(&view, path, NULL, NULL), DV_OK);
    return view;
}

/* Take rows of a view and check n of its columns; `first` is its first row in the table. No calls
 * of the test framework: threads call it. */
static void take_some(dv_view *view, const int32_t *columns, int32_t n, int64_t first,
                      uint64_t *state)
{
    static const size_t gap = 3;
    int64_t rows[TAKEN];
    const int64_t count = 1 + draw(state, TAKEN);
    const bool is_r4 = columns[0] < COLUMNS;
    const size_t stride = (size_t)n + gap;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_view *taken;
    cursor.columns = columns;
    cursor.columns_count = n;
    cursor.threads = 1 + (int32_t)draw(state, 2);
    for (int64_t i = 0; i < count; i++)
        rows[i] = draw(state, dv_view_rows(view));
    DVT_MUST(dv_view_take(&taken, view, rows, count, NULL, NULL) == DV_OK);
    float *f4 = malloc((size_t)count * stride * sizeof *f4);
    double *f8 = malloc((size_t)count * stride * sizeof *f8);
    DVT_MUST((is_r4 ? dv_view_dense(taken, DV_KIND_R4, f4, count, stride, &cursor, NULL, NULL, NULL)
                    : dv_view_dense(taken, DV_KIND_R8, f8, count, stride, &cursor, NULL, NULL,
                                    NULL)) == DV_OK);
    for (int64_t i = 0; i < count; i++)
        for (int32_t k = 0; k < n; k++) {
            const size_t at = (size_t)i * stride + (size_t)k;
            DVT_MUST((is_r4 ? (double)f4[at] : f8[at]) == value_of(first + rows[i], columns[k]));
        }
    free(f4);
    free(f8);
    dv_view_release(&taken);
}

static const int32_t choices[][COLUMNS] = {{0, 1, 2, 3, 4, 5},   {6, 7, 8, 9, 10, 11},
                                           {5, 3, 1, 0, 2, 4},   {1, 1, 1, 1, 2, 2},
                                           {11, 6, 10, 7, 9, 8}, {2, 3, 4, 5, 0, 1}};
#define CHOICES (int64_t)(sizeof choices / sizeof *choices)

static void take_many(dv_view *view, int64_t first, int rounds, uint64_t *state)
{
    for (int round = 0; round < rounds; round++)
        take_some(view, choices[draw(state, CHOICES)], COLUMNS - (int32_t)draw(state, 2) * 4, first,
                  state);
}

/* Takes of the first columns until a 64th of the rows was read, and some more. */
static void take_enough(dv_view *view, int64_t first, uint64_t *state)
{
    for (int i = 0; i < 20; i++)
        take_some(view, choices[0], COLUMNS, first, state);
}

Test(kept_rows, tables)
{
    uint64_t state = 1;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *table = make_table(&counted.allocator);
    const int64_t before = counted.nbytes;
    take_enough(table, 0, &state);
    const int64_t kept = (int64_t)sizeof(float[COLUMNS]) * ROWS;
    cr_expect_geq(counted.nbytes, before + kept);
    cr_expect_lt(counted.nbytes, before + 2 * kept);
    take_many(table, 0, 300, &state);
    dv_view_release(&table);
    cr_expect_eq(counted.live, 0);
}

Test(kept_rows, files_and_slices)
{
    uint64_t state = 2;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(NULL), *slice;
    for (int64_t rows_per_block = 7; rows_per_block < 30000;
         rows_per_block = 6 * rows_per_block + 1) {
        dv_view *file = saved(table, path.text, rows_per_block);
        cr_assert_eq(dv_view_slice(&slice, file, 5001, 9000, NULL, NULL), DV_OK);
        take_enough(slice, 5001, &state);
        take_enough(file, 0, &state);
        take_many(file, 0, 100, &state);
        take_many(slice, 5001, 100, &state);
        dv_view_release(&slice);
        dv_view_release(&file);
    }
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

/* Sorted rows, to rows of a matrix in another order: some groups are dense, some are not. */
static void expect_sorted(dv_view *view, int64_t first, uint64_t *state)
{
    static float got[9000][COLUMNS];
    static int64_t rows[9000];
    static uint32_t to[9000];
    dvi_places *places;
    int64_t n = 0;
    const int64_t share = 1 + draw(state, 60);
    for (int64_t row = 0; row < 9000; row++)
        if (draw(state, row < 4000 ? share : 60) == 0)
            rows[n++] = row;
    for (int64_t i = 0; i < n; i++)
        to[i] = (uint32_t)(n - 1 - i);
    cr_assert_eq(dvi_places_open(&places, view, choices[0], COLUMNS, NULL, NULL), DV_OK);
    const size_t nbytes = dvi_places_group_nbytes(places, 0, COLUMNS);
    cr_assert_eq(nbytes, DVI_KEPT_ROWS_GROUP * sizeof(float[COLUMNS]));
    uint8_t *group = malloc(nbytes);
    cr_assert_eq(dvi_places_read_sorted(places, 0, COLUMNS, rows, n, (uint8_t *)got, sizeof *got,
                                        to, group, NULL),
                 DV_OK);
    for (int64_t i = 0; i < n; i++)
        for (int32_t k = 0; k < COLUMNS; k++)
            cr_assert_eq((double)got[to[i]][k], value_of(first + rows[i], k));
    free(group);
    dvi_places_free(&places);
}

Test(kept_rows, sorted_rows)
{
    uint64_t state = 5;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(NULL), *file = saved(table, path.text, 700), *slice;
    cr_assert_eq(dv_view_slice(&slice, file, 5001, 9000, NULL, NULL), DV_OK);
    for (int round = 0; round < 50; round++) {
        expect_sorted(table, 0, &state);
        expect_sorted(slice, 5001, &state);
    }
    dv_view_release(&slice);
    dv_view_release(&file);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

/* --- What cannot be kept ---------------------------------------------------------------------- */

Test(kept_rows, without_memory)
{
    uint64_t state = 3;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *table = make_table(&counted.allocator);
    const int64_t before = counted.nbytes;
    counted.nbytes_most = sizeof(float[COLUMNS]) * ROWS - 1;
    take_enough(table, 0, &state);
    cr_expect_lt(counted.nbytes - before, 2 * ROWS);
    take_some(table, choices[1], COLUMNS, 0, &state); /* all addresses are known now */
    counted.fail_at = counted.asked + 1;
    take_some(table, choices[2], COLUMNS, 0, &state);
    cr_expect_geq(counted.asked, counted.fail_at); /* the list of a choice */
    take_many(table, 0, 100, &state);
    dv_view_release(&table);
    cr_expect_eq(counted.live, 0);
}

Test(kept_rows, choices_that_fit)
{
    static const int32_t columns[8] = {0};
    const int64_t most = (int64_t)(DVI_KEPT_ROWS_NBYTES / sizeof(float[4]));
    const struct {
        dvi_kept_set set;
        bool fits;
    } trials[] = {{{columns, 4, 4, most}, true},        {{columns, 4, 4, most + 1}, false},
                  {{columns, 8, 8, most / 4}, true},    {{columns, 8, 8, most / 4 + 1}, false},
                  {{columns, 3, 4, 10}, false},         {{columns, 4, 2, 10}, false},
                  {{columns, 4, 4, 0}, false},          {{columns, 4, 4, INT64_MAX}, false},
                  {{columns, INT32_MAX, 8, 100}, false}};
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++)
        cr_expect_eq(dvi_kept_rows_fit(&trials[i].set), trials[i].fits, "%zu", i);
}

/* Two of three choices have room; after four there is no other. */
Test(kept_rows, room_of_a_view)
{
    static const int32_t columns[][4] = {
        {0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}, {4, 5, 6, 7}};
    const int64_t rows = (int64_t)(DVI_KEPT_ROWS_NBYTES / sizeof(float[4])) / 5 * 2;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_kept_sets sets = {0};
    for (int i = 0; i < 5; i++) {
        const dvi_kept_set set = {columns[i], 4, 4, rows};
        dvi_kept_rows *kept = dvi_kept_rows_find(&sets, &set, &counted.allocator);
        cr_assert_eq(kept != NULL, i < DVI_KEPT_ROWS_SETS, "%d", i);
        if (!kept)
            break;
        cr_expect_eq(dvi_kept_rows_find(&sets, &set, &counted.allocator), kept);
        cr_expect_eq(dvi_kept_rows_have_room(kept), i < 2);
        cr_expect_not(dvi_kept_rows_note(kept, rows / 64 - 1));
        cr_expect_eq(dvi_kept_rows_note(kept, 2), i < 2);
        cr_expect_eq(dvi_kept_rows_note(kept, INT64_C(1) << 40), i < 2);
    }
    cr_expect_leq((size_t)counted.nbytes, DVI_KEPT_ROWS_NBYTES + (1 << 20));
    dvi_kept_sets_free(&sets);
    cr_expect_eq(counted.live, 0);
}

static dv_status sum_of(dv_view *view, const int64_t *rows, int64_t n, double *sum_out,
                        dv_error *err)
{
    float got[TAKEN * COLUMNS];
    dv_view *taken;
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = choices[0];
    cursor.columns_count = COLUMNS;
    cr_assert_eq(dv_view_take(&taken, view, rows, n, NULL, NULL), DV_OK);
    const dv_status status =
        dv_view_dense(taken, DV_KIND_R4, got, n, COLUMNS, &cursor, NULL, NULL, err);
    *sum_out = 0;
    for (int64_t i = 0; status == DV_OK && i < n * COLUMNS; i++)
        *sum_out = 3 * *sum_out + (double)got[i];
    dv_view_release(&taken);
    return status;
}

/* A view that keeps rows returns what one that was just opened returns, errors too. */
Test(kept_rows, damaged_blocks)
{
    uint64_t state = 4;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "rows.idv");
    dv_view *table = make_table(NULL), *view = saved(table, path.text, 700), *fresh;
    dv_view_release(&view);
    size_t nbytes;
    uint8_t *bytes = dvt_file_read(path.text, &nbytes);
    int failed = 0, right = 0;
    for (int round = 0; round < 100; round++) {
        const size_t at = nbytes - 1 - (size_t)draw(&state, 5000); /* entries lie at the end */
        const uint8_t before = bytes[at];
        bytes[at] ^= (uint8_t)(1 + draw(&state, 255));
        const bool is_open =
            dv_open_memory(&view, bytes, nbytes, NULL, NULL, "rows", NULL, NULL) == DV_OK;
        for (int i = 0; is_open && i < 30; i++) {
            int64_t rows[TAKEN], n = 1 + draw(&state, TAKEN / (1 + i % 4 * 40));
            double sums[2];
            dv_error errors[2] = {DV_ERROR_INIT, DV_ERROR_INIT};
            for (int64_t k = 0; k < n; k++)
                rows[k] = draw(&state, dv_view_rows(view));
            cr_assert_eq(dv_open_memory(&fresh, bytes, nbytes, NULL, NULL, "rows", NULL, NULL),
                         DV_OK);
            const dv_status status = sum_of(fresh, rows, n, &sums[0], &errors[0]);
            cr_expect_eq(sum_of(view, rows, n, &sums[1], &errors[1]), status);
            cr_expect(memcmp(&sums[0], &sums[1], sizeof *sums) == 0);
            cr_expect_str_eq(errors[1].message, errors[0].message);
            failed += status != DV_OK;
            right += status == DV_OK;
            dv_view_release(&fresh);
        }
        if (is_open)
            dv_view_release(&view);
        bytes[at] = before;
    }
    cr_expect_gt(failed, 50);
    cr_expect_gt(right, 50);
    free(bytes);
    dv_view_release(&table);
    dvt_folder_remove(&folder);
}

/* --- Threads ---------------------------------------------------------------------------------- */

typedef struct taker {
    dv_view *view;
    uint64_t state;
} taker;

static void *take_in_thread(void *ctx)
{
    taker *t = ctx;
    take_many(t->view, 0, 60, &t->state);
    return NULL;
}

Test(kept_rows, threads)
{
    pthread_t threads[THREADS];
    taker takers[THREADS];
    dv_view *table = make_table(NULL);
    for (uint64_t i = 0; i < THREADS; i++) {
        takers[i] = (taker){table, i};
        cr_assert_eq(pthread_create(&threads[i], NULL, take_in_thread, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    dv_view_release(&table);
}
