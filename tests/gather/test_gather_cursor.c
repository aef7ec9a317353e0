/* SPDX-License-Identifier: MIT */
/* test_gather_cursor.c: rows read by number have the source's values, however their numbers come,
 * and memory is bounded (gather_cursor.h, row_gatherer.h). */
#include "base/alloc.h"
#include "scan/derived.h"
#include "gather/gather_cursor.h"
#include "support/allocator.h"
#include "support/concatenated.h"
#include "support/golden_files.h"
#include "support/many_rows.h"
#include "support/produce.h"
#include "support/test.h"
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* --- A view of fetched rows ------------------------------------------------------------------- */

typedef struct fetched {
    dvi_derived base;
    dvi_gather_plan plan;
    const int64_t *numbers; /* the test's */
    int64_t n;
    int64_t *peak; /* the test's; NULL: not asked for */
} fetched;

static const fetched *open_now; /* the view whose cursor was opened last */

static int64_t next_numbers(void *ctx, int64_t position, int64_t *rows_out, int64_t n)
{
    const fetched *f = ctx;
    int64_t i = 0;
    for (; i < n && position + i < f->n; i++)
        rows_out[i] = f->numbers[position + i];
    return i;
}

static dv_status open_cursor(void *self, const dv_cursor_request *request, void **cursor_out,
                             dv_error *err)
{
    fetched *f = self;
    const dvi_row_numbers numbers = {.next = next_numbers, .ctx = f};
    open_now = f;
    return dvi_gather_cursor_open(cursor_out, f->base.source, request, &f->plan, &numbers, err);
}

static void close_cursor(void *cursor)
{
    if (open_now->peak)
        *open_now->peak = dvi_gather_cursor_peak(cursor);
    dvi_gather_cursor_close(cursor);
}

static int64_t count_rows(void *self)
{
    return ((const fetched *)self)->n;
}

static const dv_view_class fetched_class = {.size = sizeof fetched_class,
                                            .kind = "fetched",
                                            .rows = count_rows,
                                            .check = dvi_nothing_to_check,
                                            .open_cursor = open_cursor,
                                            .next = dvi_gather_cursor_next,
                                            .close_cursor = close_cursor};

