/* SPDX-License-Identifier: MIT */
/* gram_keys.c: reads vectors of keys. */
#include "transform/gram_keys.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "transform/vector_holes.h"
#include <string.h>

dv_status dvi_gram_keys_check(const dv_schema *source, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(source, column);
    const dv_type *type = &info->type;
    const bool fits =
        type->kind != DV_KIND_U8 || (type->key_count > 0 && type->key_count <= UINT32_MAX);
    if (type->is_key && type->rank > 0 && fits)
        return DV_OK;
    char found[96];
    dv_type_print(type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.9", -1, "what has grams",
             "vectors of keys of at most 32 bits|%s", found);
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_ARGUMENT;
}

void dvi_gram_keys_start(dvi_gram_keys *k, const dv_column_view *column)
{
    k->at = dv_value_first(column);
    k->n = 0;
}

/* Widen n items from item `first` on. */
static void read_items(uint32_t *dst, const dv_column_view *items, int64_t first, int32_t n)
{
    const char *src = items->as.fixed.values.data;
    switch (items->type.kind) {
    case DV_KIND_U1:
        for (int32_t i = 0; i < n; i++)
            dst[i] = (uint8_t)src[first + i];
        break;
    case DV_KIND_U2:
        for (int32_t i = 0; i < n; i++)
            dst[i] = dvi_load_u16(src + 2 * (first + i));
        break;
    case DV_KIND_U4:
        if (n > 0)
            memcpy(dst, src + 4 * first, 4 * (size_t)n);
        break;
    default:
        for (int32_t i = 0; i < n; i++) {
            const uint64_t key = dvi_load_u64(src + 8 * (first + i));
            dst[i] = key <= UINT32_MAX ? (uint32_t)key : 0;
        }
    }
}

/* Move the items, which stand at the front, to their slots. */
static void spread(uint32_t *keys, const dv_value *v, int32_t items)
{
    int32_t end = v->length;
    for (int32_t i = items - 1; i >= 0; i--) {
        const int32_t slot = dv_value_slot(v, i);
        const uint32_t key = keys[i];
        memset(keys + slot + 1, 0, 4 * (size_t)(end - slot - 1));
        keys[slot] = key;
        end = slot;
    }
    memset(keys, 0, 4 * (size_t)end);
}

dv_status dvi_gram_keys_next(dvi_gram_keys *k, const dv_allocator *allocator, dv_error *err)
{
    const dv_value *v = &k->at;
    const dv_column_view *of = v->column->as.vector.items;
    const uint64_t count = of->type.key_count;
    const int32_t items = dv_value_items(v);
    if (items < v->length)
        DVI_TRY(dvi_holes_check(v->length, err));
    DVI_TRY(dvi_memory_reserve(&k->keys, allocator, 4 * (size_t)v->length, err));
    uint32_t *keys = (uint32_t *)(void *)k->keys->data;
    read_items(keys, of, v->item, items);
    for (int32_t i = 0; count > 0 && i < items; i++)
        keys[i] = keys[i] <= count ? keys[i] : 0;
    if (items < v->length)
        spread(keys, v, items);
    k->n = v->length;
    if (v->row + 1 < v->column->rows)
        dv_value_next(&k->at);
    return DV_OK;
}

void dvi_gram_keys_free(dvi_gram_keys *k)
{
    dvi_memory_release(&k->keys);
}
