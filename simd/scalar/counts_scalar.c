/* SPDX-License-Identifier: MIT */
/* counts_scalar.c: checks lengths and counts of vectors, and adds them up. */
#include "simd/dispatch.h"
#include "simd/sparse.h"

size_t dvi_counts_check_scalar(const dv_sparse *rows, int32_t spare, int64_t sums_out[2])
{
    int64_t indices = 0, items = 0;
    size_t i = 0;
    for (; i < rows->n; i++) {
        const int32_t length = dvi_sparse_length(rows, i), count = dvi_sparse_count(rows, i);
        if (length < 0 || count < -1 || (count >= 0 && count > length - spare))
            break;
        indices += count < 0 ? 0 : count;
        items += count < 0 ? length : count;
    }
    sums_out[0] = indices;
    sums_out[1] = items;
    return i;
}

void dvi_counts_offsets_scalar(int64_t *restrict indices, int64_t *restrict items,
                               const dv_sparse *rows)
{
    for (size_t i = 0; i < rows->n; i++) {
        const int32_t count = dvi_sparse_count(rows, i);
        indices[i + 1] = indices[i] + (count < 0 ? 0 : count);
        items[i + 1] = items[i] + (count < 0 ? dvi_sparse_length(rows, i) : count);
    }
}
