/* SPDX-License-Identifier: MIT */
/* scalar.c: parses and prints scalars of every kind. */
#include "codec/scalar.h"
#include "simd/na.h"
#include "codec/parse.h"
#include <string.h>

_Static_assert(DVI_SCALAR_NBYTES >= DVI_DATETIME_NBYTES && DVI_SCALAR_NBYTES >= DVI_NUMBER_NBYTES,
               "the longest text must fit");

/* --- Parsers: parse_<name> of every kind in DV_TYPE_LIST -------------------------------------- */

typedef bool parse_fn(void *dst, const char *src, size_t n, char point);

#define PARSE_BY(name, ctype, call)                                                                \
    static bool parse_##name(void *dst, const char *src, size_t n, char point)                     \
    {                                                                                              \
        ctype value;                                                                               \
        (void)point;                                                                               \
        const bool is_good = call;                                                                 \
        memcpy(dst, &value, sizeof value);                                                         \
        return is_good;                                                                            \
    }
#define PARSE(name, ctype) PARSE_BY(name, ctype, dvi_parse_##name(&value, src, n))
#define PARSE_WHOLE(name, ctype) PARSE_BY(name, ctype, dvi_parse_##name(&value, src, n, n))
PARSE_WHOLE(i1, int8_t)
PARSE_WHOLE(u1, uint8_t)
PARSE_WHOLE(i2, int16_t)
PARSE_WHOLE(u2, uint16_t)
PARSE_WHOLE(i4, int32_t)
PARSE_WHOLE(u4, uint32_t)
PARSE_WHOLE(i8, int64_t)
PARSE_WHOLE(u8, uint64_t)
PARSE_BY(r4, float, dvi_parse_r4(&value, src, n, n, point))
PARSE_BY(r8, double, dvi_parse_r8(&value, src, n, n, point))
PARSE(bl, int8_t)
PARSE(ts, int64_t)
PARSE(dt, int64_t)
PARSE(ug, dv_u128)
#define parse_tx NULL
#define parse_by NULL

/* Member by member: the padding stays as it is. */
static bool parse_dz(void *dst, const char *src, size_t n, char point)
{
    dv_zoned zoned;
    (void)point;
    const bool is_good = dvi_parse_dz(&zoned, src, n);
    memcpy(dst, &zoned.ticks, sizeof zoned.ticks);
    memcpy((char *)dst + offsetof(dv_zoned, minutes), &zoned.minutes, sizeof zoned.minutes);
    return is_good;
}

/* --- Printers: print_<name> of every kind ----------------------------------------------------- */

#define PRINT(name, ctype, print)                                                                  \
    static size_t print_##name(char *dst, const void *src)                                         \
    {                                                                                              \
        ctype value;                                                                               \
        memcpy(&value, src, sizeof value);                                                         \
        return print(dst, value);                                                                  \
    }
PRINT(i1, int8_t, dvi_number_print_i8)
PRINT(u1, uint8_t, dvi_number_print_u8)
PRINT(i2, int16_t, dvi_number_print_i8)
PRINT(u2, uint16_t, dvi_number_print_u8)
PRINT(i4, int32_t, dvi_number_print_i8)
PRINT(u4, uint32_t, dvi_number_print_u8)
PRINT(i8, int64_t, dvi_number_print_i8)
PRINT(u8, uint64_t, dvi_number_print_u8)
PRINT(r4, float, dvi_number_print_r4)
PRINT(r8, double, dvi_number_print_r8)
PRINT(ts, int64_t, dvi_timespan_print)
PRINT(dt, int64_t, dvi_datetime_print)
PRINT(dz, dv_zoned, dvi_zoned_print)
#define print_tx NULL
#define print_by NULL

static size_t print_bl(char *dst, const void *src)
{
    *dst = *(const uint8_t *)src ? '1' : '0';
    return 1;
}

static size_t print_ug(char *dst, const void *src)
{
    const uint8_t *bytes = src;
    memcpy(dst, "0x", 2);
    for (size_t i = 0; i < 16; i++) {
        dst[2 + 2 * i] = "0123456789abcdef"[bytes[15 - i] >> 4];
        dst[3 + 2 * i] = "0123456789abcdef"[bytes[15 - i] & 15];
    }
    return 34;
}

/* --- By kind ---------------------------------------------------------------------------------- */

static const struct {
    parse_fn *parse;
    dvi_scalar_print *print;
} kinds[] = {
#define ENTRY(NAME, name, number, width, ctype, na, aliases)                                       \
    [number] = {parse_##name, print_##name},
    DV_TYPE_LIST(ENTRY)
#undef ENTRY
};

bool dvi_scalar_parse_into(void *dst, const dv_type *type, const char *src, size_t n, char point)
{
    uint64_t representation;
    if (!type->is_key)
        return kinds[type->kind].parse(dst, src, n, point);
    const bool is_good = dvi_parse_key(&representation, src, n, type);
    memcpy(dst, &representation, (size_t)dv_kind_width(type->kind));
    return is_good;
}

bool dvi_scalar_parse(dv_scalar *scalar_out, const dv_type *type, const char *src, size_t n,
                      char point)
{
    memset(scalar_out, 0, sizeof *scalar_out);
    return dvi_scalar_parse_into(scalar_out, type, src, n, point);
}

dvi_scalar_print *dvi_scalar_printer(dv_kind kind)
{
    return (size_t)kind < sizeof kinds / sizeof *kinds ? kinds[kind].print : NULL;
}

dv_scalar dvi_scalar_na(const dv_type *type)
{
    dv_scalar scalar = {.ug = {0, 0}};
    if (type->kind == DV_KIND_TX && !type->is_key)
        scalar.tx = (dv_text){NULL, -1};
    else
        scalar.u8 = dvi_na_bits(type);
    return scalar;
}
