/* SPDX-License-Identifier: MIT */
/* test_concurrent.c: checks that any number of threads may read one view (view.h, batch.h). */
#include "support/golden_files.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/inspect.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 8

static const char *const names[] = {
    "idv/people.idv",
    "idv/scalar-all-deflate-rpb7.idv",
    "idv/scalar-all-raw-rpb1.idv",
    "idv/vector-TX-raw.idv",
    "idv/metadata-raw.idv",
    "idv/random-21.idv",
    "idv/vector-R4-raw.idv",
    "idv/text-unicode-raw-rpb1.idv",
    "idv-crafted/old-datetime.idv",
};
static dvt_producer *const ways[] = {dvt_produce_by_value, dvt_produce_by_getter,
                                     dvt_produce_by_layout};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The task of a thread, and its result. */
typedef struct reader {
    pthread_t thread;
    dv_view *view;
    int number;
    dv_status status;
    uint64_t hash;
} reader;

/* Does every name of the schema lead to a column of that name, and do the facts come? */
static bool is_schema_sound(dv_view *view)
{
    const dv_schema *schema = dv_view_schema(view);
    dv_facts *facts = NULL;
    bool is_sound = dv_inspect(&facts, view, NULL) == DV_OK;
    for (int32_t i = 0; i < dv_schema_columns(schema); i++) {
        const dv_column_info *info = dv_schema_column(schema, i);
        int32_t found;
        is_sound &= dv_schema_find(schema, info->name, &found) == DV_OK &&
                    (info->is_hidden ? found > i : found == i);
    }
    is_sound &= facts && facts->rows == dv_view_rows(view);
    dv_facts_free(&facts);
    return is_sound;
}

/* Everything in the view as one hash: header with all metadata, then all rows. */
static void read_all(reader *r)
{
    dvt_lines lines = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = 1 + r->number % 3;
    options.batch_rows = r->number % 2 * 5;
    r->status = ways[(size_t)r->number % COUNT(ways)](&lines, r->view, &options, NULL);
    if (r->status == DV_OK && !is_schema_sound(r->view))
        r->status = DV_NOT_FOUND;
    r->hash = dvt_lines_hash(&lines);
    dvt_lines_free(&lines);
}

static void *run_reader(void *ctx)
{
    reader *r = ctx;
    read_all(r);
    dv_view_release(&r->view); /* one of them closes the view */
    return NULL;
}

/* The ways print alike but for the escapes of text, so each has a hash to be compared with. */
static void check_readers(const char *name, dv_io io)
{
    dv_open_options options = DV_OPEN_OPTIONS_INIT;
    options.io = io;
    dv_view *view = dvt_golden_open(name, &options);
    reader alone[COUNT(ways)], many[THREADS];
    for (size_t i = 0; i < COUNT(ways); i++) {
        alone[i] = (reader){.view = view, .number = (int)i};
        read_all(&alone[i]);
        cr_assert_eq(alone[i].status, DV_OK, "%s", name);
    }
    for (int i = 0; i < THREADS; i++) {
        dv_view_retain(view);
        many[i] = (reader){.view = view, .number = i};
        cr_assert_eq(pthread_create(&many[i].thread, NULL, run_reader, &many[i]), 0);
    }
    dv_view_release(&view);
    for (int i = 0; i < THREADS; i++)
        pthread_join(many[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        cr_expect_eq(many[i].status, DV_OK, "%s, thread %d", name, i);
        cr_expect_eq(many[i].hash, alone[(size_t)i % COUNT(ways)].hash, "%s, thread %d", name, i);
    }
}

Test(concurrent, every_thread_reads_the_same)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        check_readers(names[i], DV_IO_MMAP);
        check_readers(names[i], DV_IO_PREAD);
    }
}

/* --- Batches that other threads hold ---------------------------------------------------------- */

#define BATCHES_MAX 256

/* Batches of one cursor, each retained once; text[i] is what batch i shows. */
static const dv_batch *batches[BATCHES_MAX];
static dvt_lines text[BATCHES_MAX];
static int batch_count;

static void *show_share(void *ctx)
{
    for (int i = *(const int *)ctx; i < batch_count; i += THREADS) {
        dvt_put_batch_by_layout(&text[i], batches[i]);
        dv_batch_release(&batches[i]);
    }
    return NULL;
}

/* Retain every batch; while other threads show and release them, the cursor's view is read again.
 */
