/* SPDX-License-Identifier: MIT */
/* mutate_idv_base.c: memory, bytes, draws and codec names for the other mutate_idv files. */
#include "mutate_idv.h"
#include <string.h>

void *dvt_pool_take(dvt_pool *pool, size_t nbytes)
{
    const size_t aligned = (nbytes + 15) / 16 * 16;
    if (aligned < nbytes || aligned > pool->cap - pool->used)
        dvt_pool_give_up(pool);
    uint8_t *memory = pool->memory + pool->used;
    pool->used += aligned;
    memset(memory, 0, aligned);
    return memory;
}

_Noreturn void dvt_pool_give_up(dvt_pool *pool)
{
    longjmp(pool->give_up, 1);
}

void dvt_bytes_reserve(dvt_pool *pool, dvt_bytes *bytes, size_t cap)
{
    if (cap <= bytes->cap)
        return;
    const size_t wider = cap < 2 * bytes->cap ? 2 * bytes->cap : cap;
    uint8_t *data = dvt_pool_take(pool, wider);
    if (bytes->n > 0)
        memcpy(data, bytes->data, bytes->n);
    bytes->data = data;
    bytes->cap = wider;
}

void dvt_bytes_add(dvt_pool *pool, dvt_bytes *bytes, const void *data, size_t n)
{
    if (n == 0)
        return;
    dvt_bytes_reserve(pool, bytes, bytes->n + n);
    memcpy(bytes->data + bytes->n, data, n);
    bytes->n += n;
}

void dvt_bytes_add_number(dvt_pool *pool, dvt_bytes *bytes, uint64_t value, size_t width)
{
    uint8_t data[16];
    dvt_set_number(data, value, width);
    dvt_bytes_add(pool, bytes, data, width);
}

void dvt_bytes_add_leb(dvt_pool *pool, dvt_bytes *bytes, uint64_t value)
{
    do {
        const uint8_t c = (uint8_t)((value & 0x7F) | (value > 0x7F ? 0x80 : 0));
        dvt_bytes_add(pool, bytes, &c, 1);
        value >>= 7;
    } while (value > 0);
}

void dvt_bytes_splice(dvt_pool *pool, dvt_bytes *bytes, size_t at, size_t out, const void *data,
                      size_t n)
{
    dvt_bytes made = {NULL, 0, 0};
    dvt_bytes_reserve(pool, &made, bytes->n - out + n + 1);
    dvt_bytes_add(pool, &made, bytes->data, at);
    dvt_bytes_add(pool, &made, data, n);
    if (bytes->n > at + out)
        dvt_bytes_add(pool, &made, bytes->data + at + out, bytes->n - at - out);
    *bytes = made;
}

dvt_bytes dvt_bytes_copy(dvt_pool *pool, const void *data, size_t n)
{
    dvt_bytes bytes = {NULL, 0, 0};
    dvt_bytes_add(pool, &bytes, data, n);
    return bytes;
}

dvt_bytes dvt_bytes_of(dvt_pool *pool, const char *text)
{
    return dvt_bytes_copy(pool, text, strlen(text));
}

bool dvt_bytes_equal(dvt_bytes a, dvt_bytes b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.data, b.data, a.n) == 0);
}

uint64_t dvt_number(const uint8_t *data, size_t width)
{
    uint64_t value = 0;
    for (size_t i = 0; i < width && i < 8; i++)
        value |= (uint64_t)data[i] << (8 * i);
    return value;
}

void dvt_set_number(uint8_t *data, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++)
        data[i] = (uint8_t)(i < 8 ? value >> (8 * i) : 0);
}

