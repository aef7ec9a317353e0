/* SPDX-License-Identifier: MIT */
/* sort.c: radix sort by bytes, lowest first; a byte that is the same in all numbers is skipped. */
#include "base/sort.h"
#include <string.h>

#define DIGITS 8
#define SHORT 48 /* up to this number, insertion sort is faster */

static void sort_by_insertion(uint64_t *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
}

static size_t digit_of(uint64_t value, int digit)
{
    return value >> (8 * digit) & 0xFF;
}

/* Distribute the values by one digit, keeping the order of equal ones. */
static void distribute(uint64_t *dst, const uint64_t *src, size_t n, const size_t counts[256],
                       int digit)
{
    size_t next[256], sum = 0;
    for (size_t i = 0; i < 256; i++) {
        next[i] = sum;
        sum += counts[i];
    }
    for (size_t i = 0; i < n; i++)
        dst[next[digit_of(src[i], digit)]++] = src[i];
}

void dvi_sort_u64(uint64_t *values, uint64_t *scratch, size_t n)
{
    if (n <= SHORT) {
        sort_by_insertion(values, n);
        return;
    }
    size_t counts[DIGITS][256];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(values[i], digit)]++;
    uint64_t *src = values, *dst = scratch;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (counts[digit][digit_of(src[0], digit)] == n)
            continue;
        distribute(dst, src, n, counts[digit], digit);
        uint64_t *const sorted = dst;
        dst = src;
        src = sorted;
    }
    if (src != values)
        memcpy(values, src, n * sizeof *values);
}
