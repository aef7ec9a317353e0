/* SPDX-License-Identifier: MIT */
/* idv_ahead.h: announces the blocks that a cursor will read, where reading is slow. */
#ifndef DVI_FORMAT_IDV_READ_IDV_AHEAD_H
#define DVI_FORMAT_IDV_READ_IDV_AHEAD_H

#include "format/idv/read/idv_priv.h"

/* What a cursor has announced. Zeroed but for `least`: nothing. */
typedef struct dvi_idv_ahead {
    int64_t least;            /* steps that are read in any case: those that threads decode ahead */
    int64_t step;             /* the first one that is not announced */
    int64_t announced_nbytes; /* of all steps before */
    dvi_memory *memory;       /* entries of block tables */
} dvi_idv_ahead;

/* Announce steps, which are blocks of n columns, from first_block + ahead->step on: as far as it
 * pays, and at first no farther than twice what was read, so that who reads few rows fetches few.
 * step is the next one to be read, used_nbytes what the steps before it had. Never fails: what is
 * wrong is found when it is read. */
void dvi_idv_announce(dvi_idv_ahead *ahead, const dvi_idv_file *file, const int32_t *columns,
                      int64_t n, int64_t first_block, int64_t steps, int64_t step,
                      int64_t used_nbytes);
/* Announce the blocks of rows, in this order, as far as it pays. Returns of how many rows; -1:
 * reading is not slow. */
int64_t dvi_idv_announce_rows(const dvi_idv_file *file, const int32_t *columns, int32_t n,
                              const int64_t *rows, int64_t count);
void dvi_idv_ahead_free(dvi_idv_ahead *ahead);

#endif
