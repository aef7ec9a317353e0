/* SPDX-License-Identifier: MIT */
/* check_kernels.h: checks that every level gives the bits of scalar, and accesses no other memory.
 *
 * The checks use no framework: they run under Criterion, with a plain main, and emulated.  A check
 * returns NULL, or a description of the difference with the seed of its inputs. */
#ifndef DVT_CHECK_KERNELS_H
#define DVT_CHECK_KERNELS_H

#include "simd/kernel.h"
#include <stdbool.h>

/* dvt_check_<name>() for each kernel of the list. */
#define DVT_CHECK_PROTOTYPE(level, shape, name, D, S, contract) const char *dvt_check_##name(void);
DVI_KERNEL_LIST(DVT_CHECK_PROTOTYPE, _)
#undef DVT_CHECK_PROTOTYPE

/* --- Tools of the drivers --------------------------------------------------------------------- */

/* Random numbers from a seed. */
typedef struct dvt_draw {
    uint64_t state;
} dvt_draw;

dvt_draw dvt_draw_from(uint64_t seed);
uint64_t dvt_draw_bits(dvt_draw *draw);
/* 0..n-1; n from 1 to 2^32 - 1 */
size_t dvt_draw_below(dvt_draw *draw, size_t n);
/* true once in n times */
bool dvt_draw_once_in(dvt_draw *draw, size_t n);

/* The sizes and addresses to try: every length up to 200 at every misalignment of its arrays, then
 * longer ones; with DV_TRIALS_ONCE_IN=N in the environment, one in N of them.  With `slack` 0,
 * arrays end at an inaccessible page; with DVT_AT_START they start after one. */
#define DVT_LENGTHS 201
#define DVT_SLACKS 65
#define DVT_AT_START 64
#define DVT_LONG 100
typedef struct dvt_try {
    size_t n, slack, seed;
} dvt_try;

/* Set *trial to trial i.  Returns false if there are no more.  longest: the largest n to try. */
bool dvt_try_at(dvt_try *trial, size_t i, size_t longest);

/* Return nbytes on the guarded page `number`, aligned as in the trial.  These bytes and their
 * neighbors are filled with a pattern that no kernel writes. */
uint8_t *dvt_allocate(int number, const dvt_try *trial, size_t nbytes);
/* Return whether the neighbors of these nbytes still have the pattern. */
bool dvt_is_clean(int number, const uint8_t *data, size_t nbytes);

/* Until dvt_trial_end, each check makes one trial from these bytes, which determine its size, its
 * address, and all random numbers; when they are used up, a seed does.  Arrays are heap blocks of
 * exact size. */
void dvt_trial_begin(const uint8_t *data, size_t n);
bool dvt_trial_is_given(void);
void dvt_trial_end(void);

/* The levels to compare with scalar: those that run here and have their own kernel. */
typedef struct dvt_levels {
    const dvi_kernel_table *scalar;
    const dvi_kernel_table *table[DV_LEVELS];
    dv_level level[DV_LEVELS];
    size_t n;
} dvt_levels;
dvt_levels dvt_levels_here(void);

/* Describe a difference in one line, in static memory. */
const char *dvt_differs(dv_level level, const dvt_try *trial, const char *what);

/* --- A driver for each shape ------------------------------------------------------------------ */

#define DVT_CALL_UTF8 size_t (*call)(const dvi_kernel_table *, const void *, size_t, size_t *)
#define DVT_CALL_ENDS                                                                              \
    size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t, int32_t, int32_t *)
#define DVT_CALL_MAP_ENDS                                                                          \
    size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t, const void *, size_t)
#define DVT_CALL_COUNTS                                                                            \
    size_t (*call)(const dvi_kernel_table *, const dv_sparse *, int32_t, int64_t *)
#define DVT_CALL_OFFSETS void (*call)(const dvi_kernel_table *, void *, void *, const dv_sparse *)
#define DVT_CALL_STARTS                                                                            \
    size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t, int64_t, int32_t)
