/* SPDX-License-Identifier: MIT */
/* bag.c: counts the slots of a row, and writes it. */
#include "transform/bag.h"
#include "base/ahead.h"
#include "base/attempt.h"
#include "base/check.h"
#include "base/load.h"
#include "base/size.h"
#include "base/sort.h"
#include <string.h>

#define SLOTS_LEAST 256
#define SHORT_ROW 24 /* slots that are sorted by insertion */

/* So many slots have counts, 1 MiB of them, which are of use only in a near cache. */
#define SLOTS_COUNTED (1 << 18)
#define WORD 64
#define LINE (WORD * WORD) /* slots of a word of words of bits */

/* --- Counting --------------------------------------------------------------------------------- */

static uint64_t *table_of(const dvi_bag *b)
{
    return (uint64_t *)(void *)b->table->data;
}

/* NULL: no row has had slots. */
static uint64_t *list_of(const dvi_bag *b)
{
    return b->list ? (uint64_t *)(void *)b->list->data : NULL;
}

static size_t bits_nbytes(const dvi_bag *b)
{
    return (b->counts_size / WORD + b->counts_size / LINE) * sizeof(uint64_t);
}

static void clear_counts(dvi_bag *b)
{
    memset(b->counts->data, 0, b->counts_size * sizeof(uint32_t));
    memset(b->bits->data, 0, bits_nbytes(b));
    b->used = 0;
}

dv_status dvi_bag_start(dvi_bag *b, int32_t size, const dv_allocator *allocator, dv_error *err)
{
    if (size > SLOTS_COUNTED)
        return DV_OK;
    if (!b->counts) {
        b->counts_size = ((size_t)size + LINE - 1) / LINE * LINE;
        DVI_TRY(dvi_memory_reserve(&b->bits, allocator, bits_nbytes(b), err));
        DVI_TRY(dvi_memory_reserve(&b->counts, allocator, b->counts_size * sizeof(uint32_t), err));
        clear_counts(b);
    }
    if (b->used > 0) /* a row has failed */
        clear_counts(b);
    return DV_OK;
}

void dvi_bag_begin(dvi_bag *b)
{
    if (b->counts)
        return;
    b->used = 0;
    if (++b->row == 0) { /* entries of rows long ago would be taken for those of this one */
        memset(b->table->data, 0, 8 * b->cap);
        b->row = 1;
    }
}

/* A table of that many entries, with those of this row. */
static dv_status grow_table(dvi_bag *b, size_t cap, const dv_allocator *allocator, dv_error *err)
{
    b->cap = 0; /* there may be no table after a failure */
    DVI_TRY(dvi_memory_reserve(&b->table, allocator, 8 * cap, err));
    uint64_t *table = table_of(b);
    memset(table, 0, 8 * cap);
    b->cap = cap;
    b->shift = 32 - __builtin_ctzll(cap);
    b->row = b->row ? b->row : 1;
    for (uint32_t i = 0; i < b->used; i++) {
        const uint32_t slot = (uint32_t)(list_of(b)[i] >> 32);
        size_t at = (slot * UINT32_C(0x9E3779B1)) >> b->shift;
        while (table[at])
            at = (at + 1) & (cap - 1);
        table[at] = (uint64_t)b->row << 32 | i;
    }
    return DV_OK;
}

dv_status dvi_bag_reserve(dvi_bag *b, size_t more, const dv_allocator *allocator, dv_error *err)
{
    const size_t need = b->used + more;
    if (b->counts)
        return DV_OK;
    size_t cap = b->cap ? b->cap : SLOTS_LEAST;
    if (b->list && b->list->cap / 8 >= need && b->cap / 2 >= need)
        return DV_OK;
    while (cap / 2 < need)
        cap *= 2;
    DVI_TRY(dvi_memory_extend(&b->list, 8 * (size_t)b->used, 8 * need, allocator, err));
    return cap > b->cap ? grow_table(b, cap, allocator, err) : DV_OK;
}

static void count(dvi_bag *b, const uint32_t *slots, int n)
{
    uint32_t *counts = (uint32_t *)(void *)b->counts->data, used = b->used;
    uint64_t *bits = (uint64_t *)(void *)b->bits->data, *words = bits + b->counts_size / WORD;
    for (int i = 0; i < n; i++) {
        const uint32_t slot = slots[i], before = counts[slot];
        used += before == 0;
        counts[slot] = before + (before < UINT32_MAX);
        bits[slot / WORD] |= UINT64_C(1) << slot % WORD;
        words[slot / LINE] |= UINT64_C(1) << slot / WORD % WORD;
    }
    b->used = used;
}

static void add_to_list(dvi_bag *b, uint32_t slot)
{
    uint64_t *table = table_of(b), *list = list_of(b);
    size_t at = (slot * UINT32_C(0x9E3779B1)) >> b->shift;
    for (; (uint32_t)(table[at] >> 32) == b->row; at = (at + 1) & (b->cap - 1)) {
        uint64_t *known = &list[(uint32_t)table[at]];
        if ((uint32_t)(*known >> 32) == slot) {
            *known += (uint32_t)*known < UINT32_MAX;
            return;
        }
    }
    table[at] = (uint64_t)b->row << 32 | b->used;
    list[b->used++] = (uint64_t)slot << 32 | 1;
}