static void check_held(const char *name, int32_t threads)
{
    dv_view *view = dvt_golden_open(name, NULL);
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.threads = threads;
    dvt_lines expected = {0}, all = {0};
    cr_assert_eq(dvt_put_rows(&expected, view, &options, dvt_put_batch_by_layout, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    for (batch_count = 0; dv_cursor_next(cursor, &batch, NULL) == DV_OK; batch_count++) {
        cr_assert_lt(batch_count, BATCHES_MAX);
        dv_batch_retain(batch);
        batches[batch_count] = batch;
    }
    dv_cursor_close(&cursor);

    pthread_t others[THREADS];
    int first[THREADS];
    for (int i = 0; i < THREADS; i++) {
        first[i] = i;
        cr_assert_eq(pthread_create(&others[i], NULL, show_share, &first[i]), 0);
    }
    cr_expect_eq(dvt_put_rows(&all, view, &options, dvt_put_batch_by_layout, NULL), DV_OK);
    dv_view_release(&view);
    for (int i = 0; i < THREADS; i++)
        pthread_join(others[i], NULL);
    cr_expect_eq(dvt_lines_hash(&all), dvt_lines_hash(&expected), "%s", name);
    dvt_lines_free(&all);
    for (int i = 0; i < batch_count; i++) {
        dvt_lines_add(&all, text[i].data, text[i].nbytes);
        dvt_lines_free(&text[i]);
    }
    cr_expect_eq(dvt_lines_hash(&all), dvt_lines_hash(&expected), "%s", name);
    dvt_lines_free(&all);
    dvt_lines_free(&expected);
}

Test(concurrent, batches_may_be_held_by_other_threads)
{
    for (size_t i = 0; i < COUNT(names); i++) {
        check_held(names[i], 1);
        check_held(names[i], 4);
    }
}

/* --- Offsets, made by whoever asks first ------------------------------------------------------ */

/* A thread asks for the offsets of every column of one batch. */
typedef struct asker {
    pthread_t thread;
    const dv_batch *batch;
    const int64_t *indices[8], *items[8];
    bool is_sound;
} asker;

static bool starts_and_rises(const int64_t *offsets, int64_t rows, int64_t base)
{
    bool rises = offsets[0] == base;
    for (int64_t i = 0; i < rows; i++)
        rises &= offsets[i] <= offsets[i + 1];
    return rises;
}

static void *ask_for_offsets(void *ctx)
{
    asker *a = ctx;
    a->is_sound = true;
    for (int32_t k = 0; k < a->batch->columns; k++) {
        const dv_column_view *column = dv_batch_column(a->batch, k);
        a->indices[k] = a->items[k] = NULL;
        if (column->layout != DV_LAYOUT_VECTOR)
            continue;
        if (dv_vector_offsets(a->batch, k, &a->indices[k], &a->items[k], NULL) != DV_OK)
            return a->is_sound = false, NULL;
        const dv_vector_layout *vector = &column->as.vector;
        a->is_sound &= starts_and_rises(a->indices[k], column->rows, vector->index_base) &&
                       starts_and_rises(a->items[k], column->rows, vector->item_base);
    }
    return NULL;
}

Test(concurrent, any_thread_may_ask_for_offsets)
{
    dv_view *view = dvt_golden_open("idv/vector-R4-raw.idv", NULL);
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    cr_assert_leq(dv_schema_columns(dv_view_schema(view)), 8);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        asker askers[THREADS];
        for (int i = 0; i < THREADS; i++) {
            askers[i].batch = batch;
            cr_assert_eq(pthread_create(&askers[i].thread, NULL, ask_for_offsets, &askers[i]), 0);
        }
        for (int i = 0; i < THREADS; i++)
            pthread_join(askers[i].thread, NULL);
        for (int i = 0; i < THREADS; i++) {
            cr_expect(askers[i].is_sound, "thread %d", i);
            for (int32_t k = 0; k < batch->columns; k++)
                cr_expect(askers[i].indices[k] == askers[0].indices[k] &&
                              askers[i].items[k] == askers[0].items[k],
                          "thread %d got other memory", i);
        }
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
}

/* Retaining and releasing one batch from many threads at once. */
static void *hold_and_let_go(void *ctx)
{
    for (int i = 0; i < 1000; i++) {
        const dv_batch *mine = ctx;
        dv_batch_retain(mine);
        dv_batch_release(&mine);
    }
    const dv_batch *last = ctx;
    dv_batch_release(&last);
    return NULL;
}

Test(concurrent, references_are_counted_by_any_thread)
{
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    pthread_t threads[THREADS];
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_next(cursor, &batch, NULL), DV_OK);
    union {
        const dv_batch *batch;
        void *ctx;
    } held = {batch};
    for (int i = 0; i < THREADS; i++)
        dv_batch_retain(batch);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, hold_and_let_go, held.ctx), 0);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}
