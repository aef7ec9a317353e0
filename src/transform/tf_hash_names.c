/* SPDX-License-Identifier: MIT */
/* tf_hash_names.c: learns the values of keys from batches, and merges what workers learned. */
#include "transform/tf_hash_names.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "transform/tf_hash_names_priv.h"
#include "transform/vector_holes.h"
#include <dataview/value.h>

/* --- Making ----------------------------------------------------------------------------------- */

static dv_status check(const dvi_hash *hash, int32_t invert, dv_error *err)
{
    if (hash->bits > DVI_HASH_NAMED_BITS)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1, "bits of a hash with names",
                        "1..%d|%d", DVI_HASH_NAMED_BITS, (int)hash->bits);
    if (hash->is_combined)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1, "what is named",
                        "keys of single values|keys of combined ones");
    if (invert < -1 || invert == 0)
        return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.7", -1, "values in a name",
                        "1 or more, or -1|%d", (int)invert);
    return DV_OK;
}

dv_status dvi_hash_names_create(dvi_hash_names **out, const dv_type *source_type,
                                const dv_schema *source, int32_t column,
                                const dvi_hash_options *options, int32_t invert,
                                const dv_allocator *allocator, dv_error *err)
{
    dvi_hash hash;
    void *made;
    *out = NULL;
    DVI_TRY(dvi_hash_find(&hash, source_type, options, err));
    DVI_TRY(check(&hash, invert, err));
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_hash_names), err));
    dvi_hash_names *names = made;
    names->allocator = dvi_allocator_of(allocator);
    names->hash = hash;
    names->source = source;
    names->column = column;
    dvi_seen_init(&names->seen, hash.is_by_slot, invert, &names->allocator);
    *out = names;
    return DV_OK;
}

void dvi_hash_names_free(dvi_hash_names **of)
{
    dvi_hash_names *names = *of;
    if (!names)
        return;
    const dv_allocator allocator = names->allocator;
    dvi_seen_free(&names->seen);
    dvi_memory_release(&names->keys);
    dvi_memory_release(&names->offered);
    dvi_free(&allocator, names, sizeof *names);
    *of = NULL;
}

/* --- Seeing ----------------------------------------------------------------------------------- */

