/* SPDX-License-Identifier: MIT */
/* test_picture_memory.c: pixels of one batch lie where those of the batch before lay, unless
 * somebody holds that one; and memory is given back. */
#include "image/picture_memory.h"
#include "support/allocator.h"
#include "support/pictures.h"
#include "support/test.h"
#include <dataview/dataview.h>
#include <dataview/image.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

/* --- Pools ------------------------------------------------------------------------------------ */

static void begin(dvi_pool **pool, dvt_allocator *counted)
{
    cr_assert_eq(dvi_pool_begin(pool, &counted->allocator, NULL), DV_OK);
}

static void *take(dvi_pool *pool, size_t nbytes)
{
    void *block = dvi_pool_take(pool, nbytes);
    cr_assert_not_null(block);
    cr_assert_eq((uintptr_t)block % 64, 0);
    memset(block, 0xa5, nbytes);
    return block;
}

Test(picture_memory, a_batch_gets_what_the_one_before_had)
{
    dvt_allocator counted;
    dvi_pool *pool = NULL;
    void *block[3];
    dvt_allocator_init(&counted, 0);
    for (int batch = 0; batch < 4; batch++) {
        begin(&pool, &counted);
        for (int i = 0; i < 3; i++)
            block[i] = take(pool, 1000 + 10 * (size_t)i);
        cr_expect_eq(counted.asked, 4, "batch %d", batch); /* the pool is one */
        for (int i = 0; i < 3; i++)
            dvi_block_free(block[i]);
    }
    begin(&pool, &counted);
    block[0] = take(pool, 3000); /* none is large enough */
    block[1] = take(pool, 100);  /* most of one would be idle */
    cr_expect_eq(counted.asked, 6);
    dvi_block_free(block[0]);
    dvi_block_free(block[1]);
    dvi_pool_close(&pool);
    cr_expect_null(pool);
    cr_expect_eq(counted.live, 0);
}

Test(picture_memory, no_more_is_kept_than_a_batch_took)
{
    dvt_allocator counted;
    dvi_pool *pool = NULL;
    void *block[8];
    dvt_allocator_init(&counted, 0);
    for (int batch = 0; batch < 2; batch++) { /* the first is held for longer */
        begin(&pool, &counted);
        for (int i = 0; i < 4; i++)
            block[4 * batch + i] = take(pool, 8 * MIB);
    }
    cr_expect_geq((size_t)counted.nbytes, 64 * MIB);
    for (int i = 0; i < 8; i++)
        dvi_block_free(block[i]);
    cr_expect_geq((size_t)counted.nbytes, 32 * MIB);
    cr_expect_lt((size_t)counted.nbytes, 33 * MIB);
    for (int batch = 0; batch < 2; batch++) { /* a batch of less: the rest is kept once more */
        begin(&pool, &counted);
        dvi_block_free(take(pool, 1));
    }
    begin(&pool, &counted);
    cr_expect_lt((size_t)counted.nbytes, MIB);
    dvi_pool_close(&pool);
    cr_expect_eq(counted.live, 0);
}

/* A batch of many small blocks and one large one; then one of large blocks alone. */
Test(picture_memory, a_long_list_is_not_searched)
{
    enum { SMALL = 1000 };
    dvt_allocator counted;
    dvi_pool *pool = NULL;
    void *block[SMALL + 1];
    dvt_allocator_init(&counted, 0);
    begin(&pool, &counted);
    for (int i = 0; i <= SMALL; i++)
        block[i] = take(pool, i < SMALL ? 100 : 5000);
    for (int i = SMALL; i >= 0; i--) /* the large one lies behind all others then */
        dvi_block_free(block[i]);
    begin(&pool, &counted);
    const int64_t asked = (int64_t)counted.asked;
    dvi_block_free(take(pool, 5000));
    cr_expect_eq((int64_t)counted.asked, asked + 1);
    dvi_pool_close(&pool);
    cr_expect_eq(counted.live, 0);
}

Test(picture_memory, more_bytes_than_there_can_be)
{
    dvi_pool *pool = NULL;
    cr_assert_eq(dvi_pool_begin(&pool, NULL, NULL), DV_OK);
    dvi_block_free(take(pool, 0)); /* is kept: no sum that wraps may find it */
    for (size_t less = 0; less < 256; less++)
        cr_assert_null(dvi_pool_take(pool, SIZE_MAX - less), "%zu", less);
    dvi_pool_close(&pool);
}

static void *free_blocks(void *blocks)
{
    for (int i = 0; i < 100; i++)
        dvi_block_free(((void **)blocks)[i]);
    return NULL;
}

