/* SPDX-License-Identifier: MIT */
/* choice.h: the kernels of level avx512 that avx2 beats, by make of CPU.
 *
 * A level is in use as a whole, but for these: the kernel of avx2 runs in their place.  A kernel is
 * listed if avx512 has below 0.93 of the speed of avx2 in the geometric mean of two measurements
 * within the first two caches: by bench/level_wins.c, where sources start anywhere in a line, as in
 * a mapped file (alternating runs of some microseconds, the tenth percentile of 301, the middle one
 * of three); and, where they are there, by the rows of the suites kernels and dense, where sources
 * start at a line.  Beyond the caches, where memory decides, the levels are alike.
 *
 * A make that is not measured takes the highest level. */
#ifndef DVI_SIMD_CHOICE_H
#define DVI_SIMD_CHOICE_H

typedef enum dvi_make {
    DVI_MAKE_UNKNOWN,
    DVI_MAKE_ZEN4, /* AMD of family 25: 512 bits are two halves, and masks in registers are slow */
} dvi_make;

/* X(make, kernel): and the speed of avx512, in that of avx2. */
#define DVI_AVX2_WINS_LIST(X)                                                                      \
    X(ZEN4, sparsify_1)       /* 0.69 */                                                           \
    X(ZEN4, convert_ug_u8)    /* 0.74 */                                                           \
    X(ZEN4, transpose_8)      /* 0.78 */                                                           \
    X(ZEN4, convert_ug_u2)    /* 0.82 */                                                           \
    X(ZEN4, transpose_4)      /* 0.87 */                                                           \
    X(ZEN4, sum_i4)           /* 0.88 */                                                           \
    X(ZEN4, convert_i2_i8)    /* 0.91 */                                                           \
    X(ZEN4, minmax_i1)        /* 0.91 */                                                           \
    X(ZEN4, convert_u8_ug)    /* 0.92 */                                                           \
    X(ZEN4, offsets_counts_8) /* 0.92 */                                                           \
    X(ZEN4, sum_i2)           /* 0.93 */

#endif
