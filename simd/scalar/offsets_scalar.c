/* SPDX-License-Identifier: MIT */
/* offsets_scalar.c: checks the offsets of rows, and converts them to counts. */
#include "base/load.h"
#include "simd/dispatch.h"

/* The two kernels differ only in the type of an offset. */
#define OFFSETS_COUNTS(name, type, load)                                                           \
    size_t name(int32_t *restrict counts, const void *restrict offsets, size_t n, int64_t entries, \
                int32_t length)                                                                    \
    {                                                                                              \
        const uint8_t *p = offsets;                                                                \
        size_t i = 0;                                                                              \
        for (; i < n; i++) {                                                                       \
            const type start = load(p + i * sizeof start), end = load(p + (i + 1) * sizeof end);   \
            if (start < 0 || end < start || end > entries || end - start > length)                 \
                break;                                                                             \
            counts[i] = (int32_t)(end - start);                                                    \
        }                                                                                          \
        return i;                                                                                  \
    }

OFFSETS_COUNTS(dvi_offsets_counts_4_scalar, int32_t, dvi_load_i32)
OFFSETS_COUNTS(dvi_offsets_counts_8_scalar, int64_t, dvi_load_i64)
