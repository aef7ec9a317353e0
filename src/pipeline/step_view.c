/* SPDX-License-Identifier: MIT */
/* step_view.c: steps that are views of views. */
#include "pipeline/step_view.h"
#include "base/check.h"
#include "pipeline/step_plan.h"
#include "transform/tf_group.h"
#include "transform/tf_optional.h"
#include "transform/tf_rowid.h"
#include "transform/tf_ungroup.h"
#include <dataview/transform.h>

/* The columns of a step as texts or specs. In the arena of a call. */
typedef struct call {
    const dvi_step *step;
    const dvi_learnt *learnt; /* of each column */
    dv_view *source;
    const dv_allocator *allocator;
    dv_text *names;
    dv_column_spec *specs;
    int32_t n;
} call;

static dv_status convert(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    void *list;
    dv_type type;
    int32_t dims[8];
    const dvi_option_value *given = dvi_step_option(c->step, "type");
    const dv_text text = given->n > 0 ? given->texts[0] : dv_text_of("R4");
    DVI_TRY(dv_type_parse(&type, text, dims, 8, err));
    DVI_TRY(dvi_arena_alloc(arena, &list, (size_t)c->n * sizeof(dv_conversion_spec), err));
    dv_conversion_spec *specs = list;
    for (int32_t i = 0; i < c->n; i++)
        specs[i] = (dv_conversion_spec){
            .source = c->specs[i].source, .name = c->specs[i].name, .type = type};
    return dv_view_convert(view_out, c->source, specs, c->n, c->allocator, err);
}

static dv_inclusion inclusion_of(const call *c, const char *option)
{
    const dvi_option_value *value = dvi_step_option(c->step, option);
    if (!value->is_given)
        return DV_INCLUDED_BY_DEFAULT;
    return value->integer ? DV_INCLUDED : DV_EXCLUDED;
}

static dv_status filter_range(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    const dvi_option_value *min = dvi_step_option(c->step, "min");
    const dvi_option_value *max = dvi_step_option(c->step, "max");
    const dv_range range = {.has_min = min->n > 0,
                            .has_max = max->n > 0,
                            .min = min->number,
                            .max = max->number,
                            .include_min = inclusion_of(c, "includemin"),
                            .include_max = inclusion_of(c, "includemax"),
                            .complement = dvi_step_integer(c->step, "complement")};
    if (c->n != 1)
        return dvi_fail_argument(err, "range takes one column, and has %d", c->n);
    return dv_view_filter_range(view_out, c->source, c->names[0], &range, c->allocator, err);
}

/* Combine the sources of each new column; a column of several new ones is a view each. */
static dv_status combine(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    dv_view *source = c->source, *made = NULL;
    dv_view_retain(source);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < c->n; i++) {
        const dvi_step_column *column = &c->step->columns[i];
        void *list;
        status = dvi_arena_alloc(arena, &list, (size_t)column->n * sizeof(dv_column_spec), err);
        dv_column_spec *specs = list;
        for (int32_t k = 0; status == DV_OK && k < column->n; k++)
            specs[k] = (dv_column_spec){column->sources[k], dv_text_of(NULL)};
        if (status == DV_OK)
            status =
                dv_view_combine(&made, source, column->name, specs, column->n, c->allocator, err);
        if (status == DV_OK) {
            dv_view_release(&source);
            source = made;
        }
    }
    if (status == DV_OK)
        *view_out = source;
    else
        dv_view_release(&source);
    return status;
}

static dv_status copy(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_copy(view_out, c->source, c->specs, c->n, c->allocator, err);
}

static dv_status choose(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_select(view_out, c->source, c->specs, c->n,
                          dvi_step_integer(c->step, "hidden") ? DV_HIDDEN_KEEP : DV_HIDDEN_DROP,
                          c->allocator, err);
}

static dv_status drop(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_drop(view_out, c->source, c->names, c->n, c->allocator, err);
}

static dv_status filter_na(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_filter_na(view_out, c->source, c->names, c->n,
                             dvi_step_integer(c->step, "complement"), c->allocator, err);
}

static dv_status slice(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dv_view_slice(view_out, c->source, dvi_step_integer(c->step, "skip"),
                         dvi_step_integer(c->step, "take"), c->allocator, err);
}

