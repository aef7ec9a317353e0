/* SPDX-License-Identifier: MIT */
/* conversion_parse.c: converts text to values. Text that is not a value becomes NA or the default,
 * without an error. */
#include "base/check.h"
#include "base/load.h"
#include "codec/parse.h"
#include "transform/conversion_priv.h"
#include <dataview/value.h>

/* For an NA text, a token that every parser reads as NA or the default. */
static dv_text text_at(const dv_column_view *src, int64_t row)
{
    const dv_text text = dv_value_tx(&(dv_value){.column = src, .row = row});
    return text.nbytes < 0 ? dv_text_of("?") : text;
}

/* parse_<name>: parse one text into the value at dst. */
#define PARSE_BY(name, ctype, call)                                                                \
    static void parse_##name(void *dst, dv_text text, const dv_type *key)                          \
    {                                                                                              \
        ctype value;                                                                               \
        (void)key;                                                                                 \
        call;                                                                                      \
        memcpy(dst, &value, sizeof value);                                                         \
    }
#define PARSE(name, ctype)                                                                         \
    PARSE_BY(name, ctype, dvi_parse_##name(&value, text.data, (size_t)text.nbytes))
#define PARSE_REAL(name, ctype)                                                                    \
    PARSE_BY(name, ctype,                                                                          \
             dvi_parse_##name(&value, text.data, (size_t)text.nbytes, (size_t)text.nbytes, '.'))
PARSE(i1, int8_t)
PARSE(i2, int16_t)
PARSE(i4, int32_t)
PARSE(i8, int64_t)
PARSE(u1, uint8_t)
PARSE(u2, uint16_t)
PARSE(u4, uint32_t)
PARSE(u8, uint64_t)
PARSE(ug, dv_u128)
PARSE(bl, int8_t)
PARSE(ts, int64_t)
PARSE(dt, int64_t)
PARSE_REAL(r4, float)
PARSE_REAL(r8, double)

/* On a little-endian machine the low bytes of the number are the value in the key's kind. */
static void parse_key(void *dst, dv_text text, const dv_type *key)
{
    uint64_t representation;
    dvi_parse_key(&representation, text.data, (size_t)text.nbytes, key);
    memcpy(dst, &representation, (size_t)dv_kind_width(key->kind));
}

static dv_status run_fixed(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    const size_t width = (size_t)dv_kind_width(c->to.kind);
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, width, allocator, err));
    for (int64_t i = 0; i < n; i++)
        c->parse(memory->first->data + (size_t)i * width, text_at(src, first + i), &c->to);
    return DV_OK;
}

static dv_status run_zoned(const dvi_conversion *c, dvi_converted *memory,
                           const dv_column_view *src, int64_t first, int64_t n,
                           const dv_allocator *allocator, dv_error *err)
{
    (void)c;
    DVI_TRY(dvi_conversion_reserve(&memory->first, n, sizeof(int64_t), allocator, err));
    DVI_TRY(dvi_conversion_reserve(&memory->second, n, sizeof(int16_t), allocator, err));
    for (int64_t i = 0; i < n; i++) {
        dv_zoned zoned;
        const dv_text text = text_at(src, first + i);
        dvi_parse_dz(&zoned, text.data, (size_t)text.nbytes);
        dvi_store_i64(memory->first->data + 8 * i, zoned.ticks);
        dvi_store_i16(memory->second->data + 2 * i, zoned.minutes);
    }
    return DV_OK;
}

typedef void parse_fn(void *dst, dv_text text, const dv_type *key);

static parse_fn *const parsers[] = {
    [DV_KIND_I1] = parse_i1, [DV_KIND_I2] = parse_i2, [DV_KIND_I4] = parse_i4,
    [DV_KIND_I8] = parse_i8, [DV_KIND_U1] = parse_u1, [DV_KIND_U2] = parse_u2,
    [DV_KIND_U4] = parse_u4, [DV_KIND_U8] = parse_u8, [DV_KIND_R4] = parse_r4,
    [DV_KIND_R8] = parse_r8, [DV_KIND_BL] = parse_bl, [DV_KIND_TS] = parse_ts,
    [DV_KIND_DT] = parse_dt, [DV_KIND_UG] = parse_ug, [DV_KIND_BY] = NULL};

void dvi_conversion_use_parser(dvi_conversion *c)
{
    c->parse = c->to.is_key ? parse_key : parsers[c->to.kind];
    if (c->to.kind == DV_KIND_DZ)
        c->run = run_zoned;
    else if (c->parse)
        c->run = run_fixed;
}
