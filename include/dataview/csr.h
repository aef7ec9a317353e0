/* SPDX-License-Identifier: MIT */
/* csr.h: how does a column of vectors become three arrays?  Compressed sparse rows, as libraries
 * for sparse matrices take them. */
#ifndef DATAVIEW_CSR_H
#define DATAVIEW_CSR_H

#include <dataview/cursor.h>
#include <dataview/view.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What becomes of a column.  Start from DV_CSR_OPTIONS_INIT: every row, int64 and f8, the only
 * column.
 *
 * Entries: each item that a sparse row stores, zeros too.  Of a dense row those that are not +0
 * (all bits zero; -0 and NaN stay), or with all_slots every one. */
typedef struct dv_csr_options {
    size_t size;     /* of this struct: set by the INIT */
    int32_t column;  /* of the schema: a vector of R4 or R8; -1: the only one not hidden */
    dv_kind indptr;  /* DV_KIND_I8 or DV_KIND_I4 */
    dv_kind data;    /* DV_KIND_R8 or DV_KIND_R4, to which items are rounded */
    bool all_slots;  /* of dense rows */
    int32_t threads; /* that decode: 1 the caller's only; 0: the library chooses, at most 8 */
    int64_t first_row, end_row; /* rows first_row..end_row-1; end_row -1: to the end */
    dv_progress progress; /* of rows; starts again at 0 where a BTable has dense rows, which are
                             read in batches */
} dv_csr_options;

#define DV_CSR_OPTIONS_INIT                                                                        \
    {                                                                                              \
        sizeof(dv_csr_options), -1, DV_KIND_I8, DV_KIND_R8, false, 0, 0, -1,                       \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

/* A matrix.
 *
 *   indptr   int64 or int32[rows + 1]  row i has the entries indptr[i]..indptr[i + 1] - 1
 *   indices  int32[entries]            their columns, strictly increasing within a row
 *   data     f8 or f4[entries]
 */
typedef struct dv_csr {
    int64_t rows, entries;
    int32_t columns; /* slots of the vectors; if that varies, of the longest */
    dv_kind indptr_kind, data_kind;
    void *indptr;
    int32_t *indices;
    void *data;
} dv_csr;

/* Make a matrix of a column.  The arrays are the caller's, to read and to write, until dv_csr_free;
 * they need neither view nor file.  Memory is the view's allocator's; no more than 1 entry in 12
 * bytes of a BTable, and at most twice what another view needs.
 *
 * Cost: one pass over the rows.  A BTable is split where it lies, by `threads` threads at once; the
 * result is the same for any number of them.  Other views are read in batches.
 * Thread: any; others may use the view meanwhile.
 *
 * DV_OK
 * DV_ERR_ARGUMENT  no such column, no vector of R4 or R8 (transform.h converts), an unknown kind or
 *                  size of options
 * DV_ERR_LIMIT     more entries than an indptr of int32 can tell; and what reading says
 * DV_ERR_STOPPED   `progress` stopped it: there is no matrix
 * DV_ERR_MEMORY, DV_ERR_*  what reading the rows says (dv_cursor_next)
 */
DV_API dv_status dv_csr_create(dv_csr **csr_out, dv_view *view, const dv_csr_options *options,
                               dv_error *err);
/* Sets the pointer to NULL; NULL is fine. */
DV_API void dv_csr_free(dv_csr **csr);

/* How many rows and entries dv_csr_create would make; of a BTable from its counts alone.  Either
 * output may be NULL.  Statuses as dv_csr_create. */
DV_API dv_status dv_csr_measure(int64_t *rows_out, int64_t *entries_out, dv_view *view,
                                const dv_csr_options *options, dv_error *err);

/* Arrays of the caller's, aligned to their items: indptr of rows_room + 1, the others of
 * entries_room.  All of them may be written, whatever comes of it. */
typedef struct dv_csr_room {
    void *indptr;
    int32_t *indices;
    void *data;
    int64_t rows_room, entries_room;
} dv_csr_room;

/* The same as dv_csr_create into the caller's arrays, which *csr_out then points to; there is
 * nothing to free.  Allocates nothing in proportion to the matrix.
 * DV_ERR_LIMIT also when there is too little room: err->rule is "rows_room" or "entries_room". */
DV_API dv_status dv_csr_fill(dv_csr *csr_out, const dv_csr_room *room, dv_view *view,
                             const dv_csr_options *options, dv_error *err);

/* Write rows of a matrix, ours or arrays of the caller's own, into a dense one, row by row:
 * dst[(row - first_row) * stride + column].
 *
 * csr        as above.  Indices rise strictly within a row, as those of a canonical matrix of scipy
 *            do; unsorted or twice is an error.  Only the rows asked for are looked at; indptr
 *            may start above 0.  Arrays aligned to their items; not changed.
 * first_row, end_row  rows first_row..end_row-1; end_row -1: to the end
 * dst, width, stride  as for dv_column_dense_f4 (dense.h); width >= columns.  What has no entry
 *            becomes 0.  Data of the other width is rounded to nearest, ties to even; NaN becomes
 *            DV_R4_NA_BITS or DV_R8_NA_BITS then, else all bits are kept.
 *
 * err may be NULL.  Any thread; threads may fill different parts at the same time.
 * Cost: one pass; no allocation.  Output larger than the cache goes past it.
 *
 * DV_OK            all rows are written
 * DV_ERR_ARGUMENT  no matrix (NULL), kinds or arrays that cannot be, rows outside of it, width <
 *                  columns, stride < width, no dst: nothing is written.  Or a row, which the
 *                  message names, whose indptr falls, ends after the entries or spans more than
 *                  columns, or whose indices do not rise or are too large: rows before it may be
 *                  written
 */
DV_API dv_status dv_csr_dense_f4(const dv_csr *csr, int64_t first_row, int64_t end_row, float *dst,
                                 size_t width, size_t stride, dv_error *err);
DV_API dv_status dv_csr_dense_f8(const dv_csr *csr, int64_t first_row, int64_t end_row, double *dst,
                                 size_t width, size_t stride, dv_error *err);

#ifdef __cplusplus
}
#endif

#endif
