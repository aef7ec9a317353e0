/* SPDX-License-Identifier: MIT */
/* tf_predict_describe.c: the metadata of scores, labels and probabilities. */
#include "base/check.h"
#include "base/owner.h"
#include "type/schema.h"
#include "transform/elementwise.h"
#include "transform/tf_predict_priv.h"
#include <dataview/value.h>
#include <string.h>

/* --- Values ----------------------------------------------------------------------------------- */

typedef struct word {
    const char *text;
    int32_t nbytes;
} word;
#define WORD(text)                                                                                 \
    {                                                                                              \
        text, sizeof text - 1                                                                      \
    }

/* By dvi_prediction_kind. */
static const word column_kinds[] = {WORD("BinaryClassification"),
                                    WORD("BinaryClassification"),
                                    WORD("Regression"),
                                    WORD("Ranking"),
                                    WORD("MulticlassClassification"),
                                    WORD("Clustering")};
static const word label_kind = WORD("PredictedLabel"), score_kind = WORD("Score"),
                  probability_kind = WORD("Probability");

static dv_status add_word(dv_schema *schema, int32_t column, const char *kind, const word *w,
                          dv_error *err)
{
    dv_column_view value = {.type = dv_type_of(DV_KIND_TX), .layout = DV_LAYOUT_TEXT, .rows = 1};
    value.as.text.utf8 = (dv_buffer){w->text, (size_t)w->nbytes, NULL, false, true};
    value.as.text.ends = (dv_buffer){&w->nbytes, sizeof w->nbytes, NULL, false, true};
    return dv_schema_add_metadata(schema, column, dv_text_of(kind), &value, err);
}

static dv_type set_id_type(void)
{
    return dv_type_key(DV_KIND_U4, 0, INT32_MAX);
}

/* In memory of its own: metadata may outlive the view. */
static dv_status add_set_id(dv_schema *schema, int32_t column, uint32_t set_id,
                            const dv_allocator *allocator, dv_error *err)
{
    dvi_memory *memory;
    dv_column_view value = {.type = set_id_type(), .layout = DV_LAYOUT_FIXED, .rows = 1};
    DVI_TRY(dvi_memory_create(&memory, allocator, sizeof set_id, err));
    memcpy(memory->data, &set_id, sizeof set_id);
    value.as.fixed.values = dvi_memory_buffer(memory, 0, sizeof set_id, sizeof set_id);
    const dv_status status =
        dv_schema_add_metadata(schema, column, dv_text_of(DV_SCORE_COLUMN_SET_ID), &value, err);
    dvi_memory_release(&memory);
    return status;
}

/* --- The number of a set of columns ----------------------------------------------------------- */

static dv_status read_set_id(uint32_t *most, const dv_schema *schema, int32_t column, dv_error *err)
{
    int32_t i;
    const dv_batch *batch;
    const dv_text kind = dv_text_of(DV_SCORE_COLUMN_SET_ID);
    if (dv_schema_find_metadata(schema, column, kind, &i) != DV_OK)
        return DV_OK;
    const dv_type *type = &dv_schema_metadata(schema, column, i)->type;
    if (type->kind != DV_KIND_U4 || dv_type_is_vector(type))
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(schema, column, i, &batch, err));
    const dv_value value = dv_value_first(dv_batch_column(batch, 0));
    const uint32_t set_id = dv_value_u4(&value);
    if (set_id > *most && set_id < INT32_MAX) /* greater ones are missing */
        *most = set_id;
    dv_batch_release(&batch);
    return DV_OK;
}

dv_status dvi_next_set_id(uint32_t *set_id_out, const dv_schema *schema, dv_error *err)
{
    uint32_t most = 0;
    const int32_t n = dv_schema_columns(schema);
    for (int32_t i = 0; i < n; i++)
        DVI_TRY(read_set_id(&most, schema, i, err));
    *set_id_out = most + 1;
    return DV_OK;
}

/* --- The values of labels --------------------------------------------------------------------- */

