/* SPDX-License-Identifier: MIT */
/* tf_words.c: writes the words of texts, and normalized texts. */
#include "transform/tf_words.h"
#include "base/check.h"
#include "transform/text_items.h"
#include "transform/token_vectors.h"

#define WORDS 64 /* that are read together */

/* The params of a column. */
typedef struct params {
    dvi_words words;
    const int32_t *columns;
} params;

/* Of one column; reused for each batch. */
typedef struct memory {
    dvi_word_reader reader;
    dvi_token_vectors vectors;
    dvi_memory *sources; /* a dvi_text_rows for each source */
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_word_reader_free(&m->reader);
    dvi_token_vectors_free(&m->vectors);
    dvi_memory_release(&m->sources);
}

/* --- Words ------------------------------------------------------------------------------------ */

/* Write the words of the next row of one source. */
static dv_status write_source(const dvi_filling *f, dvi_text_rows *rows, dv_error *err)
{
    memory *m = f->memory;
    int64_t first;
    const int32_t n = dvi_text_rows_next(rows, &first);
    for (int32_t i = 0; i < n; i++) {
        dv_text words[WORDS];
        DVI_TRY(dvi_word_reader_begin(&m->reader, dvi_text_rows_at(rows, first + i), f->allocator,
                                      err));
        for (int k; (k = dvi_word_reader_read(&m->reader, words, WORDS)) > 0;)
            DVI_TRY(dvi_token_vectors_add_texts(
                &m->vectors, words, k, dvi_word_reader_limit(&m->reader), f->allocator, err));
    }
    return DV_OK;
}

static dv_status start(const dvi_filling *f, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    size_t nbytes = 0;
    const dv_column_view *only = dv_batch_column(f->batch, f->slots[0]);
    dvi_word_reader_start(&m->reader, &p->words,
                          f->n == 1 ? dvi_text_limit_of(only, f->batch->rows) : NULL);
    DVI_TRY(
        dvi_memory_reserve(&m->sources, f->allocator, (size_t)f->n * sizeof(dvi_text_rows), err));
    dvi_text_rows *sources = (dvi_text_rows *)(void *)m->sources->data;
    for (int32_t k = 0; k < f->n; k++) {
        const dv_column_view *source = dv_batch_column(f->batch, f->slots[k]);
        sources[k] = dvi_text_rows_of(source);
        nbytes += (size_t)dvi_text_extent_of(source, f->batch->rows).nbytes;
    }
    return dvi_token_vectors_start(&m->vectors, f->batch->rows, nbytes, f->allocator, err);
}

static dv_status fill_words(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    DVI_TRY(start(f, err));
    dvi_text_rows *sources = (dvi_text_rows *)(void *)m->sources->data;
    for (int64_t row = 0; row < f->batch->rows; row++) {
        for (int32_t k = 0; k < f->n; k++)
            DVI_TRY(write_source(f, &sources[k], err));
        dvi_token_vectors_end_row(&m->vectors);
    }
    dvi_token_vectors_column(&m->vectors, f->type, dst);
    return DV_OK;
}

/* --- Normalized texts ------------------------------------------------------------------------- */

static dv_status fill_texts(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    const params *p = f->params;
    memory *m = f->memory;
    const dv_column_view *src = dv_batch_column(f->batch, f->slots[0]);
    const dvi_text_rows rows = dvi_text_rows_of(src);
    dvi_token_vectors *v = &m->vectors;
    const size_t nbytes = (size_t)dvi_text_extent_of(src, src->rows).nbytes;
    DVI_TRY(dvi_token_vectors_start(v, src->rows, nbytes, f->allocator, err));
    for (int64_t row = 0; row < src->rows; row++) {
        char *room;
        const dv_text text = dvi_text_rows_at(&rows, row);
        const size_t most = text.nbytes > 0 ? dvi_text_norm_room((size_t)text.nbytes) : 0;
        DVI_TRY(dvi_token_vectors_room(v, most, &room, f->allocator, err));
        dvi_token_vectors_add(v, dvi_text_norm_write(p->words.norm, room, text));
        if (text.nbytes < 0) {
            uint8_t *end = v->ends->data + 4 * row;
            dvi_store_u32(end, dvi_load_u32(end) | UINT32_C(1) << 31);
        }
    }
    dvi_token_vectors_texts(v, f->type, dst);
    return DV_OK;
}

/* --- Planning --------------------------------------------------------------------------------- */

static void identify(const void *of, dv_identity *identity)
{
    const params *p = of;
    dvi_words_identify(&p->words, identity);
}

static const dvi_maker words_maker = {.name = "words",
                                      .identify = identify,
                                      .describe = dvi_no_metadata,
                                      .fill = fill_words,
                                      .memory = sizeof(memory),
                                      .release = release_memory};
static const dvi_maker texts_maker = {.name = "textnorm",
                                      .identify = identify,
                                      .describe = dvi_no_metadata,
                                      .fill = fill_texts,
                                      .memory = sizeof(memory),
                                      .release = release_memory};

const dvi_words *dvi_words_of(const dvi_mapped *mapped)
{
    return mapped->maker == &words_maker ? &((const params *)mapped->params)->words : NULL;
}

dv_status dvi_words_check(const dv_schema *source, int32_t column, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(source, column);
    if (info->type.kind == DV_KIND_TX)
        return DV_OK;
    char found[96];
    dv_type_print(&info->type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.8", -1, "what has words", "TX or vectors of TX|%s",
             found);
    dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
    return DV_ERR_ARGUMENT;
}

static dv_status make_params(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             const int32_t *columns, int32_t n, const dvi_words *words,
                             const dvi_maker *maker, dv_error *err)
{
    void *room, *list;
    for (int32_t k = 0; k < n; k++)
        DVI_TRY(dvi_words_check(source, columns[k], err));
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(params), err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)n * sizeof(int32_t), err));
    memcpy(list, columns, (size_t)n * sizeof(int32_t));
    params *p = room;
    *p = (params){*words, list};
    column_out->mapped = (dvi_mapped){maker, p, p->columns, n};
    return DV_OK;
}

dv_status dvi_words_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                         const int32_t *columns, int32_t n, const dvi_words *words, dv_error *err)
{
    DVI_TRY(make_params(column_out, arena, source, columns, n, words, &words_maker, err));
    column_out->type = dv_type_vector(dv_type_of(DV_KIND_TX), 0);
    return DV_OK;
}

dv_status dvi_text_norm_plan(dvi_new_column *column_out, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const dvi_text_norm_options *options, dv_error *err)
{
    void *room;
    const bool is_vector = dv_schema_column(source, column)->type.rank > 0;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_text_norm), err));
    dvi_text_norm *norm = room;
    *norm = dvi_text_norm_of(options);
    const dvi_words words = {.norm = norm};
    DVI_TRY(make_params(column_out, arena, source, &column, 1, &words,
                        is_vector ? &words_maker : &texts_maker, err));
    const dv_type text = dv_type_of(DV_KIND_TX);
    column_out->type = is_vector ? dv_type_vector(text, 0) : text;
    return DV_OK;
}
