/* SPDX-License-Identifier: MIT */
/* test_store.c: the form of store follows its rules, and all bytes are written in each form. */
#include "simd/store.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

#define MIB ((size_t)1 << 20)

/* --- The choice, without a clock -------------------------------------------------------------- */

Test(store, what_fits_the_cache_is_cached)
{
    for (int form = DVI_STORE_UNKNOWN; form < DVI_STORES; form++) {
        cr_expect_eq(dvi_store_form(0, 32 * MIB, form), DVI_STORE_CACHED);
        cr_expect_eq(dvi_store_form(32 * MIB, 32 * MIB, form), DVI_STORE_CACHED);
    }
}

Test(store, what_does_not_is_streamed_until_measured)
{
    cr_expect_eq(dvi_store_form(32 * MIB + 1, 32 * MIB, DVI_STORE_UNKNOWN), DVI_STORE_STREAM);
    for (int form = 0; form < DVI_STORES; form++)
        cr_expect_eq(dvi_store_form(32 * MIB + 1, 32 * MIB, form), (dvi_store)form);
}

Test(store, twice_the_cache_is_measured)
{
    cr_expect_eq(dvi_store_sample(32 * MIB, 32 * MIB), 0);
    cr_expect_eq(dvi_store_sample(64 * MIB - 1, 32 * MIB), 0);
    cr_expect_eq(dvi_store_sample(64 * MIB, 32 * MIB), 64 * MIB);
    cr_expect_eq(dvi_store_sample(1024 * MIB, 32 * MIB), 64 * MIB);
}

Test(store, no_more_than_256_MiB_are_measured)
{
    cr_expect_eq(dvi_store_sample(512 * MIB, 200 * MIB), 256 * MIB);
    cr_expect_eq(dvi_store_sample(256 * MIB, 128 * MIB), 256 * MIB);
    cr_expect_eq(dvi_store_sample(400 * MIB, 400 * MIB), 0);
    cr_expect_eq(dvi_store_sample(401 * MIB, 400 * MIB), 256 * MIB);
    cr_expect_eq(dvi_store_sample(SIZE_MAX, SIZE_MAX - 1), 256 * MIB);
}

static dvi_store choose(int64_t cached, int64_t stream, int64_t repeat)
{
    int64_t ns[DVI_STORES];
    ns[DVI_STORE_CACHED] = cached;
    ns[DVI_STORE_STREAM] = stream;
    ns[DVI_STORE_REPEAT] = repeat;
    return dvi_store_choose(ns);
}

Test(store, the_quickest_wins_if_it_clearly_beats_streaming)
{
    cr_expect_eq(choose(1600, 1600, 1600), DVI_STORE_STREAM);
    cr_expect_eq(choose(1500, 1600, 1500), DVI_STORE_STREAM);
    cr_expect_eq(choose(1499, 1600, 1600), DVI_STORE_CACHED);
    cr_expect_eq(choose(1600, 1600, 1499), DVI_STORE_REPEAT);
    cr_expect_eq(choose(1400, 1600, 1399), DVI_STORE_REPEAT);
    cr_expect_eq(choose(1399, 1600, 1400), DVI_STORE_CACHED);
    cr_expect_eq(choose(3000, 1000, 3000), DVI_STORE_STREAM);
    cr_expect_eq(choose(0, 0, 0), DVI_STORE_STREAM);
}

Test(store, a_cache_is_found)
{
    cr_expect_gt(dvi_store_cache_nbytes(), 0);
}

/* --- The driver, with a cache of a few KiB ---------------------------------------------------- */

/* rows x width slots, of which one in seven is an item; every tenth row is dense. */
typedef struct table {
    dv_sparse rows;
    int32_t *counts, *indices;
    uint8_t *items;
    uint8_t *dst, *want;
    size_t stride, width, nbytes;
} table;

static void *zeroed(size_t n, size_t width)
{
    void *memory = calloc(n + 1, width);
    cr_assert_not_null(memory);
    return memory;
}

