/* SPDX-License-Identifier: MIT */
/* tf_key_vector_fill.c: writes vectors that indicate or count keys (semantics:7.3).
 *
 * A vector has an item for each key that it was made of, so many slots cost nothing. The layout is
 * that of ML.NET (semantics:3.2): a vector in which every slot has an item is dense, and so is a
 * bag of at least half as many keys as it has slots. */
#include "base/check.h"
#include "base/load.h"
#include "base/sort.h"
#include "transform/key_positions.h"
#include "transform/tf_key_vector_priv.h"
#include <string.h>

#define RUN 1024             /* rows that stay in the cache */
#define ONES_LEAST 1024      /* items that are made at once */
#define SHORT_ROW 32         /* keys that are sorted by insertion */
#define ADDED_MOST (1 << 24) /* the sum of so many ones, and of more, in R4 */

typedef dvi_key_vector_memory memory;

/* What has been written of a batch. */
typedef struct written {
    int64_t indices, items;
} written;

void dvi_key_vector_free(void *of)
{
    memory *m = of;
    dvi_memory **all[] = {&m->indices, &m->counts, &m->lengths, &m->ones, &m->items, &m->long_row};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}

/* --- Keys that are scalars -------------------------------------------------------------------- */

/* Write the counts of n rows, and move the indices of rows that have one together. Returns how many
 * these are. */
static size_t count_run(int32_t *restrict counts, int32_t *restrict indices,
                        const uint32_t *positions, size_t n)
{
    size_t used = 0, absent = 0;
    for (size_t i = 0; i < n; i++) {
        counts[i] = positions[i] != DVI_NO_POSITION;
        absent += positions[i] == DVI_NO_POSITION;
    }
    if (absent == 0) {
        memcpy(indices, positions, 4 * n);
        return n;
    }
    for (size_t i = 0; i < n; i++) {
        indices[used] = (int32_t)positions[i];
        used += positions[i] != DVI_NO_POSITION;
    }
    return used;
}

/* The vector of the only key has one slot: with an item it is dense. */
static void make_dense(int32_t *counts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        counts[i] = -counts[i];
}

static written write_scalars(const dvi_key_vector *v, memory *m, const dv_column_view *keys)
{
    int32_t *counts = (int32_t *)(void *)m->counts->data;
    int32_t *indices = (int32_t *)(void *)m->indices->data;
    uint32_t positions[RUN];
    size_t used = 0;
    for (int64_t row = 0; row < keys->rows; row += RUN) {
        const size_t n = (size_t)(keys->rows - row < RUN ? keys->rows - row : RUN);
        dvi_key_positions(positions, keys, row, n, v->count);
        used += count_run(counts + row, indices + used, positions, n);
        if (v->count == 1)
            make_dense(counts + row, n);
    }
    return (written){v->count == 1 ? 0 : (int64_t)used, (int64_t)used};
}

/* --- Keys of vectors -------------------------------------------------------------------------- */

/* The keys of a row: n positions, the first of which is number `at`, in the slots that are given;
 * NULL: one in each slot. */
typedef struct row_keys {
    int64_t row;
    int32_t n;
    const char *slots;
} row_keys;

/* Write a row of the vector with a group of slots for each slot of the source. `positions` are
 * overwritten behind those that were read. */
static void write_groups(const dvi_key_vector *v, memory *m, const row_keys *keys, int32_t length,
                         const uint32_t *positions, written *w)
{
    uint32_t *indices = (uint32_t *)(void *)m->indices->data + w->indices;
    const uint32_t count = v->count;
    size_t used = 0;
    for (int32_t i = 0; i < keys->n; i++) {
        const uint32_t slot = keys->slots ? dvi_load_u32(keys->slots + 4 * (size_t)i) : (uint32_t)i;
        const uint32_t position = positions[i];
        indices[used] = slot * count + position;
        used += position != DVI_NO_POSITION;
    }
    const bool is_dense = (int64_t)used == (int64_t)length * count;
    dvi_store_i32(m->counts->data + 4 * keys->row, is_dense ? -1 : (int32_t)used);
    w->indices += is_dense ? 0 : (int64_t)used;
    w->items += (int64_t)used;
}