static dv_status open_fetched(dv_view **view_out, dv_view *source, const dvi_gather_plan *plan,
                              const int64_t *numbers, int64_t n, int64_t *peak,
                              const dv_allocator *allocator)
{
    void *made;
    *view_out = NULL;
    const dv_status status = dvi_derived_create(&made, sizeof(fetched), source, allocator, NULL);
    if (status < 0)
        return status;
    fetched *f = made;
    f->plan = *plan;
    f->plan.what = "fetched rows";
    f->numbers = numbers;
    f->n = n;
    f->peak = peak;
    return dvi_derived_view(view_out, &fetched_class, f, NULL, NULL);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

typedef struct order {
    int64_t *numbers, n;
    dvi_gather_plan plan;
} order;

static int64_t below(uint64_t *state, int64_t n)
{
    return (int64_t)(dvt_draw(state) % (uint64_t)n);
}

static order draw_any(int64_t rows, uint64_t *state)
{
    order o = {malloc(2000 * sizeof(int64_t)), below(state, 2000), {.end_row = rows}};
    for (int64_t i = 0; i < o.n; i++)
        o.numbers[i] = below(state, rows);
    return o;
}

static order draw_rising(int64_t rows, uint64_t *state)
{
    order o = {malloc((size_t)rows * sizeof(int64_t)), 0, {.end_row = rows, .ascending = true}};
    const int64_t step = 1 + below(state, 3);
    for (int64_t row = below(state, rows); row < rows; row += step)
        o.numbers[o.n++] = row;
    return o;
}

/* Blocks in a random order (in order if they are read in sequence) enter a pool row by row, from
 * which any row is drawn. */
static order draw_pool(int64_t rows, int64_t block_rows, int64_t pool_rows, bool sequential,
                       uint64_t *state)
{
    const int64_t blocks = (rows - 1) / block_rows + 1;
    int64_t *pool = malloc((size_t)rows * sizeof *pool), in = 0, size = 0;
    int64_t *blocks_order = malloc((size_t)blocks * sizeof *blocks_order);
    order o = {malloc((size_t)rows * sizeof(int64_t)),
               0,
               {.end_row = rows, .block_rows = block_rows, .pool_rows = pool_rows}};
    for (int64_t i = 0; i < blocks; i++)
        blocks_order[i] = i;
    for (int64_t i = blocks - 1; i > 0 && !sequential; i--) {
        const int64_t j = below(state, i + 1), kept = blocks_order[i];
        blocks_order[i] = blocks_order[j];
        blocks_order[j] = kept;
    }
    int64_t *entering = malloc((size_t)rows * sizeof *entering), entered = 0;
    for (int64_t i = 0; i < blocks; i++)
        for (int64_t row = blocks_order[i] * block_rows;
             row < rows && row < (blocks_order[i] + 1) * block_rows; row++)
            entering[entered++] = row;
    while (o.n < rows) {
        while (size < pool_rows && in < rows)
            pool[size++] = entering[in++];
        const int64_t k = below(state, size);
        o.numbers[o.n++] = pool[k];
        pool[k] = pool[--size];
    }
    free(entering);
    free(blocks_order);
    free(pool);
    return o;
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* Where each line starts, and where the last one ends. */
static char **index_lines(const dvt_lines *all, int64_t rows)
{
    char **starts = malloc((size_t)(rows + 1) * sizeof *starts), *p = all->data;
    for (int64_t i = 0; i < rows; i++) {
        starts[i] = p;
        p = strchr(p, '\n') + 1;
    }
    starts[rows] = p;
    return starts;
}

static void put_truth(dvt_lines *truth, char *const *starts, const order *o, int64_t first,
                      int64_t end)
{
    for (int64_t i = first; i < end; i++) {
        const char *line = starts[o->numbers[i]], *rest = line + strcspn(line, " ");
        dvt_lines_print(truth, "%d", (int)i);
        dvt_lines_add(truth, rest, (size_t)(starts[o->numbers[i] + 1] - rest));
    }
}

static void expect_rows(const char *story, dv_view *source, char *const *starts, const order *o,
                        uint64_t *state)
{
    static const int64_t sizes[] = {0, 1, 3, 64, INT64_MAX};
    dv_error err = DV_ERROR_INIT;
    dv_view *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dvt_lines truth = {0}, lines = {0};
    cr_assert_eq(open_fetched(&view, source, &o->plan, o->numbers, o->n, NULL, NULL), DV_OK);
    options.ids = true;
    options.batch_rows = sizes[below(state, COUNT(sizes))];
    options.first_row = o->plan.pool_rows ? 0 : below(state, o->n + 1);
    options.end_row = o->n - below(state, o->n - options.first_row + 1);
    put_truth(&truth, starts, o, options.first_row, options.end_row);
    cr_expect_eq(dvt_put_numbered(&lines, view, &options, &err), DV_OK, "%s", err.message);
    const char *want = truth.data ? truth.data : "", *got = lines.data ? lines.data : "";
    cr_expect_str_eq(got, want, "%s, %d rows, pool %d, blocks of %d: wanted\n%.200s\ngot\n%.200s",
                     story, (int)o->n, (int)o->plan.pool_rows, (int)o->plan.block_rows, want, got);
    dvt_lines_free(&truth);
    dvt_lines_free(&lines);
    dv_view_release(&view);
}

static void expect_all_orders(const char *story, dv_view *source, uint64_t *state)
{
    static const int64_t blocks[] = {1, 3, 7, 64, 200};
    dvt_lines all = {0};
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.ids = true;
    cr_assert_eq(dvt_put_numbered(&all, source, &options, NULL), DV_OK);
    int64_t rows = 0;
    for (size_t i = 0; i < all.nbytes; i++)
        rows += all.data[i] == '\n';
    char **starts = index_lines(&all, rows);
    const bool sequential = dv_view_block_rows(source) == 0;
    for (int i = 0; rows > 0 && i < 24; i++) {
        order o = i % 3 == 0   ? draw_any(rows, state)
                  : i % 3 == 1 ? draw_rising(rows, state)
                               : draw_pool(rows, blocks[below(state, COUNT(blocks))],
                                           1 + below(state, 60), sequential, state);
        expect_rows(story, source, starts, &o, state);
        free(o.numbers);
    }
    free(starts);
    dvt_lines_free(&all);
}

Test(gather_cursor, rows_of_all_formats)
{
    static const char *const sources[] = {
        "idv/people.idv",
        "idv/scalar-all-raw-rpb7.idv",
        "idv/scalar-all-deflate-rpb64-anyorder.idv",
        "idv/scalar-all-deflate-rpb7.idv",
        "idv/random-21.idv",
        "idv/vector-TX-raw.idv",
        "idv/rows-0-raw.idv",
        "btable/article.btable",
        "btable/random-03.btable",
        "datadings/tiny.msgpack",
        "text/load/embed-rows.txt",
    };
    uint64_t state = 5;
    for (size_t i = 0; i < COUNT(sources); i++) {
        dv_view *source = dvt_golden_open(sources[i], NULL), *held, *both;
        expect_all_orders(sources[i], source, &state);
        cr_assert_eq(dv_view_materialize(&held, source, NULL, NULL, NULL), DV_OK);
        expect_all_orders("held", held, &state);
        cr_assert_eq(dv_view_concat(&both, (dv_view *[]){source, held}, 2, NULL, NULL), DV_OK);
        expect_all_orders("appended", both, &state);
        dv_view_release(&both);
        dv_view_release(&held);
        dv_view_release(&source);
    }
}

/* Large vectors of many kinds, in blocks that are not mapped. */
Test(gather_cursor, rows_that_are_made)
{
    static const dv_conversion_spec specs[] = {{{"c", 1}, {"c", 1}, {.kind = DV_KIND_R8}},
                                               {{"a", 1}, {"a", 1}, {.kind = DV_KIND_TX}}};
    uint64_t state = 9;
    dvt_many_rows *many = dvt_many_rows_create(1500, 40);
    dv_view *source = dvt_made_table_open(&many->table, NULL), *view;
    cr_assert_eq(dv_view_convert(&view, source, specs, COUNT(specs), NULL, NULL), DV_OK);
    for (int i = 0; i < 2; i++) {
        expect_all_orders("made", source, &state);
        expect_all_orders("converted", view, &state);
        many->table.in_blocks = true;
    }
    dv_view_release(&view);
    dv_view_release(&source);
    dvt_many_rows_free(many);
}

/* --- Bounds ----------------------------------------------------------------------------------- */

#define MANY 20000

static dvt_many_rows *many;

/* Decoded rows: vectors of four R8 and a number as text, some 60 bytes each. */
static dv_view *open_decoded(const dv_allocator *allocator)
{
    static const dv_conversion_spec specs[] = {{{"d", 1}, {"d", 1}, {.kind = DV_KIND_R8}},
                                               {{"c", 1}, {"c", 1}, {.kind = DV_KIND_TX}}};
    dv_view *view, *source = dvt_made_table_open(&many->table, allocator);
    many->table.in_blocks = true;
    cr_assert_eq(dv_view_convert(&view, source, specs, COUNT(specs), allocator, NULL), DV_OK);
    dv_view_release(&source);
    return view;
}

static int64_t read_peak(const order *o, int64_t *read_out)
{
    int64_t peak = 0, rows = 0;
    dv_view *view, *source = open_decoded(NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    many->table.read = 0;
    cr_assert_eq(open_fetched(&view, source, &o->plan, o->numbers, o->n, &peak, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while (dv_cursor_next(cursor, &batch, NULL) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(rows, o->n);
    *read_out = many->table.read;
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    return peak;
}

/* A pool of four blocks never keeps more than five pools of rows, and no row is read twice; of
 * rising rows one block is kept. */
Test(gather_cursor, memory_is_bounded)
{
    uint64_t state = 11;
    int64_t read, all;
    many = dvt_many_rows_create(MANY, 200);
    order pool = draw_pool(MANY, 200, 800, false, &state);
    order rising = draw_rising(MANY, &state);
    order any = draw_pool(MANY, 200, MANY, false, &state);
    any.plan = (dvi_gather_plan){.end_row = MANY};
    const int64_t whole = read_peak(&any, &all);
    const int64_t pooled = read_peak(&pool, &read);
    cr_expect_eq(read, all, "%d rows read, of %d", (int)read, (int)all);
    cr_expect_lt(pooled, whole / MANY * 5 * 800, "%d bytes of %d", (int)pooled, (int)whole);
    cr_expect_lt(read_peak(&rising, &read), whole / MANY * 3 * 200);
    free(pool.numbers);
    free(rising.numbers);
    free(any.numbers);
    dvt_many_rows_free(many);
}

/* --- What cannot be read ---------------------------------------------------------------------- */

static void expect_error(const order *o, int64_t bad)
{
    int64_t rows = 0, sound = 0;
    dv_view *view, *source = dvt_made_table_open(&many->table, NULL);
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    while (o->numbers[sound] != bad)
        sound++;
    cr_assert_eq(open_fetched(&view, source, &o->plan, o->numbers, o->n, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, NULL, NULL), DV_OK);
    while ((status = dv_cursor_next(cursor, &batch, NULL)) == DV_OK)
        rows += batch->rows;
    cr_expect_eq(status, DV_ERR_CORRUPT);
    cr_expect_eq(rows, sound, "%d rows before, not %d", (int)rows, (int)sound);
    cr_expect_eq(dv_cursor_next(cursor, &batch, NULL), DV_ERR_CORRUPT);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
}

/* All rows before the one that cannot be read are delivered, also those of its block: this table
 * delivers them if they are read by themselves. */
Test(gather_cursor, errors_come_after_the_rows_before)
{
    uint64_t state = 17;
    many = dvt_many_rows_create(2000, 40);
    for (int i = 0; i < 40; i++) {
        many->table.bad_row = 900 + below(&state, 1000);
        many->table.in_blocks = i % 2;
        order o = draw_pool(2000, i % 4 < 2 ? 40 : 200, 100, i % 2 == 0, &state);
        expect_error(&o, many->table.bad_row);
        o.plan.pool_rows = o.plan.block_rows = 0;
        expect_error(&o, many->table.bad_row);
        free(o.numbers);
    }
    dvt_many_rows_free(many);
}

/* --- Memory that runs out, and batches that stay ---------------------------------------------- */

static dv_status try_all(const order *o, const dv_allocator *allocator, dvt_lines *lines)
{
    dv_error err = DV_ERROR_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    dv_view *view, *source = open_decoded(NULL);
    options.ids = true;
    dv_status status = open_fetched(&view, source, &o->plan, o->numbers, o->n, NULL, allocator);
    if (status == DV_OK)
        status = dvt_put_numbered(lines, view, &options, &err);
    dv_view_release(&view);
    dv_view_release(&source);
    return status;
}

/* A call that returned DV_ERR_MEMORY is repeated, and no row is lost. */
static void expect_survival(const order *o)
{
    dvt_lines truth = {0};
    int64_t k = 0;
    cr_assert_eq(try_all(o, NULL, &truth), DV_OK);
    for (bool is_done = false; !is_done;) {
        dvt_allocator counted;
        dvt_lines lines = {0};
        dvt_allocator_init(&counted, ++k);
        const dv_status status = try_all(o, &counted.allocator, &lines);
        is_done = counted.asked < k;
        cr_expect(status == (is_done ? DV_OK : DV_ERR_MEMORY) || status == DV_OK, "allocation %d",
                  (int)k);
        if (status == DV_OK)
            cr_expect_str_eq(lines.data, truth.data, "allocation %d", (int)k);
        cr_expect_eq(counted.live, 0, "allocation %d: a leak", (int)k);
        dvt_lines_free(&lines);
    }
    cr_expect_gt(k, 30);
    dvt_lines_free(&truth);
}

Test(gather_cursor, each_allocation_may_fail)
{
    uint64_t state = 23;
    many = dvt_many_rows_create(400, 8);
    order pool = draw_pool(400, 8, 20, false, &state);
    order any = draw_any(400, &state);
    expect_survival(&pool);
    expect_survival(&any);
    free(pool.numbers);
    free(any.numbers);
    dvt_many_rows_free(many);
}

/* Retained batches do not change, whatever comes later, also after all else was freed. */
Test(gather_cursor, retained_batches_outlive)
{
    enum { KEPT = 20 };
    uint64_t state = 31;
    const dv_batch *kept[KEPT];
    dvt_lines before = {0}, after = {0};
    dv_cursor *cursor;
    dv_view *view;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    many = dvt_many_rows_create(1000, 16);
    order o = draw_pool(1000, 16, 40, false, &state);
    dv_view *source = open_decoded(NULL);
    options.batch_rows = 30;
    cr_assert_eq(open_fetched(&view, source, &o.plan, o.numbers, o.n, NULL, NULL), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, view, &options, NULL), DV_OK);
    for (int i = 0; i < KEPT; i++) {
        cr_assert_eq(dv_cursor_next(cursor, &kept[i], NULL), DV_OK);
        dv_batch_retain(kept[i]);
        dvt_put_batch_by_value(&before, kept[i]);
    }
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    for (int i = 0; i < KEPT; i++) {
        dvt_put_batch_by_value(&after, kept[i]);
        dv_batch_release(&kept[i]);
    }
    cr_expect_str_eq(after.data, before.data);
    dvt_lines_free(&before);
    dvt_lines_free(&after);
    free(o.numbers);
    dvt_many_rows_free(many);
}
