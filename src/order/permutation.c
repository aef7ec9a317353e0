/* SPDX-License-Identifier: MIT */
/* permutation.c: keyed orders of 0 to n-1.
 *
 * Few numbers are shuffled once and stored.  Many are cells of a rectangle, number = x * height +
 * y, and go through a Feistel network: x is shifted by a hash of y, y by a hash of x, and so on.
 * Each shift can be undone, so no two numbers meet.  The rectangle has at most one column more than
 * n needs: a result that is not below n goes through the network again (docs/shuffling.md). */
#include "order/permutation.h"
#include "simd/cells.h"
#include <math.h>

#define STEP UINT64_C(0x9E3779B97F4A7C15)

/* The last step of SplitMix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t dvi_key_draw(uint64_t key, uint64_t number)
{
    return mix(key + (number + 1) * STEP);
}

/* Draw i of a key: 32 bits. */
static uint32_t draw(uint64_t key, uint64_t i)
{
    return (uint32_t)(dvi_key_draw(key, i) >> 32);
}

uint64_t dvi_key_derive(uint64_t key, uint64_t number)
{
    return mix(mix(key) + (number + 1) * STEP);
}

/* --- Making ----------------------------------------------------------------------------------- */

static void fill_table(dvi_permutation *p, uint64_t key)
{
    const uint32_t n = (uint32_t)p->n;
    for (uint32_t i = 0; i < n; i++)
        p->table[i] = (uint16_t)i;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t j = i + (uint32_t)((uint64_t)draw(key, i) * (n - i) >> 32);
        const uint16_t held = p->table[i];
        p->table[i] = p->table[j];
        p->table[j] = held;
    }
}

/* The least number whose square is n or more. */
static uint32_t square_root(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    while (root * root < n)
        root++;
    while ((root - 1) * (root - 1) >= n)
        root--;
    return (uint32_t)root;
}

void dvi_permutation_make(dvi_permutation *p, int64_t n, uint64_t key)
{
    p->n = n;
    if (n <= DVI_PERMUTATION_TABLE) {
        fill_table(p, key);
        return;
    }
    p->cells.width = square_root(n);
    p->cells.height = (uint32_t)((n + p->cells.width - 1) / p->cells.width);
    for (uint32_t i = 0; i < DVI_RECTANGLE_KEYS; i++)
        p->cells.keys[i] = draw(key, i);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

void dvi_permutation_fill(const dvi_permutation *p, int64_t first, int64_t step, int64_t *out,
                          int64_t count)
{
    if (p->n <= DVI_PERMUTATION_TABLE) {
        for (int64_t i = 0; i < count; i++)
            out[i] = p->table[first + i * step];
        return;
    }
    uint64_t *const numbers = (uint64_t *)out;
    const uint64_t n = (uint64_t)p->n;
    dvi_kernels()->cells_permute(numbers, (uint64_t)first, (uint64_t)step, (size_t)count,
                                 &p->cells);
    for (int64_t i = 0; i < count; i++)
        while (numbers[i] >= n) /* one of the square root of n, at most */
            dvi_cells_permute_scalar(&numbers[i], numbers[i], 1, 1, &p->cells);
}

/* Undo a move, modulo size. */
static uint32_t move_back(uint32_t at, uint32_t number, uint32_t key, uint32_t size)
{
    const uint32_t distance = dvi_cells_distance(number, key, size);
    return at >= distance ? at - distance : at + (size - distance);
}

static uint64_t find_once(const dvi_rectangle *r, uint64_t number)
{
    uint32_t x = (uint32_t)(number / r->height), y = (uint32_t)(number % r->height);
    for (int k = DVI_RECTANGLE_KEYS - 2; k >= 0; k -= 2) {
        y = move_back(y, x, r->keys[k + 1], r->height);
        x = move_back(x, y, r->keys[k], r->width);
    }
    return (uint64_t)x * r->height + y;
}

int64_t dvi_permutation_find(const dvi_permutation *p, int64_t number)
{
    uint64_t at = 0;
    if (p->n <= DVI_PERMUTATION_TABLE) {
        while (p->table[at] != number)
            at++;
        return (int64_t)at;
    }
    at = find_once(&p->cells, (uint64_t)number);
    while (at >= (uint64_t)p->n)
        at = find_once(&p->cells, at);
    return (int64_t)at;
}
