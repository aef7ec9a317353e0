/* SPDX-License-Identifier: MIT */
/* test_md5_queue.c: the digests of a queue are those of its files, with and without a thread. */
#include "codec/md5_queue.h"
#include "support/allocator.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

enum { KIB = 1 << 10, FILES = 40, MOST = 600 * KIB };

static const uint8_t *bytes(void)
{
    static uint8_t made[MOST];
    for (size_t i = 0; i < MOST && made[1] == 0; i++)
        made[MOST - 1 - i] = (uint8_t)(i * 7 + (i >> 8) * 13 + 5);
    return made;
}

static dvi_md5_text md5_of(size_t n)
{
    dvi_md5 *md5;
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    dvi_md5_add(md5, bytes(), n);
    const dvi_md5_text text = dvi_md5_end(md5);
    dvi_md5_free(&md5);
    return text;
}

/* Lengths of files: too short for a thread, long enough, and too short again. */
static size_t length_of(int file)
{
    return file < 5 ? (size_t)file * 1000 : (size_t)(file * 37 % 20) * 30 * KIB + (size_t)file;
}

/* Files added in runs of `step` bytes. */
static void expect_files(int32_t threads, size_t step)
{
    static dvi_md5_text texts[FILES];
    dvi_md5_queue *queue;
    cr_assert_eq(dvi_md5_queue_create(&queue, threads, NULL, NULL), DV_OK);
    for (int i = 0; i < FILES; i++) {
        const size_t n = length_of(i);
        for (size_t at = 0; at < n; at += step)
            dvi_md5_queue_add(queue, bytes() + at, n - at < step ? n - at : step);
        dvi_md5_queue_end(queue, &texts[i]);
    }
    dvi_md5_queue_wait(queue, INT64_MAX);
    for (int i = 0; i < FILES; i++)
        cr_expect_str_eq(texts[i].digits, md5_of(length_of(i)).digits, "file %d", i);
    dvi_md5_queue_free(&queue);
    cr_expect_null(queue);
}

Test(md5_queue, files_have_their_digests)
{
    expect_files(1, 4 * KIB);
    expect_files(2, 4 * KIB);
    expect_files(2, 256 * KIB);
    expect_files(2, MOST);
}

/* Bytes may change after a wait for them. */
Test(md5_queue, a_run_may_change_after_a_wait)
{
    enum { RUNS = 60, RUN = 256 * KIB };
    dvi_md5_queue *queue;
    dvi_md5 *md5;
    dvi_md5_text text;
    uint8_t *buffers = malloc(2 * (size_t)RUN);
    int64_t numbers[2] = {-1, -1};
    cr_assert_eq(dvi_md5_create(&md5, NULL, NULL), DV_OK);
    cr_assert_eq(dvi_md5_queue_create(&queue, 2, NULL, NULL), DV_OK);
    for (int i = 0; i < RUNS; i++) {
        uint8_t *buffer = buffers + (size_t)(i % 2) * RUN;
        dvi_md5_queue_wait(queue, numbers[i % 2]);
        memset(buffer, i, RUN);
        dvi_md5_add(md5, buffer, RUN);
        numbers[i % 2] = dvi_md5_queue_add(queue, buffer, RUN);
        cr_expect_eq(numbers[i % 2], i);
    }
    dvi_md5_queue_end(queue, &text);
    dvi_md5_queue_wait(queue, INT64_MAX);
    cr_expect_str_eq(text.digits, dvi_md5_end(md5).digits);
    dvi_md5_queue_free(&queue);
    dvi_md5_free(&md5);
    free(buffers);
}

Test(md5_queue, without_a_thread_all_is_done_at_once)
{
    dvi_md5_queue *queue;
    dvi_md5_text text;
    cr_assert_eq(dvi_md5_queue_create(&queue, 1, NULL, NULL), DV_OK);
    cr_expect_eq(dvi_md5_queue_add(queue, bytes(), MOST), -1);
    dvi_md5_queue_end(queue, &text);
    cr_expect_str_eq(text.digits, md5_of(MOST).digits);
    dvi_md5_queue_free(&queue);
    dvi_md5_queue_free(&queue);
}

/* The run in progress ends first: nothing is read or written afterwards. */
Test(md5_queue, may_be_freed_in_the_middle)
{
    dvi_md5_queue *queue;
    dvi_md5_text *text = malloc(sizeof *text);
    uint8_t *data = calloc(1, MOST);
    cr_assert_eq(dvi_md5_queue_create(&queue, 2, NULL, NULL), DV_OK);
    for (int i = 0; i < 10; i++)
        dvi_md5_queue_add(queue, data, MOST);
    dvi_md5_queue_end(queue, text);
    dvi_md5_queue_free(&queue);
    free(data);
    free(text);
}

Test(md5_queue, any_allocation_may_fail)
{
    dvt_allocator counted;
    dvi_md5_queue *queue;
    dv_status status;
    int64_t k = 0;
    do {
        dvt_allocator_init(&counted, ++k);
        status = dvi_md5_queue_create(&queue, 2, &counted.allocator, NULL);
        cr_expect_eq(!queue, status != DV_OK);
        dvi_md5_queue_free(&queue);
        cr_assert_eq(counted.live, 0, "allocation %d", (int)k);
        cr_assert_eq(status, counted.asked < k ? DV_OK : DV_ERR_MEMORY);
    } while (status != DV_OK);
    cr_expect_geq(k, 5); /* md5_openssl.c makes no allocation itself */
}
