/* SPDX-License-Identifier: MIT */
/* tf_ngram.c: counts the grams of rows of keys. */
#include "transform/tf_ngram.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/size.h"
#include "type/schema.h"
#include "transform/gram_keys.h"
#include "transform/grams_priv.h"
#include "transform/key_names.h"
#include "transform/tf_fused.h"

#define ONES 64 /* single keys that are counted together */

/* The params of a column. */
typedef struct params {
    const dvi_grams *grams;
    const dv_schema *schema; /* the source's */
    int32_t column;
    const dv_allocator *allocator;
} params;

/* The memory of one column, reused for each batch. */
typedef struct memory {
    dvi_gram_keys keys;
    dvi_bag bag;
    dvi_bag_vectors vectors;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_gram_keys_free(&m->keys);
    dvi_bag_free(&m->bag);
    dvi_bag_vectors_free(&m->vectors);
}

/* --- Counting --------------------------------------------------------------------------------- */

typedef struct counting {
    const dvi_grams *grams;
    dvi_bag *bag;
} counting;

static void count_gram(void *ctx, const uint32_t *gram, int32_t length)
{
    const counting *c = ctx;
    const int64_t number = dvi_grams_find(c->grams, gram, length);
    if (number >= 0)
        dvi_bag_add(c->bag, (uint32_t)number);
}

/* Count single keys. */
static dv_status count_ones(const dvi_grams *g, dvi_bag *bag, const uint32_t *keys, int32_t n,
                            const dv_allocator *allocator, dv_error *err)
{
    uint32_t slots[ONES];
    for (int32_t at = 0; at < n; at += ONES) {
        const int32_t some = n - at < ONES ? n - at : ONES;
        int found = 0;
        DVI_TRY(dvi_bag_reserve(bag, ONES, allocator, err));
        for (int32_t i = 0; i < some; i++) {
            const int64_t number = dvi_grams_find_one(g, keys + at + i);
            slots[found] = (uint32_t)number;
            found += number >= 0;
        }
        dvi_bag_add_all(bag, slots, found);
    }
    return DV_OK;
}

dv_status dvi_ngram_count(const dvi_grams *g, dvi_bag *bag, const uint32_t *keys, int32_t n,
                          const dv_allocator *allocator, dv_error *err)
{
    counting c = {g, bag};
    const dvi_gram_shape *shape = &g->options.shape;
    const size_t starts = (size_t)dvi_gram_shape_starts(shape);
    dvi_bag_begin(bag);
    if (shape->n == 1)
        return count_ones(g, bag, keys, n, allocator, err);
    for (int32_t at = 0; at < n; at++) {
        DVI_TRY(dvi_bag_reserve(bag, starts, allocator, err));
        dvi_gram_each(shape, keys, n, at, count_gram, &c);
    }
    return DV_OK;
}

dvi_bag_weights dvi_ngram_weights(const dvi_grams *g)
{
    return (dvi_bag_weights){.by_slot = g->idf ? (const double *)(const void *)g->idf->data : NULL,
                             .once = g->options.weight == DVI_GRAM_IDF,
                             .most = UINT32_MAX};
}

dv_type dvi_ngram_type(const dvi_grams *g)
{
    return dv_type_vector(dv_type_of(DV_KIND_R4), (int32_t)g->count);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dvi_bag_weights weights = dvi_ngram_weights(p->grams);
    dvi_gram_keys_start(&m->keys, dv_batch_column(f->batch, f->slots[0]));
    DVI_TRY(dvi_bag_start(&m->bag, f->type->size, f->allocator, err));
    DVI_TRY(dvi_bag_vectors_start(&m->vectors, f->batch->rows, f->sink, f->allocator, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        DVI_TRY(dvi_gram_keys_next(&m->keys, f->allocator, err));
        DVI_TRY(dvi_ngram_count(p->grams, &m->bag, dvi_gram_keys_list(&m->keys), m->keys.n,
                                f->allocator, err));
        DVI_TRY(
            dvi_bag_vectors_add(&m->vectors, &m->bag, f->type->size, &weights, f->allocator, err));
    }
    dvi_bag_vectors_column(&m->vectors, f->type, dst);
    return DV_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const params *p = source;
    const dv_batch *values;
    *batch_out = NULL;
    DVI_TRY(dv_schema_metadata_value(p->schema, p->column, (int32_t)number, &values, err));
    const dv_value vector = dv_value_first(dv_batch_column(values, 0));
    const dvi_gram_texts texts = {dvi_gram_value_text, &vector, vector.length};
    const dv_status status = dvi_grams_names(batch_out, p->grams, &texts, p->allocator, err);
    dv_batch_release(&values);
    return status;
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    const int32_t texts = dvi_key_texts(source, p->column);
    const dvi_metadata_source how = {load_names, (void *)(uintptr_t)p, texts, NULL};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), made->type.size);
    if (texts < 0)
        return DV_OK;
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &how, err);
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_grams_identify(p->grams, identity);
}

static const dvi_maker maker = {.name = "ngram",
                                .identify = identify,
                                .describe = describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .uses_sinks = true,
                                .fuse = dvi_fuse_ngram};

const dvi_grams *dvi_ngram_of(const dvi_mapped *mapped)
{
    return ((const params *)mapped->params)->grams;
}

dv_status dvi_ngram_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         int32_t column, const dvi_grams *grams, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_gram_keys_check(source, column, err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    params *p = room;
    *p = (params){grams, source, column, &arena->allocator};
    column_out->type = dvi_ngram_type(grams);
    column_out->mapped = (dvi_mapped){&maker, p, &p->column, 1};
    return DV_OK;
}
