/* SPDX-License-Identifier: MIT */
/* matrix.c: checks that rows can be written into the caller's matrix. */
#include "matrix/matrix.h"
#include "base/check.h"
#include "base/size.h"
#include "simd/dispatch.h"
#include "simd/sparse.h"

dv_status dvi_matrix_check(const dvi_matrix *m, int64_t rows, dv_error *err)
{
    const size_t width = (size_t)dv_kind_width(m->item);
    size_t items, nbytes;
    DVI_REQUIRE(m->stride >= m->width,
                dvi_fail_argument(err, "stride %zu is below width %zu", m->stride, m->width));
    DVI_REQUIRE(m->dst || rows == 0 || m->width == 0, dvi_fail_argument(err, "dst is NULL"));
    DVI_REQUIRE(dvi_size_mul((size_t)rows, m->stride, &items) &&
                    dvi_size_mul(items, width, &nbytes) && nbytes <= PTRDIFF_MAX,
                dvi_fail_argument(err, "%lld rows of %zu items do not fit in memory",
                                  (long long)rows, m->stride));
    return DV_OK;
}

dv_status dvi_matrix_fail_width(const dvi_matrix *m, int64_t row, int32_t length, dv_error *err)
{
    return dvi_fail_argument(err, "row %lld has %d slots, width is %zu",
                             (long long)(m->first_row + row), length, m->width);
}

dv_status dvi_matrix_check_lengths(const dv_sparse *rows, const dvi_matrix *m, dv_error *err)
{
    if (!rows->lengths)
        return rows->n == 0 || (size_t)rows->length <= m->width
                   ? DV_OK
                   : dvi_matrix_fail_width(m, 0, rows->length, err);
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t length = dvi_sparse_length(rows, i);
        DVI_REQUIRE((size_t)length <= m->width, dvi_matrix_fail_width(m, (int64_t)i, length, err));
    }
    return DV_OK;
}

/* The number of the row that holds an index. */
static int64_t row_of(const dv_sparse *rows, size_t index)
{
    size_t end = 0, i = 0;
    for (; i < rows->n; i++) {
        const int32_t count = dvi_sparse_count(rows, i);
        end += count > 0 ? (size_t)count : 0;
        if (index < end)
            break;
    }
    return (int64_t)i;
}

dv_status dvi_matrix_check_indices(const dv_sparse *rows, size_t n, int64_t first_row,
                                   dv_error *err)
{
    const size_t sound = dvi_kernels()->indices_check(rows, n);
    DVI_REQUIRE(sound == n,
                dvi_fail_argument(err, "row %lld: an index does not rise, or is too large",
                                  (long long)(first_row + row_of(rows, sound))));
    return DV_OK;
}
