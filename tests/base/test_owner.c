/* SPDX-License-Identifier: MIT */
/* test_owner.c: bytes with references stay unchanged; bytes without any are freed. */
#include "base/owner.h"
#include "support/allocator.h"
#include "support/test.h"
#include <pthread.h>
#include <string.h>

static atomic_int releases;

static void note_release(dv_owner *owner)
{
    (void)owner;
    atomic_fetch_add(&releases, 1);
}

static void note_ctx(void *ctx)
{
    atomic_fetch_add((atomic_int *)ctx, 1);
}

Test(owner, the_last_reference_releases_once)
{
    atomic_store(&releases, 0);
    dv_owner owner;
    dvi_owner_init(&owner, note_release);
    cr_expect(dvi_owner_is_sole(&owner));
    for (int i = 0; i < 5; i++)
        dvi_owner_retain(&owner);
    cr_expect_not(dvi_owner_is_sole(&owner));
    for (int i = 0; i < 5; i++)
        dvi_owner_release(&owner);
    cr_expect(dvi_owner_is_sole(&owner));
    cr_expect_eq(atomic_load(&releases), 0);
    dvi_owner_release(&owner);
    cr_expect_eq(atomic_load(&releases), 1);
}

Test(owner, may_be_null)
{
    dvi_owner_retain(NULL);
    dvi_owner_release(NULL);
}

static void *retain_and_release(void *ctx)
{
    for (int i = 0; i < 2000; i++) {
        dvi_owner_retain(ctx);
        dvi_owner_release(ctx);
    }
    dvi_owner_release(ctx);
    return NULL;
}

Test(owner, counts_across_threads)
{
    atomic_store(&releases, 0);
    dv_owner owner;
    dvi_owner_init(&owner, note_release);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        dvi_owner_retain(&owner);
        cr_assert_eq(pthread_create(&threads[i], NULL, retain_and_release, &owner), 0);
    }
    dvi_owner_release(&owner);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    cr_expect_eq(atomic_load(&releases), 1);
}

Test(owner, memory_with_one_reference_is_reused)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_memory *memory = NULL;
    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, 1000, NULL), DV_OK);
    cr_expect_eq((uintptr_t)memory->data % 64, 0);
    cr_expect_geq(memory->cap, 1000);
    memset(memory->data, 1, memory->cap);
    const dvi_memory *before = memory;
    for (size_t n = 0; n <= 1000; n += 50)
        cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, n, NULL), DV_OK);
    cr_expect_eq(memory, before);
    cr_expect_eq(counted.asked, 1);

    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, 5000, NULL), DV_OK);
    memset(memory->data, 1, 5000);
    cr_expect_eq(counted.live, 1);
    const size_t cap = memory->cap;
    dv_owner *owner = &memory->owner;
    dvi_owner_retain(owner); /* its replacement is no smaller */
    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, 10, NULL), DV_OK);
    cr_expect_eq(memory->cap, cap);
    dvi_owner_release(owner);
    dvi_memory_release(&memory);
    cr_expect_null(memory);
    dvi_memory_release(&memory);
    cr_expect_eq(counted.nbytes, 0);
}

#define MIB ((size_t)1 << 20)

/* The memory of one huge block in a column of small ones was kept until the cursor was closed, and
 * a wide table has many columns. */
Test(owner, memory_that_is_far_too_large_is_freed)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_memory *memory = NULL;
    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, 16 * MIB, NULL), DV_OK);
    const dvi_memory *huge = memory;
    const size_t cap = memory->cap;
    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, cap / 8, NULL), DV_OK);
    cr_expect(memory == huge && counted.asked == 1, "8 times as large is not too large");
    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, MIB / 4, NULL), DV_OK);
    cr_expect_eq(counted.live, 1);
    cr_expect_geq(memory->cap, MIB / 4);
    cr_expect_lt(memory->cap, MIB, "its replacement is not as large");
    cr_expect_lt((size_t)counted.nbytes, MIB);
    dvi_memory_release(&memory);

    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, MIB / 2, NULL), DV_OK);
    const dvi_memory *modest = memory;
    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, 1, NULL), DV_OK);
    cr_expect_eq(memory, modest, "less than 1 MiB is not freed early");
    dvi_memory_release(&memory);
    cr_expect_eq(counted.live, 0);
}