static table make(size_t n, size_t width, size_t stride, size_t item_nbytes)
{
    table t = {.stride = stride, .width = width, .nbytes = n * stride * item_nbytes};
    t.counts = zeroed(n, 4);
    t.indices = zeroed(n * width, 4);
    t.items = zeroed(n * width, item_nbytes);
    t.dst = zeroed(t.nbytes, 1);
    t.want = zeroed(t.nbytes, 1);
    size_t index = 0;
    for (size_t i = 0; i < n; i++) {
        t.counts[i] = i % 10 == 9 ? -1 : 0;
        for (size_t slot = i % 7; slot < width && i % 10 != 9; slot += 7, t.counts[i]++)
            t.indices[index++] = (int32_t)slot;
    }
    for (size_t i = 0; i < n * width * item_nbytes; i++)
        t.items[i] = (uint8_t)(i * 31 + 1);
    memset(t.dst, 0xA5, t.nbytes);
    memset(t.want, 0xA5, t.nbytes);
    t.rows = (dv_sparse){n, (int32_t)width, NULL, t.counts, t.indices, t.items};
    return t;
}

static void drop(table *t)
{
    free(t->counts);
    free(t->indices);
    free(t->items);
    free(t->dst);
    free(t->want);
}

static const dvi_densify_kernel *kernel_of(size_t item_nbytes)
{
    const dv_kind kind = item_nbytes == 4 ? DV_KIND_R4 : DV_KIND_R8;
    return dvi_densify_find(kind, kind);
}

/* Check that the driver writes as the scalar kernel does.  Returns the form that is known
 * afterwards. */
static int expect_written(dvi_store_state *store, size_t n, size_t width, size_t stride,
                          size_t item_nbytes)
{
    table t = make(n, width, stride, item_nbytes);
    const dvi_densify_kernel *kernel = kernel_of(item_nbytes);
    kernel->run(dvi_kernels_at(DV_LEVEL_SCALAR), t.want, stride, width, &t.rows, DVI_STORE_CACHED);
    dvi_store_densify(store, kernel, t.dst, stride, width, &t.rows);
    cr_expect_arr_eq(t.dst, t.want, t.nbytes, "%zu rows, width %zu, stride %zu, items of %zu", n,
                     width, stride, item_nbytes);
    drop(&t);
    return atomic_load(&store->form);
}

Test(store, large_output_is_measured_once_and_written_in_full)
{
    for (size_t item_nbytes = 4; item_nbytes <= 8; item_nbytes += 4)
        for (size_t gap = 0; gap < 3; gap++) {
            dvi_store_state store = {8192, DVI_STORE_UNKNOWN};
            cr_expect_eq(expect_written(&store, 20, 30, 30 + gap, item_nbytes), DVI_STORE_UNKNOWN);
            const int form = expect_written(&store, 500, 30, 30 + gap, item_nbytes);
            cr_expect(form >= 0 && form < DVI_STORES, "%d", form);
            cr_expect_eq(expect_written(&store, 501, 31, 31 + gap, item_nbytes), form);
            cr_expect_eq(expect_written(&store, 2, 5000, 5000 + gap, item_nbytes), form);
        }
}

Test(store, a_single_row_may_be_the_sample)
{
    dvi_store_state store = {1024, DVI_STORE_UNKNOWN};
    cr_expect_neq(expect_written(&store, 1, 4000, 4000, 4), DVI_STORE_UNKNOWN);
}

Test(store, each_form_writes_the_same)
{
    for (int form = 0; form < DVI_STORES; form++) {
        dvi_store_state store = {1, form};
        expect_written(&store, 200, 100, 100, 4);
        expect_written(&store, 200, 100, 103, 8);
        expect_written(&store, 3, 9000, 9000, 4);
    }
}

Test(store, the_cache_is_asked_for_when_it_is_not_known)
{
    dvi_store_state store = DVI_STORE_STATE_INIT;
    expect_written(&store, 3, 3, 3, 4);
    cr_expect_eq(atomic_load(&store.cache), dvi_store_cache_nbytes());
}

Test(store, the_process_has_one_of_its_own)
{
    table t = make(10, 10, 12, 4);
    dvi_kernels_at(DV_LEVEL_SCALAR)->densify_4((void *)t.want, 12, 10, &t.rows, DVI_STORE_CACHED);
    dvi_densify(kernel_of(4), t.dst, 12, 10, &t.rows);
    cr_expect_arr_eq(t.dst, t.want, t.nbytes);
    cr_expect_eq(dvi_densify_form(t.nbytes), DVI_STORE_CACHED);
    cr_expect_eq(dvi_densify_form(SIZE_MAX), DVI_STORE_STREAM); /* not measured yet */
    drop(&t);
}
