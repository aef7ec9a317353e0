/* SPDX-License-Identifier: MIT */
/* gather_scalar.c: copies rows in another order. */
#include "simd/gather_tmpl.h"

/* The kernels differ only in the type of an item. */
#define GATHER(name, type)                                                                         \
    void name(type *restrict dst, const void *restrict src, const void *restrict index, size_t n)  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++)                                                             \
            memcpy(dst + i, (const uint8_t *)src + dvi_gather_index(index, i) * sizeof *dst,       \
                   sizeof *dst);                                                                   \
    }

GATHER(dvi_gather_1_scalar, uint8_t)
GATHER(dvi_gather_2_scalar, uint16_t)
GATHER(dvi_gather_4_scalar, uint32_t)
GATHER(dvi_gather_8_scalar, uint64_t)
GATHER(dvi_gather_16_scalar, dv_u128)

size_t dvi_gather_ends_scalar(int32_t *restrict dst, const void *restrict ends, int32_t first,
                              const void *restrict index, size_t n, int32_t at, int32_t *last_out)
{
    size_t i = 0;
    for (; i < n; i++) {
        const size_t row = dvi_gather_index(index, i);
        const int32_t nbytes = dvi_gather_end(ends, row) - dvi_gather_start(ends, first, row);
        if (nbytes > INT32_MAX - at)
            break;
        at += nbytes;
        dst[i] = at | (dvi_load_i32((const uint8_t *)ends + 4 * row) & INT32_MIN);
    }
    *last_out = at;
    return i;
}

void dvi_gather_text_scalar(uint8_t *restrict dst, size_t nbytes, const void *restrict text,
                            size_t text_nbytes, const void *restrict ends, int32_t first,
                            const void *restrict index, size_t n)
{
    (void)nbytes, (void)text_nbytes;
    for (size_t i = 0; i < n; i++) {
        const size_t row = dvi_gather_index(index, i);
        const int32_t start = dvi_gather_start(ends, first, row);
        const size_t length = (size_t)(dvi_gather_end(ends, row) - start);
        if (length > 0)
            memcpy(dst, (const uint8_t *)text + start, length);
        dst += length;
    }
}

void dvi_ends_move_scalar(int32_t *restrict dst, const void *restrict ends, size_t n, int32_t by)
{
    dvi_ends_move_loop(dst, ends, n, by);
}
