/* SPDX-License-Identifier: MIT */
/* tf_word_bag.c: counts the grams of words. */
#include "transform/tf_word_bag.h"
#include "base/alloc.h"
#include "base/check.h"
#include "type/schema.h"
#include "view/identity.h"
#include "transform/terms_priv.h"
#include "transform/terms_table.h"
#include "transform/tf_words.h"

/* The params of a column. */
typedef struct params {
    dvi_words words;
    const dvi_word_bag *bag;
    const dv_allocator *allocator;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_word_keys keys;
    dvi_bag bag;
    dvi_bag_vectors vectors;
    dvi_memory *sources; /* a pointer to each source's column */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_word_keys_free(&m->keys);
    dvi_bag_free(&m->bag);
    dvi_bag_vectors_free(&m->vectors);
    dvi_memory_release(&m->sources);
}

/* --- Making ----------------------------------------------------------------------------------- */

dv_status dvi_word_bag_create(dvi_word_bag **bag_out, dvi_word_bag *from,
                              const dv_allocator *allocator, dv_error *err)
{
    void *made;
    *bag_out = NULL;
    DVI_TRY(dvi_grams_finish(&from->grams, err));
    DVI_TRY(dvi_alloc(allocator, &made, sizeof(dvi_word_bag), err));
    *bag_out = made;
    **bag_out = (dvi_word_bag){from->terms, from->grams, dvi_allocator_of(allocator)};
    *from = (dvi_word_bag){.terms = NULL};
    return DV_OK;
}

void dvi_word_bag_free(dvi_word_bag **bag)
{
    dvi_word_bag *b = *bag;
    *bag = NULL;
    if (!b)
        return;
    const dv_allocator allocator = b->allocator;
    dvi_terms_free(&b->terms);
    dvi_grams_free(&b->grams);
    dvi_free(&allocator, b, sizeof *b);
}

static dv_status read_tables(dvi_word_bag *b, dv_view *const *tables,
                             const dvi_gram_options *options, dv_error *err)
{
    const dv_schema *schema = dv_view_schema(tables[0]);
    DVI_TRY(dvi_terms_from_table(&b->terms, tables[0], options->most[0], &b->allocator, err));
    DVI_REQUIRE(dv_schema_column(schema, 0)->type.kind == DV_KIND_TX,
                dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT1", -1, "type of words", "TX|%s",
                         dv_kind_name(dv_schema_column(schema, 0)->type.kind)));
    return dvi_grams_from_table(&b->grams, tables[1], options, (uint32_t)dvi_terms_count(b->terms),
                                &b->allocator, err);
}

dv_status dvi_word_bag_from_tables(dvi_word_bag **bag_out, dv_view *const *tables,
                                   const dvi_gram_options *options, const dv_allocator *allocator,
                                   dv_error *err)
{
    void *made;
    *bag_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(allocator, &made, sizeof(dvi_word_bag), err));
    dvi_word_bag *b = made;
    b->allocator = dvi_allocator_of(allocator);
    const dv_status status = read_tables(b, tables, options, err);
    if (status < 0)
        dvi_word_bag_free(&b);
    *bag_out = b;
    return status;
}

/* --- A batch ---------------------------------------------------------------------------------- */

dv_status dvi_word_bag_find(void *ctx, const dv_text *words, int n, const char *end,
                            uint32_t *keys_out, dv_error *err)
{
    (void)err;
    dvi_terms_find_words(ctx, words, n, end, keys_out);
    return DV_OK;
}

