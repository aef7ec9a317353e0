/* SPDX-License-Identifier: MIT */
/* key_positions.c: which value each key stands for (semantics:7.3). */
#include "transform/key_positions.h"
#include "base/check.h"
#include <string.h>

/* For keys of one width; `wide` is what they are compared as. */
#define POSITIONS(width, wide)                                                                     \
    static void positions_##width(uint32_t *restrict dst, const uint8_t *restrict src, size_t n,   \
                                  uint32_t count)                                                  \
    {                                                                                              \
        for (size_t i = 0; i < n; i++) {                                                           \
            uint##width##_t key;                                                                   \
            memcpy(&key, src + i * sizeof key, sizeof key);                                        \
            const wide position = (wide)key - 1;                                                   \
            dst[i] = position < count ? (uint32_t)position : DVI_NO_POSITION;                      \
        }                                                                                          \
    }
POSITIONS(8, uint32_t)
POSITIONS(16, uint32_t)
POSITIONS(32, uint32_t)
POSITIONS(64, uint64_t)

void dvi_key_positions(uint32_t *dst, const dv_column_view *keys, int64_t first, size_t n,
                       uint32_t count)
{
    const uint8_t *src = keys->as.fixed.values.data;
    if (n == 0) /* then there may be no address */
        return;
    switch (keys->type.kind) {
    case DV_KIND_U1:
        positions_8(dst, src + first, n, count);
        break;
    case DV_KIND_U2:
        positions_16(dst, src + 2 * first, n, count);
        break;
    case DV_KIND_U4:
        positions_32(dst, src + 4 * first, n, count);
        break;
    default:
        positions_64(dst, src + 8 * first, n, count);
        break;
    }
}

dv_status dvi_key_check(const dv_type *type, dv_error *err)
{
    char found[96];
    if (type->is_key && type->key_count > 0 && type->key_count <= INT32_MAX)
        return DV_OK;
    dv_type_print(type, found, sizeof found);
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.3", -1, "type",
                    "keys that have 1 to 2^31-1 values|%s", found);
}
