/* SPDX-License-Identifier: MIT */
/* items.c: makes items of a matrix from items of columns. */
#include "matrix/items.h"
#include "base/load.h"
#include "simd/dispatch.h"
#include "simd/kinds.h"
#include "simd/na.h"
#include <math.h>
#include <string.h>

/* --- By kernels ------------------------------------------------------------------------------- */

#define KERNEL(from, to)                                                                           \
    static size_t kernel_##from##_##to(void *dst, const void *src, size_t n)                       \
    {                                                                                              \
        dvi_kernels()->convert_##from##_##to(dst, src, n);                                         \
        return n;                                                                                  \
    }
#define KERNEL_OF_LIST(X, level, from, to) KERNEL(from, to)
DVI_DENSIFY_LIST(KERNEL_OF_LIST, _, _)
KERNEL(i1, i8)
KERNEL(i2, i8)
KERNEL(i4, i8)
KERNEL(u1, u8)
KERNEL(u2, u8)
KERNEL(u4, u8)
KERNEL(bl, i8)
KERNEL(dt, i8)

/* --- Directly --------------------------------------------------------------------------------- */

KERNEL(i1, i2)
KERNEL(i1, i4)
KERNEL(i2, i4)
KERNEL(u1, u2)
KERNEL(u1, u4)
KERNEL(u2, u4)
KERNEL(bl, i1)
KERNEL(bl, i2)
KERNEL(bl, i4)

/* Rules for the kernels of NA. */
#define ABOVE(most)                                                                                \
    {                                                                                              \
        UINT64_MAX, 0, most                                                                        \
    }
#define ONLY(bits)                                                                                 \
    {                                                                                              \
        UINT64_MAX, (bits) + 1, UINT64_MAX - 1                                                     \
    }

/* Unsigned numbers as signed ones of the same width. */
#define SAME(width)                                                                                \
    static size_t same_##width(void *dst, const void *src, size_t n)                               \
    {                                                                                              \
        static const dvi_na above = ABOVE((UINT64_C(1) << (8 * (width)-1)) - 1);                   \
        const size_t fit = dvi_kernels()->na_first_##width(src, n, &above);                        \
        memcpy(dst, src, (width)*fit);                                                             \
        return fit;                                                                                \
    }
SAME(1)
SAME(2)
SAME(4)

static const struct {
    dv_kind from, to;
    dvi_items_map *map;
} directs[] = {{DV_KIND_I1, DV_KIND_I2, kernel_i1_i2}, {DV_KIND_I1, DV_KIND_I4, kernel_i1_i4},
               {DV_KIND_I2, DV_KIND_I4, kernel_i2_i4}, {DV_KIND_U1, DV_KIND_I1, same_1},
               {DV_KIND_U1, DV_KIND_I2, kernel_u1_u2}, {DV_KIND_U1, DV_KIND_U2, kernel_u1_u2},
               {DV_KIND_U1, DV_KIND_I4, kernel_u1_u4}, {DV_KIND_U1, DV_KIND_U4, kernel_u1_u4},
               {DV_KIND_U1, DV_KIND_U8, kernel_u1_u8}, {DV_KIND_U2, DV_KIND_I2, same_2},
               {DV_KIND_U2, DV_KIND_I4, kernel_u2_u4}, {DV_KIND_U2, DV_KIND_U4, kernel_u2_u4},
               {DV_KIND_U2, DV_KIND_U8, kernel_u2_u8}, {DV_KIND_U4, DV_KIND_I4, same_4},
               {DV_KIND_U4, DV_KIND_U8, kernel_u4_u8}, {DV_KIND_BL, DV_KIND_I1, kernel_bl_i1},
               {DV_KIND_BL, DV_KIND_I2, kernel_bl_i2}, {DV_KIND_BL, DV_KIND_I4, kernel_bl_i4}};

dvi_items_map *dvi_items_direct(const dv_type *from, dv_kind items)
{
    for (size_t i = 0; !from->is_key && i < sizeof directs / sizeof *directs; i++)
        if (directs[i].from == from->kind && directs[i].to == items)
            return directs[i].map;
    return NULL;
}

/* --- To I8 ------------------------------------------------------------------------------------ */

#define WHOLE(name, ctype, na, fits, result)                                                       \
    static size_t whole_##name(void *dst, const void *src, size_t n)                               \
    {                                                                                              \
        int64_t *const to = dst;                                                                   \
        for (size_t i = 0; i < n; i++) {                                                           \
            ctype v;                                                                               \
            memcpy(&v, (const uint8_t *)src + i * sizeof v, sizeof v);                             \
            if (!(na) && !(fits))                                                                  \
                return i;                                                                          \
            to[i] = (na) ? INT64_MIN : (int64_t)(result);                                          \
        }                                                                                          \
        return n;                                                                                  \
    }
