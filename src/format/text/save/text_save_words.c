/* SPDX-License-Identifier: MIT */
/* text_save_words.c: the fields that stand for the values of a key in a CSV. */
#include "base/check.h"
#include "base/size.h"
#include "format/text/save/text_save_priv.h"
#include <dataview/schema.h>
#include <dataview/value.h>
#include <string.h>

int32_t dvi_text_words_find(const dv_schema *schema, int32_t column)
{
    int32_t i;
    const dv_type key = dv_type_item(&dv_schema_column(schema, column)->type);
    if (key.key_count == 0 || key.key_count > INT32_MAX ||
        dv_schema_find_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return -1;
    const dv_type *type = &dv_schema_metadata(schema, column, i)->type;
    const bool is_writable = type->kind >= DV_KIND_I1 && type->kind <= DV_KIND_UG && !type->is_key;
    return is_writable && type->rank == 1 && (uint64_t)type->size == key.key_count ? i : -1;
}

/* A text in quotes if it needs them. */
static dv_status quote(dv_text *field_out, dv_text text, const dvi_text_plan *plan,
                       dvi_arena *arena, dv_error *err)
{
    void *made;
    const size_t n = (size_t)text.nbytes;
    const dvi_text_quoting quoting =
        dvi_text_quoting_of(plan->form.separator, DVI_TEXT_CSV, plan->slots);
    if (!dvi_text_needs_quotes(text, &quoting))
        return dvi_arena_text(arena, field_out, text, err);
    DVI_TRY(dvi_arena_alloc(arena, &made, 2 * n + 2, err));
    char *p = made;
    *p++ = '"';
    for (size_t i = 0; i < n; i++) {
        if (text.data[i] == '"')
            *p++ = '"';
        *p++ = text.data[i];
    }
    *p++ = '"';
    *field_out = (dv_text){made, p - (char *)made};
    return DV_OK;
}

/* The field of a stored item. */
static dv_status make_word(dv_text *field_out, const dvi_text_source *values, int64_t i,
                           const dvi_text_plan *plan, dvi_arena *arena, dv_error *err)
{
    char field[DVI_TEXT_PRINT_NBYTES];
    const dv_value item = {.column = &values->list, .row = i};
    *field_out = (dv_text){NULL, -1};
    if (dv_value_is_na(&item))
        return DV_OK;
    if (!values->print)
        return quote(field_out, dv_value_tx(&item), plan, arena, err);
    const char *end = values->print(field, &values->values, i);
    return dvi_arena_text(arena, field_out, (dv_text){field, end - field}, err);
}

static dv_status make_words(dv_text *words, const dv_column_view *view, const dvi_text_plan *plan,
                            int32_t column, dvi_arena *arena, dv_error *err)
{
    const dv_type item = dv_type_item(&view->type);
    dvi_text_source values = dvi_text_source_of(&item, column, true, DVI_TEXT_CSV);
    DVI_TRY(dvi_text_source_begin(&values, view, 0, err));
    const dv_value list = dv_value_first(view);
    const dv_text initial = dv_text_of(values.initial);
    for (int32_t k = 0; k < list.length; k++)
        words[k] = initial;
    for (int32_t i = 0; i < dv_value_items(&list); i++)
        DVI_TRY(make_word(&words[dv_value_slot(&list, i)], &values, i, plan, arena, err));
    return DV_OK;
}

dv_status dvi_text_words_read(dvi_text_words *words_out, const dvi_text_plan *plan,
                              const dvi_text_output *output, dvi_arena *arena, dv_error *err)
{
    const dv_schema *schema = plan->saving->schema;
    const dv_batch *value;
    void *made;
    DVI_TRY(dv_schema_metadata_value(schema, output->column, output->words, &value, err));
    const dv_column_view *view = dv_batch_column(value, 0);
    dv_status status =
        dvi_arena_alloc(arena, &made, (size_t)output->item.key_count * sizeof(dv_text), err);
    if (status == DV_OK)
        status = make_words(made, view, plan, output->column, arena, err);
    *words_out = (dvi_text_words){made, view->type.kind == DV_KIND_TX};
    dv_batch_release(&value);
    return status;
}
