/* SPDX-License-Identifier: MIT */
/* test_block_cache.c: which blocks are kept, and which are dropped (block_cache.h; their rows:
 * test_gather_cursor.c). */
#include "view/view.h"
#include "gather/block_cache.h"
#include "support/allocator.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/transform.h>

#define ROWS 20000
#define BLOCK 100

static dvt_many_rows *many;
static dv_view *table, *decoded;
static dv_cursor_request request;
static dvi_block_cache *blocks;
static int32_t column;

/* Column "d" as R8: some 50 bytes a row, which are decoded. */
static void start(void)
{
    static const dv_conversion_spec spec = {{"d", 1}, {"d", 1}, {.kind = DV_KIND_R8}};
    static dv_allocator allocator;
    many = dvt_many_rows_create(ROWS, BLOCK);
    many->table.in_blocks = true;
    table = dvt_made_table_open(&many->table, NULL);
    cr_assert_eq(dv_view_convert(&decoded, table, &spec, 1, NULL, NULL), DV_OK);
    allocator = *dvi_view_allocator(decoded);
    cr_assert_eq(dv_schema_find(dv_view_schema(decoded), dv_text_of("d"), &column), DV_OK);
    request = (dv_cursor_request){.size = sizeof request,
                                  .schema = dv_view_schema(decoded),
                                  .columns = &column,
                                  .columns_count = 1,
                                  .threads = 1,
                                  .allocator = &allocator};
}

static void stop(void)
{
    dvi_block_cache_free(&blocks);
    dv_view_release(&decoded);
    dv_view_release(&table);
    dvt_many_rows_free(many);
}

TestSuite(block_cache, .init = start, .fini = stop);

static void make(dv_view *source, dvi_block_plan plan)
{
    plan.block_rows = BLOCK;
    plan.end_row = ROWS;
    cr_assert_eq(dvi_block_cache_create(&blocks, source, &request, &plan, NULL), DV_OK);
}

static bool has(int64_t row)
{
    dvi_row_ref ref;
    return dvi_block_cache_find(blocks, &row, 1, &ref) == 1;
}

static void load(int64_t row)
{
    dv_error err = DV_ERROR_INIT;
    cr_assert_eq(dvi_block_cache_load(blocks, row, &err), DV_OK, "%s", err.message);
    cr_assert(has(row));
}

/* The memory of one block. */
static int64_t measure(void)
{
    load(0);
    return dvi_block_cache_nbytes(blocks);
}

/* Blocks are evicted that were not used since the clock's hand passed. */
Test(block_cache, unused_blocks_are_evicted)
{
    make(decoded, (dvi_block_plan){.most_nbytes = 1 << 30});
    const int64_t each = measure();
    dvi_block_cache_free(&blocks);
    make(decoded, (dvi_block_plan){.most_nbytes = 10 * each});
    for (int64_t row = 0; row < ROWS; row += BLOCK) {
        load(row);
        cr_expect_leq(dvi_block_cache_nbytes(blocks), 10 * each);
        cr_expect(has(row == 0 ? 0 : row - BLOCK));
    }
    cr_expect_not(has(0));
}

/* Decoded blocks of least_rows rows are kept in any case, and no more. */
Test(block_cache, a_window_stays)
{
    make(decoded, (dvi_block_plan){.most_nbytes = 1, .least_rows = 20 * BLOCK});
    for (int64_t row = 0; row < ROWS; row += BLOCK)
        load(row);
    int64_t there = 0;
    for (int64_t row = 0; row < ROWS; row += BLOCK)
        there += has(row);
    cr_expect_eq(there, 20);
}

/* Blocks in place cost only their addresses. */
Test(block_cache, borrowed_blocks_cost_little)
{
    make(decoded, (dvi_block_plan){.most_nbytes = 1 << 30});
    const int64_t copied = measure();
    dvi_block_cache_free(&blocks);
    request.schema = dv_view_schema(table);
    column = 3;
    make(table, (dvi_block_plan){.most_nbytes = 1 << 30});
    cr_expect_lt(measure(), copied - 8 * BLOCK);
}

/* With a pool a block is dropped with its last row, and rows left in old blocks are found where
 * they were copied to. */
