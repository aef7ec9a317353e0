/* SPDX-License-Identifier: MIT */
/* mersenne.h: random numbers of the Mersenne Twister, drawn as CPython does (datadings:5.3). */
#ifndef DVI_BASE_MERSENNE_H
#define DVI_BASE_MERSENNE_H

#include <stdint.h>

#define DVI_MERSENNE_WORDS 624

typedef struct dvi_mersenne {
    uint32_t word[DVI_MERSENNE_WORDS];
    int used; /* words drawn; if all are, the next draw makes new ones */
} dvi_mersenne;

/* Set the state that random.seed(seed) sets. */
void dvi_mersenne_seed(dvi_mersenne *m, uint64_t seed);

/* Draw a number from 0..n-1 with uniform probability, n >= 1. */
uint64_t dvi_mersenne_below(dvi_mersenne *m, uint64_t n);

#endif
