/* SPDX-License-Identifier: MIT */
/* test_piece_cache.c: what is read of a slow source is what it holds, in bounded memory and with a
 * bounded number of requests (piece_cache.h). */
#include "io/piece_cache.h"
#include "support/allocator.h"
#include "support/file.h"
#include "support/slow_source.h"
#include "support/test.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KIB ((int64_t)1 << 10)
#define MIB ((int64_t)1 << 20)
#define NBYTES (3 * MIB + 77)

/* A source of the pattern, and its pieces. */
typedef struct fixture {
    dvt_allocator counted;
    dvt_store store;
    uint8_t *data;
    dv_source source;
    dvi_piece_cache *cache;
    dvi_pieces *pieces;
} fixture;

static dv_source_options small(void)
{
    dv_source_options options = DV_SOURCE_OPTIONS_INIT;
    options.request_nbytes = 64 * KIB;
    options.least_nbytes = 4 * KIB;
    options.cache_nbytes = 512 * KIB;
    return options;
}

static void set_up(fixture *f, const dv_source_options *options)
{
    *f = (fixture){0};
    dvt_allocator_init(&f->counted, 0);
    f->data = dvt_pattern(NBYTES);
    f->source = dvt_slow_memory(&f->store, f->data, NBYTES, "pattern");
    cr_assert_eq(dvi_piece_cache_create(&f->cache, options, &f->counted.allocator, NULL), DV_OK);
    cr_assert_eq(dvi_pieces_create(&f->pieces, f->cache, &f->source, NBYTES, NULL), DV_OK);
}

static void tear_down(fixture *f)
{
    dvi_pieces_free(&f->pieces);
    dvi_piece_cache_release(&f->cache);
    f->source.release(f->source.ctx);
    cr_expect_eq(f->counted.live, 0);
    cr_expect_eq(f->store.live, 0);
    cr_expect_not(f->store.is_outside);
    free(f->data);
}

/* Read, and compare. */
static bool reads(fixture *f, int64_t offset, size_t nbytes)
{
    uint8_t *dst = malloc(nbytes + 1);
    dv_error err = DV_ERROR_INIT;
    dst[nbytes] = 0xA5;
    const dv_status status = dvi_pieces_read(f->pieces, offset, nbytes, dst, &err);
    const bool is_good =
        status == DV_OK && dst[nbytes] == 0xA5 && dvt_is_pattern(dst, nbytes, (size_t)offset);
    free(dst);
    return is_good;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Random reads and advice; every range is right. */
static bool read_at_random(fixture *f, uint64_t seed, int n)
{
    for (int i = 0; i < n; i++) {
        const int64_t offset = (int64_t)(next_random(&seed) % NBYTES);
        const int64_t left = NBYTES - offset;
        const int64_t wanted = 1 + (int64_t)(next_random(&seed) % (i % 7 == 0 ? MIB : 3000));
        const int64_t nbytes = wanted < left ? wanted : left;
        if (i % 5 == 0) {
            dvi_pieces_advise(f->pieces, &(dvi_range){offset, nbytes}, 1);
            continue;
        }
        if (!reads(f, offset, (size_t)nbytes))
            return false;
    }
    return true;
}

Test(piece_cache, random_reads_give_the_bytes_of_the_source)
{
    static const int32_t requests[] = {1, 2, 7};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        dv_source_options options = small();
        fixture f;
        options.requests = requests[i];
        set_up(&f, &options);
        cr_expect(read_at_random(&f, i, 3000));
        cr_expect_leq(f.store.most, requests[i]);
        tear_down(&f);
    }
}

/* The cache, a request of the one that waits, and the tables. */
Test(piece_cache, memory_is_bounded)
{
    const dv_source_options options = small();
    fixture f;
    set_up(&f, &options);
    cr_expect(read_at_random(&f, 5, 2000));
    cr_expect(reads(&f, 0, NBYTES));
    cr_expect_leq(f.counted.highest, options.cache_nbytes + options.request_nbytes + 128 * KIB);
    tear_down(&f);
}