/* Sort n positions; long_row has room for 2 * n numbers if there are many. */
static void sort(uint32_t *positions, size_t n, dvi_memory *long_row)
{
    if (n > SHORT_ROW) {
        uint64_t *wide = (uint64_t *)(void *)long_row->data;
        for (size_t i = 0; i < n; i++)
            wide[i] = positions[i];
        dvi_sort_u64(wide, wide + n, n);
        for (size_t i = 0; i < n; i++)
            positions[i] = (uint32_t)wide[i];
        return;
    }
    for (size_t i = 1; i < n; i++) {
        const uint32_t position = positions[i];
        size_t k = i;
        for (; k > 0 && positions[k - 1] > position; k--)
            positions[k] = positions[k - 1];
        positions[k] = position;
    }
}

/* Count equal positions, which follow each other. Returns how many differ. */
static size_t count_equal(uint32_t *positions, float *items, size_t n)
{
    size_t used = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && positions[end] == positions[i];)
            end++;
        positions[used] = positions[i];
        items[used++] = (float)(end - i < ADDED_MOST ? end - i : ADDED_MOST);
    }
    return used;
}

/* Write a row with a slot for each key. */
static void write_bag(const dvi_key_vector *v, memory *m, const row_keys *keys,
                      const uint32_t *positions, written *w)
{
    uint32_t *own = (uint32_t *)(void *)m->indices->data + w->indices;
    float *items = (float *)(void *)m->items->data + w->items;
    size_t n = 0;
    for (int32_t i = 0; i < keys->n; i++) {
        const uint32_t position = positions[i];
        own[n] = position;
        n += position != DVI_NO_POSITION;
    }
    const bool is_dense = n >= v->count / 2;
    if (is_dense) {
        memset(items, 0, v->count * sizeof *items);
        for (size_t i = 0; i < n; i++)
            items[own[i]] += 1;
        w->items += v->count;
    } else {
        sort(own, n, m->long_row);
        n = count_equal(own, items, n);
        w->items += (int64_t)n;
        w->indices += (int64_t)n;
    }
    dvi_store_i32(m->counts->data + 4 * keys->row, is_dense ? -1 : (int32_t)n);
}

static written write_vectors(const dvi_key_vector *v, memory *m, const dv_column_view *src)
{
    const dv_vector_layout *vector = &src->as.vector;
    const uint32_t *positions = (const uint32_t *)(const void *)m->indices->data;
    const char *slots = vector->indices.data;
    written w = {0, 0};
    int64_t at = 0, index = vector->index_base;
    for (int64_t row = 0; row < src->rows; row++) {
        const int32_t length = dvi_vector_length(vector, row);
        const int32_t count = dvi_vector_count(vector, row);
        const row_keys keys = {row, count < 0 ? length : count,
                               count > 0 ? slots + 4 * index : NULL};
        if (v->bag)
            write_bag(v, m, &keys, positions + at, &w);
        else
            write_groups(v, m, &keys, length, positions + at, &w);
        at += keys.n;
        index += count > 0 ? count : 0;
    }
    return w;
}

/* --- Memory ----------------------------------------------------------------------------------- */

/* Provide n items that are 1. They never change, so it does not matter who else holds them. */
static dv_status provide_ones(const dvi_filling *f, int64_t n, dv_error *err)
{
    memory *m = f->memory;
    dvi_memory *more;
    const size_t has = m->ones ? m->ones->cap / sizeof(float) : 0;
    if (m->ones && has >= (size_t)n)
        return DV_OK;
    size_t needed = (size_t)n > 2 * has ? (size_t)n : 2 * has;
    needed = needed > ONES_LEAST ? needed : ONES_LEAST;
    DVI_TRY(dvi_memory_create(&more, f->allocator, needed * sizeof(float), err));
    float *ones = (float *)(void *)more->data;
    for (size_t i = 0; i < needed; i++)
        ones[i] = 1;
    dvi_memory_release(&m->ones);
    m->ones = more;
    return DV_OK;
}

