/* SPDX-License-Identifier: MIT */
/* test_convert_memory.c: memory of converted columns: failing allocations, lifetimes, threads,
 * limits. */
#include "support/allocator.h"
#include "support/golden_files.h"
#include "support/made_table.h"
#include "support/produce.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <pthread.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A file, and the columns of it to convert: by name, to the type beside it. */
typedef struct story {
    const char *file;
    const char *name[3];
    dv_kind kind[3];
} story;

static const story stories[] = {
    {"idv/people.idv", {"Age", "Name", "Seen"}, {DV_KIND_TX, DV_KIND_R4, DV_KIND_I8}},
    {"idv/scalar-all-deflate-rpb7.idv", {"DZ", "R8", "TX"}, {DV_KIND_R8, DV_KIND_TX, DV_KIND_DZ}},
    {"idv/vector-wide-sparse.idv", {NULL}, {DV_KIND_TX}},
    {"idv/vector-I4-raw.idv", {NULL}, {DV_KIND_R4}},
};

/* Convert the columns of an open view; a NULL name is column 0. */
static dv_status convert(dv_view **view_out, dv_view *source, const story *s,
                         const dv_allocator *allocator, dv_error *err)
{
    dv_conversion_spec specs[3];
    int32_t n = 0;
    do {
        const char *name = s->name[n];
        specs[n] = (dv_conversion_spec){name ? dv_text_of(name)
                                             : dv_schema_column(dv_view_schema(source), 0)->name,
                                        dv_text_of(NULL), dv_type_of(s->kind[n])};
    } while (++n < 3 && s->name[n]);
    return dv_view_convert(view_out, source, specs, n, allocator, err);
}

static dv_view *open_converted(const story *s, dv_io io, const dv_allocator *allocator)
{
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dv_view *view = NULL;
    how.io = io;
    how.allocator = allocator;
    dv_view *source = dvt_golden_open(s->file, &how);
    cr_assert_eq(convert(&view, source, s, allocator, &err), DV_OK, "%s", err.message);
    dv_view_release(&source);
    return view;
}

/* --- No memory -------------------------------------------------------------------------------- */

static dv_status use_story(const void *what, const dv_allocator *allocator,
                           const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_view *source = NULL, *view = NULL;
    dv_open_options how = DV_OPEN_OPTIONS_INIT;
    const dvt_path folder = dvt_test_path("golden"), path = dvt_path_in(&folder, s->file);
    how.allocator = allocator;
    dv_status status = dv_open(&source, path.text, &how, err);
    if (status == DV_OK)
        status = convert(&view, source, s, allocator, err);
    dv_view_release(&source);
    if (status == DV_OK)
        status = dvt_use_view(view, dvt_produce_by_value, options, lines, err);
    dv_view_release(&view);
    return status;
}

Test(convert_memory, each_allocation_may_fail)
{
    for (size_t i = 0; i < COUNT(stories); i++) {
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        options.batch_rows = i % 2 ? 0 : 9;
        options.take = 14;
        options.threads = 1;
        options.ids = true;
        dvt_fail_each_allocation(use_story, &stories[i], stories[i].file, &options);
    }
}

Test(convert_memory, a_call_that_failed_may_be_repeated)
{
    for (size_t i = 0; i < 2 * COUNT(stories); i++) {
        const story *s = &stories[i / 2];
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view = open_converted(s, DV_IO_MMAP, &counted.allocator);
        options.batch_rows = i % 2 * 4;
        options.take = 14;
        options.threads = 1;
        dvt_resume_after_failures(view, &counted, &options, 5, s->file);
    }
}

/* After the first batches of one size, further ones allocate nothing. */
Test(convert_memory, none_per_batch)
{
    static double numbers[4000];
    static int32_t counts[4000], indices[4000];
    for (int64_t size = 0; size <= 3; size += 3)
        for (int is_vector = 0; is_vector < 2; is_vector++) {
            dvt_allocator counted;
            dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
            dv_cursor *cursor;
            const dv_batch *batch;
            dv_view *view;
            dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_R8), numbers, 4000);
            dvt_made_table table = {
                .columns = 1, .rows = 4000, .block_rows = 50, .bad_row = -1, .column = {items}};
            dv_column_view *column = &table.column[0];
            for (int k = 0; k < 4000 && is_vector; k++)
                counts[k] = 1;
            if (is_vector) {
                column->type = dv_type_vector(items.type, 3);
                column->layout = DV_LAYOUT_VECTOR;
                column->as.vector = (dv_vector_layout){.length = 3, .items = &items};
                column->as.vector.counts = (dv_buffer){counts, sizeof counts, NULL, false, true};
                column->as.vector.indices = (dv_buffer){indices, sizeof indices, NULL, false, true};
            }
            dvt_allocator_init(&counted, 0);
            dv_view *source = dvt_made_table_open(&table, &counted.allocator);
            const dv_conversion_spec specs[] = {
                {dv_text_of("a"), dv_text_of("t"), dv_type_of(DV_KIND_TX)},
                {dv_text_of("a"), dv_text_of("n"), dv_type_of(DV_KIND_R4)}};
            cr_assert_eq(dv_view_convert(&view, source, specs, 2, &counted.allocator, NULL), DV_OK);
            options.batch_rows = size;
            options.ids = true;
            options.threads = 1;
            cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
            int64_t rows = 0, asked = 0;
            while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
                rows += batch->rows;
                asked = rows <= 200 ? counted.asked : asked;
            }
            cr_expect_eq(rows, 4000);
            cr_expect_eq(counted.asked, asked, "%d rows a batch", (int)size);
            dv_cursor_close(&cursor);
            dv_view_release(&view);
            dv_view_release(&source);
            cr_expect_eq(counted.live, 0);
        }
}

