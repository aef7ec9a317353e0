/* SPDX-License-Identifier: MIT */
/* datadings_profile.c: summarizes values, and chooses a type by the table of datadings:12. */
#include "format/datadings/read/datadings_profile.h"
#include "base/load.h"
#include <string.h>

#define EXACT (UINT64_C(1) << 53) /* R8 represents integers up to here exactly */
#define INTEGER (DVI_PROFILE_INT | DVI_PROFILE_NEGATIVE | DVI_PROFILE_BIG | DVI_PROFILE_INEXACT)
#define REAL (DVI_PROFILE_F4 | DVI_PROFILE_F8)

dvi_datadings_profile dvi_datadings_profile_none(void)
{
    return (dvi_datadings_profile){.length = DVI_PROFILE_NONE, .rank = DVI_PROFILE_NONE};
}

/* --- Scalars ---------------------------------------------------------------------------------- */

static uint16_t unsigned_items(uint64_t value)
{
    return (uint16_t)(DVI_PROFILE_INT | (value > INT64_MAX ? DVI_PROFILE_BIG : 0) |
                      (value > EXACT ? DVI_PROFILE_INEXACT : 0));
}

/* The minimum of I8 is its NA. */
static uint16_t signed_items(int64_t value)
{
    if (value >= 0)
        return unsigned_items((uint64_t)value);
    return (uint16_t)(value == INT64_MIN ? DVI_PROFILE_ODD
                                         : DVI_PROFILE_INT | DVI_PROFILE_NEGATIVE |
                                               (-value > (int64_t)EXACT ? DVI_PROFILE_INEXACT : 0));
}

/* A scalar of numpy, classified as if it were one of msgpack. */
static uint16_t nd_scalar_items(const dvi_nd_map *nd)
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
        return nd->dtype.letter == 'u' ? unsigned_items((uint64_t)value) : signed_items(value);
    }
}

static bool is_number(const dvi_nd_map *nd)
{
    return nd->dtype.letter == 'i' || nd->dtype.letter == 'u' || nd->dtype.letter == 'f';
}

/* Set the common kind, or DVI_PROFILE_MIXED. */
static void join_kind(uint8_t *kinds, bool is_first, uint8_t kind)
{
    if (is_first)
        *kinds = kind;
    else if (*kinds != kind)
        *kinds = DVI_PROFILE_MIXED;
}

static void add_items(dvi_datadings_profile *profile, uint16_t items, uint8_t number)
{
    const bool is_first = (profile->items & (INTEGER | REAL)) == 0;
    if (items & (INTEGER | REAL))
        join_kind(&profile->number, is_first, number);
    profile->items |= items;
}

