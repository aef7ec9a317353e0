/* SPDX-License-Identifier: MIT */
/* fit_widen.c: finds the integers that a step takes, and the reals that they become. */
#include "pipeline/fit_widen.h"
#include "base/check.h"
#include "steps/step_registry.h"
#include "transform/tf_combine_priv.h"
#include "transform/wanted_type.h"
#include <string.h>

bool dvi_step_may_widen(const dvi_step *step)
{
    return step->cls->widens != DVI_WIDENS_NOTHING;
}

/* Put the value of the only option of that name in. */
static dv_status set_type(dvi_step *step, dv_kind kind, dvi_arena *arena, dv_error *err)
{
    void *made;
    const dv_transform_info *info = step->info;
    const dv_text text = dv_text_of(dv_kind_name(kind));
    const size_t nbytes = ((size_t)info->options_count + 1) * sizeof *step->values;
    DVI_TRY(dvi_arena_alloc(arena, &made, nbytes, err));
    dvi_option_value *values = made;
    if (step->values)
        memcpy(values, step->values, (size_t)info->options_count * sizeof *values);
    step->values = values;
    for (int32_t i = 0; i < info->options_count; i++)
        if (strcmp(info->options[i].name, "type") == 0)
            return dvi_option_read(&values[i], &info->options[i], &text, 1, arena, err);
    return DV_OK;
}

/* --- Steps that make a column of each --------------------------------------------------------- */

/* The real kind that the source of column k becomes; 0: it stays. */
static dv_kind kind_of(const dvi_step *step, int32_t k, const dv_schema *schema)
{
    int32_t column;
    if (dv_schema_find(schema, step->columns[k].sources[0], &column) != DV_OK)
        return DV_KIND_NONE;
    const dv_type item = dv_type_item(&dv_schema_column(schema, column)->type);
    return dvi_is_integer(&item) ? dvi_real_of(&item) : DV_KIND_NONE;
}

/* Does a column read another one whose name the widened column k gets? */
static bool is_read_by_others(const dvi_step *step, int32_t k)
{
    for (int32_t i = 0; i < step->columns_count; i++)
        if (i != k && dv_text_equal(step->columns[i].sources[0], step->columns[k].name))
            return true;
    return false;
}

/* A step that converts the columns that become reals of a kind; none: *made_out stays. */
static dv_status add_convert(dvi_step *before, int32_t *n, const dvi_step *step,
                             const dv_schema *schema, dv_kind kind, dvi_arena *arena, dv_error *err)
{
    dvi_step_column *columns = NULL;
    dvi_step made = {.info = dvi_transform_find(dv_text_of("convert")), .trust = step->trust};
    for (int32_t k = 0; k < step->columns_count; k++)
        if (kind_of(step, k, schema) == kind)
            DVI_TRY(dvi_arena_append(arena, &columns, made.columns_count++, &step->columns[k],
                                     sizeof *columns, err));
    if (made.columns_count == 0)
        return DV_OK;
    made.cls = dvi_class_of(made.info);
    made.columns = columns;
    DVI_TRY(set_type(&made, kind, arena, err));
    before[(*n)++] = made;
    return DV_OK;
}

/* Let the step read the columns that the steps before it make. */
static dv_status read_widened(dvi_step *step, const dv_schema *schema, dvi_arena *arena,
                              dv_error *err)
{
    void *made;
    DVI_TRY(
        dvi_arena_alloc(arena, &made, (size_t)step->columns_count * sizeof *step->columns, err));
    dvi_step_column *columns = made;
    for (int32_t k = 0; k < step->columns_count; k++) {
        columns[k] = step->columns[k];
        if (kind_of(step, k, schema) != DV_KIND_NONE)
            columns[k].sources = &columns[k].name;
    }
    step->columns = columns;
    return DV_OK;
}

static dv_status widen_sources(dvi_step *before, int32_t *n, dvi_step *step,
                               const dv_schema *schema, dvi_arena *arena, dv_error *err)
{
    for (int32_t k = 0; k < step->columns_count; k++)
        if (kind_of(step, k, schema) != DV_KIND_NONE && is_read_by_others(step, k))
            return DV_OK;
    DVI_TRY(add_convert(before, n, step, schema, DV_KIND_R4, arena, err));
    DVI_TRY(add_convert(before, n, step, schema, DV_KIND_R8, arena, err));
    return *n > 0 ? read_widened(step, schema, arena, err) : DV_OK;
}

/* --- Combine ---------------------------------------------------------------------------------- */

/* The real kind of column k if its sources differ; 0: they do not, or do not combine. */
static dv_kind combined_kind(const dvi_step *step, int32_t k, const dv_schema *schema)
{
    dv_type first = {.kind = DV_KIND_NONE}, common = first;
    const dvi_step_column *column = &step->columns[k];
    for (int32_t i = 0, at; i < column->n; i++) {
        if (dv_schema_find(schema, column->sources[i], &at) != DV_OK)
            return DV_KIND_NONE;
        const dv_type item = dv_type_item(&dv_schema_column(schema, at)->type);
        if (i == 0)
            first = common = item;
        else if (!dvi_combine_items(&common, &common, &item))
            return DV_KIND_NONE;
    }
    return dv_type_equal(&first, &common) ? DV_KIND_NONE : common.kind;
}

/* Columns of one step that need different kinds are left to themselves. */
static dv_status widen_items(dvi_step *step, const dv_schema *schema, dvi_arena *arena,
                             dv_error *err)
{
    const dv_kind kind = combined_kind(step, 0, schema);
    for (int32_t k = 1; k < step->columns_count; k++)
        if (combined_kind(step, k, schema) != kind)
            return DV_OK;
    return kind == DV_KIND_NONE || dv_step_is_given(step, "type")
               ? DV_OK
               : set_type(step, kind, arena, err);
}

dv_status dvi_step_widen(dvi_step *before_out, int32_t *n_out, dvi_step *step,
                         const dv_schema *schema, dvi_arena *arena, dv_error *err)
{
    *n_out = 0;
    if (step->cls->widens == DVI_WIDENS_ITEMS)
        return widen_items(step, schema, arena, err);
    if (step->cls->widens == DVI_WIDENS_SOURCES)
        return widen_sources(before_out, n_out, step, schema, arena, err);
    return DV_OK;
}
