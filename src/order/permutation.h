/* SPDX-License-Identifier: MIT */
/* permutation.h: the numbers 0 to n-1 in an order that depends on a key, each computed by itself
 * (docs/shuffling.md, Permutations). */
#ifndef DVI_ORDER_PERMUTATION_H
#define DVI_ORDER_PERMUTATION_H

#include "simd/kernel.h"

#define DVI_PERMUTATION_TABLE 4096              /* up to this n the order is drawn and stored */
#define DVI_PERMUTATION_MOST (INT64_C(1) << 62) /* n */

/* A plain value, of 8 KiB. */
typedef struct dvi_permutation {
    int64_t n;
    dvi_rectangle cells; /* at least n */
    uint16_t table[DVI_PERMUTATION_TABLE];
} dvi_permutation;

/* 0 <= n <= DVI_PERMUTATION_MOST. */
void dvi_permutation_make(dvi_permutation *permutation, int64_t n, uint64_t key);

/* numbers_out[i] = the number at position first + i * step, i < count; all of these lie in 0..n-1,
 * step >= 1. */
void dvi_permutation_fill(const dvi_permutation *permutation, int64_t first, int64_t step,
                          int64_t *numbers_out, int64_t count);

/* The position of a number, 0 to n-1. */
int64_t dvi_permutation_find(const dvi_permutation *permutation, int64_t number);

/* Derive a key for each number. */
uint64_t dvi_key_derive(uint64_t key, uint64_t number);

/* The draw of a key with that number: 64 bits. */
uint64_t dvi_key_draw(uint64_t key, uint64_t number);

#endif
