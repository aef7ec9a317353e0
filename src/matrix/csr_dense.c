/* SPDX-License-Identifier: MIT */
/* csr_dense.c: fills the caller's matrix from compressed sparse rows.
 *
 * Kernels take rows by their counts. These are computed from indptr for some rows at a time, whose
 * indices are checked and then used while they are in the cache. */
#include <dataview/csr.h>

#include "base/check.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "simd/store.h"
#include "matrix/matrix.h"

#define PART_ROWS INT64_C(4096)

static const uint8_t *indptr_at(const dv_csr *csr, int64_t row)
{
    return (const uint8_t *)csr->indptr + (size_t)row * (csr->indptr_kind == DV_KIND_I8 ? 8 : 4);
}

static int64_t start_of(const dv_csr *csr, int64_t row)
{
    const uint8_t *at = indptr_at(csr, row);
    return csr->indptr_kind == DV_KIND_I8 ? dvi_load_i64(at) : dvi_load_i32(at);
}

static dv_status check_csr(const dv_csr *csr, dv_error *err)
{
    DVI_REQUIRE(csr, dvi_fail_argument(err, "csr is NULL"));
    DVI_REQUIRE(csr->indptr_kind == DV_KIND_I8 || csr->indptr_kind == DV_KIND_I4,
                dvi_fail_argument(err, "indptr_kind is neither I8 nor I4"));
    DVI_REQUIRE(csr->data_kind == DV_KIND_R8 || csr->data_kind == DV_KIND_R4,
                dvi_fail_argument(err, "data_kind is neither R8 nor R4"));
    DVI_REQUIRE(csr->rows >= 0 && csr->entries >= 0 && csr->columns >= 0,
                dvi_fail_argument(err, "a matrix of %lld rows, %lld entries and %d columns",
                                  (long long)csr->rows, (long long)csr->entries, csr->columns));
    DVI_REQUIRE((csr->indptr || csr->rows == 0) &&
                    ((csr->indices && csr->data) || csr->entries == 0),
                dvi_fail_argument(err, "an array of the matrix is NULL"));
    return DV_OK;
}

static dv_status check_range(const dv_csr *csr, int64_t first, int64_t end, dv_error *err)
{
    DVI_REQUIRE(0 <= first && first <= end && end <= csr->rows,
                dvi_fail_argument(err, "rows %lld..%lld of %lld", (long long)first, (long long)end,
                                  (long long)csr->rows));
    return DV_OK;
}

/* Check n rows from `row` on, and compute their counts. */
static dv_status read_part(dv_sparse *rows_out, int32_t *counts, const dv_csr *csr, int64_t row,
                           size_t n, dv_error *err)
{
    const dvi_kernel_table *k = dvi_kernels();
    const uint8_t *starts = indptr_at(csr, row);
    const size_t good = csr->indptr_kind == DV_KIND_I8
                            ? k->offsets_counts_8(counts, starts, n, csr->entries, csr->columns)
                            : k->offsets_counts_4(counts, starts, n, csr->entries, csr->columns);
    const int64_t bad = row + (int64_t)good;
    DVI_REQUIRE(good == n,
                dvi_fail_argument(err, "row %lld has entries %lld to %lld, of %lld; columns: %d",
                                  (long long)bad, (long long)start_of(csr, bad),
                                  (long long)start_of(csr, bad + 1), (long long)csr->entries,
                                  csr->columns));
    const size_t first = (size_t)start_of(csr, row), size = (size_t)dv_kind_width(csr->data_kind);
    const bool has_arrays = csr->entries > 0;
    *rows_out = (dv_sparse){.n = n,
                            .length = csr->columns,
                            .counts = counts,
                            .indices = has_arrays ? csr->indices + first : NULL,
                            .items = has_arrays ? (uint8_t *)csr->data + first * size : NULL};
    return dvi_matrix_check_indices(rows_out, (size_t)start_of(csr, bad) - first, row, err);
}

static dv_status dense(const dv_csr *csr, int64_t first_row, int64_t end_row, const dvi_matrix *m,
                       dv_error *err)
{
    int32_t counts[PART_ROWS];
    DVI_TRY(check_csr(csr, err));
    const int64_t end = end_row == -1 ? csr->rows : end_row;
    DVI_TRY(check_range(csr, first_row, end, err));
    DVI_TRY(dvi_matrix_check(m, end - first_row, err));
    if (first_row < end && (size_t)csr->columns > m->width)
        return dvi_matrix_fail_width(m, first_row, csr->columns, err);

    const dvi_densify_kernel *kernel = dvi_densify_find(csr->data_kind, m->item);
    const size_t pitch = m->stride * kernel->item_nbytes;
    const dvi_store form =
        dvi_densify_form((size_t)(end - first_row) * m->width * kernel->item_nbytes);
    for (int64_t row = first_row; row < end && m->width > 0; row += PART_ROWS) {
        const size_t n = (size_t)(end - row < PART_ROWS ? end - row : PART_ROWS);
        uint8_t *const dst = (uint8_t *)m->dst + (size_t)(row - first_row) * pitch;
        dv_sparse rows;
        DVI_TRY(read_part(&rows, counts, csr, row, n, err));
        kernel->run(dvi_kernels(), dst, m->stride, m->width, &rows, form);
    }
    return DV_OK;
}

dv_status dv_csr_dense_f4(const dv_csr *csr, int64_t first_row, int64_t end_row, float *dst,
                          size_t width, size_t stride, dv_error *err)
{
    const dvi_matrix m = {.dst = dst, .width = width, .stride = stride, .item = DV_KIND_R4};
    return dense(csr, first_row, end_row, &m, err);
}

dv_status dv_csr_dense_f8(const dv_csr *csr, int64_t first_row, int64_t end_row, double *dst,
                          size_t width, size_t stride, dv_error *err)
{
    const dvi_matrix m = {.dst = dst, .width = width, .stride = stride, .item = DV_KIND_R8};
    return dense(csr, first_row, end_row, &m, err);
}