static dv_status rowid(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    if (c->n != 1)
        return dvi_fail_argument(err, "rowid makes one column, and has names of %d", c->n);
    return dvi_rowid_view(view_out, c->source, c->names[0], c->allocator, err);
}

static dv_status group(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    const dvi_option_value *columns = dvi_step_option(c->step, "columns");
    (void)arena;
    if (columns->n > INT32_MAX)
        return dvi_fail_argument(err, "group keeps %lld columns; at most 2^31-1",
                                 (long long)columns->n);
    return dvi_group_view(view_out, c->source, c->names, c->n, columns->texts, (int32_t)columns->n,
                          c->allocator, err);
}

static dv_status ungroup(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    (void)arena;
    return dvi_ungroup_view(view_out, c->source, c->names, c->n,
                            (dvi_ungroup_mode)dvi_step_integer(c->step, "mode"), c->allocator, err);
}

/* One column: of the type given, or else of that which was learnt. */
static dv_status add_optional(dv_view **view_out, const call *c, int32_t i, dv_view *source,
                              dv_error *err)
{
    int32_t dims[8];
    dv_type type;
    const dvi_option_value *given = dvi_step_option(c->step, "type");
    dv_view *like = c->learnt[i].like;
    if (given->is_given)
        DVI_TRY(dv_type_parse(&type, given->texts[0], dims, 8, err));
    else
        type = dv_schema_column(dv_view_schema(like), 0)->type;
    return dvi_optional_view(view_out, source, c->names[i], &type, like, 0, c->allocator, err);
}

static dv_status optional(dv_view **view_out, const call *c, dvi_arena *arena, dv_error *err)
{
    dv_view *source = c->source, *made = NULL;
    (void)arena;
    dv_view_retain(source);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < c->n; i++) {
        status = add_optional(&made, c, i, source, err);
        if (status == DV_OK) {
            dv_view_release(&source);
            source = made;
        }
    }
    if (status == DV_OK)
        *view_out = source;
    else
        dv_view_release(&source);
    return status;
}

/* Of the steps that do not make columns of columns. */
static dv_status (*const views[DVI_STEPS])(dv_view **view_out, const call *c, dvi_arena *arena,
                                           dv_error *err) = {
    [DVI_STEP_convert] = convert,   [DVI_STEP_combine] = combine, [DVI_STEP_copy] = copy,
    [DVI_STEP_select] = choose,     [DVI_STEP_drop] = drop,       [DVI_STEP_range] = filter_range,
    [DVI_STEP_dropna] = filter_na,  [DVI_STEP_slice] = slice,     [DVI_STEP_rowid] = rowid,
    [DVI_STEP_optional] = optional, [DVI_STEP_group] = group,     [DVI_STEP_ungroup] = ungroup,
};

static dv_status read_call(call *c, dvi_arena *arena, dv_error *err)
{
    void *names, *specs;
    const size_t n = (size_t)c->step->columns_count;
    DVI_TRY(dvi_arena_alloc(arena, &names, n * sizeof(dv_text), err));
    DVI_TRY(dvi_arena_alloc(arena, &specs, n * sizeof(dv_column_spec), err));
    c->names = names;
    c->specs = specs;
    c->n = c->step->columns_count;
    for (int32_t i = 0; i < c->n; i++) {
        c->names[i] = c->step->columns[i].name;
        c->specs[i] = (dv_column_spec){c->step->columns[i].sources[0], c->names[i]};
    }
    return DV_OK;
}

dv_status dvi_step_view(dv_view **view_out, const dvi_step *step, const dvi_learnt *learnt,
                        dv_view *source, const dv_allocator *allocator, dv_error *err)
{
    dvi_arena arena;
    call c = {.step = step, .learnt = learnt, .source = source, .allocator = allocator};
    *view_out = NULL;
    dvi_arena_init(&arena, allocator);
    dv_status status = read_call(&c, &arena, err);
    if (status == DV_OK)
        status = views[step->info->number](view_out, &c, &arena, err);
    dvi_arena_free(&arena);
    return status;
}

bool dvi_step_keeps_columns(const dvi_step *step)
{
    switch ((dvi_step_kind)step->info->number) {
    case DVI_STEP_convert:
    case DVI_STEP_combine:
    case DVI_STEP_copy:
    case DVI_STEP_optional:
        return true;
    default:
        return dvi_step_makes_columns(step);
    }
}
