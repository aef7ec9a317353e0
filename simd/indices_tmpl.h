/* SPDX-License-Identifier: MIT */
/* indices_tmpl.h: checks indices of sparse rows, for the vector levels.
 *
 * The pass over all indices uses only the starts of rows: an index is above the one before, or it
 * is the first of its row.  If the indices of a row increase, they are in range if the first one is
 * not negative and the last one is below the length.  As unsigned numbers, negative indices are
 * above every length: if all rows have the same length, comparing the greatest index with it checks
 * both. */
#ifndef DVI_SIMD_INDICES_TMPL_H
#define DVI_SIMD_INDICES_TMPL_H

#include "simd/dispatch.h"
#include "simd/sparse.h"
#include <stdbool.h>

#define DVI_INDICES_STEP ((size_t)1024) /* indices checked before the results are looked at */

/* The operation of a level: return whether each of the m indices at p is marked or above the one
 * before it.  *greatest_out: the greatest of these indices, as unsigned numbers. */
typedef bool dvi_rises_fn(const uint8_t *p, const int8_t *marks, size_t m, uint32_t *greatest_out);

/* The next row, and the start of its indices. */
typedef struct dvi_row_position {
    size_t row, start;
} dvi_row_position;

/* Advance to the first row that starts at index `end` or later, and set marks[k] to -1 where a row
 * starts at index first + k.  If rows have different lengths, returns whether the last index of
 * each of these rows is below the length of the row. */
static inline bool dvi_mark_rows(dvi_row_position *next, const dv_sparse *rows, int8_t *marks,
                                 size_t first, size_t end)
{
    size_t row = next->row, start = next->start;
    bool is_above = false;
    for (; row < rows->n && start < end; row++) {
        const int32_t count = dvi_sparse_count(rows, row);
        const size_t stored = count > 0 ? (size_t)count : 0;
        marks[start - first] = -1; /* without indices, the start of the next row, too */
        if (rows->lengths) {       /* no branch: which rows are dense is not predictable */
            const int32_t last = dvi_sparse_index(rows, stored ? start + stored - 1 : 0);
            is_above |= (stored != 0) & (last >= dvi_sparse_length(rows, row));
        }
        start += stored;
    }
    *next = (dvi_row_position){row, start};
    return !is_above;
}

/* Return the first invalid index in the rows from `at` on, or in the row before, whose end has not
 * been checked.  That row has indices, or it would not be the last one to start before. */
static inline size_t dvi_indices_locate(dvi_row_position at, const dv_sparse *rows, size_t n)
{
    if (at.row > 0)
        at.start -= (size_t)dvi_sparse_count(rows, --at.row);
    const dv_sparse rest = dvi_sparse_from(rows, at.row, at.start, 0);
    return at.start + dvi_indices_check_scalar(&rest, n - at.start);
}

static inline size_t dvi_indices_check(const dv_sparse *rows, size_t n, dvi_rises_fn *rises)
{
    if (n < 16)
        return dvi_indices_check_scalar(rows, n);
    const uint32_t length = rows->length > 0 ? (uint32_t)rows->length : 0;
    const uint32_t limit = rows->lengths ? UINT32_C(1) << 31 : length;
    if ((uint32_t)dvi_sparse_index(rows, 0) >= limit)
        return 0;
    dvi_row_position next = {0, 0};
    for (size_t at = 1; at < n; at += DVI_INDICES_STEP) { /* index 0 has none before it */
        const size_t m = n - at < DVI_INDICES_STEP ? n - at : DVI_INDICES_STEP;
        const dvi_row_position before = next;
        int8_t marks[1 + DVI_INDICES_STEP]; /* for the indices from at - 1 on: row 0 starts at index
                                               0 */
        uint32_t greatest;
        memset(marks, 0, 1 + m);
        const bool is_below = dvi_mark_rows(&next, rows, marks, at - 1, at + m);
        const uint8_t *p = (const uint8_t *)rows->indices + 4 * at;
        if (!rises(p, marks + 1, m, &greatest) || greatest >= limit || !is_below)
            return dvi_indices_locate(before, rows, n);
    }
    return n;
}

#endif
