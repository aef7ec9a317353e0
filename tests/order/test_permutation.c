/* SPDX-License-Identifier: MIT */
/* test_permutation.c: each number comes once, at the position of docs/shuffling.md, without a
 * pattern that statistics can find. */
#include "order/permutation.h"
#include "support/test.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MOST 70000
#define KEYS 40
#define PARTS 16 /* of a view, for statistics */

static const int64_t sizes[] = {0,    1,    2,    3,    5,    64,    4095, 4096,
                                4097, 4161, 4225, 5000, 9999, 65536, MOST};

static void fill_all(int64_t *numbers, int64_t n, uint64_t key)
{
    dvi_permutation p;
    dvi_permutation_make(&p, n, key);
    dvi_permutation_fill(&p, 0, 1, numbers, n);
}

Test(permutation, each_number_once)
{
    static int64_t numbers[MOST];
    static uint8_t seen[MOST];
    for (size_t s = 0; s < COUNT(sizes); s++)
        for (uint64_t key = 0; key < 5; key++) {
            fill_all(numbers, sizes[s], key);
            memset(seen, 0, sizeof seen);
            for (int64_t i = 0; i < sizes[s]; i++) {
                cr_assert(numbers[i] >= 0 && numbers[i] < sizes[s]);
                cr_assert_eq(seen[numbers[i]]++, 0);
            }
        }
}

/* From any position, in any steps, the numbers are the same; and the position of each is found. */
Test(permutation, any_place_and_step)
{
    static int64_t numbers[MOST], some[MOST];
    dvi_permutation p;
    for (size_t s = 1; s < COUNT(sizes); s++) {
        const int64_t n = sizes[s];
        dvi_permutation_make(&p, n, 77);
        dvi_permutation_fill(&p, 0, 1, numbers, n);
        for (int64_t step = 1; step <= n; step = step * 3 + 1) {
            const int64_t first = n / 3, count = (n - 1 - first) / step + 1;
            dvi_permutation_fill(&p, first, step, some, count);
            for (int64_t i = 0; i < count; i++)
                cr_assert_eq(some[i], numbers[first + i * step]);
        }
        for (int64_t i = 0; i < n; i += 1 + n / 50)
            cr_assert_eq(dvi_permutation_find(&p, numbers[i]), i);
    }
}

/* Numbers of the model in tests/transform/naive_epochs.py, which was written from the page. */
Test(permutation, as_the_page_says)
{
    int64_t some[8];
    dvi_permutation p;
#define EXPECT(...)                                                                                \
    do {                                                                                           \
        static const int64_t want[] = {__VA_ARGS__};                                               \
        cr_expect_eq(memcmp(some, want, sizeof want), 0, "%lld %lld %lld", (long long)some[0],     \
                     (long long)some[1], (long long)some[2]);                                      \
    } while (0)
    dvi_permutation_make(&p, 10, 42);
    dvi_permutation_fill(&p, 0, 1, some, 8);
    EXPECT(7, 2, 4, 5, 1, 9, 6, 3);
    dvi_permutation_make(&p, 1000000, 42);
    dvi_permutation_fill(&p, 0, 1, some, 5);
    EXPECT(409549, 640578, 68756, 856430, 705488);
    dvi_permutation_make(&p, DVI_PERMUTATION_MOST, UINT64_MAX);
    dvi_permutation_fill(&p, DVI_PERMUTATION_MOST - 3, 1, some, 3);
    EXPECT(INT64_C(2217600344887267412), INT64_C(1100553623737274434),
           INT64_C(2034329568896508921));
    cr_expect_eq(dvi_permutation_find(&p, some[1]), DVI_PERMUTATION_MOST - 2);
#undef EXPECT
    cr_expect_eq(dvi_key_derive(42, 0), UINT64_C(0x989B3F130A063869));
    cr_expect_eq(dvi_key_derive(42, UINT64_MAX), UINT64_C(0x97EA87F7E45C00A5));
}

/* --- Quality ---------------------------------------------------------------------------------- */

/* Chi-square of n counts whose expected value is `mean`, in standard deviations from its own
 * expected value. */
static double deviation(const int64_t *counts, int n, double mean, double freedom)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += ((double)counts[i] - mean) * ((double)counts[i] - mean) / mean;
    return (sum - freedom) / sqrt(2 * freedom);
}

/* All orders of five numbers are as frequent. */
Test(permutation, few_numbers_in_every_order)
{
    const int64_t keys = 60000;
    static int64_t counts[120];
    for (uint64_t key = 0; key < (uint64_t)keys; key++) {
        int64_t p[5], order = 0;
        fill_all(p, 5, key);
        for (int i = 0; i < 5; i++) {
            int less = 0;
            for (int j = i + 1; j < 5; j++)
                less += p[j] < p[i];
            order = order * (5 - i) + less;
        }
        counts[order]++;
    }
    const double off = deviation(counts, 120, (double)keys / 120, 119);
    cr_expect(fabs(off) < 4, "%g", off);
}

/* Where rows of one sixteenth of the view go, how far neighbours move apart, how often they stay
 * adjacent. */
static void expect_no_pattern(int64_t n)
{
    static int64_t p[MOST];
    int64_t counts[PARTS * PARTS] = {0}, distances[PARTS] = {0}, kept = 0;
    for (uint64_t key = 0; key < KEYS; key++) {
        fill_all(p, n, key);
        for (int64_t i = 0; i < n; i++) {
            counts[i * PARTS / n * PARTS + p[i] * PARTS / n]++;
            const int64_t apart = (p[(i + 1) % n] - p[i] + n) % n;
            distances[apart * PARTS / n]++;
            kept += apart == 1 || apart == n - 1;
        }
    }
    const double rows = (double)(n * KEYS);
    const double off =
        deviation(counts, PARTS * PARTS, rows / PARTS / PARTS, (PARTS - 1) * (PARTS - 1) * 1.0);
    cr_expect(fabs(off) < 5, "positions of %lld: %g", (long long)n, off);
    const double far = deviation(distances, PARTS, rows / PARTS, PARTS - 1);
    cr_expect(fabs(far) < 5, "distances of %lld: %g", (long long)n, far);
    const double stay = ((double)kept - 2 * KEYS) / sqrt(2.0 * KEYS);
    cr_expect(fabs(stay) < 5, "neighbours of %lld: %g", (long long)n, stay);
}

Test(permutation, many_numbers_without_a_pattern)
{
    static const int64_t n[] = {4096, 4097 * 16, 8192, 65536, MOST};
    for (size_t i = 0; i < COUNT(n); i++)
        expect_no_pattern(n[i]);
}

/* Consecutive keys give independent orders: by chance, one position agrees. */
Test(permutation, keys_next_to_each_other)
{
    static int64_t a[MOST], b[MOST];
    static const int64_t n[] = {1000, MOST};
    for (size_t k = 0; k < COUNT(n); k++) {
        int64_t same = 0;
        for (uint64_t key = 0; key < 50; key++) {
            fill_all(a, n[k], dvi_key_derive(key, 0));
            fill_all(b, n[k], dvi_key_derive(key, 1));
            for (int64_t i = 0; i < n[k]; i++)
                same += a[i] == b[i];
        }
        cr_expect(same > 15 && same < 100, "%lld of 50", (long long)same);
    }
}