void dvi_bag_add_all(dvi_bag *b, const uint32_t *slots, int n)
{
    if (b->counts) {
        count(b, slots, n);
        return;
    }
    for (int i = 0; i < n; i++)
        add_to_list(b, slots[i]);
}

void dvi_bag_add(dvi_bag *b, uint32_t slot)
{
    dvi_bag_add_all(b, &slot, 1);
}

void dvi_bag_free(dvi_bag *b)
{
    dvi_memory **all[] = {&b->counts, &b->bits, &b->table, &b->list, &b->scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}

/* --- The order of the slots ------------------------------------------------------------------- */

static void sort_by_insertion(uint64_t *list, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const uint64_t entry = list[i];
        size_t k = i;
        for (; k > 0 && list[k - 1] > entry; k--)
            list[k] = list[k - 1];
        list[k] = entry;
    }
}

/* Move the counts of the slots in a word of bits to the list, and return its end. */
static uint64_t *list_word(uint64_t *list, uint32_t *counts, uint64_t *bits, uint32_t word)
{
    for (uint64_t left = bits[word]; left; left &= left - 1) {
        const uint32_t slot = word * WORD + (uint32_t)__builtin_ctzll(left);
        *list++ = (uint64_t)slot << 32 | counts[slot];
        counts[slot] = 0;
    }
    bits[word] = 0;
    return list;
}

static void list_counts(const dvi_bag *b, uint64_t *list)
{
    uint32_t *counts = (uint32_t *)(void *)b->counts->data;
    uint64_t *bits = (uint64_t *)(void *)b->bits->data, *words = bits + b->counts_size / WORD;
    for (uint32_t line = 0; line < b->counts_size / LINE; line++) {
        for (uint64_t left = words[line]; left; left &= left - 1)
            list = list_word(list, counts, bits, line * WORD + (uint32_t)__builtin_ctzll(left));
        words[line] = 0;
    }
}

/* List the slots in their order. */
static dv_status list_slots(dvi_bag *b, const dv_allocator *allocator, dv_error *err)
{
    const size_t nbytes = 8 * (size_t)b->used;
    if (b->counts) {
        DVI_TRY(dvi_memory_reserve(&b->list, allocator, nbytes, err));
        list_counts(b, (uint64_t *)(void *)b->list->data);
    } else if (b->used <= SHORT_ROW) {
        sort_by_insertion(list_of(b), b->used);
    } else {
        DVI_TRY(dvi_memory_reserve(&b->scratch, allocator, nbytes, err));
        dvi_sort_u64(list_of(b), (uint64_t *)(void *)b->scratch->data, b->used);
    }
    return DV_OK;
}

/* --- Writing ---------------------------------------------------------------------------------- */

dv_status dvi_bag_vectors_start(dvi_bag_vectors *v, int64_t rows, dvi_vector_sink *sink,
                                const dv_allocator *allocator, dv_error *err)
{
    dvi_vector_sink_start(sink, rows);
    v->sink = sink;
    const size_t indices = 4 * v->indices_count, items = 4 * v->items_count; /* of the last batch */
    v->indices_count = v->items_count = 0;
    v->rows = 0;
    v->rows_most = rows;
    DVI_TRY(dvi_memory_reserve(&v->counts, allocator, 4 * (size_t)rows, err));
    DVI_TRY(dvi_memory_reserve(&v->lengths, allocator, 4 * (size_t)rows, err));
    DVI_TRY(dvi_memory_reserve(&v->indices, allocator, indices, err));
    return dvi_memory_reserve(&v->items, allocator, items, err);
}

/* Room for n more numbers of 4 bytes: for as many a row as until now, and at least a third more. If
 * long rows come before many short ones, there may be no memory for what is expected. */
static dv_status extend(const dvi_bag_vectors *v, dvi_memory **memory, size_t used, size_t n,
                        const dv_allocator *allocator, dv_error *err)
{
    if ((*memory)->cap / 4 - used >= n)
        return DV_OK;
    const int64_t rows = v->rows + 1, left = v->rows_most - v->rows;
    const size_t expected = (used + n) / (size_t)rows * (size_t)dvi_rows_ahead(rows, left, left);
    const size_t more = n > used / 3 ? n : used / 3;
    if (expected > more &&
        DVI_ATTEMPT("bag.c extend", dvi_memory_extend(memory, 4 * used, 4 * (used + expected),
                                                      allocator, NULL) == DV_OK))
        return DV_OK;
    return dvi_memory_extend(memory, 4 * used, 4 * (used + more), allocator, err);
}