#define DVT_CALL_INDICES size_t (*call)(const dvi_kernel_table *, const dv_sparse *, size_t)
#define DVT_CALL_EXPAND size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t)
#define DVT_CALL_PACK size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t)
#define DVT_CALL_RANGE size_t (*call)(const dvi_kernel_table *, const void *, size_t)
#define DVT_CALL_DENSIFY                                                                           \
    void (*call)(const dvi_kernel_table *, void *, size_t, size_t, const dv_sparse *, dvi_store)
#define DVT_CALL_DENSIFY_AS DVT_CALL_DENSIFY
#define DVT_CALL_SPARSIFY                                                                          \
    size_t (*call)(const dvi_kernel_table *, int32_t *, int32_t *, void *, const void *, size_t,   \
                   size_t, size_t)
#define DVT_CALL_MAP void (*call)(const dvi_kernel_table *, void *, const void *, size_t)
#define DVT_CALL_PAIRS                                                                             \
    size_t (*call)(const dvi_kernel_table *, int32_t *, int32_t *, void *, const dvi_pairs *,      \
                   dvi_pairs_end *)
#define DVT_CALL_NA size_t (*call)(const dvi_kernel_table *, const void *, size_t, const dvi_na *)
#define DVT_CALL_NA_MASK                                                                           \
    size_t (*call)(const dvi_kernel_table *, void *, const void *, size_t, const dvi_na *, int)
#define DVT_CALL_NA_REPLACE                                                                        \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, const dvi_na *, uint64_t)
#define DVT_CALL_MINMAX void (*call)(const dvi_kernel_table *, void *, const void *, size_t)
#define DVT_CALL_SUM dvi_sum (*call)(const dvi_kernel_table *, const void *, size_t)
#define DVT_CALL_SUM_REAL double (*call)(const dvi_kernel_table *, const void *, size_t)
#define DVT_CALL_TRANSPOSE                                                                         \
    void (*call)(const dvi_kernel_table *, void *, size_t, const void *const *, size_t, size_t)
#define DVT_CALL_ROWS                                                                              \
    void (*call)(const dvi_kernel_table *, void *, size_t, const void *, size_t, size_t, size_t,   \
                 dvi_store)
#define DVT_CALL_GATHER                                                                            \
    void (*call)(const dvi_kernel_table *, void *, const void *, const void *, size_t)
#define DVT_CALL_GATHER_ENDS                                                                       \
    size_t (*call)(const dvi_kernel_table *, void *, const void *, int32_t, const void *, size_t,  \
                   int32_t, int32_t *)
#define DVT_CALL_GATHER_TEXT                                                                       \
    void (*call)(const dvi_kernel_table *, void *, size_t, const void *, size_t, const void *,     \
                 int32_t, const void *, size_t)
#define DVT_CALL_MOVE_ENDS                                                                         \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, int32_t)
#define DVT_CALL_FIND                                                                              \
    size_t (*call)(const dvi_kernel_table *, void *, size_t, const void *, size_t,                 \
                   const dvi_ascii_set *)
#define DVT_CALL_HASH                                                                              \
    void (*call)(const dvi_kernel_table *, void *, const dv_text *, size_t, const void *)
#define DVT_CALL_CELLS                                                                             \
    void (*call)(const dvi_kernel_table *, void *, uint64_t, uint64_t, size_t,                     \
                 const dvi_rectangle *)
#define DVT_CALL_AFFINE                                                                            \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, const void *,             \
                 const void *, bool)
#define DVT_CALL_BINS                                                                              \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, const void *, size_t)
#define DVT_CALL_MIX                                                                               \
    void (*call)(const dvi_kernel_table *, void *, size_t, const void *, size_t, size_t, size_t,   \
                 const dv_mix *)
#define DVT_CALL_BLEND                                                                             \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, size_t, const int32_t *,  \
                 size_t)
#define DVT_CALL_PLANES                                                                            \
    void (*call)(const dvi_kernel_table *, float *const[3], const void *, size_t,                  \
                 const dv_pixel_scale *)
#define DVT_CALL_MURMUR                                                                            \
    void (*call)(const dvi_kernel_table *, void *, const void *, size_t, const void *,             \
                 const dvi_murmur *)

