/* SPDX-License-Identifier: MIT */
/* indices_tmpl.h: indices_check for levels that compare many indices at a time.
 *
 * One pass over all indices knows of rows only where they start: an index is above the one before,
 * or it is the first of its row.  A row that rises is inside when its first index is not below 0
 * and its last one is below its length.  As unsigned numbers, negative indices are above every
 * length: when the length is common, the greatest index of all tells both. */
#ifndef DVI_SIMD_INDICES_TMPL_H
#define DVI_SIMD_INDICES_TMPL_H

#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

#define DVI_WALK_PART ((size_t)1024) /* indices between two looks at what was found */

/* What a level does: is each of the m indices at p above the one before it, unless it is marked?
 * *greatest_out: of these indices, as unsigned numbers. */
typedef bool dvi_rises_fn(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out);

/* The row that is next, and where its indices start. */
typedef struct dvi_row_walk {
    size_t row, start;
} dvi_row_walk;

/* Walk to the first row that starts at index `end` or after; marks[k] becomes -1 where a row
 * starts at index first + k.  Where each row has a length of its own: are the last indices of these
 * rows below theirs? */
static inline bool dvi_walk_rows(dvi_row_walk *walk, const dv_sparse *rows, int8_t *marks,
                                 size_t first, size_t end)
{
    size_t row = walk->row, start = walk->start;
    bool is_above = false;
    for (; row < rows->n && start < end; row++) {
        const int32_t count = dvi_sparse_count(rows, row);
        const size_t stored = count > 0 ? (size_t)count : 0;
        marks[start - first] = -1; /* of a row without indices: it is the next row's start too */
        if (rows->lengths) {       /* no branch: who can guess which rows are dense */
            const int32_t last = dvi_sparse_index(rows, stored ? start + stored - 1 : 0);
            is_above |= (stored != 0) & (last >= dvi_sparse_length(rows, row));
        }
        start += stored;
    }
    *walk = (dvi_row_walk){row, start};
    return !is_above;
}

/* The place of an error in the rows from walk on, or in the one before, whose end is not known to
 * be good.  That one has indices, or it would not have been the last to start in its part. */
static inline size_t dvi_walk_place(dvi_row_walk walk, const dv_sparse *rows, size_t n)
{
    if (walk.row > 0)
        walk.start -= (size_t)dvi_sparse_count(rows, --walk.row);
    const dv_sparse rest = dvi_sparse_from(rows, walk.row, walk.start, 0);
    return walk.start + dvi_indices_check_scalar(&rest, n - walk.start);
}

static inline size_t dvi_walk_indices(const dv_sparse *rows, size_t n, dvi_rises_fn *rises)
{
    if (n < 16)
        return dvi_indices_check_scalar(rows, n);
    const uint32_t length = rows->length > 0 ? (uint32_t)rows->length : 0;
    const uint32_t limit = rows->lengths ? UINT32_C(1) << 31 : length;
    if ((uint32_t)dvi_sparse_index(rows, 0) >= limit)
        return 0;
    dvi_row_walk walk = {0, 0};
    for (size_t at = 1; at < n; at += DVI_WALK_PART) { /* the first has none before it */
        const size_t m = n - at < DVI_WALK_PART ? n - at : DVI_WALK_PART;
        const dvi_row_walk before = walk;
        int8_t marks[1 + DVI_WALK_PART]; /* from at - 1 on: the first row starts there */
        uint32_t greatest;
        memset(marks, 0, 1 + m);
        const bool is_below = dvi_walk_rows(&walk, rows, marks, at - 1, at + m);
        const uint8_t *p = (const uint8_t *)rows->indices + 4 * at;
        if (!rises(p, marks + 1, m, &greatest) || greatest >= limit || !is_below)
            return dvi_walk_place(before, rows, n);
    }
    return n;
}

#endif
