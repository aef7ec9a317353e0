/* SPDX-License-Identifier: MIT */
/* indices_scalar.c: checks the indices of sparse vectors. */
#include "simd/dispatch.h"
#include "simd/sparse.h"

size_t dvi_indices_check_scalar(const dv_sparse *rows, size_t n)
{
    size_t next = 0;
    for (size_t i = 0; i < rows->n && next < n; i++) {
        const int32_t length = dvi_sparse_length(rows, i), count = dvi_sparse_count(rows, i);
        int32_t before = -1;
        for (int32_t j = 0; j < count; j++, next++) {
            const int32_t index = dvi_sparse_index(rows, next);
            if (index <= before || index >= length)
                return next;
            before = index;
        }
    }
    return n;
}
