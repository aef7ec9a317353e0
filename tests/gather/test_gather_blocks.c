/* SPDX-License-Identifier: MIT */
/* test_gather_blocks.c: of blocks that do not fit into memory together, each is decoded once for
 * many rows in any order. */
#include "view/view.h"
#include "gather/gather_blocks.h"
#include "support/allocator.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/epoch.h>
#include <dataview/transform.h>
#include <dataview/value.h>
#include <stdlib.h>
#include <string.h>

/* --- Copies ----------------------------------------------------------------------------------- */

#define ROWS 5000
#define BLOCK 100
#define MOST 700

static dvt_many_rows *many;
static dv_view *table, *decoded;
static dvt_allocator counted;
static dv_cursor_request request;
static dvi_gather_blocks *blocks;
static const dvi_block_plan plan = {.block_rows = BLOCK, .end_row = ROWS, .most_nbytes = 1};
static int32_t column;

/* Column "d" as R8, which is decoded; of all blocks but one, memory is for none. */
static void start(void)
{
    static const dv_conversion_spec spec = {{"d", 1}, {"d", 1}, {.kind = DV_KIND_R8}};
    many = dvt_many_rows_create(ROWS, BLOCK);
    many->table.in_blocks = true;
    dvt_allocator_init(&counted, 0);
    table = dvt_made_table_open(&many->table, NULL);
    cr_assert_eq(dv_view_convert(&decoded, table, &spec, 1, NULL, NULL), DV_OK);
    cr_assert_eq(dv_schema_find(dv_view_schema(decoded), dv_text_of("d"), &column), DV_OK);
    request = (dv_cursor_request){.size = sizeof request,
                                  .schema = dv_view_schema(decoded),
                                  .columns = &column,
                                  .columns_count = 1,
                                  .threads = 1,
                                  .ids = true,
                                  .allocator = &counted.allocator};
}

static void stop(void)
{
    dvi_gather_blocks_free(&blocks);
    cr_assert_eq(counted.live, 0);
    dv_view_release(&decoded);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

TestSuite(gather_blocks, .init = start, .fini = stop);

static void draw_rows(int64_t *rows, int64_t n, uint64_t seed)
{
    uint64_t state = seed;
    for (int64_t i = 0; i < n; i++)
        rows[i] = i > 0 && dvt_draw(&state) % 9 == 0 ? rows[dvt_draw(&state) % (uint64_t)i]
                                                     : (int64_t)(dvt_draw(&state) % ROWS);
}

/* The row's id is where it was found. */
static void expect_row(const dvi_row_ref *ref, int64_t row)
{
    dv_u128 id;
    memcpy(&id, ref->columns[1].values + sizeof id * (size_t)ref->row, sizeof id);
    cr_assert_eq(id.lo, (uint64_t)row);
}

static dv_status create(void)
{
    return dvi_gather_blocks_create(&blocks, decoded, &request, &plan, MOST, NULL);
}

/* Find all rows that are not in the bad row's block. Try again after lack of memory. */
static void expect_rows(const int64_t *rows, int64_t n)
{
    const int64_t bad_block = many->table.bad_row < 0 ? -1 : many->table.bad_row / BLOCK;
    for (int64_t at = 0, found; at < n; at += found) {
        dvi_row_ref refs[50];
        dv_status status =
            dvi_gather_blocks_find(blocks, rows + at, n - at, 50, refs, &found, NULL);
        if (status == DV_ERR_MEMORY)
            status = dvi_gather_blocks_find(blocks, rows + at, n - at, 50, refs, &found, NULL);
        cr_assert_eq(status, rows[at] / BLOCK == bad_block ? DV_END : DV_OK);
        found = status == DV_END ? 1 : found;
        for (int64_t i = 0; i < found && status == DV_OK; i++)
            expect_row(&refs[i], rows[at + i]);
        dvi_gather_blocks_done(blocks, rows + at, found);
    }
}

Test(gather_blocks, each_block_is_read_once)
{
    int64_t rows[MOST];
    cr_assert_eq(create(), DV_OK);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const int64_t n = MOST - 30 * (int64_t)seed;
        bool is_in[ROWS / BLOCK] = {false};
        int64_t expected = 0;
        draw_rows(rows, n, seed);
        for (int64_t i = 0; i < n; i++) {
            expected += is_in[rows[i] / BLOCK] ? 0 : BLOCK;
            is_in[rows[i] / BLOCK] = true;
        }
        many->table.read = 0;
        expect_rows(rows, n);
        cr_expect(dvi_gather_blocks_pick(blocks));
        if (seed == 0) /* at first, nothing is known of the size of rows */
            continue;
        cr_expect_leq(many->table.read, expected);
        cr_expect_gt(many->table.read, expected - 2 * BLOCK); /* one may have been there */
    }
}

