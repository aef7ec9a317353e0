/* SPDX-License-Identifier: MIT */
/* size.h: checked arithmetic on sizes. */
#ifndef DVI_BASE_SIZE_H
#define DVI_BASE_SIZE_H

#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Set *product_out to a * b; false: it overflows. The same for sums. */
static inline bool dvi_size_mul(size_t a, size_t b, size_t *product_out)
{
    return !__builtin_mul_overflow(a, b, product_out);
}

static inline bool dvi_size_add(size_t a, size_t b, size_t *sum_out)
{
    return !__builtin_add_overflow(a, b, sum_out);
}

/* Rounded up, so that what follows is aligned for any type; nbytes is the size of one. */
static inline size_t dvi_padded(size_t nbytes)
{
    const size_t step = alignof(max_align_t);
    return (nbytes + step - 1) / step * step;
}

static inline int64_t dvi_min_i64(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t dvi_max_i64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

#endif
