/* SPDX-License-Identifier: MIT */
/* test_arrow_memory.c: imports survive allocations that fail, and batches the end of everything
 * else, in other threads too. */
#include "support/again.h"
#include "support/allocator.h"
#include "support/arrow_columns.h"
#include "support/golden_files.h"
#include "support/starved.h"
#include "support/test.h"
#include <dataview/arrow.h>
#include <dataview/open.h>
#include <dataview/save.h>
#include <pthread.h>
#include <string.h>

#define THREADS 8

/* --- Allocations ------------------------------------------------------------------------------ */

typedef struct story {
    const char *name;
    dvt_arrow *(*make)(void);
    bool hold;
} story;

static dvt_arrow *in_table(dvt_arrow *column)
{
    return dvt_arrow_add(dvt_arrow_make("+s", "", column->array.length), column);
}

static dv_status attempt(const void *what, const dv_allocator *allocator,
                         const dv_cursor_options *options, dvt_lines *lines, dv_error *err)
{
    const story *s = what;
    dv_view *view;
    struct ArrowArrayStream stream;
    dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    import.allocator = allocator;
    import.hold = s->hold;
    import.flatten = true;
    import.types = "";
    import.allow_loss = DV_LOSS_NA | DV_LOSS_PRECISION;
    dvt_arrow_stream(&stream, in_table(s->make()), 3);
    dv_status status = dv_view_import_arrow(&view, &stream, &import, err);
    if (status == DV_OK)
        status = dvt_produce_by_value(lines, view, options, err);
    if (stream.release)
        stream.release(&stream);
    dv_view_release(&view);
    return status;
}

/* Each allocation fails once: the rows are the same, or the call says so; nothing leaks. */
static void expect_survival(const story *s)
{
    dvt_lines truth = {0};
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    bool is_done = false;
    cr_assert_eq(attempt(s, NULL, &options, &truth, NULL), DV_OK);
    for (int64_t k = 1; !is_done; k++) {
        dvt_allocator counted;
        dv_error err = DV_ERROR_INIT;
        dvt_lines lines = {0};
        dvt_allocator_init(&counted, k);
        const dv_status status = attempt(s, &counted.allocator, &options, &lines, &err);
        is_done = counted.asked < k;
        cr_expect_eq(status, is_done ? DV_OK : DV_ERR_MEMORY, "%s, allocation %d: %s", s->name,
                     (int)k, err.message);
        if (status == DV_OK)
            cr_expect_str_eq(lines.data, truth.data, "%s, allocation %d", s->name, (int)k);
        cr_expect_eq(counted.live, 0, "%s, allocation %d: a leak", s->name, (int)k);
        dvt_lines_free(&lines);
    }
    dvt_lines_free(&truth);
}

#define STORY(name) {#name, dvt_arrow_##name, true}, {#name, dvt_arrow_##name, false},
static const story stories[] = {DVT_ARROW_COLUMNS(STORY)};

Test(arrow_memory, any_allocation_may_fail)
{
    for (size_t i = 0; i < sizeof stories / sizeof *stories; i++)
        expect_survival(&stories[i]);
    cr_expect_eq(dvt_arrow_live(), 0);
}

/* --- Views of golden files -------------------------------------------------------------------- */

/* What a golden file exports, imported again with the allocator. */
static dv_view *import_golden(const char *name, const dv_allocator *allocator, bool hold)
{
    struct ArrowArrayStream stream;
    dv_error err = DV_ERROR_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    dv_arrow_import_options import = DV_ARROW_IMPORT_OPTIONS_INIT;
    dv_view *view = dvt_golden_open(name, NULL);
    options.times = DV_ARROW_TIMES_TICKS;
    import.allocator = allocator;
    import.hold = hold;
    cr_assert_eq(dv_view_export_arrow(view, &stream, &options, &err), DV_OK);
    dv_view_release(&view);
    cr_assert_eq(dv_view_import_arrow(&view, &stream, &import, &err), DV_OK, "%s", err.message);
    return view;
}

