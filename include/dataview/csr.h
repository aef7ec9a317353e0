/* SPDX-License-Identifier: MIT */
/* csr.h: makes compressed sparse rows (CSR), the three arrays that libraries for sparse matrices
 * take, of a column of vectors (semantics:3, btable:3). */
#ifndef DATAVIEW_CSR_H
#define DATAVIEW_CSR_H

#include <dataview/cursor.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Start from DV_CSR_OPTIONS_INIT: all rows of the only column, as int64 and double.
 *
 * An entry is made for each item that a sparse row stores, zeros included; of a dense row for each
 * item that is not +0 (-0 and NaN are kept) or, with all_slots, for each item. */
typedef struct dv_csr_options {
    size_t size;     /* of this struct: set by the INIT */
    int32_t column;  /* of the schema: a vector of R4 or R8; -1: the only one that is not hidden */
    dv_kind indptr;  /* DV_KIND_I8 or DV_KIND_I4 */
    dv_kind data;    /* DV_KIND_R8 or DV_KIND_R4, to which items are rounded */
    bool all_slots;  /* make an entry for every slot of a dense row */
    int32_t threads; /* that decode: 1 only the caller's; 0: the library chooses, at most 8 */
    int64_t first_row, end_row; /* rows first_row..end_row-1; end_row -1: to the end */
    dv_progress progress; /* of rows; starts again at 0 if a BTable has dense rows, which are read
                             in batches */
} dv_csr_options;

#define DV_CSR_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(dv_csr_options), -1, DV_KIND_I8, DV_KIND_R8, false, 0, 0, -1,                       \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* A matrix of compressed sparse rows.
 *
 *   indptr   int64[rows + 1] or int32[rows + 1]: row i has the entries indptr[i]..indptr[i + 1] - 1
 *   indices  int32[entries]: the column of each entry, strictly increasing within a row
 *   data     double[entries] or float[entries]
 */
typedef struct dv_csr {
    int64_t rows, entries;
    int32_t columns; /* slots of the vectors; of the longest one if sizes vary */
    dv_kind indptr_kind, data_kind;
    void *indptr;
    int32_t *indices;
    void *data;
} dv_csr;

/* Make a matrix of a column.  The caller may read and write the arrays, and frees them with
 * dv_csr_free; they need neither view nor file.  Memory comes from the view's allocator: for a
 * BTable at most 1 entry for each 12 bytes of the file, for other views at most twice the matrix,
 * unless the first rows of bags are much longer than the others.
 *
 * Cost: one pass over the rows.  A BTable is converted in place, in the mapped file, by `threads`
 * threads; the result does not depend on their number.  Where one thread decodes, bags of words and
 * of grams write their rows straight into the arrays.  Other views are read in batches.
 * Thread: any; others may use the view at the same time.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column; not a vector of R4 or R8 (dv_view_convert makes one); an unknown
 *                  kind; options of unknown size
 * DV_ERR_LIMIT     more entries than an indptr of int32 can count; or as dv_cursor_next
 * DV_ERR_STOPPED   `progress` returned false: there is no matrix
 * DV_ERR_MEMORY
 * DV_ERR_*         as dv_cursor_next
 */
DV_API dv_status dv_csr_create(dv_csr **csr_out, dv_view *view, const dv_csr_options *options,
                               dv_error *err);
/* Free the matrix and set the pointer to NULL; NULL is fine. */
DV_API void dv_csr_free(dv_csr **csr);

/* Count the rows and entries that dv_csr_create would make.  Of a BTable only the counts of items
 * are read.  Either output may be NULL.  Thread and statuses as dv_csr_create. */
DV_API dv_status dv_csr_measure(int64_t *rows_out, int64_t *entries_out, dv_view *view,
                                const dv_csr_options *options, dv_error *err);

/* Arrays of the caller, each aligned to its items: indptr has rows_room + 1 items, the others have
 * entries_room.  Any of them may have been written after a failure too. */
typedef struct dv_csr_room {
    void *indptr;
    int32_t *indices;
    void *data;
    int64_t rows_room, entries_room;
} dv_csr_room;

/* Make a matrix as dv_csr_create does, in the caller's arrays, to which *csr_out then points.
 * There is nothing to free.  No allocation grows with the matrix.  Thread and statuses as
 * dv_csr_create; DV_ERR_LIMIT also if an array is too small: err->rule is "rows_room" or
 * "entries_room". */
DV_API dv_status dv_csr_fill(dv_csr *csr_out, const dv_csr_room *room, dv_view *view,
                             const dv_csr_options *options, dv_error *err);

/* Write rows of a matrix, from dv_csr_create or with arrays of the caller, into a dense matrix:
 * dst[(row - first_row) * stride + column].
 *
 * csr        as above, not changed.  Arrays are aligned to their items.  Indices increase strictly
 *            within a row, as in a canonical matrix of scipy; unsorted or repeated ones are an
 *            error.  indptr may start above 0.  Only the requested rows are read
 * first_row, end_row  rows first_row..end_row-1; end_row -1: to the end
 * dst, width, stride  as for dv_column_dense (dense.h); width >= columns.  Slots without an
 *            entry become 0.  Data of the other width is rounded to nearest, ties to even, and its
 *            NaNs become DV_R4_NA_BITS or DV_R8_NA_BITS; data of the same width keeps all bits
 *
 * Any thread; threads may fill different rows at the same time.
 * Cost: one pass; no allocation.  Output larger than the cache is written past it.
 *
 * DV_OK            all rows are written
 * DV_ERR_ARGUMENT  no matrix (NULL), unknown kinds, missing arrays, rows outside the matrix, width
 *                  < columns, stride < width, or no dst: nothing is written.  Or a bad row, which
 *                  the message names: its indptr decreases, exceeds the entries or spans more than
 *                  `columns`, or its indices do not increase or are too large; rows before it may
 *                  have been written
 */
DV_API dv_status dv_csr_dense_f4(const dv_csr *csr, int64_t first_row, int64_t end_row, float *dst,
                                 size_t width, size_t stride, dv_error *err);
DV_API dv_status dv_csr_dense_f8(const dv_csr *csr, int64_t first_row, int64_t end_row, double *dst,
                                 size_t width, size_t stride, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
