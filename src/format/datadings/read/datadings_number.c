/* SPDX-License-Identifier: MIT */
/* datadings_number.c: converts numbers of messages to the type of a column, exactly. */
#include "format/datadings/read/datadings_number.h"
#include "base/load.h"
#include <math.h>
#include <string.h>

typedef enum number_form { NATURAL, NEGATIVE, REAL, TRUTH, NO_NUMBER } number_form;

typedef struct number {
    number_form form;
    uint64_t u; /* of NATURAL; of TRUTH 0 or 1 */
    int64_t i;  /* of NEGATIVE, below zero */
    double r;
} number;

static number number_of_token(const dvi_msgpack *t)
{
    float f4;
    double f8;
    const uint32_t bits = (uint32_t)t->u;
    switch (t->kind) {
    case DVI_MSGPACK_UINT:
        return (number){.form = NATURAL, .u = t->u};
    case DVI_MSGPACK_NEGATIVE:
        return (number){.form = NEGATIVE, .i = t->i};
    case DVI_MSGPACK_BOOL:
        return (number){.form = TRUTH, .u = t->u};
    case DVI_MSGPACK_F4:
        memcpy(&f4, &bits, sizeof f4);
        return (number){.form = REAL, .r = (double)f4};
    case DVI_MSGPACK_F8:
        memcpy(&f8, &t->u, sizeof f8);
        return (number){.form = REAL, .r = f8};
    default:
        return (number){.form = NO_NUMBER};
    }
}

/* A scalar of numpy that is not a time. */
static number number_of_nd(const dvi_nd_map *nd)
{
    float f4;
    double f8;
    int64_t i;
    switch (nd->dtype.letter) {
    case 'b':
        return (number){.form = TRUTH, .u = nd->data[0] != 0};
    case 'f':
        if (nd->dtype.kind == DV_KIND_R4) {
            dvi_nd_copy(&f4, &nd->dtype, nd->data, 1);
            return (number){.form = REAL, .r = (double)f4};
        }
        dvi_nd_copy(&f8, &nd->dtype, nd->data, 1);
        return (number){.form = REAL, .r = f8};
    case 'u':
        return (number){.form = NATURAL, .u = (uint64_t)dvi_nd_integer(nd)};
    default:
        i = dvi_nd_integer(nd);
        return i < 0 ? (number){.form = NEGATIVE, .i = i}
                     : (number){.form = NATURAL, .u = (uint64_t)i};
    }
}

/* Is it an integer from least to most? */
static bool integer_of(const number *n, int64_t least, uint64_t most, int64_t *out)
{
    *out = n->form == NATURAL ? (int64_t)n->u : n->i;
    return n->form == NATURAL ? n->u <= most : n->form == NEGATIVE && n->i >= least;
}

/* Is it a real, or an integer that a real with this many digits represents exactly? */
static bool real_of(const number *n, int digits, double *out)
{
    const uint64_t most = UINT64_C(1) << digits;
    *out = n->form == REAL ? n->r : n->form == NATURAL ? (double)n->u : (double)n->i;
    return n->form == REAL || (n->form == NATURAL && n->u <= most) ||
           (n->form == NEGATIVE && n->i >= -(int64_t)most);
}

static bool store_r4(void *dst, const number *n)
{
    double r;
    const bool fits = real_of(n, 24, &r);
    const float f4 = (float)r;
    dvi_store_f4(dst, f4);
    return fits && (isnan(r) || (double)f4 == r);
}

static bool store_r8(void *dst, const number *n)
{
    double r;
    const bool fits = real_of(n, 53, &r);
    dvi_store_f8(dst, r);
    return fits;
}

/* Store an integer of 1 to 8 bytes. Signed types: `least` is above their minimum, which is NA. */
static bool store_integer(void *dst, size_t width, int64_t least, uint64_t most, const number *n)
{
    int64_t i;
    const bool fits = integer_of(n, least, most, &i);
    memcpy(dst, &i, width); /* the low bytes come first */
    return fits;
}

/* The highest value of an unsigned type or key. */
static uint64_t most_of(const dv_type *type, size_t width)
{
    const uint64_t most = UINT64_MAX >> (64 - 8 * width);
    return type->is_key && type->key_count > 0 && type->key_count < most ? type->key_count : most;
}

static bool store_number(void *dst, const dv_type *type, size_t width, const number *n)
{
    switch (type->kind) {
    case DV_KIND_BL:
        *(int8_t *)dst = (int8_t)n->u;
        return n->form == TRUTH;
    case DV_KIND_R4:
        return store_r4(dst, n);
    case DV_KIND_R8:
        return store_r8(dst, n);
    case DV_KIND_DT:
        return store_integer(dst, width, 0, DV_TICKS_MAX, n);
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
    case DV_KIND_TS: {
        const uint64_t most = (UINT64_C(1) << (8 * width - 1)) - 1;
        return store_integer(dst, width, -(int64_t)most, most, n);
    }
    default:
        return store_integer(dst, width, 0, most_of(type, width), n);
    }
}

static bool is_own_form(const dvi_msgpack *t, dv_kind kind)
{
    return (t->kind == DVI_MSGPACK_F8 && kind == DV_KIND_R8) ||
           (t->kind == DVI_MSGPACK_F4 && kind == DV_KIND_R4);
}

bool dvi_datadings_store(void *dst, const dv_type *type, size_t width, const dvi_msgpack *t)
{
    if (is_own_form(t, type->kind)) { /* copies the bits, also of NaN */
        memcpy(dst, &t->u, width);
        return true;
    }
    const number n = number_of_token(t);
    return store_number(dst, type, width, &n);
}

bool dvi_datadings_store_nd(void *dst, const dv_type *type, size_t width, const dvi_nd_map *nd)
{
    if (nd->dtype.kind == type->kind && !type->is_key)
        return dvi_nd_copy(dst, &nd->dtype, nd->data, 1);
    const bool is_number = nd->dtype.letter != 0 && memchr("biuf", nd->dtype.letter, 4);
    if (!is_number || nd->dtype.kind == DV_KIND_NONE)
        return false;
    const number n = number_of_nd(nd);
    return store_number(dst, type, width, &n);
}

void dvi_datadings_store_missing(void *dst, const dv_type *type, size_t width)
{
    memset(dst, 0, width);
    const uint64_t least = UINT64_C(1) << (8 * width - 1);
    switch (type->kind) {
    case DV_KIND_BL:
        *(int8_t *)dst = DV_BL_NA;
        break;
    case DV_KIND_R4:
        dvi_store_u32(dst, DV_R4_NA_BITS);
        break;
    case DV_KIND_R8:
        dvi_store_u64(dst, DV_R8_NA_BITS);
        break;
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
    case DV_KIND_TS:
    case DV_KIND_DT:
        memcpy(dst, &least, width);
        break;
    default:
        break;
    }
}
