/* SPDX-License-Identifier: MIT */
/* rows_scalar.c: copies rows from one matrix to another. */
#include "simd/dispatch.h"
#include <string.h>

void dvi_rows_copy_scalar(uint8_t *restrict dst, size_t dst_pitch, const void *restrict src,
                          size_t src_pitch, size_t width, size_t n, dvi_store store)
{
    (void)store;
    for (size_t i = 0; i < n && width > 0; i++)
        memcpy(dst + i * dst_pitch, (const uint8_t *)src + i * src_pitch, width);
}
