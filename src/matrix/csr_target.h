/* SPDX-License-Identifier: MIT */
/* csr_target.h: the arrays of a CSR matrix while it is built: the caller's, or our own, which
 * grow. */
#ifndef DVI_MATRIX_CSR_TARGET_H
#define DVI_MATRIX_CSR_TARGET_H

#include <dataview/csr.h>

typedef struct dvi_csr_target {
    dv_csr csr; /* rows and entries so far */
    int64_t rows_room, entries_room;
    bool is_own, all_slots;
    dv_allocator allocator;
    dv_progress progress; /* called on the caller's thread only */
    int64_t rows_wanted;  /* -1: unknown */
} dvi_csr_target;

/* Report the rows so far.  DV_OK, DV_ERR_STOPPED. */
dv_status dvi_csr_report(const dvi_csr_target *target, int64_t rows, dv_error *err);

static inline size_t dvi_csr_indptr_width(const dvi_csr_target *target)
{
    return target->csr.indptr_kind == DV_KIND_I8 ? 8 : 4;
}

static inline size_t dvi_csr_data_width(const dvi_csr_target *target)
{
    return target->csr.data_kind == DV_KIND_R8 ? 8 : 4;
}

/* Reserve room for this many rows or entries in all; keeps what is there, after a failure too.
 * DV_OK; DV_ERR_MEMORY; DV_ERR_LIMIT: the caller's arrays are too small. */
dv_status dvi_csr_reserve_rows(dvi_csr_target *target, int64_t rows, dv_error *err);
dv_status dvi_csr_reserve_entries(dvi_csr_target *target, int64_t entries, dv_error *err);

/* Check that indptr can hold the number of entries; DV_ERR_LIMIT if not. */
dv_status dvi_csr_check_entries(const dvi_csr_target *target, int64_t entries, dv_error *err);
static inline void dvi_csr_set_start(dvi_csr_target *target, int64_t row, int64_t entries)
{
    if (target->csr.indptr_kind == DV_KIND_I8)
        ((int64_t *)target->csr.indptr)[row] = entries;
    else
        ((int32_t *)target->csr.indptr)[row] = (int32_t)entries;
}

/* Free our own arrays. */
void dvi_csr_free_arrays(dvi_csr_target *target);

#endif
