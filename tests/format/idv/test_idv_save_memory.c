/* SPDX-License-Identifier: MIT */
/* test_idv_save_memory.c: does a save hold at most (threads + 2) blocks per column, for any number
 * of rows? */
#include "support/allocator.h"
#include "support/file.h"
#include "support/many_rows.h"
#include "support/test.h"
#include <dataview/save.h>

#define ROWS_PER_BLOCK 2000
#define COLUMNS 4 /* of at most 8 bytes; or, with indices, 4 items of 8 bytes and three numbers */
#define ROW_NBYTES (3 * 8 + 4 * 8 + 12)
#define WRITER_NBYTES ((5 << 18) + (64 << 10)) /* the write buffer, and small allocations */

/* The peak memory of saving this many rows to a file. */
static int64_t highest_of(int64_t rows, int64_t block_rows, dv_compression compression,
                          int32_t threads)
{
    dvt_allocator counted;
    dvt_path folder = dvt_folder_create();
    const dvt_path path = dvt_path_in(&folder, "out.idv");
    dvt_many_rows *many = dvt_many_rows_create(rows, block_rows);
    dv_save_options options = DV_SAVE_OPTIONS_INIT;
    dv_error err = DV_ERROR_INIT;
    dvt_allocator_init(&counted, 0);
    dv_view *view = dvt_made_table_open(&many->table, &counted.allocator);
    options.allocator = &counted.allocator;
    options.rows_per_block = ROWS_PER_BLOCK;
    options.compression = compression;
    options.level = 1;
    options.threads = threads;
    options.sync = false;
    cr_expect_eq(dv_save(view, path.text, &options, &err), DV_OK, "%s", err.message);
    dv_view_release(&view);
    cr_expect_eq(counted.live, 0);
    dvt_many_rows_free(many);
    dvt_folder_remove(&folder);
    return counted.highest;
}

static void check_bound(int64_t block_rows, dv_compression compression, int32_t threads)
{
    const int64_t few = highest_of(20 * ROWS_PER_BLOCK, block_rows, compression, threads);
    const int64_t many = highest_of(80 * ROWS_PER_BLOCK, block_rows, compression, threads);
    /* blocks as read, and as encoded or compressed */
    const int64_t most = WRITER_NBYTES + 2 * (threads + 2) * ROWS_PER_BLOCK * (int64_t)ROW_NBYTES;
    cr_expect_leq(many, most, "%d bytes, compression %d, %d threads", (int)many, compression,
                  threads);
    /* the lookup entry of each block is kept */
    cr_expect_leq(many, few + few / 4 + 60 * COLUMNS * 64, "%d bytes, then %d", (int)few,
                  (int)many);
}

Test(idv_save_memory, does_not_grow_with_the_rows)
{
    static const int64_t block_rows[] = {ROWS_PER_BLOCK, 700};
    for (int i = 0; i < 2; i++)
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            check_bound(block_rows[i], DV_COMPRESSION_NONE, threads);
            check_bound(block_rows[i], DV_COMPRESSION_DEFLATE, threads);
        }
}
