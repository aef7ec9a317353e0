/* SPDX-License-Identifier: MIT */
/* msgpack_write.c: writes values as msgpack. */
#include "codec/msgpack_write.h"

static uint8_t *put_byte(uint8_t *dst, unsigned int byte)
{
    *dst = (uint8_t)byte;
    return dst + 1;
}

static uint8_t *put_u16(uint8_t *dst, unsigned int type, uint32_t value)
{
    *dst = (uint8_t)type;
    dvi_store_u16_be(dst + 1, (uint16_t)value);
    return dst + 3;
}

static uint8_t *put_u32(uint8_t *dst, unsigned int type, uint32_t value)
{
    *dst = (uint8_t)type;
    dvi_store_i32_be(dst + 1, (int32_t)value);
    return dst + 5;
}

static uint8_t *put_u64(uint8_t *dst, unsigned int type, uint64_t value)
{
    *dst = (uint8_t)type;
    dvi_store_u64_be(dst + 1, value);
    return dst + 9;
}

uint8_t *dvi_msgpack_put_nil(uint8_t *dst)
{
    return put_byte(dst, 0xC0);
}

uint8_t *dvi_msgpack_put_bool(uint8_t *dst, bool value)
{
    return put_byte(dst, value ? 0xC3 : 0xC2);
}

uint8_t *dvi_msgpack_put_uint(uint8_t *dst, uint64_t value)
{
    if (value < 0x80)
        return put_byte(dst, (unsigned int)value);
    if (value <= UINT8_MAX)
        return put_byte(put_byte(dst, 0xCC), (unsigned int)value);
    if (value <= UINT16_MAX)
        return put_u16(dst, 0xCD, (uint32_t)value);
    return value <= UINT32_MAX ? put_u32(dst, 0xCE, (uint32_t)value) : put_u64(dst, 0xCF, value);
}

uint8_t *dvi_msgpack_put_int(uint8_t *dst, int64_t value)
{
    if (value >= 0)
        return dvi_msgpack_put_uint(dst, (uint64_t)value);
    if (value >= -32)
        return put_byte(dst, (unsigned int)value & 0xFF);
    if (value >= INT8_MIN)
        return put_byte(put_byte(dst, 0xD0), (unsigned int)value & 0xFF);
    if (value >= INT16_MIN)
        return put_u16(dst, 0xD1, (uint32_t)value);
    return value >= INT32_MIN ? put_u32(dst, 0xD2, (uint32_t)value)
                              : put_u64(dst, 0xD3, (uint64_t)value);
}

uint8_t *dvi_msgpack_put_f4(uint8_t *dst, uint32_t bits)
{
    return put_u32(dst, 0xCA, bits);
}

uint8_t *dvi_msgpack_put_f8(uint8_t *dst, uint64_t bits)
{
    return put_u64(dst, 0xCB, bits);
}

/* The type byte for 32 bits follows that for 16 bits. */
static uint8_t *put_count(uint8_t *dst, unsigned int type16, uint32_t n)
{
    return n <= UINT16_MAX ? put_u16(dst, type16, n) : put_u32(dst, type16 + 1, n);
}

uint8_t *dvi_msgpack_put_str(uint8_t *dst, uint32_t n)
{
    if (n < 32)
        return put_byte(dst, 0xA0 | n);
    return n <= UINT8_MAX ? put_byte(put_byte(dst, 0xD9), n) : put_count(dst, 0xDA, n);
}

uint8_t *dvi_msgpack_put_bin(uint8_t *dst, uint32_t n)
{
    return n <= UINT8_MAX ? put_byte(put_byte(dst, 0xC4), n) : put_count(dst, 0xC5, n);
}

uint8_t *dvi_msgpack_put_array(uint8_t *dst, uint32_t n)
{
    return n < 16 ? put_byte(dst, 0x90 | n) : put_count(dst, 0xDC, n);
}

uint8_t *dvi_msgpack_put_map(uint8_t *dst, uint32_t n)
{
    return n < 16 ? put_byte(dst, 0x80 | n) : put_count(dst, 0xDE, n);
}

uint8_t *dvi_msgpack_put_text(uint8_t *dst, const char *text, uint32_t n)
{
    dst = dvi_msgpack_put_str(dst, n);
    memcpy(dst, text, n);
    return dst + n;
}

/* --- numpy ------------------------------------------------------------------------------------ */

/* The keys of these maps are bin. */
static uint8_t *put_key(uint8_t *dst, const char *key)
{
    const size_t n = strlen(key);
    dst = dvi_msgpack_put_bin(dst, (uint32_t)n);
    memcpy(dst, key, n);
    return dst + n;
}

uint8_t *dvi_nd_put_head(uint8_t *dst, const char *dtype, const int32_t *dims, int32_t rank,
                         uint32_t nbytes)
{
    dst = put_key(dvi_msgpack_put_map(dst, 5), "nd");
    dst = put_key(dvi_msgpack_put_bool(dst, true), "type");
    dst = put_key(dvi_msgpack_put_text(dst, dtype, (uint32_t)strlen(dtype)), "kind");
    dst = put_key(dvi_msgpack_put_bin(dst, 0), "shape");
    dst = dvi_msgpack_put_array(dst, (uint32_t)rank);
    for (int32_t i = 0; i < rank; i++)
        dst = dvi_msgpack_put_uint(dst, (uint64_t)dims[i]);
    return dvi_msgpack_put_bin(put_key(dst, "data"), nbytes);
}
