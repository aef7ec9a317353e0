/* SPDX-License-Identifier: MIT */
/* tf_key_binary_fill.c: writes the bits of keys (semantics:7.3).
 *
 * The number of a key is the key less 1 in 32 bits, so key 0, also in a slot without an item, has
 * all bits. A row with ones in at least half of its slots is dense (semantics:3.2). */
#include "base/check.h"
#include "base/load.h"
#include "transform/key_positions.h"
#include "transform/tf_key_binary_priv.h"

#define HOLES_MOST (INT64_C(1) << 28) /* slots of a batch that come of slots without an item */

typedef dvi_key_binary_memory memory;

/* What has been written of a batch. */
typedef struct written {
    int64_t indices, items;
} written;

/* A row of keys: n numbers, one in each slot, or in the slots that are given. */
typedef struct row_keys {
    int64_t row;
    int32_t n, length;
    const uint32_t *numbers;
    bool is_dense;
    const char *slots; /* NULL also if no row of the batch has an item */
} row_keys;

void dvi_key_binary_free(void *of)
{
    memory *m = of;
    dvi_memory **all[] = {&m->numbers, &m->counts, &m->lengths, &m->indices, &m->items};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}

/* --- Rows ------------------------------------------------------------------------------------- */

static uint32_t all_bits(int32_t bits)
{
    return UINT32_MAX >> (32 - bits);
}

static int64_t count_ones(const row_keys *keys, int32_t bits)
{
    int64_t ones = (int64_t)(keys->length - keys->n) * bits;
    for (int32_t i = 0; i < keys->n; i++)
        ones += __builtin_popcount(keys->numbers[i] & all_bits(bits));
    return ones;
}

/* The number in a slot; *next is the first item that has not been passed. */
static uint32_t number_in(const row_keys *keys, int32_t slot, int32_t *next)
{
    if (keys->is_dense)
        return keys->numbers[slot];
    if (*next >= keys->n || dvi_load_i32(keys->slots + 4 * (size_t)*next) != slot)
        return DVI_NO_POSITION;
    return keys->numbers[(*next)++];
}

static void write_dense(float *items, const row_keys *keys, int32_t bits)
{
    int32_t next = 0;
    for (int32_t slot = 0; slot < keys->length; slot++) {
        const uint32_t number = number_in(keys, slot, &next);
        for (int32_t bit = bits - 1; bit >= 0; bit--)
            *items++ = (float)(number >> bit & 1);
    }
}

static void write_sparse(int32_t *indices, float *items, const row_keys *keys, int32_t bits)
{
    int32_t next = 0;
    for (int32_t slot = 0; slot < keys->length; slot++) {
        uint32_t number = number_in(keys, slot, &next) & all_bits(bits);
        while (number != 0) {
            const int32_t bit = 31 - __builtin_clz(number);
            *indices++ = slot * bits + bits - 1 - bit;
            *items++ = 1;
            number ^= UINT32_C(1) << bit;
        }
    }
}

static void write_row(const dvi_key_binary *b, memory *m, const row_keys *keys, written *w)
{
    float *items = (float *)(void *)m->items->data + w->items;
    int32_t *indices = (int32_t *)(void *)m->indices->data + w->indices;
    const int64_t slots = (int64_t)keys->length * b->bits;
    const int64_t ones = count_ones(keys, b->bits);
    const bool is_dense = ones >= slots / 2;
    if (is_dense)
        write_dense(items, keys, b->bits);
    else
        write_sparse(indices, items, keys, b->bits);
    dvi_store_i32(m->counts->data + 4 * keys->row, is_dense ? -1 : (int32_t)ones);
    w->items += is_dense ? slots : ones;
    w->indices += is_dense ? 0 : ones;
}

static written write_rows(const dvi_key_binary *b, memory *m, const dv_column_view *src)
{
    const dv_vector_layout *vector = &src->as.vector; /* if b->is_vector */
    const uint32_t *numbers = (const uint32_t *)(const void *)m->numbers->data;
    int64_t index = b->is_vector ? vector->index_base : 0;
    written w = {0, 0};
    for (int64_t row = 0; row < src->rows; row++) {
        const int32_t length = b->is_vector ? dvi_vector_length(vector, row) : 1;
        const int32_t count = b->is_vector ? dvi_vector_count(vector, row) : -1;
        row_keys keys = {row, count < 0 ? length : count, length, numbers, count < 0, NULL};
        if (count > 0) {
            keys.slots = (const char *)vector->indices.data + 4 * index;
            index += count;
        }
        write_row(b, m, &keys, &w);
        numbers += keys.n;
    }
    return w;
}

/* --- A batch ---------------------------------------------------------------------------------- */

/* Write the lengths of vectors. *slots_out: the sum. */
static dv_status measure(const dvi_filling *f, const dv_vector_layout *vector, int64_t keys,
                         int64_t *slots_out, dv_error *err)
{
    const dvi_key_binary *b = f->params;
    memory *m = f->memory;
    int64_t slots = 0;
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * (size_t)f->batch->rows, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        const int64_t length = (int64_t)dvi_vector_length(vector, row) * b->bits;
        if (length > INT32_MAX)
            return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots of a vector",
                            "at most 2^31-1|%lld", (long long)length);
        dvi_store_i32(m->lengths->data + 4 * row, (int32_t)length);
        slots += length;
    }
    if (slots - keys * b->bits > HOLES_MOST)
        return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "bits of slots without an item",
                        "at most 2^28 in a batch|%lld", (long long)(slots - keys * b->bits));
    *slots_out = slots;
    return DV_OK;
}

static void show(const dvi_filling *f, dvi_column *dst, const written *w)
{
    memory *m = f->memory;
    dst->items = (dv_column_view){
        .type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = w->items};
    dst->items.as.fixed.values =
        dvi_memory_buffer(m->items, 0, (size_t)w->items * sizeof(float), 4);
    dvi_column_set_vectors(dst, f->type, f->batch->rows, m->lengths, m->counts, m->indices,
                           w->indices);
}

dv_status dvi_key_binary_fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_key_binary *b = f->params;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dv_vector_layout *vector = &src->as.vector; /* if b->is_vector */
    memory *m = f->memory;
    const int64_t keys =
        b->is_vector ? dvi_vector_extent(vector, f->batch->rows).items : f->batch->rows;
    int64_t slots = f->batch->rows * b->bits;
    if (b->is_vector)
        DVI_TRY(measure(f, vector, keys, &slots, err));
    DVI_TRY(dvi_memory_reserve(&m->numbers, f->allocator, 4 * (size_t)keys, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * (size_t)f->batch->rows, err));
    DVI_TRY(dvi_memory_reserve(&m->items, f->allocator, 4 * (size_t)slots, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, f->allocator, 4 * (size_t)(slots / 2), err));
    dvi_key_positions((uint32_t *)(void *)m->numbers->data, b->is_vector ? vector->items : src,
                      b->is_vector ? vector->item_base : 0, (size_t)keys, UINT32_MAX);
    const written w = write_rows(b, m, src);
    show(f, dst, &w);
    return DV_OK;
}
