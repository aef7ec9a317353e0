/* SPDX-License-Identifier: MIT */
/* datadings_profile.c: what values have been, joined: the table of datadings:12. */
#include "format/datadings/read/datadings_profile.h"
#include "base/load.h"

#define EXACT (UINT64_C(1) << 53) /* integers up to here are reals of 8 bytes */
#define INTEGER (DVI_PROFILE_INT | DVI_PROFILE_NEGATIVE | DVI_PROFILE_BIG | DVI_PROFILE_INEXACT)
#define REAL (DVI_PROFILE_F4 | DVI_PROFILE_F8)

dvi_datadings_profile dvi_datadings_profile_none(void)
{
    return (dvi_datadings_profile){.length = DVI_PROFILE_NONE, .rank = DVI_PROFILE_NONE};
}

/* --- Scalars ---------------------------------------------------------------------------------- */

static uint16_t see_unsigned(uint64_t value)
{
    return (uint16_t)(DVI_PROFILE_INT | (value > INT64_MAX ? DVI_PROFILE_BIG : 0) |
                      (value > EXACT ? DVI_PROFILE_INEXACT : 0));
}

/* The least I8 is its NA, so it is none of its values. */
static uint16_t see_signed(int64_t value)
{
    if (value >= 0)
        return see_unsigned((uint64_t)value);
    return (uint16_t)(value == INT64_MIN ? DVI_PROFILE_ODD
                                         : DVI_PROFILE_INT | DVI_PROFILE_NEGATIVE |
                                               (-value > (int64_t)EXACT ? DVI_PROFILE_INEXACT : 0));
}

/* A number of numpy, as one of msgpack. */
static uint16_t see_nd_scalar(const dvi_nd_map *nd)
{
    int64_t value;
    switch (nd->dtype.kind) {
    case DV_KIND_BL:
        return DVI_PROFILE_BOOL;
    case DV_KIND_R4:
        return DVI_PROFILE_F4;
    case DV_KIND_R8:
        return DVI_PROFILE_F8;
    case DV_KIND_TX:
        return DVI_PROFILE_STR;
    case DV_KIND_BY:
        return DVI_PROFILE_BIN;
    case DV_KIND_DT:
        return DVI_PROFILE_DT;
    case DV_KIND_TS:
        return DVI_PROFILE_TS;
    case DV_KIND_NONE:
        return DVI_PROFILE_ODD;
    default:
        value = dvi_nd_integer(nd);
        return nd->dtype.letter == 'u' ? see_unsigned((uint64_t)value) : see_signed(value);
    }
}

static bool is_number(const dvi_nd_map *nd)
{
    return nd->dtype.letter == 'i' || nd->dtype.letter == 'u' || nd->dtype.letter == 'f';
}

/* All of one kind, or mixed. */
static void join_kind(uint8_t *kinds, bool is_first, uint8_t kind)
{
    if (is_first)
        *kinds = kind;
    else if (*kinds != kind)
        *kinds = DVI_PROFILE_MIXED;
}

static void add_items(dvi_datadings_profile *sight, uint16_t items, uint8_t number)
{
    const bool is_first = (sight->items & (INTEGER | REAL)) == 0;
    if (items & (INTEGER | REAL))
        join_kind(&sight->number, is_first, number);
    sight->items |= items;
}