WHOLE(u8, uint64_t, false, v <= INT64_MAX, v)
WHOLE(f4, float, v != v, fabsf(v) < 0x1p63f && (float)(int64_t)v == v, v)
WHOLE(f8, double, v != v, fabs(v) < 0x1p63 && (double)(int64_t)v == v, v)
WHOLE(key_1, uint8_t, v == 0, true, v - 1)
WHOLE(key_2, uint16_t, v == 0, true, v - 1)
WHOLE(key_4, uint32_t, v == 0, true, v - UINT32_C(1))
WHOLE(key_8, uint64_t, v == 0, v - 1 <= INT64_MAX, v - 1)

static dvi_items_map *const keys[] = {[DV_KIND_U1] = whole_key_1,
                                      [DV_KIND_U2] = whole_key_2,
                                      [DV_KIND_U4] = whole_key_4,
                                      [DV_KIND_U8] = whole_key_8};
static dvi_items_map *const wholes[DV_KIND_BY + 1] = {
    [DV_KIND_I1] = kernel_i1_i8, [DV_KIND_I2] = kernel_i2_i8, [DV_KIND_I4] = kernel_i4_i8,
    [DV_KIND_U1] = kernel_u1_u8, [DV_KIND_U2] = kernel_u2_u8, [DV_KIND_U4] = kernel_u4_u8,
    [DV_KIND_U8] = whole_u8,     [DV_KIND_R4] = whole_f4,     [DV_KIND_R8] = whole_f8,
    [DV_KIND_BL] = kernel_bl_i8, [DV_KIND_DT] = kernel_dt_i8};

/* --- To R4 and R8 ----------------------------------------------------------------------------- */

/* A date is read as ticks first. */
#define CLOCK(to)                                                                                  \
    static size_t clock_##to(void *dst, const void *src, size_t n)                                 \
    {                                                                                              \
        int64_t ticks[DVI_ITEMS_MOST];                                                             \
        dvi_kernels()->convert_dt_i8(ticks, src, n);                                               \
        return kernel_i8_##to(dst, ticks, n);                                                      \
    }
CLOCK(f4)
CLOCK(f8)

static dvi_items_map *const reals[DV_KIND_BY + 1][2] = {
#define TO_f4 0
#define TO_f8 1
#define ENTRY(X, level, from, to) [DVI_KIND_##from][TO_##to] = kernel_##from##_##to,
    DVI_DENSIFY_LIST(ENTRY, _, _)
#undef ENTRY
        [DV_KIND_TS] = {kernel_i8_f4, kernel_i8_f8},
    [DV_KIND_DT] = {clock_f4, clock_f8}};

/* --- To R4, to be rounded again --------------------------------------------------------------- */

float dvi_items_odd(double value)
{
    float near = (float)value;
    uint32_t bits;
    if ((double)near == value || value != value)
        return near;
    memcpy(&bits, &near, sizeof bits);
    bits -= fabs((double)near) > fabs(value); /* the one towards 0 */
    bits |= 1;
    memcpy(&near, &bits, sizeof near);
    return near;
}

/* A double holds the upper 53 bits, the last of which says whether there are others. */
static double odd_of_whole(uint64_t v)
{
    const uint64_t low = v & 0x7FF;
    return v >> 53 ? (double)((v - low) | (low > 0 ? 0x800 : 0)) : (double)v;
}

static double odd_of_signed(int64_t v)
{
    return v < 0 ? -odd_of_whole(-(uint64_t)v) : odd_of_whole((uint64_t)v);
}

#define ODD(name, ctype, real)                                                                     \
    static size_t odd_##name(void *dst, const void *src, size_t n)                                 \
    {                                                                                              \
        float *const to = dst;                                                                     \
        for (size_t i = 0; i < n; i++) {                                                           \
            ctype v;                                                                               \
            memcpy(&v, (const uint8_t *)src + i * sizeof v, sizeof v);                             \
            to[i] = dvi_items_odd(real);                                                           \
        }                                                                                          \
        return n;                                                                                  \
    }
ODD(i4, int32_t, v == INT32_MIN ? (double)NAN : (double)v)
ODD(u4, uint32_t, (double)v)
ODD(i8, int64_t, v == INT64_MIN ? (double)NAN : odd_of_signed(v))
ODD(u8, uint64_t, odd_of_whole(v))
ODD(f8, double, v)

