/* SPDX-License-Identifier: MIT */
/* tf_char_bag.c: counts the grams of characters. */
#include "transform/tf_char_bag.h"
#include "base/alloc.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/identity.h"
#include "transform/tf_chars.h"
#include "transform/tf_ngram.h"
#include "transform/tf_words.h"

/* The params of a column. */
typedef struct params {
    dvi_char_rules rules;
    const dvi_grams *grams;
    const int32_t *columns;
    const dv_allocator *allocator;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_char_keys keys;
    dvi_bag bag;
    dvi_bag_vectors vectors;
    dvi_memory *sources; /* a pointer to each source's column */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_char_keys_free(&m->keys);
    dvi_bag_free(&m->bag);
    dvi_bag_vectors_free(&m->vectors);
    dvi_memory_release(&m->sources);
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status start(const dvi_filling *f, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    DVI_TRY(dvi_memory_reserve(&m->sources, f->allocator,
                               (size_t)f->n * sizeof(const dv_column_view *), err));
    const dv_column_view **sources = (const dv_column_view **)(void *)m->sources->data;
    for (int32_t k = 0; k < f->n; k++)
        sources[k] = dv_batch_column(f->batch, f->slots[k]);
    DVI_TRY(dvi_char_keys_start(&m->keys, &p->rules, sources, f->n, f->allocator, err));
    DVI_TRY(dvi_bag_start(&m->bag, f->type->size, f->allocator, err));
    return dvi_bag_vectors_start(&m->vectors, f->batch->rows, f->sink, f->allocator, err);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dvi_bag_weights weights = dvi_ngram_weights(p->grams);
    DVI_TRY(start(f, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        DVI_TRY(dvi_char_keys_next(&m->keys, &p->rules, f->allocator, err));
        DVI_TRY(dvi_ngram_count(p->grams, &m->bag, dvi_char_keys_list(&m->keys), (int32_t)m->keys.n,
                                f->allocator, err));
        DVI_TRY(
            dvi_bag_vectors_add(&m->vectors, &m->bag, f->type->size, &weights, f->allocator, err));
    }
    dvi_bag_vectors_column(&m->vectors, f->type, dst);
    return DV_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

/* Write the text of key i + 1 to the room that ctx points to. */
static dv_text name_of(const void *ctx, int32_t i)
{
    char *const *room = ctx;
    return (dv_text){*room, dvi_chars_name(*room, (uint32_t)i + 1)};
}

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const params *p = source;
    char name[DVI_CHARS_NAME_NBYTES], *room = name;
    const dvi_gram_texts texts = {name_of, &room, DVI_CHARS_COUNT};
    (void)number;
    *batch_out = NULL;
    return dvi_grams_names(batch_out, p->grams, &texts, p->allocator, err);
}

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const dvi_metadata_source how = {load_names, (void *)(uintptr_t)made->mapped.params, 0, NULL};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), made->type.size);
    (void)source;
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &how, err);
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_words_identify(&p->rules.words, identity);
    dvi_identity_add_i8(identity, p->rules.is_vector);
    dvi_grams_identify(p->grams, identity);
}

static const dvi_maker maker = {.name = "charbag",
                                .identify = identify,
                                .describe = describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .uses_sinks = true};

dv_status dvi_char_bag_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            const int32_t *columns, int32_t n, const dvi_char_rules *rules,
                            const dvi_grams *grams, dv_error *err)
{
    void *room, *list;
    for (int32_t k = 0; k < n; k++)
        DVI_TRY(dvi_words_check(source, columns[k], err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(int32_t), err));
    memcpy(list, columns, (size_t)n * sizeof(int32_t));
    params *p = room;
    *p = (params){*rules, grams, list, &arena->allocator};
    column_out->type = dvi_ngram_type(grams);
    column_out->mapped = (dvi_mapped){&maker, p, p->columns, n};
    return DV_OK;
}
