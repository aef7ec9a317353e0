/* SPDX-License-Identifier: MIT */
/* tf_word_keys.c: writes the numbers of words as vectors of keys. */
#include "transform/tf_word_keys.h"
#include "base/check.h"
#include "base/load.h"
#include "transform/tf_word_bag.h"
#include "transform/word_keys.h"
#include <string.h>

/* The params of a column. */
typedef struct params {
    dvi_words words;
    const dvi_terms *terms;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_word_keys row;
    dvi_memory *sources; /* a pointer to each source's column */
    dvi_memory *keys, *lengths, *counts;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory **all[] = {&m->sources, &m->keys, &m->lengths, &m->counts};
    dvi_word_keys_free(&m->row);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dvi_memory_release(all[i]);
}

static dv_status start(const dvi_filling *f, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const size_t rows = (size_t)f->batch->rows, n = (size_t)f->n;
    DVI_TRY(dvi_memory_reserve(&m->sources, f->allocator, n * sizeof(const dv_column_view *), err));
    DVI_TRY(dvi_memory_reserve(&m->lengths, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->keys, f->allocator, m->keys ? m->keys->cap : 0, err));
    const dv_column_view **sources = (const dv_column_view **)(void *)m->sources->data;
    for (int32_t k = 0; k < f->n; k++)
        sources[k] = dv_batch_column(f->batch, f->slots[k]);
    return dvi_word_keys_start(&m->row, &p->words, sources, f->n, f->allocator, err);
}

/* Add the keys of a row to the first `used`. */
static dv_status add_row(memory *m, size_t used, const dv_allocator *allocator, dv_error *err)
{
    const size_t n = (size_t)m->row.n;
    if (m->keys->cap / 4 - used < n)
        DVI_TRY(dvi_memory_extend(&m->keys, 4 * used, 4 * (used + (n > used ? n : used)), allocator,
                                  err));
    if (n > 0)
        memcpy(m->keys->data + 4 * used, dvi_word_keys_list(&m->row), 4 * n);
    return DV_OK;
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    size_t used = 0;
    DVI_TRY(start(f, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        DVI_TRY(dvi_word_keys_next(&m->row, 0, f->n, dvi_word_bag_find, (void *)(uintptr_t)p->terms,
                                   f->allocator, err));
        DVI_TRY(add_row(m, used, f->allocator, err));
        used += (size_t)m->row.n;
        dvi_store_i32(m->lengths->data + 4 * row, (int32_t)m->row.n);
        dvi_store_i32(m->counts->data + 4 * row, -1);
    }
    dst->items = (dv_column_view){
        .type = dv_type_item(f->type), .layout = DV_LAYOUT_FIXED, .rows = (int64_t)used};
    dst->items.as.fixed.values = dvi_memory_buffer(m->keys, 0, 4 * used, 4);
    dvi_column_set_vectors(dst, f->type, f->batch->rows, m->lengths, m->counts, m->counts, 0);
    return DV_OK;
}

static const dvi_maker maker = {
    .name = "wordkeys", .fill = fill, .memory = sizeof(memory), .release = release_memory};

dv_status dvi_word_keys_map(dvi_mapped *mapped, dvi_arena *arena, const dvi_words *words,
                            const dvi_terms *terms, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    *(params *)room = (params){*words, terms};
    mapped->maker = &maker;
    mapped->params = room;
    return DV_OK;
}