static size_t odd_dt(void *dst, const void *src, size_t n)
{
    int64_t ticks[DVI_ITEMS_MOST];
    dvi_kernels()->convert_dt_i8(ticks, src, n);
    return odd_i8(dst, ticks, n);
}

/* R4 has every number of the other kinds. */
static dvi_items_map *const odds[DV_KIND_BY + 1] = {
    [DV_KIND_I1] = kernel_i1_f4, [DV_KIND_I2] = kernel_i2_f4, [DV_KIND_I4] = odd_i4,
    [DV_KIND_I8] = odd_i8,       [DV_KIND_U1] = kernel_u1_f4, [DV_KIND_U2] = kernel_u2_f4,
    [DV_KIND_U4] = odd_u4,       [DV_KIND_U8] = odd_u8,       [DV_KIND_R8] = odd_f8,
    [DV_KIND_BL] = kernel_bl_f4, [DV_KIND_TS] = odd_i8,       [DV_KIND_DT] = odd_dt};

/* --- From I8 ---------------------------------------------------------------------------------- */

static const dvi_na least_1 = ONLY(UINT64_C(0x80));
static const dvi_na least_2 = ONLY(UINT64_C(0x8000));
static const dvi_na least_4 = ONLY(UINT64_C(0x80000000));
static const dvi_na least_8 = ONLY(UINT64_C(1) << 63);
static const dvi_na zero = ONLY(UINT64_C(0));
static const dvi_na negative = ABOVE(INT64_MAX);

