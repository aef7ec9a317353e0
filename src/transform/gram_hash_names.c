/* SPDX-License-Identifier: MIT */
/* gram_hash_names.c: writes the names of slots of hashed grams: those of their keys, joined by "|",
 * after the name of the column if there are several (semantics:7.10). */
#include "base/alloc.h"
#include "base/check.h"
#include "base/load.h"
#include "codec/scalar.h"
#include "transform/gram_hash.h"
#include "transform/key_names.h"

/* Where the texts of the keys of a source are. */
typedef struct source {
    const dv_batch *values; /* KeyValues; NULL: none */
    uint64_t *order;        /* of the words (dvi_seen_sort) */
} source;

typedef struct writing {
    const dvi_gram_seen *seen;
    const dv_schema *schema;
    const int32_t *columns;
    source *sources;
} writing;

static dv_status print_word(void *ctx, dvi_seen_writer *w, const dvi_seen_value *v, dv_error *err)
{
    (void)ctx;
    return dvi_seen_append(w, v->bytes.data, (size_t)v->bytes.nbytes, err);
}

/* The words of a key that is a hash. */
static dv_status append_words(const dvi_seen_values *words, const uint64_t *order,
                              dvi_seen_writer *w, uint32_t key, dv_error *err)
{
    size_t first = 0, high = words->count;
    while (first < high) {
        const size_t middle = first + (high - first) / 2;
        if (order[middle] >> 32 < key)
            first = middle + 1;
        else
            high = middle;
    }
    size_t end = first;
    while (end < words->count && order[end] >> 32 == key)
        end++;
    return dvi_seen_append_values(w, words, order, first, end, print_word, NULL, err);
}

/* A missing key has no text; one without KeyValues is the number that it stands for. */
static dv_status append_key(const writing *g, int32_t number, dvi_seen_writer *w, uint32_t key,
                            dv_error *err)
{
    char digits[DVI_SCALAR_NBYTES];
    const source *from = &g->sources[number];
    if (key == 0)
        return DV_OK;
    if (g->seen->words)
        return append_words(&g->seen->words[number], from->order, w, key, err);
    if (from->values) {
        const dv_value vector = dv_value_first(dv_batch_column(from->values, 0));
        const dv_text text = dvi_key_text(&vector, (int32_t)(key - 1));
        return text.nbytes > 0 ? dvi_seen_append(w, text.data, (size_t)text.nbytes, err) : DV_OK;
    }
    const uint64_t shown = key - 1 + dv_schema_column(g->schema, g->columns[number])->type.key_min;
    return dvi_seen_append(w, digits, dvi_scalar_printer(DV_KIND_U8)(digits, &shown), err);
}

static dv_status print_gram(void *ctx, dvi_seen_writer *w, const dvi_seen_value *v, dv_error *err)
{
    const writing *g = ctx;
    const char *bytes = v->bytes.data;
    const int32_t number = dvi_load_i32(bytes), length = (int32_t)(v->bytes.nbytes / 4) - 1;
    if (g->seen->sources > 1) {
        const dv_text name = dv_schema_column(g->schema, g->columns[number])->name;
        DVI_TRY(dvi_seen_append(w, name.data, (size_t)name.nbytes, err));
        DVI_TRY(dvi_seen_append(w, ":", 1, err));
    }
    for (int32_t i = 0; i < length; i++) {
        if (i > 0)
            DVI_TRY(dvi_seen_append(w, "|", 1, err));
        DVI_TRY(append_key(g, number, w, dvi_load_u32(bytes + 4 * (i + 1)), err));
    }
    return DV_OK;
}

static dv_status read_sources(writing *g, dv_error *err)
{
    void *made;
    const size_t n = (size_t)g->seen->sources;
    DVI_TRY(dvi_alloc_zeroed(&g->seen->allocator, &made, n * sizeof(source), err));
    g->sources = made;
    for (int32_t i = 0; i < g->seen->sources; i++) {
        source *s = &g->sources[i];
        const int32_t texts = g->seen->words ? -1 : dvi_key_texts(g->schema, g->columns[i]);
        if (g->seen->words)
            DVI_TRY(dvi_seen_sort(&s->order, &g->seen->words[i], err));
        if (texts >= 0)
            DVI_TRY(dv_schema_metadata_value(g->schema, g->columns[i], texts, &s->values, err));
    }
    return DV_OK;
}

static void free_sources(writing *g)
{
    const dv_allocator *allocator = &g->seen->allocator;
    for (int32_t i = 0; g->sources && i < g->seen->sources; i++) {
        dv_batch_release(&g->sources[i].values);
        if (g->seen->words)
            dvi_free(allocator, g->sources[i].order, g->seen->words[i].count * sizeof(uint64_t));
    }
    dvi_free(allocator, g->sources, (size_t)g->seen->sources * sizeof(source));
}

dv_status dvi_gram_seen_table(dv_view **table_out, const dvi_gram_seen *seen,
                              const dv_schema *schema, const int32_t *columns, dv_error *err)
{
    writing g = {.seen = seen, .schema = schema, .columns = columns};
    *table_out = NULL;
    dv_status status = read_sources(&g, err);
    if (status == DV_OK)
        status = dvi_seen_table(table_out, &seen->grams, print_gram, &g, err);
    free_sources(&g);
    return status;
}