/* Add a scalar or an element. false: the token is neither. */
static bool add_token(dvi_datadings_profile *profile, const dvi_msgpack *t)
{
    switch (t->kind) {
    case DVI_MSGPACK_BOOL:
        add_items(profile, DVI_PROFILE_BOOL, 0);
        return true;
    case DVI_MSGPACK_UINT:
        add_items(profile, unsigned_items(t->u), DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_NEGATIVE:
        add_items(profile, signed_items(t->i), DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_F4:
        profile->changes |= t->u == DV_R4_NA_BITS ? DVI_CHANGE_NAN : 0;
        add_items(profile, DVI_PROFILE_F4, DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_F8:
        profile->changes |= t->u == DV_R8_NA_BITS ? DVI_CHANGE_NAN : 0;
        add_items(profile, DVI_PROFILE_F8, DVI_PROFILE_MIXED);
        return true;
    case DVI_MSGPACK_STR:
        add_items(profile, DVI_PROFILE_STR, 0);
        return true;
    case DVI_MSGPACK_BIN:
        add_items(profile, DVI_PROFILE_BIN, 0);
        return true;
    default:
        return false;
    }
}

/* --- Arrays ----------------------------------------------------------------------------------- */

static dv_status add_element(dvi_datadings_profile *profile, dvi_msgpack_reader *r, dv_error *err)
{
    const dvi_msgpack_reader start = *r;
    const dvi_msgpack t = dvi_msgpack_next(r);
    dvi_nd_map nd;
    if (t.kind == DVI_MSGPACK_NIL) {
        profile->items |= DVI_PROFILE_NO_ITEM;
        return DV_OK;
    }
    if (add_token(profile, &t))
        return DV_OK;
    *r = start;
    nd.what = DVI_ND_PLAIN;
    if (t.kind == DVI_MSGPACK_MAP)
        DVI_TRY(dvi_nd_read(r, false, &nd, err));
    dvi_msgpack_skip(r, 0);
    const bool is_scalar = nd.what == DVI_ND_SCALAR;
    profile->changes |= DVI_CHANGE_SCALAR;
    const bool fits = is_scalar && nd.dtype.kind != DV_KIND_NONE &&
                      dvi_nd_fits(&nd.dtype, nd.data, (size_t)nd.items);
    add_items(profile, fits ? nd_scalar_items(&nd) : DVI_PROFILE_ODD,
              is_scalar && is_number(&nd) ? (uint8_t)nd.dtype.kind : 0);
    return DV_OK;
}

static dv_status add_array(dvi_datadings_profile *profile, dvi_msgpack_reader r, dv_error *err)
{
    r.nesting = DVI_MSGPACK_NESTING;
    const dvi_msgpack t = dvi_msgpack_next(&r);
    if (profile->length == DVI_PROFILE_NONE)
        profile->length = t.n;
    if (profile->length != t.n || t.n == 0 || t.n > INT32_MAX)
        profile->length = DVI_PROFILE_VARIES;
    profile->forms |= t.n > INT32_MAX ? DVI_PROFILE_OTHER : DVI_PROFILE_ARRAY;
    for (uint32_t i = 0; i < t.n && !(profile->items & DVI_PROFILE_ODD); i++)
        DVI_TRY(add_element(profile, &r, err));
    return DV_OK;
}

/* Different dimensions become 0. If ranks differ or an array is empty, the rank varies and `dims`
 * is unused. */
static dv_status join_dims(dvi_datadings_profile *profile, const dvi_nd_map *nd, dvi_arena *arena,
                           dv_error *err)
{
    void *dims;
    if (nd->items == 0 || (profile->rank != DVI_PROFILE_NONE && profile->rank != nd->rank))
        profile->rank = DVI_PROFILE_VARIES;
    if (profile->rank == DVI_PROFILE_VARIES)
        return DV_OK;
    if (profile->rank == DVI_PROFILE_NONE) {
        DVI_TRY(dvi_arena_alloc(arena, &dims, (size_t)nd->rank * sizeof *profile->dims, err));
        profile->dims = dims;
        for (int32_t i = 0; i < nd->rank; i++)
            profile->dims[i] = (int32_t)nd->dims[i];
    }
    profile->rank = nd->rank;
    for (int32_t i = 0; i < nd->rank; i++)
        profile->dims[i] = profile->dims[i] == nd->dims[i] ? profile->dims[i] : 0;
    return DV_OK;
}

/* Are items written as they are? */
static bool keeps_items(const dvi_nd_dtype *dtype)
{
    return !dtype->is_swapped && memchr("biuf", dtype->letter, 4) &&
           !(dtype->letter == 'f' && dtype->width < 4);
}

static dv_status add_nd(dvi_datadings_profile *profile, const dvi_nd_map *nd, dvi_arena *arena,
                        dv_error *err)
{
    const bool fits = nd->what == DVI_ND_COMPLEX || nd->dtype.kind == DV_KIND_NONE ||
                      dvi_nd_fits(&nd->dtype, nd->data, (size_t)nd->items);
    if (nd->what == DVI_ND_COMPLEX) {
        profile->forms |= DVI_PROFILE_COMPLEX;
        profile->changes |= DVI_CHANGE_COMPLEX;
    } else if (nd->dtype.kind == DV_KIND_NONE || nd->items > INT32_MAX || !fits) {
        profile->forms |= DVI_PROFILE_OTHER;
    } else if (nd->what == DVI_ND_SCALAR || nd->rank == 0) {
        profile->forms |= DVI_PROFILE_SCALAR;
        profile->changes |= DVI_CHANGE_SCALAR;
        add_items(profile, nd_scalar_items(nd), is_number(nd) ? (uint8_t)nd->dtype.kind : 0);
    } else {
        join_kind(&profile->nd, profile->nd == 0, (uint8_t)nd->dtype.kind);
        profile->forms |= DVI_PROFILE_ND;
        profile->changes |= keeps_items(&nd->dtype) ? 0 : DVI_CHANGE_ITEMS;
        profile->has_tensor |= nd->rank > 1;
        return join_dims(profile, nd, arena, err);
    }
    return DV_OK;
}

dv_status dvi_datadings_profile_add(dvi_datadings_profile *profile, const dvi_msgpack_reader *value,
                                    dvi_arena *arena, dv_error *err)
{
    dvi_msgpack_reader r = *value;
    const dvi_msgpack t = dvi_msgpack_next(&r);
    dvi_nd_map nd;
    if (t.kind == DVI_MSGPACK_ARRAY)
        return add_array(profile, *value, err);
    if (t.kind == DVI_MSGPACK_MAP) {
        DVI_TRY(dvi_nd_read(value, false, &nd, err));
        if (nd.what != DVI_ND_PLAIN)
            return add_nd(profile, &nd, arena, err);
    }
    profile->forms |= t.kind == DVI_MSGPACK_NIL   ? DVI_PROFILE_NIL
                      : t.kind == DVI_MSGPACK_MAP ? DVI_PROFILE_MAP
                      : add_token(profile, &t)    ? DVI_PROFILE_SCALAR
                                                  : DVI_PROFILE_OTHER;
    return DV_OK;
}

/* --- Two profiles ----------------------------------------------------------------------------- */

/* The dimensions of numpy arrays, as join_dims does for one array. */
static dv_status join_ranks(dvi_datadings_profile *profile, const dvi_datadings_profile *from,
                            dvi_arena *arena, dv_error *err)
{
    void *dims;
    if (from->rank == DVI_PROFILE_NONE)
        return DV_OK;
    if (profile->rank == DVI_PROFILE_NONE && from->rank > 0) {
        DVI_TRY(dvi_arena_alloc(arena, &dims, (size_t)from->rank * sizeof *profile->dims, err));
        profile->dims = memcpy(dims, from->dims, (size_t)from->rank * sizeof *profile->dims);
        profile->rank = from->rank;
    }
    if (profile->rank != from->rank)
        profile->rank = DVI_PROFILE_VARIES;
    for (int32_t i = 0; i < profile->rank; i++)
        profile->dims[i] = profile->dims[i] == from->dims[i] ? profile->dims[i] : 0;
    return DV_OK;
}

dv_status dvi_datadings_profile_join(dvi_datadings_profile *profile,
                                     const dvi_datadings_profile *from, dvi_arena *arena,
                                     dv_error *err)
{
    if (profile->length == DVI_PROFILE_NONE)
        profile->length = from->length;
    else if (from->length != DVI_PROFILE_NONE && from->length != profile->length)
        profile->length = DVI_PROFILE_VARIES;
    if (from->nd != 0)
        join_kind(&profile->nd, profile->nd == 0, from->nd);
    add_items(profile, from->items, from->number);
    profile->forms |= from->forms;
    profile->changes |= from->changes;
    profile->has_tensor |= from->has_tensor;
    return join_ranks(profile, from, arena, err);
}

/* --- Types ------------------------------------------------------------------------------------ */

/* DV_KIND_NONE: no kind holds all of them. */
static dv_kind item_kind(const dvi_datadings_profile *profile)
{
    static const struct {
        uint16_t items;
        dv_kind kind;
    } plain[] = {{DVI_PROFILE_BOOL, DV_KIND_BL}, {DVI_PROFILE_STR, DV_KIND_TX},
                 {DVI_PROFILE_BIN, DV_KIND_BY},  {DVI_PROFILE_DT, DV_KIND_DT},
                 {DVI_PROFILE_TS, DV_KIND_TS},   {DVI_PROFILE_F4, DV_KIND_R4}};
    const uint16_t items = profile->items & (uint16_t)~DVI_PROFILE_NO_ITEM;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (items == plain[i].items)
            return plain[i].kind;
    if (items == 0 || items & (uint16_t) ~(INTEGER | REAL))
        return DV_KIND_NONE;
    if (profile->number != DVI_PROFILE_MIXED)
        return (dv_kind)profile->number;
    if (items & REAL)
        return items & DVI_PROFILE_INEXACT ? DV_KIND_NONE : DV_KIND_R8;
    if (items & DVI_PROFILE_BIG)
        return items & DVI_PROFILE_NEGATIVE ? DV_KIND_NONE : DV_KIND_U8;
    return DV_KIND_I8;
}

static bool vector_type(const dvi_datadings_profile *profile, dv_type *type_out)
{
    const dv_type item = dv_type_of(item_kind(profile));
    const bool has_gap = profile->items & DVI_PROFILE_NO_ITEM;
    *type_out = dv_type_vector(item, profile->length < 0 ? 0 : (int32_t)profile->length);
    return item.kind != DV_KIND_NONE && (!has_gap || dv_type_has_na(&item));
}

static bool nd_type(const dvi_datadings_profile *profile, dv_type *type_out)
{
    const dv_type item = dv_type_of((dv_kind)profile->nd);
    if (profile->nd == DVI_PROFILE_MIXED)
        return false;
    if (profile->rank < 2)
        *type_out = dv_type_vector(item, profile->rank < 0 ? 0 : profile->dims[0]);
    else
        *type_out = dv_type_tensor(item, profile->dims, profile->rank);
    return true;
}

bool dvi_datadings_profile_type(const dvi_datadings_profile *profile, dv_type *type_out)
{
    switch (profile->forms & ~DVI_PROFILE_NIL) {
    case DVI_PROFILE_SCALAR:
        *type_out = dv_type_of(item_kind(profile));
        return type_out->kind != DV_KIND_NONE;
    case DVI_PROFILE_ARRAY:
        return vector_type(profile, type_out);
    case DVI_PROFILE_ND:
        return nd_type(profile, type_out);
    case DVI_PROFILE_COMPLEX:
        *type_out = dv_type_vector(dv_type_of(DV_KIND_R8), 2);
        return true;
    default:
        return false;
    }
}

uint32_t dvi_datadings_profile_changes(const dvi_datadings_profile *profile, const dv_type *type)
{
    const dv_type item = dv_type_item(type);
    const bool is_text = item.kind == DV_KIND_TX || item.kind == DV_KIND_BY;
    const bool is_vector = dv_type_is_vector(type);
    uint32_t changes = profile->changes;
    if (profile->forms & DVI_PROFILE_NIL && (is_vector || !dv_type_has_na(type)))
        changes |= DVI_CHANGE_NIL;
    if (profile->forms & DVI_PROFILE_ARRAY && !is_text)
        changes |= DVI_CHANGE_LIST;
    if (profile->has_tensor && profile->rank == DVI_PROFILE_VARIES)
        changes |= DVI_CHANGE_DIMS;
    if (profile->items & REAL && profile->items & INTEGER)
        changes |= DVI_CHANGE_REALS;
    return changes;
}
