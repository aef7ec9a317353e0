/* SPDX-License-Identifier: MIT */
/* tf_gram_hash.c: counts hashed grams. */
#include "transform/tf_gram_hash.h"
#include "base/check.h"
#include "base/size.h"
#include "codec/space.h"
#include "view/identity.h"
#include "transform/bag.h"
#include "transform/gram_keys.h"
#include "transform/tf_fused.h"
#include "transform/tf_words.h"

#define ONES 64              /* single keys that are counted together */
#define SLOT_NBYTES 8        /* a sparse row holds its number and its count */
#define COUNT_MOST (1 << 24) /* the sum of so many ones, and of more, in R4 */

/* The params of a column. */
typedef struct params {
    dvi_gram_hash_options options;
    dv_u128 names_digest;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_word_keys words;
    dvi_memory *keys; /* a dvi_gram_keys for each source; NULL: they are words */
    int32_t keys_count;
    dvi_memory *sources; /* a pointer to each source's column */
    dvi_bag bag;
    uint32_t slots_most; /* row_nbytes allows a row that has them */
    dvi_bag_vectors vectors;
} memory;

static dvi_gram_keys *keys_at(const memory *m, int32_t i)
{
    return (dvi_gram_keys *)(void *)m->keys->data + i;
}

static void release_memory(void *of)
{
    memory *m = of;
    dvi_word_keys_free(&m->words);
    for (int32_t i = 0; i < m->keys_count; i++)
        dvi_gram_keys_free(keys_at(m, i));
    dvi_memory_release(&m->keys);
    dvi_memory_release(&m->sources);
    dvi_bag_free(&m->bag);
    dvi_bag_vectors_free(&m->vectors);
}

/* --- A row ------------------------------------------------------------------------------------ */

dv_status dvi_word_hash_number(void *ctx, const dv_text *words, int n, const char *end,
                               uint32_t *keys_out, dv_error *err)
{
    const dvi_word_hash *h = ctx;
    (void)end;
    (void)err;
    for (int i = 0; i < n; i++) {
        const dv_text word = dvi_text_trim_blanks(words[i]);
        const uint32_t hash = dvi_murmur_text(h->seed, word, h->version);
        keys_out[i] = (hash & (UINT32_MAX >> (32 - h->bits))) + 1;
    }
    return DV_OK;
}

typedef struct counting {
    const dvi_gram_hash *hash;
    dvi_bag *bag;
    int32_t source;
} counting;

static void count_gram(void *ctx, const uint32_t *gram, int32_t length)
{
    const counting *c = ctx;
    dvi_bag_add(c->bag, dvi_gram_hash_slot(c->hash, gram, length, c->source));
}

/* Make room for more slots, unless the row has more than row_nbytes already: few keys have many
 * grams, whose slots would take memory before the row is measured. */
static dv_status reserve(const dvi_filling *f, size_t more, dv_error *err)
{
    memory *m = f->memory;
    if (m->bag.used > m->slots_most)
        return dvi_fail(err, DV_ERR_LIMIT, "row_nbytes", -1, "values of a row",
                        "at most %lld bytes (option row_nbytes)|%lld or more",
                        (long long)f->row_nbytes, (long long)m->bag.used * SLOT_NBYTES);
    return dvi_bag_reserve(&m->bag, more, f->allocator, err);
}

/* Count single keys. */
static dv_status count_ones(const dvi_filling *f, int32_t source, const uint32_t *keys, int64_t n,
                            dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    uint32_t slots[ONES];
    for (int64_t at = 0; at < n; at += ONES) {
        const int some = (int)dvi_min_i64(n - at, ONES);
        DVI_TRY(reserve(f, ONES, err));
        dvi_gram_hash_ones(&p->options.hash, keys + at, some, source, slots);
        dvi_bag_add_all(&m->bag, slots, some);
    }
    return DV_OK;
}

static dv_status count_keys(const dvi_filling *f, int32_t source, const uint32_t *keys, int64_t n,
                            dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dvi_gram_hash *hash = &p->options.hash;
    counting c = {hash, &m->bag, source};
    if (hash->shape.n == 1)
        return count_ones(f, source, keys, n, err);
    const size_t starts = (size_t)dvi_gram_shape_starts(&hash->shape);
    for (int32_t at = 0; at < n; at++) {
        DVI_TRY(reserve(f, starts, err));
        dvi_gram_each(&hash->shape, keys, (int32_t)n, at, count_gram, &c);
    }
    return DV_OK;
}

/* Count the grams of the next row of a source. */
static dv_status count_source(const dvi_filling *f, int32_t source, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    if (!p->options.words) {
        dvi_gram_keys *keys = keys_at(m, source);
        DVI_TRY(dvi_gram_keys_next(keys, f->allocator, err));
        return count_keys(f, source, dvi_gram_keys_list(keys), keys->n, err);
    }
    DVI_TRY(dvi_word_keys_next(&m->words, source, 1, dvi_word_hash_number,
                               (void *)(uintptr_t)p->options.words, f->allocator, err));
    return count_keys(f, source, dvi_word_keys_list(&m->words), m->words.n, err);
}

/* --- A batch ---------------------------------------------------------------------------------- */

