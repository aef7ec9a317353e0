/* SPDX-License-Identifier: MIT */
/* check_kernels.h: checks that every level gives the bits of scalar, and accesses no other memory.
 *
 * No framework: the same checks run under Criterion, on a plain main, emulated.  A check returns
 * NULL, or what differed; its inputs are drawn from a seed that it names. */
#ifndef DVT_CHECK_KERNELS_H
#define DVT_CHECK_KERNELS_H

#include "simd/kernel.h"
#include <stdbool.h>

/* dvt_check_<name>() for each kernel of the list. */
#define DVT_CHECK_PROTOTYPE(level, shape, name, D, S, contract) const char *dvt_check_##name(void);
DVI_KERNEL_LIST(DVT_CHECK_PROTOTYPE, _)
#undef DVT_CHECK_PROTOTYPE

/* --- What the drivers share ------------------------------------------------------------------- */

/* Numbers from a seed. */
typedef struct dvt_draw {
    uint64_t state;
} dvt_draw;

dvt_draw dvt_draw_from(uint64_t seed);
uint64_t dvt_draw_bits(dvt_draw *draw);
/* 0..n-1; n from 1 to 2^32 - 1 */
size_t dvt_draw_below(dvt_draw *draw, size_t n);
/* true once in n times */
bool dvt_draw_once_in(dvt_draw *draw, size_t n);

/* The sizes and addresses to try: every length to 200 at every misalignment of its arrays, then
 * longer ones; with DV_TRIALS_ONCE_IN=N in the environment one in N of them.  At `slack` 0 arrays
 * end at a page that nobody can touch; at DVT_AT_START they start after one. */
#define DVT_LENGTHS 201
#define DVT_SLACKS 65
#define DVT_AT_START 64
#define DVT_LONG 100
typedef struct dvt_try {
    size_t n, slack, seed;
} dvt_try;

/* Trial number i; false when there are no more.  longest: the largest n that shall be tried. */
bool dvt_try_at(dvt_try *trial, size_t i, size_t longest);

/* nbytes on a guarded page of that number, placed as the trial says.  They and their neighbours
 * hold a value that no kernel writes. */
uint8_t *dvt_place(int number, const dvt_try *trial, size_t nbytes);
/* Do the neighbours of these nbytes still hold it? */
bool dvt_is_clean(int number, const uint8_t *data, size_t nbytes);

/* From here to dvt_trial_end each check makes one trial, of these bytes: its size, its address, and
 * all that is drawn (from a seed when they are used up).  What is placed are blocks of exact size.
 */
void dvt_trial_begin(const uint8_t *data, size_t n);
bool dvt_trial_is_given(void);
void dvt_trial_end(void);

/* Levels to compare with scalar: those that run here and have a kernel of their own. */
typedef struct dvt_levels {
    const dvi_kernel_table *scalar;
    const dvi_kernel_table *table[DV_LEVELS];
    dv_level level[DV_LEVELS];
    size_t n;
} dvt_levels;
dvt_levels dvt_levels_here(void);

/* What differed, as one line; static memory. */
const char *dvt_differs(dv_level level, const dvt_try *trial, const char *what);

/* --- A driver for each shape ------------------------------------------------------------------ */

#define DVT_CALL_UTF8 size_t (*call)(const dvi_kernel_table *, const void *, size_t, size_t *)
#define DVT_CALL_ENDS                                                                              \
    size_t (*call)(const dvi_kernel_table *, const void *, size_t, int32_t, int32_t *)
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

#endif