uint64_t dvt_draw_bits(dvt_draw *draw) /* splitmix64 */
{
    uint64_t z = draw->state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

size_t dvt_draw_below(dvt_draw *draw, size_t n)
{
    return (size_t)(dvt_draw_bits(draw) % n);
}

bool dvt_draw_one_in(dvt_draw *draw, size_t n)
{
    return dvt_draw_below(draw, n) == 0;
}

uint64_t dvt_draw_number(dvt_draw *draw, uint64_t old, size_t width)
{
    const unsigned bits = width < 8 ? (unsigned)(8 * width) : 64;
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    switch (dvt_draw_below(draw, 12)) {
    case 0:
        return old + 1;
    case 1:
        return old - 1;
    case 2:
        return 0;
    case 3:
        return UINT64_MAX;
    case 4:
        return sign; /* the least */
    case 5:
        return sign - 1; /* the greatest */
    case 6:
        return old ^ sign;
    case 7:
        return old ^ UINT64_C(1) << dvt_draw_below(draw, bits);
    case 8:
        return old + dvt_draw_below(draw, 64) - 32;
    case 9:
        return old * 2;
    case 10:
        return dvt_draw_below(draw, 300);
    default:
        return dvt_draw_bits(draw);
    }
}

const dvt_idv_name dvt_idv_names[] = {
    {"SByte", DVT_IDV_FIXED, 1},
    {"Byte", DVT_IDV_FIXED, 1},
    {"Int16", DVT_IDV_FIXED, 2},
    {"UInt16", DVT_IDV_FIXED, 2},
    {"Int32", DVT_IDV_FIXED, 4},
    {"UInt32", DVT_IDV_FIXED, 4},
    {"Int64", DVT_IDV_FIXED, 8},
    {"UInt64", DVT_IDV_FIXED, 8},
    {"Single", DVT_IDV_FIXED, 4},
    {"Double", DVT_IDV_FIXED, 8},
    {"TextSpan", DVT_IDV_TEXT, 0},
    {"TimeSpan", DVT_IDV_FIXED, 8},
    {"DvTimeSpan", DVT_IDV_FIXED, 8},
    {"Boolean", DVT_IDV_BITS, 0},
    {"DvBool", DVT_IDV_BITS2, 0},
    {"DateTime", DVT_IDV_TICKS, 8},
    {"DvDateTime", DVT_IDV_TICKS, 8},
    {"DateTimeOffset", DVT_IDV_ZONED, 10},
    {"DvDateTimeZone", DVT_IDV_ZONED, 10},
    {"DataViewRowId", DVT_IDV_FIXED, 16},
    {"RowId", DVT_IDV_FIXED, 16},
    {"UInt128", DVT_IDV_FIXED, 16},
    {"Key", DVT_IDV_KEY, 0},
    {"Key2", DVT_IDV_KEY, 0},
    {"VBuffer", DVT_IDV_VECTOR, 0},
};
const size_t dvt_idv_names_count = sizeof dvt_idv_names / sizeof *dvt_idv_names;

bool dvt_idv_is_named(const dvt_idv_codec *codec, const char *name)
{
    return codec->name.n == strlen(name) && memcmp(codec->name.data, name, codec->name.n) == 0;
}

dvt_idv_shape dvt_idv_shape_of(const dvt_idv_codec *codec, size_t *width_out)
{
    *width_out = 0;
    for (size_t i = 0; i < dvt_idv_names_count; i++) {
        const dvt_idv_name *known = &dvt_idv_names[i];
        if (!dvt_idv_is_named(codec, known->name))
            continue;
        if (known->shape != DVT_IDV_KEY && known->shape != DVT_IDV_VECTOR) {
            *width_out = known->width;
            return known->shape;
        }
        if (!codec->inner)
            return DVT_IDV_UNKNOWN;
        if (known->shape == DVT_IDV_KEY &&
            dvt_idv_shape_of(codec->inner, width_out) != DVT_IDV_FIXED)
            return DVT_IDV_UNKNOWN;
        return known->shape;
    }
    return DVT_IDV_UNKNOWN;
}

int64_t dvt_idv_size_of(const dvt_idv_codec *codec)
{
    int64_t size = codec->rank > 0 ? 1 : 0;
    for (int32_t i = 0; i < codec->rank; i++)
        if (codec->dims[i] < 0 || (size > 0 && codec->dims[i] > INT32_MAX / size))
            return -1;
        else
            size *= codec->dims[i];
    return size;
}