static dv_status start_keys(const dvi_filling *f, dv_error *err)
{
    memory *m = f->memory;
    const size_t nbytes = (size_t)f->n * sizeof(dvi_gram_keys);
    if (!m->keys) {
        DVI_TRY(dvi_memory_create(&m->keys, f->allocator, nbytes, err));
        memset(m->keys->data, 0, nbytes);
        m->keys_count = f->n;
    }
    for (int32_t k = 0; k < f->n; k++)
        dvi_gram_keys_start(keys_at(m, k), dv_batch_column(f->batch, f->slots[k]));
    return DV_OK;
}

static dv_status start(const dvi_filling *f, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const bool fits = f->row_nbytes <= 0 || f->row_nbytes / 4 >= f->type->size; /* when dense */
    m->slots_most = fits ? UINT32_MAX : (uint32_t)(f->row_nbytes / SLOT_NBYTES);
    DVI_TRY(dvi_bag_start(&m->bag, f->type->size, f->allocator, err));
    DVI_TRY(dvi_bag_vectors_start(&m->vectors, f->batch->rows, f->sink, f->allocator, err));
    if (!p->options.words)
        return start_keys(f, err);
    DVI_TRY(dvi_memory_reserve(&m->sources, f->allocator,
                               (size_t)f->n * sizeof(const dv_column_view *), err));
    const dv_column_view **sources = (const dv_column_view **)(void *)m->sources->data;
    for (int32_t k = 0; k < f->n; k++)
        sources[k] = dv_batch_column(f->batch, f->slots[k]);
    return dvi_word_keys_start(&m->words, &p->options.words->words, sources, f->n, f->allocator,
                               err);
}

static dv_status fill(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    static const dvi_bag_weights counts = {.most = COUNT_MOST};
    memory *m = f->memory;
    DVI_TRY(start(f, err));
    for (int64_t row = 0; row < f->batch->rows; row++) {
        dvi_bag_begin(&m->bag);
        for (int32_t k = 0; k < f->n; k++)
            DVI_TRY(count_source(f, k, err));
        DVI_TRY(
            dvi_bag_vectors_add(&m->vectors, &m->bag, f->type->size, &counts, f->allocator, err));
    }
    dvi_bag_vectors_column(&m->vectors, f->type, dst);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static dv_status describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                          int32_t column, dv_error *err)
{
    const params *p = made->mapped.params;
    (void)source;
    if (!p->options.names)
        return DV_OK;
    return dvi_hash_add_names(p->options.names, p->options.hash.bits, DV_SLOT_NAMES, schema, column,
                              err);
}

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    const dvi_gram_hash *h = &p->options.hash;
    const dvi_word_hash *words = p->options.words;
    const int64_t numbers[] = {h->shape.n, h->shape.skips, h->shape.all,
                               h->bits,    h->seed,        h->is_ordered,
                               h->rehash,  words != NULL,  p->options.names != NULL};
    dv_identity_add(identity, numbers, sizeof numbers);
    dv_identity_add(identity, &p->names_digest, sizeof p->names_digest);
    if (!words)
        return;
    dvi_words_identify(&words->words, identity);
    dvi_identity_add_i8(identity, words->seed);
    dvi_identity_add_i8(identity, words->version);
}

static const dvi_maker maker = {.name = "ngramhash",
                                .identify = identify,
                                .describe = describe,
                                .fill = fill,
                                .memory = sizeof(memory),
                                .release = release_memory,
                                .uses_sinks = true,
                                .fuse = dvi_fuse_gram_hash};

dv_status dvi_gram_hash_check(const dvi_gram_hash_options *o, const dv_schema *source,
                              const int32_t *columns, int32_t n, dv_error *err)
{
    DVI_TRY(dvi_gram_shape_check(&o->hash.shape, err));
    for (int32_t k = 0; k < n; k++)
        DVI_TRY(o->words ? dvi_words_check(source, columns[k], err)
                         : dvi_gram_keys_check(source, columns[k], err));
    return DV_OK;
}

const dvi_gram_hash_options *dvi_gram_hash_options_of(const dvi_mapped *mapped)
{
    return &((const params *)mapped->params)->options;
}

dv_status dvi_gram_hash_map(dvi_mapped *mapped, dvi_arena *arena,
                            const dvi_gram_hash_options *options, dv_error *err)
{
    void *room;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    *(params *)room = (params){.options = *options};
    mapped->maker = &maker;
    mapped->params = room;
    return DV_OK;
}

dv_status dvi_gram_hash_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             const int32_t *columns, int32_t n,
                             const dvi_gram_hash_options *options, dv_error *err)
{
    void *list;
    DVI_TRY(dvi_gram_hash_check(options, source, columns, n, err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(int32_t), err));
    memcpy(list, columns, (size_t)n * sizeof(int32_t));
    column_out->mapped.sources = list;
    column_out->mapped.n = n;
    DVI_TRY(dvi_gram_hash_map(&column_out->mapped, arena, options, err));
    params *p = (params *)(uintptr_t)column_out->mapped.params;
    if (options->names)
        DVI_TRY(dvi_hash_digest_names(&p->names_digest, options->names, options->hash.bits,
                                      &arena->allocator, err));
    column_out->type = dv_type_vector(dv_type_of(DV_KIND_R4), INT32_C(1) << options->hash.bits);
    return DV_OK;
}