/* A kernel makes NA, or 0, of what does not fit: then there are more of them than before. */
#define NARROW(to, width, kernel, na_before, na_after, does_not_fit)                               \
    static size_t narrow_##to(void *dst, const void *src, size_t n)                                \
    {                                                                                              \
        const dvi_kernel_table *k = dvi_kernels();                                                 \
        k->kernel(dst, src, n);                                                                    \
        if (k->na_count_##width(dst, n, na_after) == k->na_count_8(src, n, na_before))             \
            return n;                                                                              \
        size_t i = 0;                                                                              \
        for (; i < n; i++) {                                                                       \
            const int64_t v = (int64_t)dvi_load_u64((const uint8_t *)src + 8 * i);                 \
            if (does_not_fit)                                                                      \
                break;                                                                             \
        }                                                                                          \
        return i;                                                                                  \
    }
NARROW(i1, 1, convert_i8_i1, &least_8, &least_1, v != INT64_MIN && (v <= INT8_MIN || v > INT8_MAX))
NARROW(i2, 2, convert_i8_i2, &least_8, &least_2,
       v != INT64_MIN && (v <= INT16_MIN || v > INT16_MAX))
NARROW(i4, 4, convert_i8_i4, &least_8, &least_4,
       v != INT64_MIN && (v <= INT32_MIN || v > INT32_MAX))
NARROW(u1, 1, convert_u8_u1, &zero, &zero, v<0 || v> UINT8_MAX)
NARROW(u2, 2, convert_u8_u2, &zero, &zero, v<0 || v> UINT16_MAX)
NARROW(u4, 4, convert_u8_u4, &zero, &zero, v<0 || v> UINT32_MAX)

static size_t narrow_u8(void *dst, const void *src, size_t n)
{
    const size_t fit = dvi_kernels()->na_first_8(src, n, &negative);
    memcpy(dst, src, 8 * fit);
    return fit;
}

/* --- From R4 ---------------------------------------------------------------------------------- */

#define INFINITE UINT32_C(0x7F800000)
#define R2_ABOVE UINT32_C(0x477FF000)    /* 65520, which is rounded to infinity */
#define R2_NORMAL UINT32_C(0x38800000)   /* 2^-14, the least with all bits */
#define R2_EXPONENT UINT32_C(0x38000000) /* the difference of the exponents */
#define R2_NA UINT16_C(0xFE00)
#define B2_ABOVE UINT32_C(0x7F7F8000) /* as R2_ABOVE */
#define B2_NA UINT16_C(0xFFC0)

/* The bits of a positive float below R2_NORMAL, in units of 2^-24: adding a half rounds it. */
static uint32_t small_r2(uint32_t x)
{
    float v;
    memcpy(&v, &x, sizeof v);
    v += 0.5f;
    memcpy(&x, &v, sizeof v);
    return x - UINT32_C(0x3F000000);
}

static uint16_t r2_of(uint32_t bits)
{
    const uint32_t x = bits & INT32_MAX, sign = bits >> 16 & 0x8000;
    const uint32_t normal = (x + 0xFFF + (x >> 13 & 1) - R2_EXPONENT) >> 13;
    const uint32_t finite = x < R2_NORMAL ? small_r2(x) : normal;
    return (uint16_t)(x > INFINITE ? R2_NA : sign | (x == INFINITE ? 0x7C00 : finite));
}

static uint16_t b2_of(uint32_t bits)
{
    const uint32_t x = bits & INT32_MAX;
    return x > INFINITE ? B2_NA : (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

#define ROUND(name, above)                                                                         \
    static size_t round_##name(void *dst, const void *src, size_t n)                               \
    {                                                                                              \
        uint16_t *const to = dst;                                                                  \
        for (size_t i = 0; i < n; i++) {                                                           \
            const uint32_t bits = dvi_load_u32((const uint8_t *)src + 4 * i);                      \
            const uint32_t x = bits & INT32_MAX;                                                   \
            if (x >= (above) && x < INFINITE)                                                      \
                return i;                                                                          \
            to[i] = name##_of(bits);                                                               \
        }                                                                                          \
        return n;                                                                                  \
    }
ROUND(r2, R2_ABOVE)
ROUND(b2, B2_ABOVE)

/* --- Kinds ------------------------------------------------------------------------------------ */

static const struct {
    dv_kind via;
    dvi_items_map *from_via;
    int64_t least, most;
} kinds[] = {[DV_KIND_I1] = {DV_KIND_I8, narrow_i1, INT8_MIN + 1, INT8_MAX},
             [DV_KIND_I2] = {DV_KIND_I8, narrow_i2, INT16_MIN + 1, INT16_MAX},
             [DV_KIND_I4] = {DV_KIND_I8, narrow_i4, INT32_MIN + 1, INT32_MAX},
             [DV_KIND_I8] = {DV_KIND_I8, NULL, INT64_MIN + 1, INT64_MAX},
             [DV_KIND_U1] = {DV_KIND_I8, narrow_u1, 0, UINT8_MAX},
             [DV_KIND_U2] = {DV_KIND_I8, narrow_u2, 0, UINT16_MAX},
             [DV_KIND_U4] = {DV_KIND_I8, narrow_u4, 0, UINT32_MAX},
             [DV_KIND_U8] = {DV_KIND_I8, narrow_u8, 0, INT64_MAX},
             [DV_KIND_R4] = {DV_KIND_R4, NULL, 0, 0},
             [DV_KIND_R8] = {DV_KIND_R8, NULL, 0, 0},
             [DV_KIND_R2] = {DV_KIND_R4, round_r2, 0, 0},
             [DV_KIND_B2] = {DV_KIND_R4, round_b2, 0, 0}};

dv_kind dvi_items_via(dv_kind items)
{
    return (size_t)items < sizeof kinds / sizeof *kinds ? kinds[items].via : DV_KIND_NONE;
}

dvi_items_map *dvi_items_from_via(dv_kind items)
{
    return kinds[items].from_via;
}

void dvi_items_range(dv_kind items, int64_t *least_out, int64_t *most_out)
{
    *least_out = kinds[items].least;
    *most_out = kinds[items].most;
}

bool dvi_items_to_via(dvi_items_map **map_out, const dv_type *from, dv_kind items)
{
    const dv_kind kind = from->kind, via = dvi_items_via(items);
    *map_out = NULL;
    if (kind > DV_KIND_BY || via == DV_KIND_NONE || (from->is_key && via != DV_KIND_I8))
        return false;
    if (!from->is_key && (kind == via || (via == DV_KIND_I8 && kind == DV_KIND_TS)))
        return true;
    *map_out = from->is_key        ? keys[kind]
               : via == DV_KIND_I8 ? wholes[kind]
               : via == items      ? reals[kind][via == DV_KIND_R8]
                                   : odds[kind];
    return *map_out != NULL;
}

/* --- Masks ------------------------------------------------------------------------------------ */

void dvi_items_mask(uint8_t *dst, const void *src, size_t width, const dvi_na *rule, size_t n)
{
    const dvi_kernel_table *k = dvi_kernels();
    uint8_t bits[(DVI_ITEMS_MOST + 7) / 8];
    if (width == 1)
        k->na_mask_1(bits, src, n, rule, 1);
    else if (width == 2)
        k->na_mask_2(bits, src, n, rule, 1);
    else if (width == 4)
        k->na_mask_4(bits, src, n, rule, 1);
    else
        k->na_mask_8(bits, src, n, rule, 1);
    k->bits_expand((int8_t *)dst, bits, n);
}
