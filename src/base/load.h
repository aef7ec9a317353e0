/* SPDX-License-Identifier: MIT */
/* load.h: loads and stores numbers at any address. The suffix _be means big-endian; without it the
 * order is that of the machine. */
#ifndef DVI_BASE_LOAD_H
#define DVI_BASE_LOAD_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "mapped blocks are used without conversion, so the machine must be little-endian"
#endif

#define DVI_LOAD(name, type)                                                                       \
    static inline type dvi_load_##name(const void *src)                                            \
    {                                                                                              \
        type value;                                                                                \
        memcpy(&value, src, sizeof value);                                                         \
        return value;                                                                              \
    }                                                                                              \
    static inline void dvi_store_##name(void *dst, type value)                                     \
    {                                                                                              \
        memcpy(dst, &value, sizeof value);                                                         \
    }
DVI_LOAD(u16, uint16_t)
DVI_LOAD(i16, int16_t)
DVI_LOAD(u32, uint32_t)
DVI_LOAD(i32, int32_t)
DVI_LOAD(u64, uint64_t)
DVI_LOAD(i64, int64_t)
DVI_LOAD(f4, float)
DVI_LOAD(f8, double)
#undef DVI_LOAD

#define DVI_LOAD_BE(name, type, bits)                                                              \
    static inline type dvi_load_##name##_be(const void *src)                                       \
    {                                                                                              \
        return (type)__builtin_bswap##bits(dvi_load_u##bits(src));                                 \
    }                                                                                              \
    static inline void dvi_store_##name##_be(void *dst, type value)                                \
    {                                                                                              \
        dvi_store_u##bits(dst, __builtin_bswap##bits((uint##bits##_t)value));                      \
    }
DVI_LOAD_BE(u16, uint16_t, 16)
DVI_LOAD_BE(i32, int32_t, 32)
DVI_LOAD_BE(u64, uint64_t, 64)
#undef DVI_LOAD_BE

#endif