/* Add the KeyValues of the labels under another kind, if there are as many as scores. */
static dv_status add_labels(dv_schema *schema, int32_t column, const char *kind,
                            const dvi_prediction *p, bool texts_only, dv_error *err)
{
    int32_t i;
    const dv_batch *batch;
    if (!p->labels)
        return DV_OK;
    const dv_schema *labels = dv_view_schema(p->labels);
    if (dv_schema_find_metadata(labels, 0, dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return DV_OK;
    const dv_type *type = &dv_schema_metadata(labels, 0, i)->type;
    if (!dv_type_is_known_size_vector(type) || (texts_only && type->kind != DV_KIND_TX) ||
        type->size != dvi_predictor_inspect(p->predictor)->scores)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(labels, 0, i, &batch, err));
    const dv_status status =
        dv_schema_add_metadata(schema, column, dv_text_of(kind), dv_batch_column(batch, 0), err);
    dv_batch_release(&batch);
    return status;
}

/* --- Columns ---------------------------------------------------------------------------------- */

static dv_status add_kind(dv_schema *schema, int32_t column, const dvi_predicting *p, dv_error *err)
{
    return add_word(schema, column, DV_SCORE_COLUMN_KIND, &column_kinds[p->prediction.kind], err);
}

dv_status dvi_label_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                             int32_t column, dv_error *err)
{
    const dvi_predicting *p = made->mapped.params;
    (void)source;
    DVI_TRY(add_kind(schema, column, p, err));
    DVI_TRY(add_word(schema, column, DV_SCORE_VALUE_KIND, &label_kind, err));
    DVI_TRY(add_labels(schema, column, DV_KEY_VALUES, &p->prediction, false, err));
    return add_set_id(schema, column, p->set_id, dvi_schema_allocator(schema), err);
}

static bool is_number(dvi_prediction_kind kind)
{
    return kind == DVI_PREDICTS_REGRESSION || kind == DVI_PREDICTS_RANKING;
}

dv_status dvi_score_describe(const dvi_new_column *made, const dv_schema *source, dv_schema *schema,
                             int32_t column, dv_error *err)
{
    const dvi_predicting *p = made->mapped.params;
    (void)source;
    const bool id_first = is_number(p->prediction.kind); /* as in ML.NET, whose order differs */
    if (!id_first)
        DVI_TRY(add_kind(schema, column, p, err));
    DVI_TRY(add_set_id(schema, column, p->set_id, dvi_schema_allocator(schema), err));
    if (id_first)
        DVI_TRY(add_kind(schema, column, p, err));
    DVI_TRY(add_word(schema, column, DV_SCORE_VALUE_KIND, &score_kind, err));
    DVI_TRY(add_labels(schema, column, DV_TRAINING_LABEL_VALUES, &p->prediction, false, err));
    return add_labels(schema, column, DV_SLOT_NAMES, &p->prediction, true, err);
}

dv_status dvi_probability_describe(const dvi_new_column *made, const dv_schema *source,
                                   dv_schema *schema, int32_t column, dv_error *err)
{
    const dvi_predicting *p = made->mapped.params;
    (void)source;
    DVI_TRY(add_kind(schema, column, p, err));
    DVI_TRY(add_set_id(schema, column, p->set_id, dvi_schema_allocator(schema), err));
    DVI_TRY(dvi_mapper_add_normalized(schema, column, err));
    return add_word(schema, column, DV_SCORE_VALUE_KIND, &probability_kind, err);
}

dv_status dvi_calibrated_describe(const dvi_new_column *made, const dv_schema *source,
                                  dv_schema *schema, int32_t column, dv_error *err)
{
    static const char *const kinds[] = {DV_SCORE_COLUMN_SET_ID, DV_SCORE_COLUMN_KIND,
                                        DV_SCORE_VALUE_KIND};
    const int32_t scores = made->mapped.sources[0];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        DVI_TRY(dvi_elementwise_inherit(schema, column, source, scores, kinds[i], err));
    return dvi_mapper_add_normalized(schema, column, err);
}
