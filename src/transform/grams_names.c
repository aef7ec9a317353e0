/* SPDX-License-Identifier: MIT */
/* grams_names.c: the names of the slots of grams (semantics:7.9). */
#include "base/check.h"
#include "base/load.h"
#include "view/metadata.h"
#include "transform/grams_priv.h"
#include <dataview/value.h>
#include <string.h>

static dv_text text_of(const dvi_gram_texts *t, uint32_t key)
{
    if (key == 0)
        return (dv_text){"*", 1};
    const dv_text text =
        key <= t->count ? t->text_of(t->ctx, (int32_t)(key - 1)) : (dv_text){"", 0};
    return text.nbytes > 0 ? text : (dv_text){"", 0};
}

dv_text dvi_gram_value_text(const void *ctx, int32_t i)
{
    const dv_value *vector = ctx;
    int32_t low = 0, high = dv_value_items(vector);
    if (high == vector->length) {
        low = i;
    } else {
        while (low < high) {
            const int32_t middle = low + (high - low) / 2;
            if (dv_value_slot(vector, middle) < i)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == dv_value_items(vector) || dv_value_slot(vector, low) != i)
            return (dv_text){"", 0};
    }
    const dv_value item = dv_value_item(vector, low);
    return dv_value_tx(&item);
}

static uint64_t count_bytes(const dvi_grams *g, const dvi_gram_texts *t)
{
    uint64_t nbytes = 0;
    for (int64_t i = 0; i < g->count; i++) {
        const uint32_t *keys;
        const int32_t length = dvi_grams_at(g, i, &keys);
        for (int32_t k = 0; k < length; k++)
            nbytes += (uint64_t)text_of(t, keys[k]).nbytes + (k > 0);
    }
    return nbytes;
}

static void write_names(const dvi_grams *g, const dvi_gram_texts *t, uint8_t *utf8, uint8_t *ends)
{
    size_t used = 0;
    for (int64_t i = 0; i < g->count; i++) {
        const uint32_t *keys;
        const int32_t length = dvi_grams_at(g, i, &keys);
        for (int32_t k = 0; k < length; k++) {
            const dv_text text = text_of(t, keys[k]);
            if (k > 0)
                utf8[used++] = '|';
            memcpy(utf8 + used, text.data, (size_t)text.nbytes);
            used += (size_t)text.nbytes;
        }
        dvi_store_i32(ends + 4 * i, (int32_t)used);
    }
}

static dv_status make_batch(const dv_batch **batch_out, int32_t n, dvi_memory *utf8, size_t nbytes,
                            dvi_memory *ends, const dv_allocator *allocator, dv_error *err)
{
    static const int32_t dense = -1, none = 0;
    dv_column_view items = {.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = n};
    items.as.text.utf8 = dvi_memory_buffer(utf8, 0, nbytes, 1);
    items.as.text.ends = dvi_memory_buffer(ends, 0, 4 * (size_t)n, 4);
    dv_column_view value = {
        .type = dv_type_vector(items.type, n), .layout = DV_LAYOUT_VECTOR, .rows = 1};
    value.as.vector.length = n;
    value.as.vector.counts = (dv_buffer){&dense, sizeof dense, NULL, false, true};
    if (n == 0)
        value.as.vector.lengths = (dv_buffer){&none, sizeof none, NULL, false, true};
    value.as.vector.items = &items;
    return dvi_metadata_batch(batch_out, &value, allocator, err);
}

dv_status dvi_grams_names(const dv_batch **batch_out, const dvi_grams *g, const dvi_gram_texts *t,
                          const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *utf8 = NULL, *ends = NULL;
    const uint64_t nbytes = count_bytes(g, t);
    *batch_out = NULL;
    if (nbytes > INT32_MAX)
        return dvi_fail(err, DV_ERR_LIMIT, "metadata_nbytes", -1, "names of slots",
                        "at most 2^31-1 bytes|more");
    dv_status status = dvi_memory_create(&utf8, allocator, (size_t)nbytes, err);
    if (status == DV_OK)
        status = dvi_memory_create(&ends, allocator, 4 * (size_t)g->count, err);
    if (status == DV_OK) {
        write_names(g, t, utf8->data, ends->data);
        status =
            make_batch(batch_out, (int32_t)g->count, utf8, (size_t)nbytes, ends, allocator, err);
    }
    dvi_memory_release(&utf8);
    dvi_memory_release(&ends);
    return status;
}
