/* SPDX-License-Identifier: MIT */
/* key_names.c: SlotNames of vectors that are made of keys (semantics:7.3).
 *
 * Metadata without the type that its kind requires counts as missing. */
#include "transform/key_names.h"
#include "base/check.h"
#include "base/load.h"
#include "base/owner.h"
#include "view/metadata.h"
#include <stdio.h>
#include <string.h>

/* The number of the metadata of this kind, if it is a vector of `size` texts; else -1. */
static int32_t find_texts(const dv_schema *schema, int32_t column, const char *kind, uint64_t size)
{
    int32_t i;
    if (dv_schema_find_metadata(schema, column, dv_text_of(kind), &i) != DV_OK)
        return -1;
    const dv_type *type = &dv_schema_metadata(schema, column, i)->type;
    return type->kind == DV_KIND_TX && dv_type_is_known_size_vector(type) &&
                   (uint64_t)type->size == size
               ? i
               : -1;
}

int32_t dvi_key_texts(const dv_schema *schema, int32_t column)
{
    return find_texts(schema, column, DV_KEY_VALUES,
                      dv_schema_column(schema, column)->type.key_count);
}

int32_t dvi_key_slot_names(const dv_schema *schema, int32_t column)
{
    const dv_type *type = &dv_schema_column(schema, column)->type;
    return dv_type_is_known_size_vector(type)
               ? find_texts(schema, column, DV_SLOT_NAMES, (uint64_t)type->size)
               : -1;
}

dv_text dvi_key_text(const dv_value *vector, int32_t slot)
{
    int32_t low = 0, high = dv_value_items(vector);
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (dv_value_slot(vector, middle) < slot)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == dv_value_items(vector) || dv_value_slot(vector, low) != slot)
        return dv_text_of("");
    const dv_value item = dv_value_item(vector, low);
    return dv_value_tx(&item);
}

/* The texts of a vector in the order of its slots. */
typedef struct walk {
    const dv_value *vector; /* NULL: all texts are empty */
    int32_t next;           /* item */
} walk;

/* The text of the slot after that of the last call; 0 at first. Empty for NA. */
static dv_text text_of_slot(walk *w, int32_t slot)
{
    const dv_text none = {"", 0};
    if (!w->vector || w->next >= dv_value_items(w->vector) ||
        dv_value_slot(w->vector, w->next) != slot)
        return none;
    const dv_value item = dv_value_item(w->vector, w->next++);
    const dv_text text = dv_value_tx(&item);
    return text.nbytes > 0 ? text : none;
}

typedef struct shown_slot {
    char text[16];
} shown_slot;

/* The name of a slot, or one in *shown that says which it is. */
static dv_text name_of_slot(walk *names, int32_t slot, shown_slot *shown)
{
    const dv_text name = text_of_slot(names, slot);
    if (name.nbytes > 0)
        return name;
    const int nbytes = snprintf(shown->text, sizeof shown->text, "[%d]", slot);
    return (dv_text){shown->text, nbytes};
}

/* What the names are made of: of `slots` slots, with each of the texts. */
typedef struct parts {
    const dv_value *names; /* NULL: none */
    int32_t slots;
    const dv_value *texts;
} parts;

/* The bytes of all names; UINT64_MAX if that overflows. */
static uint64_t count_bytes(const parts *p)
{
    uint64_t before = 0, after = 0, all;
    walk names = {p->names, 0};
    shown_slot shown;
    for (int32_t i = 0; i < p->slots; i++)
        before += (uint64_t)name_of_slot(&names, i, &shown).nbytes + 1;
    dv_value item = dv_value_item(p->texts, 0);
    for (int32_t i = 0; i < dv_value_items(p->texts); i++, item.row++) {
        const dv_text text = dv_value_tx(&item);
        after += text.nbytes > 0 ? (uint64_t)text.nbytes : 0;
    }
    if (__builtin_mul_overflow(before, (uint64_t)p->texts->length, &before) ||
        __builtin_mul_overflow(after, (uint64_t)p->slots, &after) ||
        __builtin_add_overflow(before, after, &all))
        return UINT64_MAX;
    return all;
}

static size_t append(uint8_t *utf8, size_t used, dv_text text)
{
    memcpy(utf8 + used, text.data, (size_t)text.nbytes);
    return used + (size_t)text.nbytes;
}

static void write_names(uint8_t *utf8, uint8_t *ends, const parts *p)
{
    const dv_text dot = {".", 1};
    walk names = {p->names, 0};
    shown_slot shown;
    size_t used = 0;
    for (int32_t i = 0; i < p->slots; i++) {
        const dv_text name = name_of_slot(&names, i, &shown);
        walk texts = {p->texts, 0};
        for (int32_t k = 0; k < p->texts->length; k++, ends += 4) {
            used = append(utf8, used, name);
            used = append(utf8, used, dot);
            used = append(utf8, used, text_of_slot(&texts, k));
            dvi_store_i32(ends, (int32_t)used);
        }
    }
}

/* Make the batch; every slot has an item. */
static dv_status make_batch(const dv_batch **batch_out, const dv_type *type, dvi_memory *utf8,
                            size_t nbytes, dvi_memory *ends, const dv_allocator *allocator,
                            dv_error *err)
{
    static const int32_t dense = -1;
    dv_column_view texts = {
        .type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = type->size};
    texts.as.text.utf8 = dvi_memory_buffer(utf8, 0, nbytes, 1);
    texts.as.text.ends = dvi_memory_buffer(ends, 0, 4 * (size_t)type->size, 4);
    dv_column_view value = {.type = *type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = type->size;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    value.as.vector.items = &texts;
    return dvi_metadata_batch(batch_out, &value, allocator, err);
}

static dv_status make_names(const dv_batch **batch_out, const dv_type *type, const parts *p,
                            const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *utf8 = NULL, *ends = NULL;
    const uint64_t nbytes = count_bytes(p);
    if (nbytes > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", -1, "names of slots",
                        "at most 2^31-1 bytes|more");
    dv_status status = dvi_memory_create(&utf8, allocator, (size_t)nbytes, err);
    if (status == DV_OK)
        status = dvi_memory_create(&ends, allocator, 4 * (size_t)type->size, err);
    if (status == DV_OK) {
        write_names(utf8->data, ends->data, p);
        status = make_batch(batch_out, type, utf8, (size_t)nbytes, ends, allocator, err);
    }
    dvi_memory_release(&utf8);
    dvi_memory_release(&ends);
    return status;
}

dv_status dvi_key_names_of_slots(const dv_batch **batch_out, const dv_type *type,
                                 const dv_schema *schema, int32_t column, const dv_value *texts,
                                 const dv_allocator *allocator, dv_error *err)
{
    const dv_batch *names = NULL;
    dv_value value;
    parts p = {NULL, dv_schema_column(schema, column)->type.size, texts};
    const int32_t i = dvi_key_slot_names(schema, column);
    if (i >= 0) {
        DVI_TRY(dv_schema_metadata_value(schema, column, i, &names, err));
        value = dv_value_first(dv_batch_column(names, 0));
        p.names = &value;
    }
    const dv_status status = make_names(batch_out, type, &p, allocator, err);
    dv_batch_release(&names);
    return status;
}
