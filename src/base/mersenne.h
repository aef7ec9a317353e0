/* SPDX-License-Identifier: MIT */
/* mersenne.h: random numbers of the Mersenne Twister, drawn as CPython draws them.
 * (datadings:5.3) */
#ifndef DVI_BASE_MERSENNE_H
#define DVI_BASE_MERSENNE_H

#include <stdint.h>

#define DVI_MERSENNE_WORDS 624

typedef struct dvi_mersenne {
    uint32_t word[DVI_MERSENNE_WORDS];
    int used; /* words that have been drawn; all of them: new ones are due */
} dvi_mersenne;

/* Begin where random.seed(seed) begins. */
void dvi_mersenne_seed(dvi_mersenne *m, uint64_t seed);

/* 0 to n-1, each as likely, n >= 1. */
uint64_t dvi_mersenne_below(dvi_mersenne *m, uint64_t n);

#endif