const char *dvt_check_UTF8(DVT_CALL_UTF8, size_t dst_width, size_t src_width);
const char *dvt_check_ENDS(DVT_CALL_ENDS, size_t dst_width, size_t src_width);
const char *dvt_check_MAP_ENDS(DVT_CALL_MAP_ENDS, size_t dst_width, size_t src_width);
const char *dvt_check_COUNTS(DVT_CALL_COUNTS, size_t dst_width, size_t src_width);
const char *dvt_check_OFFSETS(DVT_CALL_OFFSETS, size_t dst_width, size_t src_width);
const char *dvt_check_STARTS(DVT_CALL_STARTS, size_t dst_width, size_t src_width);
const char *dvt_check_INDICES(DVT_CALL_INDICES, size_t dst_width, size_t src_width);
const char *dvt_check_EXPAND(DVT_CALL_EXPAND, size_t dst_width, size_t src_width);
const char *dvt_check_PACK(DVT_CALL_PACK, size_t dst_width, size_t src_width);
const char *dvt_check_RANGE(DVT_CALL_RANGE, size_t dst_width, size_t src_width);
const char *dvt_check_DENSIFY(DVT_CALL_DENSIFY, size_t dst_width, size_t src_width);
const char *dvt_check_DENSIFY_AS(DVT_CALL_DENSIFY_AS, size_t dst_width, size_t src_width);
const char *dvt_check_SPARSIFY(DVT_CALL_SPARSIFY, size_t dst_width, size_t src_width);
const char *dvt_check_MAP(DVT_CALL_MAP, size_t dst_width, size_t src_width);
const char *dvt_check_PAIRS(DVT_CALL_PAIRS, size_t dst_width, size_t src_width);
const char *dvt_check_NA(DVT_CALL_NA, size_t dst_width, size_t src_width);
const char *dvt_check_NA_MASK(DVT_CALL_NA_MASK, size_t dst_width, size_t src_width);
const char *dvt_check_NA_REPLACE(DVT_CALL_NA_REPLACE, size_t dst_width, size_t src_width);
const char *dvt_check_MINMAX(DVT_CALL_MINMAX, size_t dst_width, size_t src_width);
const char *dvt_check_SUM(DVT_CALL_SUM, size_t dst_width, size_t src_width);
const char *dvt_check_SUM_REAL(DVT_CALL_SUM_REAL, size_t dst_width, size_t src_width);
const char *dvt_check_TRANSPOSE(DVT_CALL_TRANSPOSE, size_t dst_width, size_t src_width);
const char *dvt_check_ROWS(DVT_CALL_ROWS, size_t dst_width, size_t src_width);
const char *dvt_check_GATHER(DVT_CALL_GATHER, size_t dst_width, size_t src_width);
const char *dvt_check_GATHER_ENDS(DVT_CALL_GATHER_ENDS, size_t dst_width, size_t src_width);
const char *dvt_check_GATHER_TEXT(DVT_CALL_GATHER_TEXT, size_t dst_width, size_t src_width);
const char *dvt_check_MOVE_ENDS(DVT_CALL_MOVE_ENDS, size_t dst_width, size_t src_width);
const char *dvt_check_FIND(DVT_CALL_FIND, size_t dst_width, size_t src_width);
const char *dvt_check_HASH(DVT_CALL_HASH, size_t dst_width, size_t src_width);
const char *dvt_check_CELLS(DVT_CALL_CELLS, size_t dst_width, size_t src_width);
const char *dvt_check_MURMUR(DVT_CALL_MURMUR, size_t dst_width, size_t src_width);
const char *dvt_check_AFFINE(DVT_CALL_AFFINE, size_t dst_width, size_t src_width);
const char *dvt_check_MIX(DVT_CALL_MIX, size_t dst_width, size_t src_width);
const char *dvt_check_BLEND(DVT_CALL_BLEND, size_t dst_width, size_t src_width);
const char *dvt_check_PLANES(DVT_CALL_PLANES, size_t dst_width, size_t src_width);
const char *dvt_check_BINS(DVT_CALL_BINS, size_t dst_width, size_t src_width);

#endif
