/* SPDX-License-Identifier: MIT */
/* tf_predict.c: scores of rows, and the columns that are made of them. */
#include "transform/tf_predict.h"
#include "base/check.h"
#include "base/size.h"
#include "view/identity.h"
#include "transform/tf_predict_priv.h"
#include "transform/vector_rows.h"
#include <string.h>

typedef struct memory {
    dvi_memory *scores, *counts, *no_indices, *scratch, *values, *slots;
} memory;

static void release_memory(void *of)
{
    memory *m = of;
    dvi_memory_release(&m->scores);
    dvi_memory_release(&m->counts);
    dvi_memory_release(&m->no_indices);
    dvi_memory_release(&m->scratch);
    dvi_memory_release(&m->values);
    dvi_memory_release(&m->slots);
}

/* --- Rows ------------------------------------------------------------------------------------- */

/* n items of 4 bytes, in place if they are aligned. */
static dv_status align(const void **items_out, dvi_memory **copy, const char *src, int32_t n,
                       const dvi_filling *f, dv_error *err)
{
    *items_out = src;
    if (n == 0 || (uintptr_t)src % 4 == 0)
        return DV_OK;
    DVI_TRY(dvi_memory_reserve(copy, f->allocator, 4 * (size_t)n, err));
    memcpy((*copy)->data, src, 4 * (size_t)n);
    *items_out = (*copy)->data;
    return DV_OK;
}

static dv_status take_row(dvi_features *x, const dvi_vector_row *row, const dvi_filling *f,
                          dv_error *err)
{
    static const int32_t no_slots;
    memory *m = f->memory;
    const void *values, *slots = NULL;
    const char *src = row->items->as.fixed.values.data;
    DVI_TRY(align(&values, &m->values, row->n > 0 ? src + 4 * row->item : src, row->n, f, err));
    if (row->slots)
        DVI_TRY(align(&slots, &m->slots, row->slots, row->n, f, err));
    *x = (dvi_features){values, row->slots && row->n == 0 ? &no_slots : slots, row->n};
    return DV_OK;
}

/* The scores of all rows; without features, of none in particular. */
static dv_status score_rows(float *scores, const dvi_filling *f, dv_error *err)
{
    const dvi_predictor *predictor = ((const dvi_predicting *)f->params)->prediction.predictor;
    const dvi_predictor_info *info = dvi_predictor_inspect(predictor);
    const size_t width = info->scores > 0 ? (size_t)info->scores : 1;
    void *scratch = ((memory *)f->memory)->scratch->data;
    dvi_features x = {.n = 0};
    if (f->n == 0) {
        for (int64_t i = 0; i < f->batch->rows; i++)
            dvi_predictor_score(predictor, &x, scratch, scores + (size_t)i * width);
        return DV_OK;
    }
    dvi_vector_row row = dvi_vector_rows(dv_batch_column(f->batch, f->slots[0]));
    for (; dvi_vector_rows_next(&row); scores += width) {
        DVI_TRY(take_row(&x, &row, f, err));
        dvi_predictor_score(predictor, &x, scratch, scores);
    }
    return DV_OK;
}

static dv_status fill_score(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const dvi_predictor_info *info =
        dvi_predictor_inspect(((const dvi_predicting *)f->params)->prediction.predictor);
    const size_t rows = (size_t)f->batch->rows;
    size_t items = rows, nbytes;
    if ((info->scores > 0 && !dvi_size_mul(rows, (size_t)info->scores, &items)) ||
        !dvi_size_mul(items, sizeof(float), &nbytes))
        return dvi_fail_memory(err, SIZE_MAX);
    DVI_TRY(dvi_filling_check(f, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&m->scores, f->allocator, nbytes, err));
    DVI_TRY(dvi_memory_reserve(&m->scratch, f->allocator, info->scratch_nbytes, err));
    DVI_TRY(score_rows((float *)(void *)m->scores->data, f, err));
    dst->items = (dv_column_view){
        .type = dv_type_of(DV_KIND_R4), .layout = DV_LAYOUT_FIXED, .rows = (int64_t)items};
    dst->items.as.fixed.values = dvi_memory_buffer(m->scores, 0, nbytes, sizeof(float));
    if (info->scores == 0) {
        dst->view = dst->items;
        return DV_OK;
    }
    DVI_TRY(dvi_memory_reserve(&m->counts, f->allocator, 4 * rows, err));
    DVI_TRY(dvi_memory_reserve(&m->no_indices, f->allocator, 0, err));
    memset(m->counts->data, 0xFF, 4 * rows); /* dense */
    dvi_column_set_vectors(dst, f->type, f->batch->rows, NULL, m->counts, m->no_indices, 0);
    return DV_OK;
}