/* Rows in an order in which blocks stay are not picked. */
Test(gather_blocks, none_is_picked)
{
    int64_t rows[MOST];
    for (int64_t i = 0; i < MOST; i++)
        rows[i] = 3 * i;
    cr_assert_eq(dvi_gather_blocks_create(&blocks, decoded, &request, &plan, 0, NULL), DV_OK);
    expect_rows(rows, MOST);
    cr_expect_not(dvi_gather_blocks_pick(blocks));
    cr_expect_eq(many->table.read, 3 * MOST);
}

/* A row that cannot be read is left out, and no other; also where some rows are skipped. */
Test(gather_blocks, a_bad_row_is_left_out)
{
    int64_t rows[MOST];
    many->table.bad_row = 1234;
    cr_assert_eq(create(), DV_OK);
    for (uint64_t seed = 5; seed < 9; seed++) {
        draw_rows(rows, MOST, seed);
        expect_rows(rows, MOST / 2);
        dvi_gather_blocks_done(blocks, rows + MOST / 2, 30);
        expect_rows(rows + MOST / 2 + 30, MOST / 2 - 30);
        dvi_gather_blocks_restart(blocks);
    }
}

Test(gather_blocks, every_allocation_may_fail)
{
    int64_t rows[MOST];
    draw_rows(rows, MOST, 6);
    bool is_done = false;
    for (int64_t k = 1; !is_done; k += DVT_FAIL_STEP) {
        counted.fail_at = counted.asked + k;
        const dv_status status = create();
        cr_assert(status == DV_OK || status == DV_ERR_MEMORY);
        if (status == DV_OK)
            expect_rows(rows, MOST);
        is_done = counted.asked < counted.fail_at;
        dvi_gather_blocks_free(&blocks);
    }
}

/* --- An epoch --------------------------------------------------------------------------------- */

/* Blocks of 104 MB together: without copies, a third of all rows would need their block again. */
Test(gather_blocks, blocks_are_decoded_few_times)
{
    enum { COUNT = 3200, WIDTH = 4096 };
    static int32_t dense[COUNT];
    dvt_made_table wide = {.columns = 1, .rows = COUNT, .block_rows = BLOCK, .bad_row = -1};
    static const dv_conversion_spec spec = {{"a", 1}, {"b", 1}, {.kind = DV_KIND_R8}};
    float *all = malloc(sizeof(float) * COUNT * WIDTH);
    dv_view *source, *view, *epoch;
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_error err = DV_ERROR_INIT;
    dv_epoch_options order = DV_EPOCH_OPTIONS_INIT;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    cr_assert(all);
    for (int64_t i = 0; i < (int64_t)COUNT * WIDTH; i++)
        all[i] = (float)(i / WIDTH);
    for (int i = 0; i < COUNT; i++)
        dense[i] = -1;
    dv_column_view values = dvt_made_fixed(dv_type_of(DV_KIND_R4), all, (int64_t)COUNT * WIDTH);
    wide.column[0] = (dv_column_view){.type = dv_type_vector(dv_type_of(DV_KIND_R4), WIDTH),
                                      .layout = DV_LAYOUT_VECTOR,
                                      .rows = COUNT};
    wide.column[0].as.vector = (dv_vector_layout){.length = WIDTH, .items = &values};
    wide.column[0].as.vector.counts.data = dense;
    wide.column[0].as.vector.counts.nbytes = sizeof dense;
    wide.in_blocks = true;
    source = dvt_made_table_open(&wide, NULL);
    cr_assert_eq(dv_view_convert(&view, source, &spec, 1, NULL, &err), DV_OK, "%s", err.message);
    order.shuffle = DV_SHUFFLE_UNIFORM;
    cr_assert_eq(dv_view_epoch(&epoch, view, &order, NULL, &err), DV_OK);
    options.ids = true;
    options.batch_rows = 50;
    cr_assert_eq(dv_cursor_options_column(&options, dv_view_schema(epoch), "b", &err), DV_OK);
    cr_assert_eq(dv_cursor_open(&cursor, epoch, &options, &err), DV_OK, "%s", err.message);
    int64_t rows = 0;
    while (dv_cursor_next(cursor, &batch, &err) == DV_OK)
        for (int64_t i = 0; i < batch->rows; i++, rows++) {
            const dv_value value = dv_value_at(dv_batch_column(batch, 0), i);
            const dv_value item = dv_value_item(&value, WIDTH - 1);
            cr_assert_eq(dv_value_r8(&item), (double)batch->ids[i].lo);
        }
    cr_expect_eq(rows, COUNT);
    cr_expect_lt(wide.read, 8 * COUNT, "%d", (int)wide.read);
    dv_cursor_close(&cursor);
    dv_view_release(&epoch);
    dv_view_release(&view);
    dv_view_release(&source);
    free(all);
}
