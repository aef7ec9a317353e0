/* SPDX-License-Identifier: MIT */
/* test_kept_blocks.c: a take leaves the blocks that it decoded with the view, for the next take
 * (kept_blocks.h). Rows and errors do not depend on it, in any number of threads, and memory stays
 * within the budget. */
#include "view/view.h"
#include "scan/cursor.h"
#include "gather/kept_blocks.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/open.h>
#include <dataview/save.h>
#include <dataview/transform.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define THREADS 4
#define ROUNDS 40
#define ROWS_MOST 60
#define COLUMNS_MOST 64
#define DEFAULT_BUDGET (INT64_C(256) << 20)
#define DEFLATED "golden/idv/scalar-all-deflate-rpb64-anyorder.idv"

static int64_t draw(uint64_t *state, int64_t below)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)below);
}

/* --- Tables ----------------------------------------------------------------------------------- */

static dv_view *open_with(const char *path, int64_t budget, const dv_allocator *allocator)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *view;
    dv_error err = DV_ERROR_INIT;
    options.block_cache_nbytes = budget;
    options.allocator = allocator;
    cr_assert_eq(dv_open(&view, path, &options, &err), DV_OK, "%s", err.message);
    return view;
}

/* A compressed file of reals, whole numbers and vectors, in blocks of 100 rows. */
static dvt_path save_many(const dvt_path *folder)
{
    const dvt_path path = dvt_path_in(folder, "many.idv");
    dvt_many_rows *many = dvt_many_rows_create(3000, 128);
    dv_view *table = dvt_made_table_open(&many->table, NULL);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    options.rows_per_block = 100;
    options.compression = DV_COMPRESSION_DEFLATE;
    cr_assert_eq(dv_save(table, path.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&table);
    dvt_many_rows_free(many);
    return path;
}

/* A view made of a table, which takes the reference. */
static dv_view *made_of(dv_view *source, int kind)
{
    dv_column_spec specs[COLUMNS_MOST];
    dv_conversion_spec wider;
    dv_view *view = NULL;
    const dv_schema *schema = dv_view_schema(source);
    const int32_t n = dv_schema_columns(schema);
    dv_status status = DV_OK;
    if (kind == 0)
        return source;
    if (kind == 1) {
        status = dv_view_slice(&view, source, 3, dv_view_rows(source) - 5, NULL, NULL);
    } else if (kind == 2) {
        for (int32_t k = 0; k < n; k++)
            specs[k] = (dv_column_spec){dv_schema_column(schema, n - 1 - k)->name,
                                        dv_schema_column(schema, n - 1 - k)->name};
        status = dv_view_select(&view, source, specs, n, DV_HIDDEN_DROP, NULL, NULL);
    } else if (kind == 3) {
        dv_view *twice[] = {source, source};
        status = dv_view_concat(&view, twice, 2, NULL, NULL);
    } else {
        int32_t k = 0;
        while (dv_schema_column(schema, k)->type.kind != DV_KIND_R4 &&
               dv_schema_column(schema, k)->type.kind != DV_KIND_R8)
            k++;
        const dv_text name = dv_schema_column(schema, k)->name;
        wider = (dv_conversion_spec){name, name, {.kind = DV_KIND_TX}};
        status = dv_view_convert(&view, source, &wider, 1, NULL, NULL);
    }
    DVT_MUST(status == DV_OK);
    dv_view_release(&source);
    return view;
}

#define KINDS 5

/* --- Takes ------------------------------------------------------------------------------------ */

/* Values and ids. */
static void put_batch(dvt_lines *lines, const dv_batch *batch)
{
    dvt_put_batch_by_value(lines, batch);
    for (int64_t i = 0; batch->ids && i < batch->rows; i++)
        dvt_lines_print(lines, "%llx %llx\n", (unsigned long long)batch->ids[i].lo,
                        (unsigned long long)batch->ids[i].hi);
}

typedef struct take {
    int64_t rows[ROWS_MOST], n;
    int32_t columns[COLUMNS_MOST];
    dv_cursor_options options;
} take;

/* Rows of few blocks or of all; one of eight sets of columns, some of which are there twice. */
static void draw_take(take *t, const dv_view *view, uint64_t *state)
{
    const int64_t known = dv_view_rows(view);
    const int32_t n = dv_schema_columns(dv_view_schema(view));
    const int64_t span = draw(state, 2) ? known : 1 + draw(state, known);
    t->n = 1 + draw(state, ROWS_MOST - 1);
    for (int64_t i = 0; i < t->n; i++)
        t->rows[i] = draw(state, span);
    t->options = (dv_cursor_options)DV_CURSOR_OPTIONS_INIT;
    t->options.columns = t->columns;
    uint64_t set = (uint64_t)draw(state, 8); /* set 0 has all columns */
    const bool has_all = set == 0;
    t->options.columns_count = has_all ? n : (int32_t)draw(&set, n < 5 ? n + 2 : 5);
    for (int32_t k = 0; k < t->options.columns_count; k++)
        t->columns[k] = has_all || draw(&set, 2) ? k % n : (int32_t)draw(&set, n);
    t->options.ids = draw(&set, 3) == 0;
    t->options.epoch = draw(&set, 4) - 1;
    t->options.batch_rows = draw(state, 2) * 7;
    t->options.first_row = draw(state, 3) ? 0 : draw(state, t->n);
    t->options.threads = 1;
}

static dv_status put_take(dvt_lines *lines, dv_view *view, const take *t, dv_error *err)
{
    dv_view *taken;
    dv_status status = dv_view_take(&taken, view, t->rows, t->n, NULL, err);
    if (status == DV_OK)
        status = dvt_put_rows(lines, taken, &t->options, put_batch, err);
    dv_view_release(&taken);
    return status;
}

/* The same take of a view that keeps blocks, and of one that keeps none. */
static bool are_alike(dv_view *keeps, dv_view *plain, const take *t)
{
    dvt_lines a = {0}, b = {0};
    dv_error of_a = DV_ERROR_INIT, of_b = DV_ERROR_INIT;
    bool alike = put_take(&a, keeps, t, &of_a) == put_take(&b, plain, t, &of_b);
    alike &= strcmp(of_a.message, of_b.message) == 0 && of_a.offset == of_b.offset;
    alike &= a.nbytes == b.nbytes && (a.nbytes == 0 || memcmp(a.data, b.data, a.nbytes) == 0);
    dvt_lines_free(&a);
    dvt_lines_free(&b);
    return alike;
}

typedef struct worker {
    pthread_t thread;
    dv_view *keeps, *plain;
    uint64_t state;
    bool are_alike;
} worker;

static void *compare_takes(void *ctx)
{
    worker *w = ctx;
    take t;
    w->are_alike = true;
    for (int round = 0; round < ROUNDS; round++) {
        draw_take(&t, w->keeps, &w->state);
        w->are_alike &= are_alike(w->keeps, w->plain, &t);
    }
    return NULL;
}

/* Takes in several threads at a time. */
static void compare_in_threads(dv_view *keeps, dv_view *plain, uint64_t state, const char *what)
{
    worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i] =
            (worker){.keeps = keeps, .plain = plain, .state = state + (uint64_t)i * 1000003};
        cr_assert_eq(pthread_create(&workers[i].thread, NULL, compare_takes, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        cr_expect(workers[i].are_alike, "%s", what);
    }
}

static void compare_file(const char *path)
{
    static const int64_t budgets[] = {1, 3000, 20000, 100000, DEFAULT_BUDGET};
    for (size_t i = 0; i < COUNT(budgets); i++) {
        dv_view *file = open_with(path, budgets[i], NULL), *plain = open_with(path, 0, NULL);
        for (int kind = 0; kind < KINDS; kind++) {
            dv_view_retain(file);
            dv_view_retain(plain);
            dv_view *a = made_of(file, kind), *b = made_of(plain, kind);
            compare_in_threads(a, b, 1 + i * KINDS + (uint64_t)kind, path);
            const dvi_kept_count own = dvi_kept_blocks_count(a);
            cr_expect_leq(own.highest, budgets[i]);
            cr_expect_eq(dvi_kept_blocks_count(b).highest, 0);
            /* Slices and selections share what the file keeps; other views keep blocks of their
             * own. */
            if (budgets[i] == DEFAULT_BUDGET)
                cr_expect_eq(own.found > 0, kind == 0 || kind >= 3, "%s, kind %d", path, kind);
            dv_view_release(&a);
            dv_view_release(&b);
        }
        const dvi_kept_count count = dvi_kept_blocks_count(file);
        cr_expect_leq(count.highest, budgets[i]);
        cr_expect_leq(count.nbytes, count.highest);
        cr_expect_eq(dvi_kept_blocks_count(plain).highest, 0);
        dv_view_release(&file);
        dv_view_release(&plain);
    }
}

Test(kept_blocks, rows_are_those_of_a_view_that_keeps_none)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path many = save_many(&folder), small = dvt_test_path(DEFLATED);
    compare_file(many.text);
    compare_file(small.text);
    dvt_folder_remove(&folder);
}