/* --- Holders ---------------------------------------------------------------------------------- */

Test(convert_memory, batches_outlive_everything)
{
    for (size_t i = 0; i < 8 * COUNT(stories); i++) {
        dvt_allocator counted;
        dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view =
            open_converted(&stories[i / 8], i & 1 ? DV_IO_PREAD : DV_IO_MMAP, &counted.allocator);
        options.batch_rows = i & 2 ? 7 : 0;
        options.threads = i & 4 ? 4 : 1;
        options.take = 200;
        options.ids = true;
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

static void read_alone(reader *r)
{
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.batch_rows = r->number % 3 * 5;
    options.threads = 1 + r->number % 2 * 2;
    r->status = dvt_produce_by_value(&lines, r->view, &options, NULL);
    r->hash = dvt_lines_hash(&lines);
    dvt_lines_free(&lines);
}

static void *read_all(void *ctx)
{
    reader *r = ctx;
    read_alone(r);
    dv_view_release(&r->view); /* one of them closes the view */
    return NULL;
}

Test(convert_memory, cursors_in_many_threads)
{
    for (size_t i = 0; i < 3; i++) { /* the last has vectors whose lines differ with batches */
        const story *s = &stories[i == 2 ? 3 : i];
        dv_view *view = open_converted(s, DV_IO_MMAP, NULL);
        reader alone = {.view = view}, many[THREADS];
        read_alone(&alone);
        cr_assert_eq(alone.status, DV_OK);
        for (int k = 0; k < THREADS; k++) {
            dv_view_retain(view);
            many[k] = (reader){.view = view, .number = k};
            cr_assert_eq(pthread_create(&many[k].thread, NULL, read_all, &many[k]), 0);
        }
        dv_view_release(&view);
        for (int k = 0; k < THREADS; k++) {
            pthread_join(many[k].thread, NULL);
            cr_expect_eq(many[k].status, DV_OK);
            cr_expect_eq(many[k].hash, alone.hash, "%s, thread %d", s->file, k);
        }
    }
}

/* --- Too much --------------------------------------------------------------------------------- */

/* A few bytes that declare a thousand million slots must not allocate as many. */
Test(convert_memory, texts_of_empty_slots_have_a_limit)
{
    static const int32_t none[4];
    static const int64_t nothing[1];
    dv_error err = DV_ERROR_INIT;
    static const int32_t lengths[] = {1000, 1000000, 1000000000};
    for (size_t i = 0; i < COUNT(lengths); i++) {
        const int32_t length = lengths[i];
        dvt_allocator counted;
        dv_cursor *cursor;
        const dv_batch *batch;
        dv_view *view;
        dv_column_view items = dvt_made_fixed(dv_type_of(DV_KIND_I8), nothing, 0);
        dvt_made_table table = {.columns = 1, .rows = 4, .block_rows = 4, .bad_row = -1};
        table.column[0] = (dv_column_view){
            .type = dv_type_vector(items.type, length), .layout = DV_LAYOUT_VECTOR, .rows = 4};
        table.column[0].as.vector = (dv_vector_layout){.length = length, .items = &items};
        table.column[0].as.vector.counts = (dv_buffer){none, sizeof none, NULL, false, true};
        dvt_allocator_init(&counted, 0);
        dv_view *source = dvt_made_table_open(&table, &counted.allocator);
        const dv_conversion_spec spec = {dv_text_of("a"), dv_text_of(NULL), dv_type_of(DV_KIND_TX)};
        cr_assert_eq(dv_view_convert(&view, source, &spec, 1, &counted.allocator, NULL), DV_OK);
        cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
        const dv_status status = dv_cursor_next(cursor, &batch, &err);
        cr_expect_eq(status, length > 100000000 ? DV_ERR_LIMIT : DV_OK, "%d slots", (int)length);
        dv_cursor_close(&cursor);
        cr_expect_leq(counted.highest, INT64_C(40000000));
        dv_view_release(&view);
        dv_view_release(&source);
    }
    cr_expect_str_eq(err.rule, "row_nbytes");
    cr_expect(*err.expected && *err.found);
}
