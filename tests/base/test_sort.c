/* SPDX-License-Identifier: MIT */
/* test_sort.c: the numbers come out in order, and are the same as before. */
#include "base/sort.h"
#include "support/test.h"
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Arrays of various lengths, in which various bytes differ, so that the number of passes is zero,
 * odd or even. */
Test(sort, as_qsort_does)
{
    static const size_t lengths[] = {0, 1, 2, 47, 48, 49, 50, 255, 1000, 4096};
    static const uint64_t masks[] = {0,          0xFF,           0xFF00,    UINT64_C(0xFF) << 56,
                                     UINT64_MAX, 0xFF0000FF00FF, 0xFFFFFFFF};
    enum { MOST = 4096 };
    uint64_t *values = malloc(3 * MOST * sizeof *values), *want = values + MOST;
    uint64_t draw = 1;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (size_t k = 0; k < sizeof masks / sizeof *masks; k++) {
            const size_t n = lengths[i];
            for (size_t j = 0; j < n; j++) {
                draw = draw * UINT64_C(6364136223846793005) + 1442695040888963407u;
                values[j] = want[j] = (draw ^ draw >> 29) & masks[k];
            }
            dvi_sort_u64(values, want + MOST, n);
            qsort(want, n, sizeof *want, compare);
            cr_expect_eq(memcmp(values, want, n * sizeof *want), 0, "%zu numbers, mask %llx", n,
                         (unsigned long long)masks[k]);
        }
    free(values);
}