Test(block_cache, delivered_blocks_are_dropped)
{
    make(decoded, (dvi_block_plan){.pool_rows = 4 * BLOCK});
    for (int64_t row = 0; row < ROWS; row += BLOCK) {
        load(row);
        for (int64_t i = 1; i < BLOCK; i++)
            dvi_block_cache_done(blocks, &(int64_t){row + i}, 1);
        cr_expect_not(has(row + 1) && !has(row));
        cr_expect(has(row / 2 / BLOCK * BLOCK), "row %d", (int)row);
    }
    for (int64_t row = 0; row < ROWS; row += BLOCK) {
        cr_expect(has(row), "row %d", (int)row);
        dvi_block_cache_done(blocks, &row, 1);
        cr_expect_not(has(row), "row %d", (int)row);
    }
}

/* Each load of a row has another allocation fail: it returns DV_ERR_MEMORY, and the next one
 * continues.  A load that had read the block and then failed to copy old rows together once made
 * the next one return DV_END. */
static void expect_all_rows(dvi_block_plan plan)
{
    dvt_allocator counted;
    int64_t failures = 0, fail_at = 1;
    dvt_allocator_init(&counted, 0);
    request.allocator = &counted.allocator;
    make(decoded, plan);
    for (int64_t row = 0; row < ROWS; row += BLOCK) {
        dv_status status;
        do {
            dv_error err = DV_ERROR_INIT;
            counted.fail_at = counted.asked + fail_at;
            status = dvi_block_cache_load(blocks, row, &err);
            counted.fail_at = 0;
            cr_expect_eq(err.status, status);
            fail_at = status == DV_OK ? 1 : fail_at + 1;
            failures += status == DV_ERR_MEMORY;
        } while (status == DV_ERR_MEMORY);
        cr_assert_eq(status, DV_OK, "row %d", (int)row);
        for (int64_t i = 1; plan.pool_rows > 0 && i < BLOCK; i++)
            dvi_block_cache_done(blocks, &(int64_t){row + i}, 1);
    }
    for (int64_t row = 0; row < ROWS; row += BLOCK)
        cr_expect(has(row), "row %d", (int)row);
    cr_expect_geq(failures, ROWS / BLOCK);
    dvi_block_cache_free(&blocks);
    cr_expect_eq(counted.live, 0);
}

Test(block_cache, memory_that_is_refused_loses_no_row)
{
    expect_all_rows((dvi_block_plan){.pool_rows = 4 * BLOCK});
    expect_all_rows((dvi_block_plan){.most_nbytes = 1 << 30});
    expect_all_rows(
        (dvi_block_plan){.pool_rows = 4 * BLOCK, .sequential = true, .every_block = true});
}

/* A row that was delivered before its block was copied is gone, but those around it are kept. */
Test(block_cache, a_delivered_row_is_read_by_itself)
{
    make(decoded, (dvi_block_plan){.pool_rows = BLOCK});
    for (int64_t row = 0; row < ROWS; row += BLOCK) {
        load(row);
        dvi_block_cache_done(blocks, &(int64_t){row + 1}, 1);
    }
    cr_assert_not(has(1));
    cr_expect_eq(dvi_block_cache_load(blocks, 1, NULL), DV_END);
    cr_expect_eq(dvi_block_cache_load(blocks, 0, NULL), DV_OK);
    cr_expect(has(0));
}

/* A row whose block was dropped is found again after a load. */
Test(block_cache, dropped_blocks_are_read_again)
{
    make(decoded, (dvi_block_plan){.pool_rows = BLOCK});
    load(5);
    for (int64_t row = 0; row < BLOCK; row++)
        dvi_block_cache_done(blocks, &row, 1);
    cr_expect_not(has(5));
    load(5);
}

/* A block has its own rows alone, even if the source stores more together, in every epoch. */
Test(block_cache, blocks_are_no_larger_in_another_epoch)
{
    const dvi_block_plan plan = {.block_rows = 10, .end_row = ROWS, .pool_rows = BLOCK};
    cr_assert_eq(dvi_block_cache_create(&blocks, decoded, &request, &plan, NULL), DV_OK);
    const int64_t each = measure();
    request.epoch = 1;
    dvi_block_cache_restart(blocks);
    load(BLOCK / 2);
    cr_expect_lt(dvi_block_cache_nbytes(blocks), each + 4 * BLOCK);
}
