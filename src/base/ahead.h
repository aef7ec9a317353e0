/* SPDX-License-Identifier: MIT */
/* ahead.h: for how many rows that are to come memory is reserved, if they need as much as those
 * that have come.  A few rows tell little of others, as the first of them may be long ones. */
#ifndef DVI_BASE_AHEAD_H
#define DVI_BASE_AHEAD_H

#include "base/size.h"

enum {
    DVI_ROWS_TELLING = 16, /* rows that tell how long others are, */
    DVI_ROWS_AHEAD = 16    /* for so many times as many; then for all that surely come */
};

/* rows  those until now, and the one that comes next
 * left  those after it, as far as anybody knows; below 0: none
 * sure  those of them that surely come */
static inline int64_t dvi_rows_ahead(int64_t rows, int64_t left, int64_t sure)
{
    const int64_t most = rows < DVI_ROWS_TELLING ? rows : DVI_ROWS_AHEAD * rows;
    const int64_t ahead = dvi_max_i64(dvi_min_i64(left, most), 0);
    return rows < DVI_ROWS_TELLING * DVI_ROWS_AHEAD ? ahead : dvi_max_i64(ahead, sure);
}

#endif