/* After DV_ERR_MEMORY a cursor goes on at the token: no row is lost or comes twice. */
Test(arrow_memory, cursors_go_on)
{
    static const char *const names[] = {"idv/people.idv", "idv/metadata-raw.idv"};
    for (size_t i = 0; i < 2; i++) {
        dvt_allocator counted;
        const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
        dvt_allocator_init(&counted, 0);
        dv_view *view = import_golden(names[i], &counted.allocator, true);
        dvt_resume_after_failures(view, &counted, &options, 3, names[i]);
    }
}

/* The rows of a stream while allocation k fails: all, or those before the failure, which is final
 * since they are read only once.  Returns the number of failures. */
static int read_stream(int64_t k, dvt_lines *lines, bool *is_whole_out)
{
    dvt_allocator counted;
    dv_cursor *cursor = NULL;
    const dv_batch *batch;
    int failures = 0;
    dvt_allocator_init(&counted, 0);
    dv_view *view = import_golden("idv/people.idv", &counted.allocator, false);
    counted.fail_at = counted.asked + k;
    dv_status status = dvt_open_again(&cursor, view, NULL, &failures, NULL);
    while (status == DV_OK && (status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        dvt_put_batch_by_value(lines, batch);
    cr_assert(status == DV_END || status == DV_ERR_MEMORY);
    failures += status == DV_ERR_MEMORY;
    *is_whole_out = status == DV_END;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
    return failures;
}

Test(arrow_memory, streams_lose_no_row)
{
    dvt_lines truth = {0};
    bool is_whole;
    int failures = 0;
    cr_expect_eq(read_stream(INT32_MAX, &truth, &is_whole), 0);
    for (int64_t k = 1; k < 40; k++) {
        dvt_lines lines = {0};
        failures += read_stream(k, &lines, &is_whole);
        cr_expect(is_whole ? lines.nbytes == truth.nbytes : lines.nbytes < truth.nbytes);
        cr_expect(lines.nbytes == 0 || memcmp(lines.data, truth.data, lines.nbytes) == 0,
                  "allocation %d", (int)k);
        dvt_lines_free(&lines);
    }
    cr_expect_gt(failures, 10, "%d", failures);
    dvt_lines_free(&truth);
}

Test(arrow_memory, batches_outlive_the_view)
{
    dvt_allocator counted;
    const dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_allocator_init(&counted, 0);
    dvt_outlive_view(import_golden("idv/people.idv", &counted.allocator, true), &counted, &options);
    cr_expect_eq(counted.live, 0);
}

/* --- Threads ---------------------------------------------------------------------------------- */

typedef struct reader {
    pthread_t thread;
    dv_view *view;         /* a reference */
    const dv_batch *batch; /* the last one, which another thread releases */
    int64_t rows;
} reader;

static void *read_rows(void *ctx)
{
    reader *r = ctx;
    dv_cursor *cursor;
    const dv_batch *batch;
    DVT_MUST(dv_cursor_open(&cursor, r->view, NULL, NULL) == DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK) {
        r->rows += batch->rows;
        dv_batch_release(&r->batch);
        dv_batch_retain(batch);
        r->batch = batch;
    }
    dv_cursor_close(&cursor);
    dv_view_release(&r->view);
    return NULL;
}

/* Threads share a view; what they keep is released by others, after the view. */
Test(arrow_memory, threads_share_a_view)
{
    static reader readers[THREADS];
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dv_view *view = import_golden("idv/people.idv", &counted.allocator, true);
    const int64_t rows = dv_view_rows(view);
    for (int i = 0; i < THREADS; i++) {
        dv_view_retain(view);
        readers[i] = (reader){.view = view};
        cr_assert_eq(pthread_create(&readers[i].thread, NULL, read_rows, &readers[i]), 0);
    }
    dv_view_release(&view);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        cr_expect_eq(readers[i].rows, rows);
    }
    cr_expect_gt(counted.live, 0);
    for (int i = 0; i < THREADS; i++)
        dv_batch_release(&readers[i].batch);
    cr_expect_eq(counted.live, 0);
}

static void *release_array(void *ctx)
{
    struct ArrowArray *array = ctx;
    array->release(array);
    return NULL;
}

/* Arrays that are exported, each released in a thread of its own while the stream goes on. */
Test(arrow_memory, arrays_are_released_elsewhere)
{
    static struct ArrowArray arrays[64];
    pthread_t threads[64];
    int n = 0;
    struct ArrowArrayStream stream;
    dv_view *view = dvt_golden_open("idv/people.idv", NULL);
    dv_cursor_options cursor = DV_CURSOR_OPTIONS_INIT;
    dv_arrow_options options = DV_ARROW_OPTIONS_INIT;
    cursor.batch_rows = 32;
    options.cursor = &cursor;
    cr_assert_eq(dv_view_export_arrow(view, &stream, &options, NULL), DV_OK);
    dv_view_release(&view);
    while (stream.get_next(&stream, &arrays[n]) == 0 && arrays[n].release) {
        cr_assert_eq(pthread_create(&threads[n], NULL, release_array, &arrays[n]), 0);
        n++;
    }
    stream.release(&stream);
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(n, 19);
}

/* --- Children --------------------------------------------------------------------------------- */

#define CHILDREN 5 /* columns of people.idv: texts, numbers, a list */

/* The first array of people.idv, which outlives all else. */
static void export_people(struct ArrowArray *array_out, dvt_allocator *counted)
{
    struct ArrowArrayStream stream;
    dv_open_options open = DV_OPEN_OPTIONS_INIT;
    open.allocator = &counted->allocator;
    dv_view *view = dvt_golden_open("idv/people.idv", &open);
    cr_assert_eq(dv_view_export_arrow(view, &stream, NULL, NULL), DV_OK);
    dv_view_release(&view);
    cr_assert_eq(stream.get_next(&stream, array_out), 0);
    stream.release(&stream);
    cr_assert_eq(array_out->n_children, CHILDREN);
}

/* Move all children out, as the interface allows. */
static void move_children(struct ArrowArray *children, struct ArrowArray *array)
{
    for (int i = 0; i < CHILDREN; i++) {
        children[i] = *array->children[i];
        array->children[i]->release = NULL;
    }
}

static void expect_names(const struct ArrowArray *names)
{
    const int32_t *offsets = names->buffers[1];
    cr_expect_eq(memcmp((const char *)names->buffers[2] + offsets[0], "user 0", 6), 0);
}

/* Whichever child is last, it is whole, and nothing is left after it. */
Test(arrow_memory, children_are_released_in_any_order)
{
    for (int last = 0; last < CHILDREN; last++) {
        struct ArrowArray array, children[CHILDREN];
        dvt_allocator counted;
        dvt_allocator_init(&counted, 0);
        export_people(&array, &counted);
        move_children(children, &array);
        if (last % 2 == 0)
            children[(last + 1) % CHILDREN].release(&children[(last + 1) % CHILDREN]);
        array.release(&array);
        for (int i = 1; i < CHILDREN; i++)
            if (children[(last + i) % CHILDREN].release)
                children[(last + i) % CHILDREN].release(&children[(last + i) % CHILDREN]);
        cr_expect_gt(counted.live, 0);
        if (last == 0)
            expect_names(&children[0]);
        children[last].release(&children[last]);
        cr_expect_eq(counted.live, 0, "child %d last", last);
    }
}

/* Children that stay are released with their parent; of those released before, nothing is left. */
Test(arrow_memory, children_are_released_in_place)
{
    struct ArrowArray array;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    export_people(&array, &counted);
    struct ArrowArray *list = array.children[CHILDREN - 1];
    list->children[0]->release(list->children[0]);
    list->release(list);
    cr_expect_null((void *)(uintptr_t)list->release);
    expect_names(array.children[0]);
    array.release(&array);
    cr_expect_eq(counted.live, 0);
}

/* Children that were moved out, each released in a thread of its own, the parent meanwhile. */
Test(arrow_memory, children_are_released_elsewhere)
{
    static struct ArrowArray children[CHILDREN];
    pthread_t threads[CHILDREN];
    struct ArrowArray array;
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    export_people(&array, &counted);
    move_children(children, &array);
    for (int i = 0; i < CHILDREN; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, release_array, &children[i]), 0);
    array.release(&array);
    for (int i = 0; i < CHILDREN; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(counted.live, 0);
}
