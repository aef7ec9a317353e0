/* SPDX-License-Identifier: MIT */
/* test_alloc.c: memory comes from the caller's allocator; sizes are checked. */
#include "base/alloc.h"
#include "base/size.h"
#include "support/allocator.h"
#include "support/test.h"
#include <string.h>

Test(alloc, comes_aligned_from_malloc)
{
    for (size_t n = 0; n < 200; n++) {
        void *memory;
        cr_assert_eq(dvi_alloc(NULL, &memory, n, NULL), DV_OK);
        cr_assert_eq((uintptr_t)memory % DVI_ALIGNMENT, 0);
        memset(memory, 1, n ? n : 1);
        dvi_free(NULL, memory, n);

        cr_assert_eq(dvi_alloc_zeroed(NULL, &memory, n, NULL), DV_OK);
        for (size_t i = 0; i < n; i++)
            cr_assert_eq(((uint8_t *)memory)[i], 0);
        dvi_free(NULL, memory, n);
    }
}

Test(alloc, free_takes_null)
{
    dvi_free(NULL, NULL, 7);
}

/* A size that the system cannot allocate gives DV_ERR_MEMORY and NULL. */
Test(alloc, refuses_impossible_sizes)
{
#ifdef DVT_SANITIZED
    cr_skip_test("a sanitizer's malloc ends the program instead");
#endif
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 63, (size_t)1 << 63, SIZE_MAX / 2};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        dv_error err = DV_ERROR_INIT;
        void *memory = &err;
        cr_expect_eq(dvi_alloc(NULL, &memory, sizes[i], &err), DV_ERR_MEMORY);
        cr_expect_null(memory);
        cr_expect_eq(err.status, DV_ERR_MEMORY);
        memory = &err;
        cr_expect_eq(dvi_alloc_zeroed(NULL, &memory, sizes[i], &err), DV_ERR_MEMORY);
        cr_expect_null(memory);
    }
}

Test(alloc, comes_from_the_callers_allocator)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 3);
    void *a, *b, *none;
    cr_assert_eq(dvi_alloc(&counted.allocator, &a, 0, NULL), DV_OK);
    cr_assert_eq(dvi_alloc_zeroed(&counted.allocator, &b, 100, NULL), DV_OK);
    cr_expect_eq(counted.live, 2);
    cr_expect_eq(counted.nbytes, 101); /* 0 bytes are requested as 1 */
    cr_expect_eq(dvi_alloc(&counted.allocator, &none, 1, NULL), DV_ERR_MEMORY);
    cr_expect_null(none);
    dvi_free(&counted.allocator, a, 0);
    dvi_free(&counted.allocator, b, 100);
    cr_expect_eq(counted.live, 0);
    cr_expect_eq(counted.nbytes, 0);
}

Test(alloc, an_array_keeps_its_content)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    void *array = NULL;
    size_t cap = 0;
    for (size_t n = 1; n <= 5000; n++) {
        cr_assert_eq(dvi_array_reserve(&counted.allocator, &array, &cap, n, sizeof(size_t), NULL),
                     DV_OK);
        cr_assert(cap >= n);
        ((size_t *)array)[n - 1] = n;
    }
    for (size_t n = 1; n <= 5000; n++)
        cr_assert_eq(((size_t *)array)[n - 1], n);
    cr_expect_eq(counted.asked, 14); /* it doubles: 1, 2, 4 .. 8192 */
    cr_expect_eq(counted.live, 1);
    dvi_free(&counted.allocator, array, cap * sizeof(size_t));
    cr_expect_eq(counted.nbytes, 0);
}

Test(alloc, an_array_survives_failed_allocations)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    void *array = NULL;
    size_t cap = 0;
    cr_assert_eq(dvi_array_reserve(&counted.allocator, &array, &cap, 3, 8, NULL), DV_OK);
    memcpy(array, "0123456789abcdefghijklmn", 24);
    const void *before = array;

    /* Modulo 2^64, 2^61 + 1 items of 8 bytes take 8 bytes, SIZE_MAX items of 16 take 2^64 - 16. */
    cr_expect_eq(
        dvi_array_reserve(&counted.allocator, &array, &cap, ((size_t)1 << 61) + 1, 8, NULL),
        DV_ERR_MEMORY);
    cr_expect_eq(dvi_array_reserve(&counted.allocator, &array, &cap, SIZE_MAX, 16, NULL),
                 DV_ERR_MEMORY);
    counted.fail_at = counted.asked + 1;
    cr_expect_eq(dvi_array_reserve(&counted.allocator, &array, &cap, 4, 8, NULL), DV_ERR_MEMORY);
    cr_expect_eq(array, before);
    cr_expect_eq(cap, 3);
    cr_expect_arr_eq(array, "0123456789abcdefghijklmn", 24);
    cr_expect_eq(dvi_array_reserve(&counted.allocator, &array, &cap, 3, 8, NULL),
                 DV_OK); /* nothing to do */
    dvi_free(&counted.allocator, array, cap * 8);
    cr_expect_eq(counted.live, 0);
}

Test(alloc, a_capacity_past_the_half_does_not_wrap)
{
    void *array = NULL;
    size_t cap = SIZE_MAX / 2 + 2; /* of items of 0 bytes; twice this wraps to 2 */
    cr_expect_eq(dvi_array_reserve(NULL, &array, &cap, SIZE_MAX, 0, NULL), DV_OK);
    cr_expect_eq(cap, SIZE_MAX);
    dvi_free(NULL, array, 0);
}

Test(alloc, checked_sizes)
{
    size_t n;
    cr_expect(dvi_size_mul(0, SIZE_MAX, &n) && n == 0);
    cr_expect(dvi_size_mul(SIZE_MAX, 1, &n) && n == SIZE_MAX);
    cr_expect(dvi_size_mul((size_t)1 << 32, (size_t)1 << 31, &n) && n == (size_t)1 << 63);
    cr_expect_not(dvi_size_mul((size_t)1 << 32, (size_t)1 << 32, &n));
    cr_expect_not(dvi_size_mul(SIZE_MAX, 2, &n));
    cr_expect(dvi_size_add(SIZE_MAX - 1, 1, &n) && n == SIZE_MAX);
    cr_expect_not(dvi_size_add(SIZE_MAX, 1, &n));
    cr_expect_eq(dvi_min_i64(INT64_MIN, INT64_MAX), INT64_MIN);
    cr_expect_eq(dvi_max_i64(INT64_MIN, INT64_MAX), INT64_MAX);
}

/* Items of any type: zeroed, and refused if no memory holds them. */
Test(alloc, items)
{
    int64_t *items = (int64_t *)1;
    cr_expect_eq(DVI_NEW(NULL, &items, SIZE_MAX / 4, NULL), DV_ERR_MEMORY);
    cr_expect_null(items);
    cr_assert_eq(DVI_NEW(NULL, &items, 3, NULL), DV_OK);
    cr_expect(items[0] == 0 && items[2] == 0);
    dvi_free(NULL, items, 3 * sizeof *items);
}