void dvi_predicting_identify(const void *params, dv_identity *identity)
{
    const dvi_prediction *p = &((const dvi_predicting *)params)->prediction;
    dv_identity_add(identity, &p->digest, sizeof p->digest);
    dvi_identity_add_i8(identity, p->kind);
    dv_identity_add(identity, &p->threshold, sizeof p->threshold);
    dvi_identity_add_i8(identity, p->is_of_probability);
}

static const dvi_maker score_maker = {.name = "score",
                                      .identify = dvi_predicting_identify,
                                      .describe = dvi_score_describe,
                                      .fill = fill_score,
                                      .memory = sizeof(memory),
                                      .release = release_memory};

/* --- Views ------------------------------------------------------------------------------------ */

static const dv_view_class predict_class = DVI_MAPPER_CLASS("predict", NULL, NULL);

static void release_predictor(void *of)
{
    dvi_predictor *predictor = of;
    dvi_predictor_release(&predictor);
}

/* Keep a copy in the arena of a mapper. */
static dv_status keep(dvi_predicting **kept_out, dvi_mapper *mapper, const dvi_predicting *given,
                      dv_error *err)
{
    void *room;
    dvi_arena *arena = &mapper->base.arena;
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof *given, err));
    *kept_out = room;
    **kept_out = *given;
    dvi_predictor_retain(given->prediction.predictor);
    return dvi_arena_own(arena, release_predictor, given->prediction.predictor, err);
}

static dv_status find_features(dvi_predicting *p, const dv_schema *schema, dv_error *err)
{
    const dvi_predictor_info *info = dvi_predictor_inspect(p->prediction.predictor);
    if (info->features == 0)
        return DV_OK;
    DVI_TRY(dvi_find_column(schema, p->prediction.features, &p->source, err));
    const dv_type *type = &dv_schema_column(schema, p->source)->type;
    if (type->kind == DV_KIND_R4 && dv_type_is_known_size_vector(type) &&
        type->size == info->features)
        return DV_OK;
    char found[96];
    dv_type_print(type, found, sizeof found);
    dvi_fail(err, DV_ERR_ARGUMENT, "predictors:P2", -1, "features of a predictor", "V<R4,%d>|%s",
             (int)info->features, found);
    dvi_error_within(err, "column \"%s\"", dvi_show(p->prediction.features).text);
    return DV_ERR_ARGUMENT;
}

static dv_status add_score(dvi_mapper *mapper, dv_schema **schema_out, dvi_predicting *given,
                           dv_error *err)
{
    dvi_predicting *p;
    const dv_schema *source = dv_view_schema(mapper->base.source);
    const dvi_predictor_info *info = dvi_predictor_inspect(given->prediction.predictor);
    dvi_new_column made = {.name = given->prediction.score, .type = dv_type_of(DV_KIND_R4)};
    DVI_TRY(find_features(given, source, err));
    DVI_TRY(dvi_next_set_id(&given->set_id, source, err));
    DVI_TRY(keep(&p, mapper, given, err));
    if (info->scores > 0)
        made.type = dv_type_vector(made.type, info->scores);
    made.mapped = (dvi_mapped){&score_maker, p, &p->source, info->features > 0};
    made.hides = -1;
    return dvi_mapper_arrange(mapper, schema_out, &made, 1, err);
}

