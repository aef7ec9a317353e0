/* SPDX-License-Identifier: MIT */
/* hashed.c: a view with a column of hashes, and what each key is to be. */
#include "support/hashed.h"
#include <string.h>

static const dv_view_class hash_class = DVI_MAPPER_CLASS("hash", NULL, NULL);

dv_status dvt_hash_view(dv_view **view_out, dv_view *source, int32_t column,
                        const dvi_hash_options *options, const dv_allocator *allocator,
                        dv_error *err)
{
    dvi_mapper *mapper;
    dv_schema *schema = NULL;
    dvi_new_column made = {.name = dv_text_of("hash")};
    *view_out = NULL;
    dv_status status = dvi_mapper_create(&mapper, source, 1, allocator, err);
    if (status < 0)
        return status;
    status =
        dvi_hash_plan(&made, &mapper->base.arena, dv_view_schema(source), column, options, err);
    if (status == DV_OK)
        status = dvi_mapper_arrange(mapper, &schema, &made, 1, err);
    return dvi_mapper_view(view_out, &hash_class, mapper, schema, status, err);
}

dvi_hash_options dvt_hash_options(int32_t bits)
{
    return (dvi_hash_options){.bits = bits, .seed = DVI_MURMUR_SEED, .version = DVI_MURMUR_2};
}

bool dvt_is_hashed(const dv_type *type)
{
    const dv_type item = dv_type_item(type);
    return item.kind == DV_KIND_TX || item.kind == DV_KIND_BL || item.is_key ||
           dv_type_is_number(&item);
}

/* --- Values ----------------------------------------------------------------------------------- */

/* A value without its type: 32 bits, 64 bits, or more. */
typedef struct plain {
    bool is_na;
    int words; /* 1, 2, 4; 0: text */
    dv_u128 number;
    dv_text text;
} plain;

static dv_text trim(dv_text text)
{
    while (text.nbytes > 0 && *text.data == ' ')
        text = (dv_text){text.data + 1, text.nbytes - 1};
    while (text.nbytes > 0 && text.data[text.nbytes - 1] == ' ')
        text.nbytes--;
    return text;
}

static uint64_t read_number(const dv_value *v)
{
    switch (v->column->type.kind) {
    case DV_KIND_I1:
    case DV_KIND_BL:
        return (uint64_t)dv_value_i1(v);
    case DV_KIND_I2:
        return (uint64_t)dv_value_i2(v);
    case DV_KIND_I4:
        return (uint64_t)dv_value_i4(v);
    case DV_KIND_U1:
        return dv_value_u1(v);
    case DV_KIND_U2:
        return dv_value_u2(v);
    case DV_KIND_R4:
        return dv_value_r4(v) == 0 ? 0 : dv_value_u4(v);
    case DV_KIND_R8:
        return dv_value_r8(v) == 0 ? 0 : dv_value_u8(v);
    case DV_KIND_U4:
        return dv_value_u4(v);
    default:
        return dv_value_u8(v);
    }
}

static plain plain_of(const dv_type *type, const dv_value *v)
{
    const bool is_wide =
        type->kind == DV_KIND_I8 || type->kind == DV_KIND_U8 || type->kind == DV_KIND_R8;
    plain p = {.words = is_wide ? 2 : 1};
    if (type->kind == DV_KIND_TX) {
        p.words = 0;
        p.text = v ? dv_value_tx(v) : dv_text_of("");
        p.is_na = p.text.nbytes <= 0;
        p.text = trim(p.text);
        return p;
    }
    if (type->kind == DV_KIND_UG) {
        p.words = 4;
        p.number = v ? dv_value_ug(v) : (dv_u128){0, 0};
        return p;
    }
    p.number.lo = v ? read_number(v) : 0;
    p.is_na = type->is_key ? p.number.lo == 0 : v && dv_value_is_na(v);
    return p;
}

uint32_t dvt_hash_of(const dv_type *type, const dv_value *item, int32_t slot,
                     const dvi_hash_options *o)
{
    const plain p = plain_of(type, item);
    const uint32_t seed = o->is_ordered ? dvi_murmur_round(o->seed, (uint32_t)slot) : o->seed;
    uint32_t hash;
    if (p.is_na)
        return 0;
    if (p.words == 0)
        hash = dvi_murmur_text(seed, p.text, o->version);
    else if (p.words == 1)
        hash = dvi_murmur_u4(seed, (uint32_t)p.number.lo, o->version);
    else if (p.words == 2)
        hash = dvi_murmur_u8(seed, p.number.lo, o->version);
    else
        hash = dvi_murmur_ug(seed, p.number, o->version);
    return (uint32_t)(hash % (UINT64_C(1) << o->bits)) + 1;
}

uint32_t dvt_hash_of_all(const dv_value *vector, const dvi_hash_options *o)
{
    const dv_type type = dv_type_item(&vector->column->type);
    uint32_t hash = o->seed, nbytes = 0;
    for (int32_t slot = 0, i = 0; slot < vector->length; slot++) {
        const bool is_there = i < dv_value_items(vector) && dv_value_slot(vector, i) == slot;
        const dv_value item = dv_value_item(vector, i);
        const plain p = plain_of(&type, is_there ? &item : NULL);
        i += is_there;
        if (p.is_na)
            return 0;
        if (p.words == 0)
            hash = dvi_murmur_text(hash, p.text, o->version);
        else
            hash = dvi_murmur_round(hash, (uint32_t)p.number.lo);
        if (p.words == 2)
            hash = dvi_murmur_round(hash, (uint32_t)(p.number.lo >> 32));
        nbytes += p.words == 2 ? 8 : 4;
    }
    if (type.kind != DV_KIND_TX)
        hash = dvi_murmur_finish_of(hash, nbytes);
    return (uint32_t)(hash % (UINT64_C(1) << o->bits)) + 1;
}