Test(picture_memory, blocks_come_back_from_any_thread_and_after_the_end)
{
    dvt_allocator counted;
    dvi_pool *pool = NULL;
    void *block[4][100];
    pthread_t thread[4];
    dvt_allocator_init(&counted, 0);
    begin(&pool, &counted);
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < 100; i++)
            block[t][i] = take(pool, 64 + (size_t)i);
    for (int t = 0; t < 4; t++)
        cr_assert_eq(pthread_create(&thread[t], NULL, free_blocks, block[t]), 0);
    for (int i = 0; i < 100; i++)
        dvi_block_free(take(pool, 64 + (size_t)i));
    dvi_pool_close(&pool);
    for (int t = 0; t < 4; t++)
        cr_assert_eq(pthread_join(thread[t], NULL), 0);
    cr_expect_eq(counted.live, 0);
}

/* --- Batches ---------------------------------------------------------------------------------- */

enum { ROWS = 24, BATCH_ROWS = 4 };

/* The first byte of the pixels of the first row. */
static const uint8_t *pixels_of(const dv_batch *batch)
{
    const dv_column_view *x = dv_batch_column(batch, 0);
    dv_picture picture;
    if (x->layout == DV_LAYOUT_VECTOR)
        return x->as.vector.items->as.fixed.values.data;
    memcpy(&picture, x->as.fixed.values.data, sizeof picture);
    return picture.pixels;
}

/* Files as a table, which is alive as long as `texts` and the files are. */
static dv_view *table_of(const dvt_pictures *files, dv_text *texts)
{
    dv_view *view;
    for (int64_t i = 0; i < files->n; i++) {
        const int32_t from = i > 0 ? files->ends[i - 1] : 0;
        texts[i] = (dv_text){(const char *)files->bytes + from, files->ends[i] - from};
    }
    const dv_table_column column = {"X", dv_type_of(DV_KIND_BY), NULL, texts};
    cr_assert_eq(dv_table_create(&view, &column, 1, files->n, NULL, NULL), DV_OK);
    return view;
}

static void check_batches(const char *steps, size_t nbytes, bool holds)
{
    dvt_pictures files = {0};
    dv_text texts[ROWS];
    dv_cursor *cursor;
    dv_view *view;
    const dv_batch *batch, *held = NULL;
    const uint8_t *first = NULL;
    uint8_t *copy = malloc(nbytes);
    int64_t again = 0, n = 0;
    dv_cursor_options how = DV_CURSOR_OPTIONS_INIT;
    cr_assert_not_null(copy);
    for (int i = 0; i < ROWS; i++)
        dvt_pictures_add_golden(&files, i < BATCH_ROWS ? "pcolor.png" : "j444.jpg");
    dv_view *source = table_of(&files, texts);
    cr_assert_eq(dv_image_register(NULL), DV_OK);
    cr_assert_eq(dv_view_pipe(&view, source, dv_text_of(steps), NULL, NULL, NULL), DV_OK);
    how.batch_rows = BATCH_ROWS;
    how.threads = 1;
    cr_assert_eq(dv_cursor_open(&cursor, view, &how, NULL), DV_OK);
    for (; dv_cursor_next(cursor, &batch, NULL) == DV_OK; n++) {
        if (n == 0) {
            first = pixels_of(batch);
            memcpy(copy, first, nbytes);
            if (holds)
                dv_batch_retain(held = batch);
        } else {
            again += pixels_of(batch) == first;
            cr_expect(memcmp(pixels_of(batch), copy, nbytes) != 0); /* another picture */
        }
    }
    cr_expect_eq(n, ROWS / BATCH_ROWS);
    cr_expect_eq(again, holds ? 0 : n - 1, "%s: %lld batches in the same memory", steps,
                 (long long)again);
    dv_cursor_close(&cursor);
    dv_view_release(&view);
    dv_view_release(&source);
    if (held) {
        cr_expect_arr_eq(pixels_of(held), copy, nbytes);
        dv_batch_release(&held);
    }
    free(copy);
    dvt_pictures_free(&files);
}

Test(picture_memory, batches_lie_where_the_one_before_lay)
{
    static const struct {
        const char *steps;
        size_t nbytes; /* of a row */
    } cases[] = {{"image X width=16 height=16", 16 * 16 * 3 * 4},
                 {"image X width=16 height=16 type=U1", 16 * 16 * 3},
                 {"decode X; resize X width=16 height=16", 16 * 16 * 3},
                 {"decode X; resize X width=16 height=16; gray X", 16 * 16},
                 {"decode X; resize X width=16 height=16; pixels X", 16 * 16 * 3 * 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int holds = 0; holds < 2; holds++)
            check_batches(cases[i].steps, cases[i].nbytes, holds);
}
