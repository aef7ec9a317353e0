/* SPDX-License-Identifier: MIT */
/* choice.h: the kernels of level avx512 that avx2 beats, by make of CPU.
 *
 * A level is in use as a whole, but for these: the kernel of avx2 runs in their place.  They are
 * measured by bench/level_wins.c: alternating runs of some microseconds within the first two
 * caches, the tenth percentile of 301, three times; a kernel is listed if avx512 has below 0.93 of
 * the speed of avx2 each time.  Beyond the caches, where memory decides, they are alike.
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
    X(ZEN4, na_first_1)    /* 0.45 */                                                              \
    X(ZEN4, na_first_2)    /* 0.46 */                                                              \
    X(ZEN4, na_first_4)    /* 0.52 */                                                              \
    X(ZEN4, na_first_8)    /* 0.59 */                                                              \
    X(ZEN4, na_mask_4)     /* 0.64 */                                                              \
    X(ZEN4, convert_u1_bl) /* 0.71 */                                                              \
    X(ZEN4, sparsify_1)    /* 0.72 */                                                              \
    X(ZEN4, na_mask_2)     /* 0.75 */                                                              \
    X(ZEN4, na_mask_8)     /* 0.75 */                                                              \
    X(ZEN4, na_replace_1)  /* 0.76 */                                                              \
    X(ZEN4, transpose_4)   /* 0.78 */                                                              \
    X(ZEN4, swap_2)        /* 0.80 */                                                              \
    X(ZEN4, swap_8)        /* 0.84 */                                                              \
    X(ZEN4, indices_check) /* 0.85 */                                                              \
    X(ZEN4, counts_check)  /* 0.86 */                                                              \
    X(ZEN4, convert_i4_f4) /* 0.86 */                                                              \
    X(ZEN4, swap_4)        /* 0.87 */                                                              \
    X(ZEN4, affine_r8)     /* 0.87 */                                                              \
    X(ZEN4, convert_dt_i8) /* 0.88 */                                                              \
    X(ZEN4, sum_i4)        /* 0.89 */                                                              \
    X(ZEN4, affine_r4)     /* 0.89 */                                                              \
    X(ZEN4, ticks_check)   /* 0.91 */                                                              \
    X(ZEN4, minmax_i2)     /* 0.91 */

#endif
