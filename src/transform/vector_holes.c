/* SPDX-License-Identifier: MIT */
/* vector_holes.c: spreads keys over all slots of vectors. */
#include "transform/vector_holes.h"
#include "base/check.h"
#include "base/load.h"

int64_t dvi_vector_slots(const dv_vector_layout *vector, int64_t rows)
{
    int64_t slots = 0;
    if (vector->lengths.nbytes == 0)
        return rows * vector->length;
    for (int64_t i = 0; i < rows; i++)
        slots += dvi_vector_length(vector, i);
    return slots;
}

dv_status dvi_holes_check(int64_t slots, dv_error *err)
{
    if (slots <= DVI_HOLES_SLOTS)
        return DV_OK;
    return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots of a batch", "at most 2^28|%lld",
                    (long long)slots);
}

static void spread(uint32_t *dst, const uint32_t *keys, const dv_vector_layout *vector,
                   int64_t rows, const uint32_t *by_slot, uint32_t key)
{
    const uint8_t *indices = vector->indices.data;
    int64_t index = vector->index_base;
    for (int64_t row = 0; row < rows; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const int32_t length = dvi_vector_length(vector, row);
        if (count < 0 && length > 0) { /* without any item the keys have no address */
            memcpy(dst, keys, 4 * (size_t)length);
            keys += length;
        } else {
            for (int32_t i = 0; i < length; i++)
                dst[i] = by_slot ? by_slot[i] : key;
            for (int32_t i = 0; i < count; i++)
                dst[dvi_load_i32(indices + 4 * index++)] = *keys++;
        }
        dst += length;
    }
}

dv_status dvi_holes_fill(dvi_holes *holes, dvi_column *dst, int64_t slots, const uint32_t *by_slot,
                         uint32_t key, const dv_allocator *allocator, dv_error *err)
{
    dv_vector_layout *vector = &dst->view.as.vector;
    const size_t rows = (size_t)dst->view.rows;
    DVI_TRY(dvi_holes_check(slots, err));
    DVI_TRY(dvi_memory_reserve(&holes->keys, allocator, 4 * (size_t)slots, err));
    DVI_TRY(dvi_memory_reserve(&holes->counts, allocator, 4 * rows, err));
    spread((uint32_t *)(void *)holes->keys->data, dst->items.as.fixed.values.data, vector,
           dst->view.rows, by_slot, key);
    memset(holes->counts->data, 0xFF, 4 * rows); /* -1 */
    vector->counts = dvi_memory_buffer(holes->counts, 0, 4 * rows, 4);
    vector->indices = (dv_buffer){0};
    vector->index_base = 0;
    dst->items.rows = slots;
    dst->items.as.fixed.values = dvi_memory_buffer(holes->keys, 0, 4 * (size_t)slots, 4);
    return DV_OK;
}

void dvi_holes_free(dvi_holes *holes)
{
    dvi_memory_release(&holes->keys);
    dvi_memory_release(&holes->counts);
}
