/* SPDX-License-Identifier: MIT */
/* permutation.c: keyed orders of 0 to n-1.
 *
 * Few numbers are shuffled once and kept.  Many lie in a rectangle, number = x * height + y, and
 * are sent through a Feistel network over it: x moves by a draw that y tells, y by one that x
 * tells, and so on; each move can be taken back, so no two numbers meet.  The rectangle has at most
 * a column more than n needs: a number that comes out behind n goes in again (docs/shuffling.md).
 */
#include "base/permutation.h"
#include "base/size.h"
#include <math.h>

#define LANES 64 /* numbers that go through the rounds together */
#define STEP UINT64_C(0x9E3779B97F4A7C15)

/* The last step of SplitMix64. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Draw i of a key: 32 bits. */
static uint32_t draw(uint64_t key, uint64_t i)
{
    return (uint32_t)(mix(key + (i + 1) * STEP) >> 32);
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
    p->width = square_root(n);
    p->height = (uint32_t)((n + p->width - 1) / p->width);
    for (uint32_t i = 0; i < DVI_PERMUTATION_ROUNDS; i++)
        p->keys[i] = draw(key, i);
}

/* --- Rounds ----------------------------------------------------------------------------------- */

/* How far does a number move, 0 to size-1? */
static uint32_t distance(uint32_t number, uint32_t key, uint32_t size)
{
    uint32_t h = (number ^ key) * UINT32_C(0x9E3779B1);
    h = (h ^ h >> 15) * UINT32_C(0x85EBCA77);
    return (uint32_t)((uint64_t)h * size >> 32);
}

/* A sum of two numbers below size, <= 2^31, modulo size. */
static uint32_t wrap(uint32_t sum, uint32_t size)
{
    const uint32_t less = sum - size; /* far above, when it is below */
    return sum < less ? sum : less;
}

/* All rounds of so many cells.  Compilers make vectors of the inner loop. */
static void go_round(const dvi_permutation *p, uint32_t *restrict x, uint32_t *restrict y, int n)
{
    const uint32_t width = p->width, height = p->height;
    for (int r = 0; r < DVI_PERMUTATION_ROUNDS; r += 2) {
        const uint32_t key_x = p->keys[r], key_y = p->keys[r + 1];
        for (int i = 0; i < n; i++) {
            x[i] = wrap(x[i] + distance(y[i], key_x, width), width);
            y[i] = wrap(y[i] + distance(x[i], key_y, height), height);
        }
    }
}

static void go_back(const dvi_permutation *p, uint32_t *x, uint32_t *y)
{
    for (int r = DVI_PERMUTATION_ROUNDS - 2; r >= 0; r -= 2) {
        *y = wrap(*y + p->height - distance(*x, p->keys[r + 1], p->height), p->height);
        *x = wrap(*x + p->width - distance(*y, p->keys[r], p->width), p->width);
    }
}

static int64_t number_of(const dvi_permutation *p, uint32_t x, uint32_t y)
{
    return (int64_t)((uint64_t)x * p->height + y);
}

/* --- Numbers ---------------------------------------------------------------------------------- */

static void fill_drawn(const dvi_permutation *p, int64_t first, int64_t step, int64_t *out,
                       int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        out[i] = p->table[first + i * step];
}

/* Numbers of n cells, of which some are sent round again. */
static void settle(const dvi_permutation *p, uint32_t *x, uint32_t *y, int64_t *out, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = number_of(p, x[i], y[i]);
    for (int i = 0; i < n; i++) {
        while (out[i] >= p->n) {
            go_round(p, &x[i], &y[i], 1);
            out[i] = number_of(p, x[i], y[i]);
        }
    }
}

void dvi_permutation_fill(const dvi_permutation *p, int64_t first, int64_t step, int64_t *out,
                          int64_t count)
{
    if (p->n <= DVI_PERMUTATION_TABLE) {
        fill_drawn(p, first, step, out, count);
        return;
    }
    uint32_t x[LANES], y[LANES];
    const int64_t height = p->height, step_x = step / height, step_y = step % height;
    int64_t at_x = first / height, at_y = first % height;
    for (int64_t done = 0; done < count; done += LANES) {
        const int n = (int)dvi_min_i64(count - done, LANES);
        for (int i = 0; i < n; i++) {
            x[i] = (uint32_t)at_x;
            y[i] = (uint32_t)at_y;
            at_y += step_y;
            at_x += step_x + (at_y >= height);
            at_y -= at_y >= height ? height : 0;
        }
        go_round(p, x, y, n);
        settle(p, x, y, out + done, n);
    }
}

int64_t dvi_permutation_find(const dvi_permutation *p, int64_t number)
{
    int64_t at = 0;
    if (p->n <= DVI_PERMUTATION_TABLE) {
        while (p->table[at] != number)
            at++;
        return at;
    }
    at = number;
    do {
        uint32_t x = (uint32_t)(at / p->height), y = (uint32_t)(at % p->height);
        go_back(p, &x, &y);
        at = number_of(p, x, y);
    } while (at >= p->n);
    return at;
}
