/* SPDX-License-Identifier: MIT */
/* pairs_scalar.c: splits the rows of a BTable into counts, indices and items. */
#include "simd/pairs.h"

size_t dvi_pairs_split_8_scalar(int32_t *restrict counts, int32_t *restrict indices,
                                double *restrict items, const dvi_pairs *rows,
                                dvi_pairs_end *end_out)
{
    dvi_pairs_end at = {0, 0, 0};
    size_t i = 0, n;
    for (; i < rows->rows && dvi_pairs_next(rows, &at, &n); i++) {
        const uint8_t *p = dvi_pairs_at(rows, &at);
        if (!dvi_pairs_indices(indices + at.indices, p, n, rows->length))
            break;
        for (size_t k = 0; k < n; k++)
            items[at.items + k] = dvi_f8_of(dvi_load_u64_be(p + 12 * k + 4));
        counts[i] = dvi_pairs_pass(rows, &at, n);
    }
    *end_out = at;
    return i;
}

size_t dvi_pairs_split_4_scalar(int32_t *restrict counts, int32_t *restrict indices,
                                float *restrict items, const dvi_pairs *rows,
                                dvi_pairs_end *end_out)
{
    dvi_pairs_end at = {0, 0, 0};
    size_t i = 0, n;
    for (; i < rows->rows && dvi_pairs_next(rows, &at, &n); i++) {
        const uint8_t *p = dvi_pairs_at(rows, &at);
        if (!dvi_pairs_indices(indices + at.indices, p, n, rows->length))
            break;
        for (size_t k = 0; k < n; k++)
            items[at.items + k] = (float)dvi_f8_of(dvi_load_u64_be(p + 12 * k + 4));
        counts[i] = dvi_pairs_pass(rows, &at, n);
    }
    *end_out = at;
    return i;
}
