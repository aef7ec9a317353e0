/* SPDX-License-Identifier: MIT */
/* fitted_keys.c: whether the keys of a table stand for the values that they stood for when a
 * pipeline was fitted. */
#include "base/check.h"
#include "base/load.h"
#include "view/column.h"
#include "pipeline/fitted.h"
#include "transform/key_names.h"
#include <dataview/digest.h>
#include <stdio.h>
#include <string.h>

/* The number of the KeyValues of a column of keys of which each has a value; else -1. */
static int32_t find_values(const dv_schema *schema, int32_t column)
{
    int32_t i;
    const dv_type *type = &dv_schema_column(schema, column)->type;
    if (!type->is_key ||
        dv_schema_find_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return -1;
    const dv_type *values = &dv_schema_metadata(schema, column, i)->type;
    const dv_type item = dv_type_item(values);
    return dv_type_is_known_size_vector(values) && dv_type_is_standard_scalar(&item) &&
                   (uint64_t)values->size == type->key_count
               ? i
               : -1;
}

/* --- Digests ---------------------------------------------------------------------------------- */

/* Keep the first `count` slots of a vector, which then points to *stored. */
static void cut(dv_column_view *values, int32_t count, int32_t *stored)
{
    dv_vector_layout *vector = &values->as.vector;
    const char *slots = vector->indices.data;
    *stored = dvi_vector_count(vector, 0);
    while (*stored > 0 && dvi_load_i32(slots + 4 * (vector->index_base + *stored - 1)) >= count)
        --*stored;
    vector->length = count;
    vector->lengths = (dv_buffer){.nbytes = 0};
    vector->counts = (dv_buffer){stored, sizeof *stored, NULL, false, true};
}

static void digest(dvi_fitted_keys *keys, dv_digester *digester, const dv_batch *batch)
{
    char type[32];
    int32_t stored;
    dv_column_view values = *dv_batch_column(batch, 0);
    const dv_type item = dv_type_item(&values.type);
    dv_type_print(&item, type, sizeof type);
    cut(&values, keys->count, &stored);
    dv_digester_add(digester, type, strlen(type));
    dv_digester_add_column(digester, &values);
    keys->digest = dv_digester_result(digester);
}

/* Digest the first keys->count values, metadata i of the column. */
static dv_status digest_values(dvi_fitted_keys *keys, const dv_batch **batch_out,
                               const dv_schema *schema, int32_t column, int32_t i,
                               const dv_allocator *allocator, dv_error *err)
{
    dv_digester *digester;
    dv_status status = dv_schema_metadata_value(schema, column, i, batch_out, err);
    if (status == DV_OK)
        status = dv_digester_create(&digester, allocator, err);
    if (status == DV_OK) {
        digest(keys, digester, *batch_out);
        dv_digester_free(&digester);
    } else {
        dvi_fitted_within_column(dv_schema_column(schema, column)->name, err);
    }
    return status;
}

dv_status dvi_fitted_note_keys(dvi_fitted_keys *keys_out, const dv_schema *schema, int32_t column,
                               const dv_allocator *allocator, dv_error *err)
{
    const dv_batch *batch = NULL;
    const int32_t i = find_values(schema, column);
    *keys_out = (dvi_fitted_keys){.count = 0};
    if (i < 0)
        return DV_OK;
    keys_out->count = dv_schema_metadata(schema, column, i)->type.size;
    const dv_status status = digest_values(keys_out, &batch, schema, column, i, allocator, err);
    dv_batch_release(&batch);
    return status;
}

/* --- Comparing -------------------------------------------------------------------------------- */

void dvi_fitted_advise_keys(dv_text column, dv_error *err)
{
    char advice[160];
    snprintf(advice, sizeof advice,
             "make them equal (pandas: astype), or put \"value %s\" first and fit again",
             dvi_show(column).text);
    dvi_error_advise(err, advice);
}

static dv_status differ(const dv_column_info *column, int32_t count, const char *found,
                        dv_error *err)
{
    dvi_fail(err, DV_ERR_ARGUMENT, "docs/pipelines.md", -1, "key values",
             "the %d that it had when the pipeline was fitted|%s", (int)count, found);
    dvi_error_within(err, "column \"%s\"", dvi_show(column->name).text);
    if (column->type.is_key)
        dvi_fitted_advise_keys(column->name, err);
    else
        dvi_error_advise(err, "make keys of the same values of it (pandas: astype)");
    return DV_ERR_ARGUMENT;
}

/* Show the first values of a batch, if they are texts. */
static void show(char dst[256], const dv_batch *batch)
{
    const dv_value values = dv_value_first(dv_batch_column(batch, 0));
    const bool are_texts = values.column->as.vector.items->type.kind == DV_KIND_TX;
    size_t at = (size_t)snprintf(dst, 256, "others");
    for (int32_t slot = 0; are_texts && slot < 3 && slot < values.length; slot++)
        at += (size_t)snprintf(dst + at, 256 - at, "%s\"%s\"", slot == 0 ? ": " : " ",
                               dvi_show(dvi_key_text(&values, slot)).text);
}

static dv_status check(const dv_fitted *f, int32_t input, const dv_schema *schema, int32_t column,
                       dv_error *err)
{
    char found[256];
    const dv_batch *batch = NULL;
    dvi_fitted_keys keys = f->keys[input];
    const dv_column_info *info = dv_schema_column(schema, column);
    const int32_t i = find_values(schema, column);
    if (i < 0) {
        snprintf(found, sizeof found, "none, of type ");
        dv_type_print(&info->type, found + strlen(found), sizeof found - strlen(found));
        return differ(info, keys.count, found, err);
    }
    if (info->type.key_count < (uint64_t)keys.count) {
        snprintf(found, sizeof found, "%d", (int)info->type.key_count);
        return differ(info, keys.count, found, err);
    }
    dv_status status = digest_values(&keys, &batch, schema, column, i, &f->allocator, err);
    if (status == DV_OK && (keys.digest.lo != f->keys[input].digest.lo ||
                            keys.digest.hi != f->keys[input].digest.hi)) {
        show(found, batch);
        status = differ(info, keys.count, found, err);
    }
    dv_batch_release(&batch);
    return status;
}

dv_status dvi_fitted_check_keys(const dv_fitted *f, const dv_schema *schema, dv_error *err)
{
    for (int32_t i = 0; i < f->inputs_count; i++) {
        int32_t column;
        if (f->keys[i].count > 0 && dv_schema_find(schema, f->inputs[i].name, &column) == DV_OK)
            DVI_TRY(check(f, i, schema, column, err));
    }
    return DV_OK;
}