/* --- What is kept ----------------------------------------------------------------------------- */

static dvi_block_key *key_of(dv_view *view, const int32_t *columns, int32_t n, bool ids,
                             int64_t epoch)
{
    const dv_cursor_request request = {.size = sizeof request,
                                       .schema = dv_view_schema(view),
                                       .columns = columns,
                                       .columns_count = n,
                                       .ids = ids,
                                       .epoch = epoch};
    dvi_block_key *key;
    cr_assert_eq(dvi_block_key_create(&key, view, &request, NULL), DV_OK);
    return key;
}

/* The rows of the block, which are all of a block's; 0: it is not kept. */
static int64_t kept_rows(dv_view *view, const int32_t *columns, int32_t n, bool ids, int64_t epoch,
                         int64_t number)
{
    dvi_kept_blocks *kept;
    cr_assert_eq(dvi_kept_blocks_of(&kept, view, NULL), DV_OK);
    dvi_block_key *key = key_of(view, columns, n, ids, epoch);
    dvi_kept_block *block = dvi_kept_blocks_find(kept, key, number);
    const int64_t rows = block ? block->rows : 0;
    dvi_kept_block_release(&block);
    dvi_block_key_release(&key);
    return rows;
}

static void take_rows(dv_view *view, const int32_t *columns, int32_t n, const int64_t *rows,
                      int64_t count)
{
    take t = {.n = count, .options = DV_CURSOR_OPTIONS_INIT};
    dvt_lines lines = {0};
    memcpy(t.rows, rows, (size_t)count * sizeof *rows);
    t.options.columns = columns;
    t.options.columns_count = n;
    cr_expect_eq(put_take(&lines, view, &t, NULL), DV_OK);
    dvt_lines_free(&lines);
}