static bool is_zero(const char *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Set the bytes of the value. -0 has only its highest bit. */
static void read_bytes(const dvi_hash *h, dvi_seen_value *seen, const dv_value *item)
{
    static const char zeros[8];
    if (h->form == DVI_HASH_TEXT) {
        seen->bytes = dv_value_tx(item);
        return;
    }
    const size_t width = dvi_width_of(&h->item);
    const char *bytes =
        (const char *)item->column->as.fixed.values.data + width * (size_t)item->row;
    const bool is_real = h->item.kind == DV_KIND_R4 || h->item.kind == DV_KIND_R8;
    seen->is_negative = is_real && bytes[width - 1] == INT8_MIN && is_zero(bytes, width - 1);
    seen->bytes = (dv_text){seen->is_negative ? zeros : bytes, (int64_t)width};
}

static dv_status see_item(dvi_hash_names *names, uint32_t key, int64_t row, int32_t slot,
                          const dv_value *item, dv_error *err)
{
    dvi_seen_value seen = {.key = key, .row = row, .slot = slot};
    if (key == 0)
        return DV_OK;
    read_bytes(&names->hash, &seen, item);
    return dvi_seen_add(&names->seen, &seen, err);
}

/* See the slots first..end-1 of a row, which have no items. Each has the same value in every row,
 * so it is looked at once. */
static dv_status see_holes(dvi_hash_names *names, int64_t row, int32_t first, int32_t end,
                           dv_error *err)
{
    static const char zeros[16];
    const dvi_hash *h = &names->hash;
    for (int32_t slot = first; slot < end; slot++) {
        uint8_t *bits = names->offered->data + (h->is_by_slot ? slot / 8 : 0);
        const uint8_t bit = (uint8_t)(1u << (h->is_by_slot ? slot % 8 : 0));
        const dvi_seen_value seen = {.key = dvi_hash_default(h, slot),
                                     .slot = slot,
                                     .row = row,
                                     .bytes = {zeros, (int64_t)dvi_width_of(&h->item)}};
        if (!(*bits & bit))
            DVI_TRY(dvi_seen_add(&names->seen, &seen, err));
        *bits |= bit;
        if (!h->is_by_slot)
            return DV_OK;
    }
    return DV_OK;
}

/* Make room for the bits of so many slots. */
static dv_status extend_offered(dvi_hash_names *names, int32_t slots, dv_error *err)
{
    const size_t used = names->offered_nbytes;
    const size_t nbytes = names->hash.is_by_slot ? ((size_t)slots + 7) / 8 : 1;
    if (nbytes <= used)
        return DV_OK;
    DVI_TRY(dvi_memory_extend(&names->offered, used, nbytes, &names->allocator, err));
    memset(names->offered->data + used, 0, nbytes - used);
    names->offered_nbytes = nbytes;
    return DV_OK;
}

static dv_status see_vector(dvi_hash_names *names, const uint32_t *keys, int64_t row,
                            const dv_value *vector, dv_error *err)
{
    const int32_t items = dv_value_items(vector);
    const bool has_holes = names->hash.fills_holes && items < vector->length;
    dv_value item = dv_value_item(vector, 0);
    int32_t next = 0;
    if (has_holes)
        DVI_TRY(extend_offered(names, vector->length, err));
    for (int32_t i = 0; i < items; i++, item.row++) {
        const int32_t slot = dv_value_slot(vector, i);
        if (has_holes)
            DVI_TRY(see_holes(names, row, next, slot, err));
        DVI_TRY(see_item(names, keys[i], row, slot, &item, err));
        next = slot + 1;
    }
    return has_holes ? see_holes(names, row, next, vector->length, err) : DV_OK;
}

static dv_status see_vectors(dvi_hash_names *names, const dv_column_view *src, int64_t first_row,
                             dv_error *err)
{
    const dv_vector_layout *vector = &src->as.vector;
    const int64_t items = dvi_vector_extent(vector, src->rows).items;
    const int64_t slots = names->hash.fills_holes ? dvi_vector_slots(vector, src->rows) : items;
    if (items < slots)
        DVI_TRY(dvi_holes_check(slots, err));
    DVI_TRY(dvi_memory_reserve(&names->keys, &names->allocator, 4 * (size_t)items, err));
    uint32_t *keys = (uint32_t *)(void *)names->keys->data;
    dvi_hash_vectors(&names->hash, keys, vector, src->rows);
    dv_value value = dv_value_first(src);
    for (; value.row < src->rows; dv_value_next(&value))
        DVI_TRY(see_vector(names, keys + (value.item - vector->item_base), first_row + value.row,
                           &value, err));
    return DV_OK;
}

dv_status dvi_hash_names_see(dvi_hash_names *names, const dv_column_view *src, int64_t first_row,
                             dv_error *err)
{
    if (src->layout == DV_LAYOUT_VECTOR)
        return see_vectors(names, src, first_row, err);
    DVI_TRY(dvi_memory_reserve(&names->keys, &names->allocator, 4 * (size_t)src->rows, err));
    uint32_t *keys = (uint32_t *)(void *)names->keys->data;
    dvi_hash_items(&names->hash, keys, src, 0, src->rows, NULL);
    dv_value value = dv_value_first(src);
    for (; value.row < src->rows; value.row++)
        DVI_TRY(see_item(names, keys[value.row], first_row + value.row, 0, &value, err));
    return DV_OK;
}

/* --- Merging ---------------------------------------------------------------------------------- */

dv_status dvi_hash_names_merge(dvi_hash_names *names, const dvi_hash_names *other, dv_error *err)
{
    return dvi_seen_merge(&names->seen, &other->seen, err);
}