/* A scalar or an element.  false: it is neither. */
static bool add_token(dvi_datadings_profile *sight, const dvi_msgpack *t)
{
    switch (t->kind) {
    case DVI_MSGPACK_BOOL:
        add_items(sight, DVI_PROFILE_BOOL, 0);
        return true;
    case DVI_MSGPACK_UINT:
        add_items(sight, see_unsigned(t->u), DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_NEGATIVE:
        add_items(sight, see_signed(t->i), DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_F4:
        add_items(sight, DVI_PROFILE_F4, DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_F8:
        add_items(sight, DVI_PROFILE_F8, DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_STR:
        add_items(sight, DVI_PROFILE_STR, 0);
        return true;
    case DVI_MSGPACK_BIN:
        add_items(sight, DVI_PROFILE_BIN, 0);
        return true;
    default:
        return false;
    }
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static dv_status add_element(dvi_datadings_profile *sight, dvi_msgpack_reader *r, dv_error *err)
{
    const dvi_msgpack_reader start = *r;
    dvi_msgpack t = {.kind = DVI_MSGPACK_NIL};
    dvi_nd_map nd;
    dvi_msgpack_read(r, &t);
    if (t.kind == DVI_MSGPACK_NIL) {
        sight->items |= DVI_PROFILE_NO_ITEM;
        return DV_OK;
    }
    if (add_token(sight, &t))
        return DV_OK;
    *r = start;
    nd.what = DVI_ND_PLAIN;
    if (t.kind == DVI_MSGPACK_MAP)
        DVI_TRY(dvi_nd_read(r, false, &nd, err));
    dvi_msgpack_skip(r, 0);
    const bool is_scalar = nd.what == DVI_ND_SCALAR;
    add_items(sight, is_scalar ? see_nd_scalar(&nd) : DVI_PROFILE_ODD,
              is_scalar && is_number(&nd) ? (uint8_t)nd.dtype.kind : 0);
    return DV_OK;
}

static dv_status add_array(dvi_datadings_profile *sight, dvi_msgpack_reader r, dv_error *err)
{
    dvi_msgpack t = {.n = 0};
    r.nesting = DVI_MSGPACK_NESTING;
    dvi_msgpack_read(&r, &t);
    if (sight->length == DVI_PROFILE_NONE)
        sight->length = t.n;
    if (sight->length != t.n || t.n == 0 || t.n > INT32_MAX)
        sight->length = DVI_PROFILE_VARIES;
    sight->forms |= t.n > INT32_MAX ? DVI_PROFILE_OTHER : DVI_PROFILE_ARRAY;
    for (uint32_t i = 0; i < t.n && !(sight->items & DVI_PROFILE_ODD); i++)
        DVI_TRY(add_element(sight, &r, err));
    return DV_OK;
}

/* Dims that differ vary; a rank that does, or an empty array, and nothing is known of them. */
static dv_status join_dims(dvi_datadings_profile *sight, const dvi_nd_map *nd, dvi_arena *arena,
                           dv_error *err)
{
    void *dims;
    if (nd->items == 0 || (sight->rank != DVI_PROFILE_NONE && sight->rank != nd->rank))
        sight->rank = DVI_PROFILE_VARIES;
    if (sight->rank == DVI_PROFILE_VARIES)
        return DV_OK;
    if (sight->rank == DVI_PROFILE_NONE) {
        DVI_TRY(dvi_arena_alloc(arena, &dims, (size_t)nd->rank * sizeof *sight->dims, err));
        sight->dims = dims;
        for (int32_t i = 0; i < nd->rank; i++)
            sight->dims[i] = (int32_t)nd->dims[i];
    }
    sight->rank = nd->rank;
    for (int32_t i = 0; i < nd->rank; i++)
        sight->dims[i] = sight->dims[i] == nd->dims[i] ? sight->dims[i] : 0;
    return DV_OK;
}

static dv_status add_nd(dvi_datadings_profile *sight, const dvi_nd_map *nd, dvi_arena *arena,
                        dv_error *err)
{
    if (nd->what == DVI_ND_COMPLEX) {
        sight->forms |= DVI_PROFILE_COMPLEX;
    } else if (nd->dtype.kind == DV_KIND_NONE || nd->items > INT32_MAX) {
        sight->forms |= DVI_PROFILE_OTHER;
    } else if (nd->what == DVI_ND_SCALAR || nd->rank == 0) {
        sight->forms |= DVI_PROFILE_SCALAR;
        add_items(sight, see_nd_scalar(nd), is_number(nd) ? (uint8_t)nd->dtype.kind : 0);
    } else {
        join_kind(&sight->nd, sight->nd == 0, (uint8_t)nd->dtype.kind);
        sight->forms |= DVI_PROFILE_ND;
        return join_dims(sight, nd, arena, err);
    }
    return DV_OK;
}

dv_status dvi_datadings_profile_add(dvi_datadings_profile *sight, const dvi_msgpack_reader *value,
                                    dvi_arena *arena, dv_error *err)
{
    dvi_msgpack_reader r = *value;
    dvi_msgpack t = {.kind = DVI_MSGPACK_NIL};
    dvi_nd_map nd;
    dvi_msgpack_read(&r, &t);
    if (t.kind == DVI_MSGPACK_ARRAY)
        return add_array(sight, *value, err);
    if (t.kind == DVI_MSGPACK_MAP) {
        DVI_TRY(dvi_nd_read(value, false, &nd, err));
        if (nd.what != DVI_ND_PLAIN)
            return add_nd(sight, &nd, arena, err);
    }
    sight->forms |= t.kind == DVI_MSGPACK_NIL   ? DVI_PROFILE_NIL
                    : t.kind == DVI_MSGPACK_MAP ? DVI_PROFILE_MAP
                    : add_token(sight, &t)      ? DVI_PROFILE_SCALAR
                                                : DVI_PROFILE_OTHER;
    return DV_OK;
}

/* --- Types ------------------------------------------------------------------------------------ */

/* DV_KIND_NONE: no kind holds all of them. */
static dv_kind item_kind(const dvi_datadings_profile *sight)
{
    static const struct {
        uint16_t items;
        dv_kind kind;
    } plain[] = {{DVI_PROFILE_BOOL, DV_KIND_BL}, {DVI_PROFILE_STR, DV_KIND_TX},
                 {DVI_PROFILE_BIN, DV_KIND_BY},  {DVI_PROFILE_DT, DV_KIND_DT},
                 {DVI_PROFILE_TS, DV_KIND_TS},   {DVI_PROFILE_F4, DV_KIND_R4}};
    const uint16_t items = sight->items & (uint16_t)~DVI_PROFILE_NO_ITEM;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (items == plain[i].items)
            return plain[i].kind;
    if (items == 0 || items & (uint16_t) ~(INTEGER | REAL))
        return DV_KIND_NONE;
    if (sight->number != DVI_PROFILE_MIXED)
        return (dv_kind)sight->number;
    if (items & REAL)
        return items & DVI_PROFILE_INEXACT ? DV_KIND_NONE : DV_KIND_R8;
    if (items & DVI_PROFILE_BIG)
        return items & DVI_PROFILE_NEGATIVE ? DV_KIND_NONE : DV_KIND_U8;
    return DV_KIND_I8;
}

static bool vector_type(const dvi_datadings_profile *sight, dv_type *type_out)
{
    const dv_type item = dv_type_of(item_kind(sight));
    const bool has_gap = sight->items & DVI_PROFILE_NO_ITEM;
    *type_out = dv_type_vector(item, sight->length < 0 ? 0 : (int32_t)sight->length);
    return item.kind != DV_KIND_NONE && (!has_gap || dv_type_has_na(&item));
}

static bool nd_type(const dvi_datadings_profile *sight, dv_type *type_out)
{
    const dv_type item = dv_type_of((dv_kind)sight->nd);
    if (sight->nd == DVI_PROFILE_MIXED)
        return false;
    if (sight->rank < 2)
        *type_out = dv_type_vector(item, sight->rank < 0 ? 0 : sight->dims[0]);
    else
        *type_out = dv_type_tensor(item, sight->dims, sight->rank);
    return true;
}

bool dvi_datadings_profile_type(const dvi_datadings_profile *sight, dv_type *type_out)
{
    switch (sight->forms & ~DVI_PROFILE_NIL) {
    case DVI_PROFILE_SCALAR:
        *type_out = dv_type_of(item_kind(sight));
        return type_out->kind != DV_KIND_NONE;
    case DVI_PROFILE_ARRAY:
        return vector_type(sight, type_out);
    case DVI_PROFILE_ND:
        return nd_type(sight, type_out);
    case DVI_PROFILE_COMPLEX:
        *type_out = dv_type_vector(dv_type_of(DV_KIND_R8), 2);
        return true;
    default:
        return false;
    }
}