static dv_status add_others(dvi_mapper *mapper, dv_schema **schema_out, const dvi_predicting *given,
                            dv_error *err)
{
    dvi_predicting *p;
    dvi_new_column made[2];
    int32_t n = 0;
    const dvi_prediction *prediction = &given->prediction;
    DVI_TRY(keep(&p, mapper, given, err));
    DVI_TRY(
        dvi_find_column(dv_view_schema(mapper->base.source), prediction->score, &p->source, err));
    if (prediction->label.nbytes >= 0)
        made[n++] = (dvi_new_column){.name = prediction->label,
                                     .type = dvi_label_type(prediction),
                                     .mapped = {&dvi_label_maker, p, &p->source, 1},
                                     .hides = -1};
    if (prediction->probability.nbytes >= 0)
        made[n++] = (dvi_new_column){.name = prediction->probability,
                                     .type = dv_type_of(DV_KIND_R4),
                                     .mapped = {&dvi_probability_maker, p, &p->source, 1},
                                     .hides = -1};
    for (int32_t i = 0; i < n; i++)
        if (dv_text_equal(made[i].name, prediction->score))
            return dvi_fail_argument(err, "two new columns are called \"%s\"",
                                     dvi_show(prediction->score).text);
    return dvi_mapper_arrange(mapper, schema_out, made, n, err);
}

/* Exchange columns i and i + 1. */
static dv_status keep_swapped(dvi_mapper *mapper, dv_schema **schema_out, int32_t i, dv_error *err)
{
    const dv_schema *source = dv_view_schema(mapper->base.source);
    const int32_t n = dv_schema_columns(source);
    DVI_TRY(dv_schema_create(schema_out, &mapper->base.arena.allocator, err));
    for (int32_t k = 0; k < n; k++) {
        const int32_t from = k == i ? i + 1 : k == i + 1 ? i : k;
        DVI_TRY(
            dvi_mapper_keep(mapper, *schema_out, from, dv_schema_column(source, from)->name, err));
    }
    return DV_OK;
}

/* Add one of three views: the scores, the columns that are made of them, and, if
 * `swaps` is a column, one with another order. */
static dv_status add_view(dv_view **view, dvi_predicting *p, bool is_score, int32_t swaps,
                          const dv_allocator *allocator, dv_error *err)
{
    dvi_mapper *mapper;
    dv_view *made;
    dv_schema *schema = NULL;
    dv_status status = dvi_mapper_create(&mapper, *view, 2, allocator, err);
    if (status == DV_OK) {
        status = is_score     ? add_score(mapper, &schema, p, err)
                 : swaps >= 0 ? keep_swapped(mapper, &schema, swaps, err)
                              : add_others(mapper, &schema, p, err);
        status = dvi_mapper_view(&made, &predict_class, mapper, schema, status, err);
    }
    dv_view_release(view);
    *view = status == DV_OK ? made : NULL;
    return status;
}

/* The column of the scores if they and the label are new, so that the scores come last of the
 * source's and the label behind them: it has to stand in front (predictors:P4). -1: it is right. */
static int32_t find_swap(const dv_schema *source, const dvi_prediction *p)
{
    int32_t ignored;
    const bool is_right = dv_schema_find(source, p->score, &ignored) == DV_OK ||
                          dv_schema_find(source, p->label, &ignored) == DV_OK;
    return is_right ? -1 : dv_schema_columns(source);
}

dv_status dvi_predict_view(dv_view **view_out, dv_view *source, const dvi_prediction *prediction,
                           const dv_allocator *allocator, dv_error *err)
{
    dvi_predicting p = {.prediction = *prediction, .source = -1};
    const bool has_label = prediction->label.nbytes >= 0;
    const int32_t swap = has_label ? find_swap(dv_view_schema(source), prediction) : -1;
    dv_view *view = source;
    *view_out = NULL;
    dv_view_retain(view);
    DVI_TRY(add_view(&view, &p, true, -1, allocator, err));
    if (has_label || prediction->probability.nbytes >= 0)
        DVI_TRY(add_view(&view, &p, false, -1, allocator, err));
    if (swap >= 0)
        DVI_TRY(add_view(&view, &p, false, swap, allocator, err));
    *view_out = view;
    return DV_OK;
}