static float weigh(const dvi_bag_weights *w, uint64_t entry)
{
    const uint32_t count = (uint32_t)entry < w->most ? (uint32_t)entry : w->most;
    if (!w->by_slot)
        return (float)count;
    const double weight = w->by_slot[entry >> 32];
    return (float)(w->once ? weight : count * weight);
}

static dv_status add_dense(dvi_bag_vectors *v, const dvi_bag *b, int32_t size,
                           const dvi_bag_weights *w, const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(extend(v, &v->items, v->items_count, (size_t)size, allocator, err));
    float *items = (float *)(void *)v->items->data + v->items_count;
    const uint64_t *list = list_of(b);
    memset(items, 0, 4 * (size_t)size);
    for (uint32_t i = 0; i < b->used; i++)
        items[list[i] >> 32] = weigh(w, list[i]);
    v->items_count += (size_t)size;
    dvi_store_i32(v->counts->data + 4 * v->rows, -1);
    return DV_OK;
}

/* A weight of 0 is no item. Returns the number of items. */
static uint32_t weigh_sparse(const dvi_bag *b, const dvi_bag_weights *w, uint32_t *slots,
                             float *items)
{
    const uint64_t *list = list_of(b);
    uint32_t n = 0;
    for (uint32_t i = 0; i < b->used; i++) {
        items[n] = weigh(w, list[i]);
        slots[n] = (uint32_t)(list[i] >> 32);
        n += items[n] != 0;
    }
    return n;
}

/* A weight of 0 is an item of a dense row. */
static uint32_t weigh_dense(const dvi_bag *b, const dvi_bag_weights *w, uint32_t *slots,
                            float *items)
{
    const uint64_t *list = list_of(b);
    for (uint32_t i = 0; i < b->used; i++) {
        items[i] = weigh(w, list[i]);
        slots[i] = (uint32_t)(list[i] >> 32);
    }
    return b->used;
}

static dv_status add_sparse(dvi_bag_vectors *v, const dvi_bag *b, const dvi_bag_weights *w,
                            const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(extend(v, &v->items, v->items_count, b->used, allocator, err));
    DVI_TRY(extend(v, &v->indices, v->indices_count, b->used, allocator, err));
    float *items = (float *)(void *)v->items->data + v->items_count;
    uint32_t *indices = (uint32_t *)(void *)v->indices->data + v->indices_count;
    const uint32_t n = weigh_sparse(b, w, indices, items);
    v->items_count += n;
    v->indices_count += n;
    dvi_store_i32(v->counts->data + 4 * v->rows, (int32_t)n);
    return DV_OK;
}

/* Room for n numbers of 4 bytes. Batches may refer to the memory, but have none of them. */
static dv_status widen(dvi_memory **memory, size_t n, const dv_allocator *allocator, dv_error *err)
{
    return (*memory)->cap / 4 >= n ? DV_OK : dvi_memory_reserve(memory, allocator, 4 * n, err);
}

/* Give the row to the sink. */
static dv_status give(dvi_bag_vectors *v, const dvi_bag *b, int32_t size, bool is_dense,
                      const dvi_bag_weights *w, const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(widen(&v->items, b->used, allocator, err));
    DVI_TRY(widen(&v->indices, b->used, allocator, err));
    float *items = (float *)(void *)v->items->data;
    uint32_t *slots = (uint32_t *)(void *)v->indices->data;
    const uint32_t n = (is_dense ? weigh_dense : weigh_sparse)(b, w, slots, items);
    const dvi_sink_row row = {slots, items, (int32_t)n, size, is_dense};
    dvi_store_i32(v->counts->data + 4 * v->rows, 0);
    return v->sink->add(v->sink, &row, err);
}

dv_status dvi_bag_vectors_add(dvi_bag_vectors *v, dvi_bag *b, int32_t size,
                              const dvi_bag_weights *w, const dv_allocator *allocator,
                              dv_error *err)
{
    const bool is_dense = b->used >= (uint32_t)size / 2;
    DVI_TRY(list_slots(b, allocator, err));
    if (v->sink)
        DVI_TRY(give(v, b, size, is_dense, w, allocator, err));
    else
        DVI_TRY(is_dense ? add_dense(v, b, size, w, allocator, err)
                         : add_sparse(v, b, w, allocator, err));
    dvi_store_i32(v->lengths->data + 4 * v->rows++, size);
    b->used = 0;
    return DV_OK;
}

void dvi_bag_vectors_column(const dvi_bag_vectors *v, const dv_type *type, dvi_column *dst)
{
    dst->items = (dv_column_view){
        .type = dv_type_item(type), .layout = DV_LAYOUT_FIXED, .rows = (int64_t)v->items_count};
    dst->items.as.fixed.values = dvi_memory_buffer(v->items, 0, 4 * v->items_count, 4);
    dvi_column_set_vectors(dst, type, v->rows, v->lengths, v->counts, v->indices,
                           (int64_t)v->indices_count);
}

void dvi_bag_vectors_free(dvi_bag_vectors *v)
{
    dvi_memory **all[] = {&v->counts, &v->lengths, &v->indices, &v->items};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}
