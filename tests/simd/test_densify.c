/* SPDX-License-Identifier: MIT */
/* test_densify.c: the kernel for the kinds of both sides is found. */
#include "simd/densify.h"
#include "support/test.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    dv_kind kind;
    size_t nbytes;
} numbers[] = {{DV_KIND_I1, 1}, {DV_KIND_I2, 2}, {DV_KIND_I4, 4}, {DV_KIND_I8, 8},
               {DV_KIND_U1, 1}, {DV_KIND_U2, 2}, {DV_KIND_U4, 4}, {DV_KIND_U8, 8},
               {DV_KIND_BL, 1}, {DV_KIND_R4, 4}, {DV_KIND_R8, 8}};

/* Make the matrix 0 x, 0 1, where x is the first item.  Returns x. */
static double second_of(const dvi_densify_kernel *kernel, const void *items, bool is_f4)
{
    static const int32_t counts[] = {1, -1}, indices[] = {1};
    const dv_sparse rows = {2, 2, NULL, counts, indices, items};
    double f8[4] = {9, 9, 9, 9};
    float f4[4] = {9, 9, 9, 9};
    kernel->run(dvi_kernels(), is_f4 ? (void *)f4 : (void *)f8, 2, 2, &rows, DVI_STORE_CACHED);
    for (int i = 0; is_f4 && i < 4; i++)
        f8[i] = (double)f4[i];
    cr_expect_eq(f8[0], 0);
    cr_expect_eq(f8[2], 0);
    cr_expect_eq(f8[3], 1);
    return f8[1];
}

Test(densify, every_number_becomes_a_real)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        for (int is_f4 = 0; is_f4 < 2; is_f4++) {
            const dv_kind to = is_f4 ? DV_KIND_R4 : DV_KIND_R8;
            const dvi_densify_kernel *kernel = dvi_densify_find(numbers[i].kind, to);
            cr_assert_not_null(kernel, "kind %d", (int)numbers[i].kind);
            cr_expect_eq(kernel->stored_nbytes, numbers[i].nbytes);
            cr_expect_eq(kernel->item_nbytes, is_f4 ? 4 : 8);
        }
}

Test(densify, the_items_are_converted)
{
    static const int8_t i1[] = {-3, 0, 1};
    static const uint16_t u2[] = {65535, 0, 1};
    static const float f4[] = {0.5F, 0, 1};
    static const double f8[] = {-2.25, 0, 1};
    cr_expect_eq(second_of(dvi_densify_find(DV_KIND_I1, DV_KIND_R4), i1, true), -3);
    cr_expect_eq(second_of(dvi_densify_find(DV_KIND_U2, DV_KIND_R8), u2, false), 65535);
    cr_expect_eq(second_of(dvi_densify_find(DV_KIND_R4, DV_KIND_R8), f4, false), 0.5);
    cr_expect_eq(second_of(dvi_densify_find(DV_KIND_R8, DV_KIND_R4), f8, true), -2.25);
    cr_expect_eq(second_of(dvi_densify_find(DV_KIND_R4, DV_KIND_R4), f4, true), 0.5);
}

Test(densify, the_same_kind_needs_only_its_width)
{
    cr_expect_eq(dvi_densify_find(DV_KIND_DT, DV_KIND_DT),
                 dvi_densify_find(DV_KIND_I8, DV_KIND_I8));
    cr_expect_eq(dvi_densify_find(DV_KIND_BL, DV_KIND_BL)->item_nbytes, 1);
    cr_expect_eq(dvi_densify_find(DV_KIND_U2, DV_KIND_U2)->item_nbytes, 2);
}

Test(densify, other_pairs_have_none)
{
    cr_expect_null(dvi_densify_find(DV_KIND_TX, DV_KIND_TX));
    cr_expect_null(dvi_densify_find(DV_KIND_UG, DV_KIND_UG));
    cr_expect_null(dvi_densify_find(DV_KIND_DT, DV_KIND_R4));
    cr_expect_null(dvi_densify_find(DV_KIND_R4, DV_KIND_I4));
    cr_expect_null(dvi_densify_find(DV_KIND_TX, DV_KIND_R4));
}

/* --- Dense rows ------------------------------------------------------------------------------- */

enum { ROWS_MOST = 40 };

/* Rows of `width` slots that are 1, 2, ... in order, of which row `empty` has no items. */
static void expect_rows(size_t n, size_t width, size_t empty)
{
    uint32_t *items = malloc(n * width * sizeof *items), *got = malloc(n * width * sizeof *got);
    int32_t *counts = malloc(n * sizeof *counts);
    cr_assert(items && got && counts);
    for (size_t i = 0; i < n; i++)
        counts[i] = i == empty ? 0 : -1;
    for (size_t i = 0; i < n * width; i++)
        items[i] = (uint32_t)i + 1;
    memset(got, 0xFF, n * width * sizeof *got);
    const dv_sparse rows = {n, (int32_t)width, NULL, counts, NULL, items};
    const dvi_densify_kernel *kernel = dvi_densify_find(DV_KIND_R4, DV_KIND_R4);
    kernel->run(dvi_kernels(), got, width, width, &rows, DVI_STORE_CACHED);
    uint32_t next = 1;
    for (size_t i = 0; i < n * width; i++) {
        const uint32_t want = i / width == empty ? 0 : next++;
        cr_assert_eq(got[i], want, "%zu rows of %zu, %zu is empty: item %zu", n, width, empty, i);
    }
    free(counts);
    free(got);
    free(items);
}

/* Eight rows are looked at together: one that differs may be any of them. */
Test(densify, a_row_among_dense_ones_may_differ)
{
    static const size_t widths[] = {1, 3, 16, 64, 200};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (size_t n = 1; n <= ROWS_MOST; n++)
            for (size_t empty = 0; empty <= n; empty++)
                expect_rows(n, widths[k], empty);
}

Test(densify, many_dense_rows_are_copied_in_pieces)
{
    expect_rows(1, 300001, 1);
    expect_rows(700, 1024, 700);
    expect_rows(700, 1024, 400);
}