/* Of vectors of any size with a group of slots for each slot. */
static dv_status write_lengths(const dvi_filling *f, const dv_vector_layout *vector, dv_error *err)
{
    const dvi_key_vector *v = f->params;
    memory *m = f->memory;
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * (size_t)f->batch->rows, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        const int64_t length = (int64_t)dvi_vector_length(vector, row) * v->count;
        if (length > INT32_MAX)
            return dvi_fail(err, DV_ERR_LIMIT, "batch_rows", -1, "slots of a vector",
                            "at most 2^31-1|%lld", (long long)length);
        dvi_store_i32(m->lengths->data + 4 * row, (int32_t)length);
    }
    return DV_OK;
}

/* Of bags of n keys in all. A dense one has at most 2 * keys + 1 slots. */
static dv_status reserve_bags(const dvi_filling *f, const dv_vector_layout *vector, int64_t n,
                              dv_error *err)
{
    memory *m = f->memory;
    size_t longest = 0;
    for (int64_t row = 0; row < f->batch->rows; row++) {
        const int32_t count = dvi_vector_count(vector, row);
        const size_t keys = (size_t)(count < 0 ? dvi_vector_length(vector, row) : count);
        longest = keys > longest ? keys : longest;
    }
    DVI_TRY(dvi_memory_reserve(&m->items, f->allocator,
                               sizeof(float) * (2 * (size_t)n + (size_t)f->batch->rows), err));
    if (longest <= SHORT_ROW)
        return DV_OK;
    return dvi_memory_reserve(&m->long_row, f->allocator, 2 * sizeof(uint64_t) * longest, err);
}

/* Reserve memory for n keys in all, and write their positions. */
static dv_status prepare_vectors(const dvi_filling *f, const dv_vector_layout *vector, int64_t n,
                                 dv_error *err)
{
    const dvi_key_vector *v = f->params;
    memory *m = f->memory;
    if (v->bag)
        DVI_TRY(reserve_bags(f, vector, n, err));
    else if (v->type.size == 0)
        DVI_TRY(write_lengths(f, vector, err));
    dvi_key_positions((uint32_t *)(void *)m->indices->data, vector->items, vector->item_base,
                      (size_t)n, v->count);
    return DV_OK;
}

/* --- A batch ---------------------------------------------------------------------------------- */

static void show(const dvi_filling *f, dvi_column *dst, const written *w)
{
    const dvi_key_vector *v = f->params;
    memory *m = f->memory;
    dst->items = (dv_column_view){
        .type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = w->items};
    dst->items.as.fixed.values = dvi_memory_buffer(v->bag && v->is_vector ? m->items : m->ones, 0,
                                                   (size_t)w->items * sizeof(float), 4);
    dvi_column_set_vectors(dst, f->type, f->batch->rows, m->lengths, m->counts, m->indices,
                           w->indices);
}

dv_status dvi_key_vector_fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const dvi_key_vector *v = f->params;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    memory *m = f->memory;
    const int64_t keys =
        v->is_vector ? dvi_vector_extent(&src->as.vector, src->rows).items : src->rows;
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * (size_t)src->rows, err));
    DVI_TRY(dvi_memory_reserve(&m->indices, f->allocator, 4 * (size_t)keys, err));
    if (v->is_vector)
        DVI_TRY(prepare_vectors(f, &src->as.vector, keys, err));
    const written w = v->is_vector ? write_vectors(v, m, src) : write_scalars(v, m, src);
    if (!v->bag || !v->is_vector)
        DVI_TRY(provide_ones(f, w.items, err));
    show(f, dst, &w);
    return DV_OK;
}
