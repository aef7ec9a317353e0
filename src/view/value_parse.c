/* SPDX-License-Identifier: MIT */
/* value_parse.c: parses scalars from text. */
#include "codec/parse.h"
#include <dataview/value.h>

static dv_scalar na_of(const dv_type *type)
{
    dv_scalar scalar = {.ug = {0, 0}}; /* NA of keys; the types without NA get 0 */
    switch (type->is_key ? DV_KIND_NONE : type->kind) {
    case DV_KIND_I1:
    case DV_KIND_BL:
        scalar.i1 = INT8_MIN;
        break;
    case DV_KIND_I2:
        scalar.i2 = INT16_MIN;
        break;
    case DV_KIND_I4:
        scalar.i4 = INT32_MIN;
        break;
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
        scalar.i8 = DV_TICKS_NA;
        break;
    case DV_KIND_R4:
        scalar.u4 = DV_R4_NA_BITS;
        break;
    case DV_KIND_R8:
        scalar.u8 = DV_R8_NA_BITS;
        break;
    case DV_KIND_DZ:
        scalar.dz = (dv_zoned){DV_TICKS_NA, 0};
        break;
    default:
        break;
    }
    return scalar;
}

static bool parse_key(dv_scalar *scalar_out, const dv_type *type, const char *src, size_t n)
{
    uint64_t representation;
    const bool is_good = dvi_parse_key(&representation, src, n, type);
    switch (type->kind) {
    case DV_KIND_U1:
        scalar_out->u1 = (uint8_t)representation;
        break;
    case DV_KIND_U2:
        scalar_out->u2 = (uint16_t)representation;
        break;
    case DV_KIND_U4:
        scalar_out->u4 = (uint32_t)representation;
        break;
    default:
        scalar_out->u8 = representation;
    }
    return is_good;
}

static bool parse_plain(dv_scalar *scalar_out, dv_kind kind, const char *src, size_t n)
{
    switch (kind) {
    case DV_KIND_I1:
        return dvi_parse_i1(&scalar_out->i1, src, n);
    case DV_KIND_I2:
        return dvi_parse_i2(&scalar_out->i2, src, n);
    case DV_KIND_I4:
        return dvi_parse_i4(&scalar_out->i4, src, n);
    case DV_KIND_I8:
        return dvi_parse_i8(&scalar_out->i8, src, n);
    case DV_KIND_U1:
        return dvi_parse_u1(&scalar_out->u1, src, n);
    case DV_KIND_U2:
        return dvi_parse_u2(&scalar_out->u2, src, n);
    case DV_KIND_U4:
        return dvi_parse_u4(&scalar_out->u4, src, n);
    case DV_KIND_U8:
        return dvi_parse_u8(&scalar_out->u8, src, n);
    case DV_KIND_R4:
        return dvi_parse_r4(&scalar_out->r4, src, n, n, '.');
    case DV_KIND_R8:
        return dvi_parse_r8(&scalar_out->r8, src, n, n, '.');
    case DV_KIND_BL:
        return dvi_parse_bl(&scalar_out->i1, src, n);
    case DV_KIND_TS:
        return dvi_parse_ts(&scalar_out->i8, src, n);
    case DV_KIND_DT:
        return dvi_parse_dt(&scalar_out->i8, src, n);
    case DV_KIND_DZ:
        return dvi_parse_dz(&scalar_out->dz, src, n);
    default:
        return dvi_parse_ug(&scalar_out->ug, src, n);
    }
}

bool dv_value_parse(dv_scalar *scalar_out, const dv_type *type, dv_text text)
{
    const bool is_key = type->is_key && !dv_type_is_vector(type);
    if (!is_key && !dv_type_is_standard_scalar(type))
        return false;
    *scalar_out = na_of(type);
    if (type->kind == DV_KIND_TX)
        scalar_out->tx = text;
    if (type->kind == DV_KIND_TX || text.nbytes < 0)
        return true;
    const char *src = text.nbytes > 0 ? text.data : "";
    const size_t n = (size_t)text.nbytes;
    return is_key ? parse_key(scalar_out, type, src, n)
                  : parse_plain(scalar_out, type->kind, src, n);
}
