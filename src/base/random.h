/* SPDX-License-Identifier: MIT */
/* random.h: ML.NET's generator of pseudo-random numbers (semantics:5.7). */
#ifndef DVI_BASE_RANDOM_H
#define DVI_BASE_RANDOM_H

#include <stdint.h>

/* A plain value: a copy continues the same sequence. Each draw takes one step, except a child (six
 * or more) and Poisson's (one or more). */
typedef struct dvi_random {
    uint32_t z1, z2, z3, z4;
} dvi_random;

dvi_random dvi_random_of(uint32_t seed);
/* A new generator, seeded by draws from another. */
dvi_random dvi_random_child(dvi_random *random);

static inline uint32_t dvi_random_u4(dvi_random *random);
float dvi_random_r4(dvi_random *random);  /* in [0, 1) */
double dvi_random_r8(dvi_random *random); /* in [0, 1) */
/* In 0..n-1; 0 if n is 0. */
static inline uint32_t dvi_random_below(dvi_random *random, uint32_t n);
int32_t dvi_random_poisson(dvi_random *random, double mean);

/* Fill `order` with a random permutation of 0..n-1. */
void dvi_random_permute(dvi_random *random, uint32_t *order, uint32_t n);

/* --- Inline, since a shuffle draws a number for each row -------------------------------------- */

static inline uint32_t dvi_random_step(uint32_t z, int left, int right, int shift, uint32_t mask)
{
    return (z & mask) << shift ^ (z << left ^ z) >> right;
}

static inline uint32_t dvi_random_u4(dvi_random *r)
{
    r->z1 = dvi_random_step(r->z1, 13, 19, 12, ~UINT32_C(1));
    r->z2 = dvi_random_step(r->z2, 2, 25, 4, ~UINT32_C(7));
    r->z3 = dvi_random_step(r->z3, 3, 11, 17, ~UINT32_C(15));
    r->z4 = 1664525 * r->z4 + 1013904223;
    return r->z1 ^ r->z2 ^ r->z3 ^ r->z4;
}

static inline uint32_t dvi_random_below(dvi_random *r, uint32_t n)
{
    return (uint32_t)((uint64_t)dvi_random_u4(r) * n >> 32);
}

#endif
