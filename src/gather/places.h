/* SPDX-License-Identifier: MIT */
/* places.h: copies values of rows in any order from where they lie: columns of fixed width that are
 * used as they are stored, in a mapped file or in memory.
 *
 * A view keeps the addresses of blocks that were needed, so that the next reader does not open them
 * again. The first reader of a column makes room for all of its blocks, 8 bytes for each. */
#ifndef DVI_GATHER_PLACES_H
#define DVI_GATHER_PLACES_H

#include <dataview/view.h>

/* Columns of a view that one caller reads. */
typedef struct dvi_places dvi_places;

/* DV_OK; DV_NOT_FOUND: some column is of another kind, or not in place; DV_ERR_MEMORY. */
dv_status dvi_places_open(dvi_places **places_out, dv_view *view, const int32_t *columns, int32_t n,
                          const dv_allocator *allocator, dv_error *err);
void dvi_places_free(dvi_places **places); /* sets NULL; NULL is fine */

/* A row as a block and a row of the block. */
typedef struct dvi_place {
    int64_t block;
    size_t row;
} dvi_place;

/* Find n rows of the view, all of which it has; and check that its memory can still be read. DV_OK,
 * or what the check returns. */
dv_status dvi_places_find(const dvi_places *places, const int64_t *rows, int64_t n,
                          dvi_place *places_out, dv_error *err);

/* Copy n rows of `count` columns of one width, from column k on, side by side: row i to dst + to[i]
 * * pitch. to: NULL: i. DV_OK; DV_NOT_FOUND: a block is not in place, or damaged: read the rows
 * with a cursor, which reports it; DV_ERR_MEMORY, DV_ERR_IO. */
dv_status dvi_places_copy(const dvi_places *places, int32_t k, int32_t count, const dvi_place *at,
                          int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to, dv_error *err);

/* Both together, of n rows by number. Rows that are read often are kept side by side (kept_rows.h).
 */
dv_status dvi_places_read(const dvi_places *places, int32_t k, int32_t count, const int64_t *rows,
                          int64_t n, uint8_t *dst, size_t pitch, const uint32_t *to, dv_error *err);

/* The same of rows that neighbours mostly follow, without keeping any: where many rows of a group
 * are wanted, all of its rows are written side by side into `group` first, which has
 * dvi_places_group_nbytes; NULL, if those are 0. */
dv_status dvi_places_read_sorted(const dvi_places *places, int32_t k, int32_t count,
                                 const int64_t *rows, int64_t n, uint8_t *dst, size_t pitch,
                                 const uint32_t *to, uint8_t *group, dv_error *err);
size_t dvi_places_group_nbytes(const dvi_places *places, int32_t k, int32_t count);

/* Are rows of these columns kept if more of them are read? */
bool dvi_places_keep_rows(const dvi_places *places, int32_t k, int32_t count);

/* The bytes of a value of column k. */
size_t dvi_places_width(const dvi_places *places, int32_t k);

#endif