/* Whole blocks of the columns that were read together, whichever view above was read. */
Test(kept_blocks, a_block_is_found_by_columns_ids_and_epoch)
{
    static const int32_t columns[] = {0, 2}, turned[] = {2, 0};
    int32_t made;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    dv_view *view = open_with(path.text, DEFAULT_BUDGET, NULL), *slice;
    take_rows(view, columns, 2, (const int64_t[]){250, 7, 251}, 3);
    cr_expect_eq(dvi_kept_blocks_count(view).blocks, 2);
    cr_expect_eq(kept_rows(view, columns, 2, false, -1, 0), 100);
    cr_expect_eq(kept_rows(view, columns, 2, false, -1, 2), 100);
    cr_expect_eq(kept_rows(view, columns, 2, false, -1, 1), 0);
    cr_expect_eq(kept_rows(view, turned, 2, false, -1, 0), 0);
    cr_expect_eq(kept_rows(view, columns, 1, false, -1, 0), 0);
    cr_expect_eq(kept_rows(view, columns, 2, true, -1, 0), 0);
    cr_expect_eq(kept_rows(view, columns, 2, false, 3, 0), 100); /* a file is the same in each */

    const int64_t found = dvi_kept_blocks_count(view).found;
    cr_assert_eq(dv_view_slice(&slice, view, 205, 60, NULL, NULL), DV_OK);
    take_rows(slice, columns, 2, (const int64_t[]){3, 0}, 2); /* of block 2 */
    cr_expect_eq(dvi_kept_blocks_count(view).found, found + 1);
    cr_expect_eq(dvi_kept_blocks_count(slice).blocks, 0);
    dv_view_release(&slice);

    view = made_of(view, KINDS - 1);
    cr_assert_eq(dv_schema_find(dv_view_schema(view), dv_text_of("a"), &made), DV_OK);
    take_rows(view, &made, 1, (const int64_t[]){7}, 1);
    cr_expect_eq(kept_rows(view, &made, 1, false, -1, 0), 100);
    cr_expect_eq(kept_rows(view, &made, 1, false, 3, 0), 0);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* Each of many small blocks stays, and the table that finds them grows. */
Test(kept_blocks, all_blocks_that_fit_stay)
{
    static const int32_t columns[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    dv_view *view = open_with(path.text, DEFAULT_BUDGET, NULL);
    for (int32_t n = 1; n <= 10; n++)
        for (int64_t block = 0; block < 30; block++)
            take_rows(view, columns, n, (const int64_t[]){block * 100}, 1);
    cr_expect_eq(dvi_kept_blocks_count(view).blocks, 300);
    for (int32_t n = 1; n <= 10; n++)
        for (int64_t block = 0; block < 30; block++)
            cr_expect_eq(kept_rows(view, columns, n, false, -1, block), 100);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* A file whose values are used in place keeps nothing. */
Test(kept_blocks, only_decoded_blocks_are_kept)
{
    static const int32_t columns[] = {0};
    const dvt_path path = dvt_test_path("golden/idv/scalar-all-raw-rpb7.idv");
    dv_view *view = open_with(path.text, DEFAULT_BUDGET, NULL);
    take_rows(view, columns, 1, (const int64_t[]){5, 1}, 2);
    cr_expect_eq(dvi_kept_blocks_count(view).blocks, 0);
    dv_view_release(&view);
}

/* The blocks are freed with the view, also while a cursor has used them. */
Test(kept_blocks, are_freed_with_the_view)
{
    static const int32_t columns[] = {0, 1};
    dvt_allocator counted;
    const dvt_path path = dvt_test_path(DEFLATED);
    dvt_allocator_init(&counted, 0);
    dv_view *view = open_with(path.text, DEFAULT_BUDGET, &counted.allocator);
    const int64_t before = counted.live;
    take_rows(view, columns, 2, (const int64_t[]){5, 1}, 2);
    cr_expect_gt(dvi_kept_blocks_count(view).blocks, 0);
    cr_expect_gt(counted.live, before);
    cr_expect_geq(counted.nbytes, dvi_kept_blocks_count(view).nbytes);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
}

/* --- Damage ----------------------------------------------------------------------------------- */

/* Each take meets a defect itself, with the same rows before it. */
Test(kept_blocks, damaged_blocks)
{
    uint64_t state = 5;
    size_t n;
    int failed = 0;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    uint8_t *bytes = dvt_file_read(path.text, &n);
    for (int round = 0; round < 60; round++) {
        dv_open_options options = DV_OPEN_OPTIONS_INIT;
        dv_view *keeps, *plain;
        const size_t at = 256 + (size_t)draw(&state, (int64_t)n - 2000);
        bytes[at] ^= (uint8_t)(1 + draw(&state, 255));
        cr_assert_eq(dv_open_memory(&keeps, bytes, n, NULL, NULL, "x.idv", &options, NULL), DV_OK);
        options.block_cache_nbytes = 0;
        cr_assert_eq(dv_open_memory(&plain, bytes, n, NULL, NULL, "x.idv", &options, NULL), DV_OK);
        for (int i = 0; i < 6; i++) {
            take t;
            dvt_lines lines = {0};
            draw_take(&t, plain, &state);
            cr_expect(are_alike(keeps, plain, &t));
            cr_expect(are_alike(keeps, plain, &t));
            failed += put_take(&lines, keeps, &t, NULL) < 0;
            dvt_lines_free(&lines);
        }
        dv_view_release(&keeps);
        dv_view_release(&plain);
        free(bytes);
        bytes = dvt_file_read(path.text, &n);
    }
    cr_expect_gt(failed, 20);
    free(bytes);
    dvt_folder_remove(&folder);
}

/* A file that was cut is an error, also if all blocks are kept. */
Test(kept_blocks, a_cut_file)
{
    static const int32_t columns[] = {1};
    static const int64_t rows[] = {250, 7};
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    dv_view *view, *taken;
    dvt_lines lines = {0};
    options.io = DV_IO_MMAP;
    cr_assert_eq(dv_open(&view, path.text, &options, NULL), DV_OK);
    take_rows(view, columns, 1, rows, 2);
    dvt_file_resize(&path, 100);
    cr_assert_eq(dv_view_take(&taken, view, rows, 2, NULL, NULL), DV_OK);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    cursor.columns = columns;
    cursor.columns_count = 1;
    cr_expect_eq(dvt_put_rows(&lines, taken, &cursor, put_batch, NULL), DV_ERR_IO);
    dvt_lines_free(&lines);
    dv_view_release(&taken);
    dv_view_release(&view);
    dvt_folder_remove(&folder);
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Two takes, the second of kept blocks. */
static dv_status attempt(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    static const int64_t rows[] = {9, 3, 4, 0, 9, 13, 1, 2};
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_view *source = NULL, *view = NULL;
    const dvt_path path = dvt_test_path(what);
    how.allocator = allocator;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = dv_view_take(&view, source, rows, COUNT(rows), allocator, err);
    for (int i = 0; i < 2 && status == DV_OK; i++)
        status = dvt_put_rows(lines, view, options, put_batch, err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

Test(kept_blocks, each_allocation_may_fail)
{
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    dvt_fail_each_allocation(attempt, DEFLATED, "deflate", &options);
}

/* A take that ran out of memory keeps nothing wrong: the next one of the same view is right. */
Test(kept_blocks, takes_after_failed_allocations)
{
    uint64_t state = 17;
    dvt_allocator counted;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    dvt_allocator_init(&counted, 0);
    dv_view *keeps = open_with(path.text, 30000, &counted.allocator);
    dv_view *plain = open_with(path.text, 0, NULL);
    int failed = 0;
    for (int round = 0; round < 300; round++) {
        take t;
        dvt_lines lines = {0};
        draw_take(&t, keeps, &state);
        counted.fail_at = counted.asked + 1 + draw(&state, 200);
        const dv_status status = put_take(&lines, keeps, &t, NULL);
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY);
        failed += status == DV_ERR_MEMORY;
        dvt_lines_free(&lines);
        counted.fail_at = 0;
        cr_expect(are_alike(keeps, plain, &t));
    }
    cr_expect_gt(failed, 50);
    cr_expect_gt(dvi_kept_blocks_count(keeps).found, 0);
    cr_expect_leq(dvi_kept_blocks_count(keeps).highest, 30000);
    dv_view_release(&keeps);
    dv_view_release(&plain);
    cr_expect_eq(counted.live, 0);
    dvt_folder_remove(&folder);
}

/* --- Forked children -------------------------------------------------------------------------- */

static int run_child(dv_view *keeps, dv_view *plain)
{
    uint64_t state = 23;
    alarm(60); /* if it waits for a lock that no thread holds */
    bool is_right = dvi_kept_blocks_count(keeps).blocks == 0;
    for (int i = 0; i < 10; i++) {
        take t;
        draw_take(&t, keeps, &state);
        is_right &= are_alike(keeps, plain, &t);
    }
    is_right &= dvi_kept_blocks_count(keeps).blocks > 0;
    dv_view_release(&keeps);
    return is_right ? 0 : 1;
}

/* A child has no threads of its parent, of which one may hold the lock. */
static void fork_while_threads_take(bool has_threads)
{
    dvt_path folder = dvt_folder_create();
    const dvt_path path = save_many(&folder);
    dv_view *keeps = open_with(path.text, DEFAULT_BUDGET, NULL);
    dv_view *plain = open_with(path.text, 0, NULL);
    worker w = {.keeps = keeps, .plain = plain, .state = 29};
    compare_takes(&w);
    for (int round = 0; round < 5; round++) {
        if (has_threads)
            cr_assert_eq(pthread_create(&w.thread, NULL, compare_takes, &w), 0);
        const pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0)
            _exit(run_child(keeps, plain));
        int status;
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        if (has_threads)
            pthread_join(w.thread, NULL);
        cr_expect(w.are_alike);
    }
    dv_view_release(&keeps);
    dv_view_release(&plain);
    dvt_folder_remove(&folder);
}

Test(kept_blocks, a_forked_child_begins_with_none)
{
    fork_while_threads_take(false);
#ifndef DVT_SANITIZED /* a sanitizer's own locks may be held in the child */
    fork_while_threads_take(true);
#endif
}