Test(owner, memory_with_other_references_is_replaced)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    dvi_memory *memory = NULL;
    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, 3, NULL), DV_OK);
    memcpy(memory->data, "one", 3);
    dv_buffer kept = dvi_memory_buffer(memory, 0, 3, 1);
    dv_buffer_retain(&kept);

    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, 3, NULL), DV_OK);
    memcpy(memory->data, "two", 3);
    cr_expect_eq(counted.live, 2);
    cr_expect_arr_eq(kept.data, "one", 3);
    dvi_memory_release(&memory);
    cr_expect_arr_eq(kept.data, "one", 3);
    dv_buffer_release(&kept);
    cr_expect_null(kept.data);
    cr_expect_eq(counted.live, 0);
}

Test(owner, memory_may_run_out)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 2);
    dvi_memory *memory = NULL;
    cr_assert_eq(dvi_memory_reserve(&memory, &counted.allocator, 10, NULL), DV_OK);
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, 1000, &err), DV_ERR_MEMORY);
    cr_expect_eq(err.status, DV_ERR_MEMORY);
    dvi_memory_release(&memory); /* NULL or not */
    static const size_t wrap[] = {SIZE_MAX, SIZE_MAX / 5 * 4 + 4, SIZE_MAX / 5 * 4};
    for (size_t i = 0; i < sizeof wrap / sizeof *wrap; i++) { /* the sums with spare and header */
        cr_expect_eq(dvi_memory_reserve(&memory, &counted.allocator, wrap[i], NULL), DV_ERR_MEMORY);
        dvi_memory_release(&memory);
    }
    cr_expect_eq(counted.asked, 2);
    cr_expect_eq(counted.live, 0);
}

Test(owner, buffers_of_memory)
{
    dvi_memory *memory = NULL;
    cr_assert_eq(dvi_memory_reserve(&memory, NULL, 64, NULL), DV_OK);
    for (size_t at = 0; at < 16; at++)
        for (size_t width = 1; width <= 16; width *= 2) {
            const dv_buffer buffer = dvi_memory_buffer(memory, at, 8, width);
            cr_expect_eq(buffer.data, memory->data + at);
            cr_expect_eq(buffer.nbytes, 8);
            cr_expect_eq(buffer.owner, &memory->owner);
            cr_expect_not(buffer.is_borrowed);
            cr_expect_eq(buffer.is_aligned, at % width == 0);
        }
    cr_expect_null(dvi_memory_buffer(memory, 3, 0, 4).data); /* as buffer.h promises */
    cr_expect(dvi_memory_buffer(memory, 3, 1, 0).is_aligned);
    dvi_memory_release(&memory);
}

Test(owner, wraps_the_callers_bytes)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 0);
    static _Alignas(16) const char bytes[32];
    atomic_int count = 0;
    dv_buffer buffer;
    cr_assert_eq(
        dv_buffer_wrap(&buffer, bytes + 2, 8, 4, note_ctx, &count, &counted.allocator, NULL),
        DV_OK);
    cr_expect_eq(buffer.data, bytes + 2);
    cr_expect_eq(buffer.nbytes, 8);
    cr_expect(buffer.is_borrowed);
    cr_expect_not(buffer.is_aligned);
    dv_buffer second = buffer;
    dv_buffer_retain(&second);
    dv_buffer_release(&buffer);
    cr_expect_null(buffer.owner);
    cr_expect_eq(count, 0);
    dv_buffer_release(&buffer); /* empty: no effect */
    dv_buffer_release(&second);
    cr_expect_eq(count, 1);
    cr_expect_eq(counted.live, 0);
}

Test(owner, wraps_zero_bytes)
{
    dv_buffer buffer;
    cr_assert_eq(dv_buffer_wrap(&buffer, "x", 0, 0, NULL, NULL, NULL, NULL), DV_OK);
    cr_expect_null(buffer.data);
    cr_expect(buffer.is_aligned);
    dv_buffer_release(&buffer);
}

Test(owner, a_failed_wrap_releases_nothing)
{
    dvt_allocator counted;
    dvt_allocator_init(&counted, 1);
    atomic_int count = 0;
    dv_buffer buffer;
    dv_error err = DV_ERROR_INIT;
    cr_expect_eq(dv_buffer_wrap(&buffer, "x", 1, 1, note_ctx, &count, &counted.allocator, &err),
                 DV_ERR_MEMORY);
    cr_expect_null(buffer.data);
    cr_expect_null(buffer.owner);
    cr_expect_eq(buffer.nbytes, 0);
    cr_expect_eq(err.status, DV_ERR_MEMORY);
    cr_expect_eq(count, 0);
}
