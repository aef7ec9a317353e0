/* SPDX-License-Identifier: MIT */
/* test_arena.c: small allocations do not move until all are freed together. */
#include "base/arena.h"
#include "support/allocator.h"
#include "support/test.h"
#include <stdalign.h>
#include <string.h>

Test(arena, gives_zeroed_memory_for_any_type)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_arena arena;
    dvi_arena_init(&arena, &counted.allocator);
    uint8_t *given[3000];
    for (size_t n = 0; n < 3000; n++) {
        void *memory;
        cr_assert_eq(dvi_arena_alloc(&arena, &memory, n, NULL), DV_OK);
        cr_assert_eq((uintptr_t)memory % alignof(max_align_t), 0);
        given[n] = memory;
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(given[n][i], 0);
        memset(memory, (int)(n % 251), n);
    }
    for (size_t n = 0; n < 3000; n++) /* nothing overlaps, nothing has moved */
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(given[n][i], n % 251);
    cr_expect_lt(counted.asked, 3000 * 1500 / 10000); /* in chunks, not one by one */
    dvi_arena_free(&arena);
    cr_expect_eq(counted.live, 0);
    cr_expect_eq(counted.nbytes, 0);
}

Test(arena, is_empty_when_freed)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_arena arena;
    dvi_arena_init(&arena, &counted.allocator);
    cr_expect_eq(counted.asked, 0);
    for (int i = 0; i < 3; i++) {
        void *memory;
        cr_expect_eq(dvi_arena_alloc(&arena, &memory, 100, NULL), DV_OK);
        dvi_arena_free(&arena);
        dvi_arena_free(&arena);
        cr_expect_eq(counted.live, 0);
    }
}

/* Thousands of files have an arena each; one that has much asks rarely. */
Test(arena, takes_little_for_little)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_arena arena;
    dvi_arena_init(&arena, &counted.allocator);
    void *memory;
    cr_assert_eq(dvi_arena_alloc(&arena, &memory, 100, NULL), DV_OK);
    cr_expect_leq(counted.nbytes, 1024);
    for (int i = 0; i < 10000; i++)
        cr_assert_eq(dvi_arena_alloc(&arena, &memory, 100, NULL), DV_OK);
    cr_expect_leq(counted.asked, 5 + 10001 * 112 / 16000);
    dvi_arena_free(&arena);
    cr_expect_eq(counted.nbytes, 0);
}

/* Allocations at, below and above the size left in a chunk. */
Test(arena, takes_any_size)
{
    for (size_t n = (16 << 10) - 200; n < (16 << 10) + 200; n++) {
        dvi_arena arena;
        dvi_arena_init(&arena, NULL);
        void *a, *b;
        cr_assert_eq(dvi_arena_alloc(&arena, &a, n, NULL), DV_OK);
        cr_assert_eq(dvi_arena_alloc(&arena, &b, 16, NULL), DV_OK);
        memset(a, 1, n);
        cr_assert_eq(*(uint8_t *)b, 0);
        dvi_arena_free(&arena);
    }
}

Test(arena, refuses_sizes_that_wrap)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_arena arena;
    dvi_arena_init(&arena, &counted.allocator);
    for (size_t n = SIZE_MAX; n > SIZE_MAX - 40; n--) {
        dv_error err = DV_ERROR_INIT;
        void *memory = &err;
        cr_expect_eq(dvi_arena_alloc(&arena, &memory, n, &err), DV_ERR_MEMORY);
        cr_expect_null(memory);
        cr_expect_eq(err.status, DV_ERR_MEMORY);
    }
    cr_expect_eq(counted.asked, 0);
    dvi_arena_free(&arena);
}

Test(arena, copies_text)
{
    dvi_arena arena;
    dvi_arena_init(&arena, NULL);
    dv_text copy;
    cr_expect_eq(dvi_arena_text(&arena, &copy, (dv_text){"a\0bXYZ", 3}, NULL), DV_OK);
    cr_expect_eq(copy.nbytes, 3);
    cr_expect_arr_eq(copy.data, "a\0b", 4); /* including the NUL after it */
    cr_expect_eq(dvi_arena_text(&arena, &copy, (dv_text){NULL, 0}, NULL), DV_OK);
    cr_expect_eq(copy.nbytes, 0);
    cr_expect_str_eq(copy.data, "");
    cr_expect_eq(dvi_arena_text(&arena, &copy, (dv_text){NULL, -1}, NULL), DV_OK);
    cr_expect_eq(copy.nbytes, -1); /* NA stays NA */
    dvi_arena_free(&arena);
}

static dv_status fill(dvi_arena *arena, dv_error *err)
{
    dv_text copy;
    void *memory;
    dv_status status = DV_OK;
    for (int i = 0; i < 50 && status == DV_OK; i++) {
        status = dvi_arena_alloc(arena, &memory, 3000, err);
        cr_assert(status == DV_OK || memory == NULL);
        if (status == DV_OK)
            status = dvi_arena_text(arena, &copy, (dv_text){"text", 4}, err);
    }
    return status;
}

Test(arena, survives_every_failed_allocation)
{
    for (int64_t k = 1;; k++) {
        dvt_allocator counted;
        dvt_allocator_init(&counted, k);
        dvi_arena arena;
        dvi_arena_init(&arena, &counted.allocator);
        dv_error err = DV_ERROR_INIT;
        const dv_status status = fill(&arena, &err);
        dvi_arena_free(&arena);
        cr_assert_eq(counted.live, 0);
        if (status == DV_OK) {
            cr_expect_gt(k, 5);
            break;
        }
        cr_assert_eq(status, DV_ERR_MEMORY);
        cr_assert_eq(err.status, DV_ERR_MEMORY);
    }
}

/* --- What it owns ----------------------------------------------------------------------------- */

static int released[4], releases;

static void note(void *what)
{
    released[releases++] = *(const int *)what;
}

Test(arena, releases_what_it_owns_first)
{
    dvt_allocator counted;
    dvi_arena arena;
    void *numbers;
    releases = 0;
    dvt_allocator_init(&counted, 0);
    dvi_arena_init(&arena, &counted.allocator);
    cr_assert_eq(dvi_arena_alloc(&arena, &numbers, 3 * sizeof(int), NULL), DV_OK);
    for (int i = 0; i < 3; i++) {
        ((int *)numbers)[i] = i;
        cr_expect_eq(dvi_arena_own(&arena, note, (int *)numbers + i, NULL), DV_OK);
    }
    cr_expect_eq(releases, 0);
    dvi_arena_free(&arena);
    dvi_arena_free(&arena);
    cr_expect_eq(releases, 3); /* once, while what the arena allocated is still there */
    for (int i = 0; i < 3; i++)
        cr_expect_eq(released[i], 2 - i);
    cr_expect_eq(counted.live, 0);
}

Test(arena, releases_at_once_what_it_cannot_own)
{
    dvt_allocator counted;
    dvi_arena arena;
    int number = 7;
    releases = 0;
    dvt_allocator_init(&counted, 1);
    dvi_arena_init(&arena, &counted.allocator);
    cr_expect_eq(dvi_arena_own(&arena, note, &number, NULL), DV_ERR_MEMORY);
    cr_expect_eq(releases, 1);
    cr_expect_eq(released[0], 7);
    dvi_arena_free(&arena);
    cr_expect_eq(releases, 1);
}