typedef struct reading {
    fixture *f;
    uint64_t seed;
    bool is_good;
} reading;

static void *run_reading(void *ctx)
{
    reading *r = ctx;
    r->is_good = read_at_random(r->f, r->seed, 600);
    return NULL;
}

Test(piece_cache, threads_share_pieces)
{
    dv_source_options options = small();
    reading all[5];
    pthread_t id[5];
    fixture f;
    set_up(&f, &options);
    f.store.fail_each = 50; /* one by one they are tried again */
    for (int i = 0; i < 5; i++) {
        all[i] = (reading){&f, 100 + (uint64_t)i, false};
        cr_assert_eq(pthread_create(&id[i], NULL, run_reading, &all[i]), 0);
    }
    for (int i = 0; i < 5; i++) {
        pthread_join(id[i], NULL);
        cr_expect(all[i].is_good, "thread %d", i);
    }
    cr_expect_leq(f.store.most, options.requests);
    tear_down(&f);
}

/* From start to end: few requests, and none of them twice. */
Test(piece_cache, who_reads_from_start_to_end_is_fetched_ahead)
{
    static const size_t each[] = {100, 4096, 70000};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        dv_source_options options = DV_SOURCE_OPTIONS_INIT;
        fixture f;
        set_up(&f, &options);
        for (int64_t at = 0; at < NBYTES; at += (int64_t)each[i]) {
            const int64_t left = NBYTES - at;
            cr_assert(reads(&f, at, left < (int64_t)each[i] ? (size_t)left : each[i]));
        }
        cr_expect_eq(f.store.nbytes, NBYTES, "%d", (int)f.store.nbytes);
        cr_expect_leq(f.store.requests, 10, "%d", (int)f.store.requests);
        tear_down(&f);
    }
}

Test(piece_cache, requests_run_at_the_same_time)
{
    dv_source_options options = small();
    fixture f;
    options.requests = 6;
    set_up(&f, &options);
    f.store.delay_ns = 20000000;
    cr_expect(reads(&f, 100, 600 * KIB));
    cr_expect_gt(f.store.most, 1);
    cr_expect_leq(f.store.most, 6);
    tear_down(&f);
}

Test(piece_cache, few_bytes_are_fetched_with_their_neighbours)
{
    dv_source_options options = small();
    fixture f;
    set_up(&f, &options);
    cr_expect(reads(&f, NBYTES - 8, 8)); /* those before them, at the end */
    cr_expect(reads(&f, NBYTES - 4 * KIB, 100));
    cr_expect_eq(f.store.requests, 1);
    cr_expect(reads(&f, 1000000, 5)); /* those after them elsewhere */
    cr_expect(reads(&f, 1001000, 500));
    cr_expect_eq(f.store.requests, 2);
    cr_expect_leq(f.store.nbytes, 2 * (4 + 1) * KIB);
    tear_down(&f);
}

/* What is announced is fetched exactly, and neighbours together. */
Test(piece_cache, announced_ranges_are_fetched_as_they_are)
{
    static const dvi_range ranges[] = {
        {10000, 4000}, {14000, 4000}, {18500, 4000}, {500000, 3000}, {900000, 10}};
    dv_source_options options = small();
    fixture f;
    set_up(&f, &options);
    dvi_pieces_advise(f.pieces, ranges, sizeof ranges / sizeof *ranges);
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        cr_expect(reads(&f, ranges[i].offset, (size_t)ranges[i].nbytes));
    cr_expect_eq(f.store.requests, 3);
    cr_expect_leq(f.store.nbytes, 12500 + 3010 + 3 * 2 * KIB);
    tear_down(&f);
}