static dv_status start(const dvi_filling *f, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    DVI_TRY(dvi_memory_reserve(&m->sources, f->allocator,
                               (size_t)f->n * sizeof(const dv_column_view *), err));
    const dv_column_view **sources = (const dv_column_view **)(void *)m->sources->data;
    for (int32_t k = 0; k < f->n; k++)
        sources[k] = dv_batch_column(f->batch, f->slots[k]);
    DVI_TRY(dvi_word_keys_start(&m->keys, &p->words, sources, f->n, f->allocator, err));
    DVI_TRY(dvi_bag_start(&m->bag, f->type->size, f->allocator, err));
    return dvi_bag_vectors_start(&m->vectors, f->batch->rows, f->sink, f->allocator, err);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dvi_grams *grams = p->bag->grams;
    const dvi_bag_weights weights = dvi_ngram_weights(grams);
    DVI_TRY(start(f, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        DVI_TRY(dvi_word_keys_next(&m->keys, 0, f->n, dvi_word_bag_find, p->bag->terms,
                                   f->allocator, err));
        DVI_TRY(dvi_ngram_count(grams, &m->bag, dvi_word_keys_list(&m->keys), (int32_t)m->keys.n,
                                f->allocator, err));
        DVI_TRY(
            dvi_bag_vectors_add(&m->vectors, &m->bag, f->type->size, &weights, f->allocator, err));
    }
    dvi_bag_vectors_column(&m->vectors, f->type, dst);
    return DV_OK;
}

/* --- Names ------------------------------------------------------------------------------------ */

static dv_text term_text(const void *terms, int32_t i)
{
    return dvi_terms_text(terms, i);
}

dv_status dvi_word_bag_names(const dv_batch **batch_out, const dvi_word_bag *bag,
                             const dv_allocator *allocator, dv_error *err)
{
    const dvi_gram_texts texts = {term_text, bag->terms, dvi_terms_count(bag->terms)};
    return dvi_grams_names(batch_out, bag->grams, &texts, allocator, err);
}

static dv_status load_names(void *source, int64_t number, const dv_batch **batch_out, dv_error *err)
{
    const params *p = source;
    (void)number;
    return dvi_word_bag_names(batch_out, p->bag, p->allocator, err);
}

/* Without words there are no names. */
static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    const dvi_metadata_source how = {load_names, (void *)(uintptr_t)p, 0, NULL};
    const dv_type type = dv_type_vector(dv_type_of(DV_KIND_TX), made->type.size);
    (void)source;
    if (dvi_terms_count(p->bag->terms) == 0)
        return DV_OK;
    return dvi_schema_add_metadata(schema, column, dv_text_of(DV_SLOT_NAMES), &type, &how, err);
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dv_column_view terms;
    dvi_words_identify(&p->words, identity);
    dvi_terms_values(p->bag->terms, &terms);
    dvi_identity_add_i8(identity, terms.rows);
    if (terms.rows > 0) {
        dv_identity_add(identity, terms.as.text.utf8.data, terms.as.text.utf8.nbytes);
        dv_identity_add(identity, terms.as.text.ends.data, terms.as.text.ends.nbytes);
    }
    dvi_grams_identify(p->bag->grams, identity);
}

static const dvi_maker maker = {.name = "wordbag",
                                .identify = identify,
                                .describe = describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .uses_sinks = true};

dv_status dvi_word_bag_map(dvi_mapped *mapped, dvi_arena *arena, const dvi_words *words,
                           const dvi_word_bag *bag, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    *(params *)room = (params){*words, bag, &arena->allocator};
    mapped->maker = &maker;
    mapped->params = room;
    return DV_OK;
}

dv_status dvi_word_bag_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                            const int32_t *columns, int32_t n, const dvi_words *words,
                            const dvi_word_bag *bag, dv_error *err)
{
    void *list;
    for (int32_t k = 0; k < n; k++)
        DVI_TRY(dvi_words_check(source, columns[k], err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(int32_t), err));
    memcpy(list, columns, (size_t)n * sizeof(int32_t));
    column_out->type = dvi_ngram_type(bag->grams);
    column_out->mapped.sources = list;
    column_out->mapped.n = n;
    return dvi_word_bag_map(&column_out->mapped, arena, words, bag, err);
}
