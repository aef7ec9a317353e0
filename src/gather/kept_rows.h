/* SPDX-License-Identifier: MIT */
/* kept_rows.h: rows of columns that lie apart, kept side by side for readers in any order.
 *
 * The values of a row of n columns are n lines that the cache lacks; side by side they are one or
 * two. A view keeps such rows once a 64th of its rows has been read: the copies are made group
 * by group, when a row of the group is asked for. Rows of at most DVI_KEPT_ROWS_NBYTES are kept for
 * a view, in up to DVI_KEPT_ROWS_SETS choices of columns; other rows are read from where they lie.
 * Any thread. */
#ifndef DVI_GATHER_KEPT_ROWS_H
#define DVI_GATHER_KEPT_ROWS_H

#include <dataview/buffer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DVI_KEPT_ROWS_NBYTES ((size_t)128 << 20)
#define DVI_KEPT_ROWS_SETS 4
#define DVI_KEPT_ROWS_GROUP INT64_C(4096) /* rows that are copied together */

/* Are rows of such columns worth having side by side? Their values have `width` bytes. */
bool dvi_side_by_side_pays(int32_t columns, size_t width);

/* Copy n rows of `nbytes` each, of columns of which that pays: row first + rows[i] of data to dst +
 * to[i] * pitch. to: NULL: i. */
void dvi_side_by_side_copy(const uint8_t *data, size_t nbytes, int64_t first, const int64_t *rows,
                           int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to);

/* Some columns of a view, which has `rows` rows. */
typedef struct dvi_kept_set {
    const int32_t *columns;
    int32_t n;
    size_t width; /* bytes of each value */
    int64_t rows;
} dvi_kept_set;

typedef struct dvi_kept_rows dvi_kept_rows;

/* All kept rows of a view; zeroed before first use. */
typedef struct dvi_kept_sets {
    _Atomic(dvi_kept_rows *) sets[DVI_KEPT_ROWS_SETS];
    atomic_size_t nbytes;
} dvi_kept_sets;

/* Is this a choice of columns whose rows can be kept? */
bool dvi_kept_rows_fit(const dvi_kept_set *set);

/* The rows of a choice that fits. NULL: there are others already, or no memory. */
dvi_kept_rows *dvi_kept_rows_find(dvi_kept_sets *sets, const dvi_kept_set *set,
                                  const dv_allocator *allocator);
void dvi_kept_sets_free(dvi_kept_sets *sets);

/* Note that n rows are read. Are rows kept from now on? */
bool dvi_kept_rows_note(dvi_kept_rows *kept, int64_t n);

/* Are they, or would they be, as far as memory goes? */
bool dvi_kept_rows_have_room(const dvi_kept_rows *kept);

/* Are all rows there, and is this one? */
bool dvi_kept_rows_are_whole(const dvi_kept_rows *kept);
bool dvi_kept_rows_has(const dvi_kept_rows *kept, int64_t row);

/* Where the rows of a group are to be written, row after row, by this thread alone; NULL: another
 * thread did, or tried. Must be followed by `end`. If they are not written, they are never kept. */
uint8_t *dvi_kept_rows_begin(dvi_kept_rows *kept, int64_t group);
void dvi_kept_rows_end(dvi_kept_rows *kept, int64_t group, bool are_written);

/* Copy n rows that are there: row first + rows[i] to dst + to[i] * pitch. to: NULL: i. */
void dvi_kept_rows_copy(const dvi_kept_rows *kept, int64_t first, const int64_t *rows, int64_t n,
                        uint8_t *dst, size_t pitch, const uint32_t *to);

#endif