Test(piece_cache, failures)
{
    dv_source_options options = small();
    dv_error err = DV_ERROR_INIT;
    uint8_t dst[100];
    fixture f;
    options.attempts = 3;
    set_up(&f, &options);
    f.store.fail_with = DV_ERR_IO;
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 100, dst, &err), DV_ERR_IO);
    cr_expect(strstr(err.message, "out of order"), "%s", err.message);
    cr_expect_eq(f.store.requests, 3); /* attempts */
    f.store.fail_with = DV_ERR_CORRUPT;
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 100, dst, &err), DV_ERR_CORRUPT);
    cr_expect_eq(f.store.requests, 4); /* final */
    f.store.fail_with = DV_NOT_FOUND;
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 100, dst, &err), DV_ERR_IO);
    cr_expect_eq(f.store.requests, 5); /* likewise */
    f.store.fail_with = DV_ERR_CORRUPT;
    f.store.is_mute = true;
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 100, dst, &err), DV_ERR_CORRUPT);
    cr_expect(strstr(err.message, "could not be read"), "%s", err.message);
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 100, dst, NULL), DV_ERR_CORRUPT);

    f.store.fail_with = DV_OK; /* nothing of a failure is kept */
    cr_expect(reads(&f, 0, 100));
    tear_down(&f);
}

/* A request that was on its way before fails no read. */
Test(piece_cache, advice_never_fails)
{
    dv_source_options options = small();
    fixture f;
    options.attempts = 1;
    set_up(&f, &options);
    f.store.fail_with = DV_ERR_IO;
    dvi_pieces_advise(f.pieces, &(dvi_range){0, NBYTES}, 1);
    while (f.store.requests < 3)
        ;
    f.store.fail_with = DV_OK;
    cr_expect(reads(&f, 0, NBYTES));
    tear_down(&f);
}

static bool give_up(void *ctx, bool can_stop, bool (*step)(void *arg), void *arg)
{
    (void)ctx;
    return step(arg) || !can_stop;
}

Test(piece_cache, who_waits_can_stop)
{
    dv_source_options options = small();
    dv_error err = DV_ERROR_INIT;
    uint8_t dst[10];
    fixture f;
    set_up(&f, &options);
    f.source.wait = give_up;
    f.store.delay_ns = 300000000;
    cr_expect_eq(dvi_pieces_read(f.pieces, 0, 10, dst, &err), DV_ERR_STOPPED, "%s", err.message);
    tear_down(&f); /* waits for the request */
}

/* Closing does not wait for attempts that would follow. */
Test(piece_cache, closing_ends_attempts)
{
    dv_source_options options = small();
    fixture f;
    options.attempts = 1000000;
    set_up(&f, &options);
    f.store.fail_with = DV_ERR_IO;
    dvi_pieces_advise(f.pieces, &(dvi_range){0, NBYTES}, 1);
    while (f.store.requests < 2)
        ;
    tear_down(&f);
}

Test(piece_cache, every_allocation_can_fail)
{
    const dv_source_options options = small();
    uint8_t dst[200000];
    for (int64_t k = 1;; k += DVT_FAIL_STEP) {
        fixture f = {0};
        dv_error err = DV_ERROR_INIT;
        dvt_allocator_init(&f.counted, k);
        f.data = dvt_pattern(NBYTES);
        f.source = dvt_slow_memory(&f.store, f.data, NBYTES, "pattern");
        dv_status status = dvi_piece_cache_create(&f.cache, &options, &f.counted.allocator, &err);
        if (status == DV_OK)
            status = dvi_pieces_create(&f.pieces, f.cache, &f.source, NBYTES, &err);
        for (int64_t at = 0; status == DV_OK && at < NBYTES; at += MIB)
            status = dvi_pieces_read(f.pieces, at, NBYTES - at < 200000 ? 77 : 200000, dst, &err);
        cr_expect(status == DV_OK || status == DV_ERR_MEMORY);
        const bool is_done = f.counted.asked < k;
        tear_down(&f);
        if (is_done)
            break;
    }
}
