/* SPDX-License-Identifier: MIT */
/* tf_predict_label.c: labels and probabilities, which are made of scores. */
#include "base/check.h"
#include "view/column.h"
#include "transform/tf_predict_priv.h"
#include "transform/vector_rows.h"

typedef struct memory {
    dvi_memory *values;
} memory;

static void release_memory(void *of)
{
    dvi_memory_release(&((memory *)of)->values);
}

/* A column of `width` bytes a row, which the caller writes. */
static dv_status make_values(const dvi_filling *f, size_t width, uint8_t **values_out,
                             dvi_column *dst, dv_error *err)
{
    memory *m = f->memory;
    const size_t nbytes = (size_t)f->batch->rows * width;
    DVI_TRY(dvi_memory_reserve(&m->values, f->allocator, nbytes, err));
    dst->view =
        (dv_column_view){.type = *f->type, .layout = DV_LAYOUT_FIXED, .rows = f->batch->rows};
    dst->view.as.fixed.values = dvi_memory_buffer(m->values, 0, nbytes, width);
    *values_out = m->values->data;
    return DV_OK;
}

/* --- Labels ----------------------------------------------------------------------------------- */

dv_type dvi_label_type(const dvi_prediction *p)
{
    const int32_t scores = dvi_predictor_inspect(p->predictor)->scores;
    return scores > 0 ? dv_type_key(DV_KIND_U4, 0, (uint64_t)scores) : dv_type_of(DV_KIND_BL);
}

/* NaN is not above any threshold. */
static void write_flags(uint8_t *flags, const dv_column_view *scores, const dvi_prediction *p)
{
    const char *src = scores->as.fixed.values.data;
    for (int64_t i = 0; i < scores->rows; i++) {
        float value = dvi_load_f4(src + 4 * i);
        if (p->is_of_probability)
            value = dvi_predictor_probability(p->predictor, value);
        flags[i] = value > p->threshold;
    }
}

/* 1 + the slot of the first score that is the best; NaN is passed over. 0: there is none. */
static uint32_t best_of(const char *src, int32_t n, bool is_least)
{
    uint32_t best = 0;
    float value = 0;
    for (int32_t i = 0; i < n; i++) {
        const float score = dvi_load_f4(src + 4 * (size_t)i);
        const bool is_better = is_least ? score < value : score > value;
        if (score == score && (best == 0 || is_better)) {
            best = (uint32_t)i + 1;
            value = score;
        }
    }
    return best;
}

static void write_keys(uint8_t *keys, const dv_column_view *scores, bool is_least)
{
    dvi_vector_row row = dvi_vector_rows(scores); /* dense, as they were made */
    while (dvi_vector_rows_next(&row)) {
        const char *src = row.items->as.fixed.values.data;
        dvi_store_u32(keys + 4 * row.row, best_of(src + 4 * row.item, row.n, is_least));
    }
}

static dv_status fill_label(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    uint8_t *values;
    const dvi_predicting *p = f->params;
    const dv_column_view *scores = dv_batch_column(f->batch, f->slots[0]);
    const bool is_key = f->type->is_key;
    DVI_TRY(make_values(f, is_key ? 4 : 1, &values, dst, err));
    if (is_key)
        write_keys(values, scores, p->prediction.kind == DVI_PREDICTS_CLUSTER);
    else
        write_flags(values, scores, &p->prediction);
    return DV_OK;
}

const dvi_maker dvi_label_maker = {.name = "predicted label",
                                   .identify = dvi_predicting_identify,
                                   .describe = dvi_label_describe,
                                   .fill = fill_label,
                                   .memory = sizeof(memory),
                                   .release = release_memory};

/* --- Probabilities ---------------------------------------------------------------------------- */

static dv_status fill_probability(const dvi_filling *f, dvi_column *dst, dv_error *err)
{
    uint8_t *values;
    const dvi_predictor *predictor = ((const dvi_predicting *)f->params)->prediction.predictor;
    const dv_column_view *scores = dv_batch_column(f->batch, f->slots[0]);
    const char *src = scores->as.fixed.values.data;
    DVI_TRY(make_values(f, sizeof(float), &values, dst, err));
    for (int64_t i = 0; i < scores->rows; i++)
        ((float *)(void *)values)[i] =
            dvi_predictor_probability(predictor, dvi_load_f4(src + 4 * i));
    return DV_OK;
}

const dvi_maker dvi_probability_maker = {.name = "probability",
                                         .identify = dvi_predicting_identify,
                                         .describe = dvi_probability_describe,
                                         .fill = fill_probability,
                                         .memory = sizeof(memory),
                                         .release = release_memory};
static const dvi_maker calibrated_maker = {.name = "calibrated",
                                           .identify = dvi_predicting_identify,
                                           .describe = dvi_calibrated_describe,
                                           .fill = fill_probability,
                                           .memory = sizeof(memory),
                                           .release = release_memory};

dv_status dvi_calibrate_plan(dvi_new_column *made, dvi_arena *arena, const dv_schema *source,
                             int32_t column, const dvi_predictor *calibrator, dv_u128 digest,
                             dv_error *err)
{
    void *room;
    const dv_type *type = &dv_schema_column(source, column)->type;
    if (type->kind != DV_KIND_R4 || dv_type_is_vector(type)) {
        char found[96];
        dv_type_print(type, found, sizeof found);
        return dvi_fail(err, DV_ERR_ARGUMENT, "predictors:P10", -1, "scores to calibrate", "R4|%s",
                        found);
    }
    DVI_TRY(dvi_arena_alloc(arena, &room, sizeof(dvi_predicting), err));
    dvi_predicting *p = room;
    p->prediction.predictor = (dvi_predictor *)(uintptr_t)calibrator;
    p->prediction.digest = digest;
    p->source = column;
    made->type = dv_type_of(DV_KIND_R4);
    made->mapped = (dvi_mapped){&calibrated_maker, p, &p->source, 1};
    return DV_OK;
}
