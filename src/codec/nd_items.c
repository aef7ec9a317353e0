/* SPDX-License-Identifier: MIT */
/* nd_items.c: converts items of numpy arrays to items of columns (datadings:12). */
#include "codec/nd_items.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "codec/datetime.h"
#include <string.h>

/* Whether items are numbers of the column's width and byte order. */
static bool is_plain(const dvi_nd_dtype *dtype)
{
    const bool is_number = dtype->letter != 0 && memchr("iuf", dtype->letter, 3);
    const bool is_half = dtype->letter == 'f' && dtype->width == 2;
    return is_number && !is_half && (!dtype->is_swapped || dtype->width == 1);
}

bool dvi_nd_is_in_place(const dvi_nd_dtype *dtype, const uint8_t *src, size_t n)
{
    uint8_t all = 0;
    if (dtype->letter != 'b')
        return is_plain(dtype);
    for (size_t i = 0; i < n; i++)
        all |= src[i];
    return all <= 1;
}

static void copy_bools(uint8_t *dst, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n; i++)
        dst[i] = src[i] != 0;
}

/* Move sign, exponent and fraction to their bits of a 32-bit float. Subnormal numbers are computed
 * by arithmetic, which is exact. */
static float real_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent == 0) {
        const float small = (float)fraction * 0x1p-24F;
        return sign ? -small : small;
    }
    const uint32_t top = exponent == 0x1F ? 0xFF : exponent + (127 - 15);
    const uint32_t bits = sign | top << 23 | fraction << 13;
    float real;
    memcpy(&real, &bits, sizeof real);
    return real;
}

static void copy_halves(void *dst, const uint8_t *src, size_t n, bool is_swapped)
{
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = src + 2 * i;
        dvi_store_f4((uint8_t *)dst + 4 * i,
                     real_of_half(is_swapped ? dvi_load_u16_be(p) : dvi_load_u16(p)));
    }
}

/* Convert units since 1970 to ticks since year 1, and a span of time to ticks. numpy's NaT is
 * INT64_MIN. false: out of range. */
static bool ticks_of(int64_t *ticks, const dvi_nd_dtype *dtype, const uint8_t *p)
{
    const bool is_date = dtype->letter == 'M';
    *ticks = dtype->is_swapped ? (int64_t)dvi_load_u64_be(p) : dvi_load_i64(p);
    if (*ticks == INT64_MIN)
        return true;
    return !__builtin_mul_overflow(*ticks, dtype->ticks, ticks) &&
           !__builtin_add_overflow(*ticks, is_date ? DVI_EPOCH_TICKS : 0, ticks) &&
           *ticks != DV_TICKS_NA && (!is_date || (*ticks >= 0 && *ticks <= DV_TICKS_MAX));
}

static bool copy_times(void *dst, const dvi_nd_dtype *dtype, const uint8_t *src, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int64_t ticks;
        if (!ticks_of(&ticks, dtype, src + 8 * i))
            return false;
        dvi_store_i64((uint8_t *)dst + 8 * i, ticks);
    }
    return true;
}

bool dvi_nd_copy(void *dst, const dvi_nd_dtype *dtype, const uint8_t *src, size_t n)
{
    if (dtype->letter == 'M' || dtype->letter == 'm')
        return copy_times(dst, dtype, src, n);
    if (dtype->letter == 'b')
        copy_bools(dst, src, n);
    else if (dtype->letter == 'f' && dtype->width == 2)
        copy_halves(dst, src, n, dtype->is_swapped);
    else if (is_plain(dtype))
        memcpy(dst, src, n * dtype->width);
    else if (dtype->width == 2)
        dvi_kernels()->swap_2(dst, src, n);
    else if (dtype->width == 4)
        dvi_kernels()->swap_4(dst, src, n);
    else
        dvi_kernels()->swap_8(dst, src, n);
    return true;
}

/* Write a character as UTF-8, at most four bytes; 0: it is not a character. */
static size_t put_character(uint8_t *dst, uint32_t c)
{
    if (c < 0x80) {
        dst[0] = (uint8_t)c;
        return 1;
    }
    if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
        return 0;
    const size_t width = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = width - 1; i > 0; i--, c >>= 6)
        dst[i] = (uint8_t)(0x80 | (c & 0x3F));
    dst[0] = (uint8_t)((0xF00U >> width & 0xF0) | c);
    return width;
}

bool dvi_nd_fits(const dvi_nd_dtype *dtype, const uint8_t *src, size_t n)
{
    const bool is_time = dtype->letter == 'M' || dtype->letter == 'm';
    const size_t units = is_time ? n : dtype->letter == 'U' ? n * (dtype->width / 4) : 0;
    for (size_t i = 0; i < units; i++) {
        int64_t ticks;
        uint8_t utf8[4];
        const uint8_t *p = src + 4 * i;
        if (is_time ? !ticks_of(&ticks, dtype, src + 8 * i)
                    : put_character(utf8, dtype->is_swapped ? (uint32_t)dvi_load_i32_be(p)
                                                            : dvi_load_u32(p)) == 0)
            return false;
    }
    return true;
}

bool dvi_nd_copy_text(uint8_t *dst, size_t *nbytes_out, const dvi_nd_dtype *dtype,
                      const uint8_t *src)
{
    const size_t unit = dtype->letter == 'U' ? 4 : 1;
    size_t n = dtype->width / unit, at = 0;
    while (n > 0 && (unit == 1 ? src[n - 1] == 0 : dvi_load_u32(src + 4 * (n - 1)) == 0))
        n--;
    if (unit == 1) {
        memcpy(dst, src, n);
        *nbytes_out = n;
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *p = src + 4 * i;
        const uint32_t c = dtype->is_swapped ? (uint32_t)dvi_load_i32_be(p) : dvi_load_u32(p);
        const size_t width = put_character(dst + at, c);
        if (width == 0)
            return false;
        at += width;
    }
    *nbytes_out = at;
    return true;
}

int64_t dvi_nd_integer(const dvi_nd_map *nd)
{
    const size_t width = nd->dtype.width;
    const bool is_negative =
        nd->dtype.letter != 'u' && nd->data[nd->dtype.is_swapped ? 0 : width - 1] >= 0x80;
    uint64_t value = is_negative ? UINT64_MAX : 0;
    for (size_t i = 0; i < width; i++)
        value = value << 8 | nd->data[nd->dtype.is_swapped ? i : width - 1 - i];
    return (int64_t)value;
}
