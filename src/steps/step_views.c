/* SPDX-License-Identifier: MIT */
/* step_views.c: steps that the views of transform.h are, by name. */
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/tf_combine_priv.h"
#include <dataview/transform.h>

/* The columns of a step as texts or specs. In the arena. */
typedef struct call {
    const dv_step *step;
    dv_view *source;
    const dv_allocator *allocator;
    dvi_arena arena;
    dv_text *names;
    dv_column_spec *specs;
    int32_t n;
} call;

static dv_status read_call(call *c, dv_error *err)
{
    void *names, *specs;
    const size_t n = (size_t)c->step->columns_count;
    DVI_TRY(dvi_arena_alloc(&c->arena, &names, n * sizeof(dv_text), err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &specs, n * sizeof(dv_column_spec), err));
    c->names = names;
    c->specs = specs;
    c->n = c->step->columns_count;
    for (int32_t i = 0; i < c->n; i++) {
        c->names[i] = c->step->columns[i].name;
        c->specs[i] = (dv_column_spec){c->step->columns[i].sources[0], c->names[i]};
    }
    return DV_OK;
}

static dv_status convert(dv_view **view_out, call *c, dv_error *err)
{
    void *list;
    dv_type type;
    int32_t dims[8];
    const dvi_option_value *given = dvi_step_option(c->step, "type");
    const dv_text text = given->n > 0 ? given->texts[0] : dv_text_of("R4");
    const dvi_option_value *date = dvi_step_option(c->step, "date");
    DVI_TRY(dv_type_parse(&type, text, dims, 8, err));
    DVI_TRY(dvi_arena_alloc(&c->arena, &list, (size_t)c->n * sizeof(dv_conversion_spec), err));
    dv_conversion_spec *specs = list;
    for (int32_t i = 0; i < c->n; i++)
        specs[i] = (dv_conversion_spec){
            .source = c->specs[i].source, .name = c->specs[i].name, .type = type};
    if (date->n == 0 || date->texts[0].nbytes == 0)
        return dv_view_convert(view_out, c->source, specs, c->n, c->allocator, err);
    return dv_view_convert_dates(view_out, c->source, specs, c->n, date->texts[0], c->allocator,
                                 err);
}

static dv_inclusion inclusion_of(const call *c, const char *option)
{
    const dvi_option_value *value = dvi_step_option(c->step, option);
    if (!value->is_given)
        return DV_INCLUDED_BY_DEFAULT;
    return value->integer ? DV_INCLUDED : DV_EXCLUDED;
}

static dv_status filter_range(dv_view **view_out, call *c, dv_error *err)
{
    const dvi_option_value *min = dvi_step_option(c->step, "min");
    const dvi_option_value *max = dvi_step_option(c->step, "max");
    const dv_range range = {.has_min = min->n > 0,
                            .has_max = max->n > 0,
                            .min = min->number,
                            .max = max->number,
                            .include_min = inclusion_of(c, "includemin"),
                            .include_max = inclusion_of(c, "includemax"),
                            .complement = dv_step_integer(c->step, "complement")};
    if (c->n != 1)
        return dvi_fail_argument(err, "range takes one column, and has %d", c->n);
    return dv_view_filter_range(view_out, c->source, c->names[0], &range, c->allocator, err);
}

/* NA: the name of the column. */
static dv_text alias_of(const dvi_option_value *aliases, int32_t i)
{
    return aliases->is_given && aliases->texts[i].nbytes > 0 ? aliases->texts[i] : dv_text_of(NULL);
}

/* A second name for each source of a new column. */
static dv_status read_aliases(const call *c, const dvi_option_value **aliases_out, dv_error *err)
{
    const dvi_option_value *aliases = dvi_step_option(c->step, "aliases");
    *aliases_out = aliases;
    for (int32_t i = 0; aliases->is_given && i < c->n; i++)
        if (c->step->columns[i].n != aliases->n)
            return dvi_fail_argument(err, "\"aliases\" has %d names for %d columns",
                                     (int)aliases->n, (int)c->step->columns[i].n);
    return DV_OK;
}

/* The type that all items become; none: the option is not given. */
static dv_status read_items(const call *c, dv_type *item_out, dv_error *err)
{
    const dv_text given = dv_step_text(c->step, "type", 0);
    *item_out = (dv_type){.kind = DV_KIND_NONE};
    if (given.nbytes < 0)
        return DV_OK;
    if (!dv_text_equal(given, dv_text_of("R4")) && !dv_text_equal(given, dv_text_of("R8")))
        return dvi_fail(err, DV_ERR_ARGUMENT, "", -1, "value of the option \"type\"", "R4 or R8|%s",
                        dvi_show(given).text);
    *item_out = dv_type_of(given.data[1] == '4' ? DV_KIND_R4 : DV_KIND_R8);
    return DV_OK;
}

/* Combine the sources of each new column; a column of several new ones is a view each. */
static dv_status combine(dv_view **view_out, call *c, dv_error *err)
{
    dv_view *source = c->source, *made = NULL;
    const dvi_option_value *aliases;
    dv_type item;
    DVI_TRY(read_aliases(c, &aliases, err));
    DVI_TRY(read_items(c, &item, err));
    dv_view_retain(source);
    dv_status status = DV_OK;
    for (int32_t i = 0; status == DV_OK && i < c->n; i++) {
        const dvi_step_column *column = &c->step->columns[i];
        void *list;
        status = dvi_arena_alloc(&c->arena, &list, (size_t)column->n * sizeof(dv_column_spec), err);
        dv_column_spec *specs = list;
        for (int32_t k = 0; status == DV_OK && k < column->n; k++)
            specs[k] = (dv_column_spec){column->sources[k], alias_of(aliases, k)};
        if (status == DV_OK)
            status = dvi_view_combine(&made, source, column->name, specs, column->n, &item,
                                      c->allocator, err);
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

static dv_status copy(dv_view **view_out, call *c, dv_error *err)
{
    return dv_view_copy(view_out, c->source, c->specs, c->n, c->allocator, err);
}

static dv_status choose(dv_view **view_out, call *c, dv_error *err)
{
    return dv_view_select(view_out, c->source, c->specs, c->n,
                          dv_step_integer(c->step, "hidden") ? DV_HIDDEN_KEEP : DV_HIDDEN_DROP,
                          c->allocator, err);
}

static dv_status drop(dv_view **view_out, call *c, dv_error *err)
{
    return dv_view_drop(view_out, c->source, c->names, c->n, c->allocator, err);
}

static dv_status filter_na(dv_view **view_out, call *c, dv_error *err)
{
    return dv_view_filter_na(view_out, c->source, c->names, c->n,
                             dv_step_integer(c->step, "complement"), c->allocator, err);
}

static dv_status slice(dv_view **view_out, call *c, dv_error *err)
{
    return dv_view_slice(view_out, c->source, dv_step_integer(c->step, "skip"),
                         dv_step_integer(c->step, "take"), c->allocator, err);
}

/* Call a function with the columns of the step. */
static dv_status call_with(dv_status (*make)(dv_view **view_out, call *c, dv_error *err),
                           dv_view **view_out, const dv_step *step, dv_view *source,
                           const dv_allocator *allocator, dv_error *err)
{
    call c = {.step = step, .source = source, .allocator = allocator};
    *view_out = NULL;
    dvi_arena_init(&c.arena, allocator);
    dv_status status = read_call(&c, err);
    if (status == DV_OK)
        status = make(view_out, &c, err);
    dvi_arena_free(&c.arena);
    return status;
}

/* The class of a step that `make` makes. */
#define VIEW_CLASS(name, make, adds, widening, use)                                                \
    static dv_status view_##name(dv_view **view_out, const dv_step *step, void *const *learned,    \
                                 dv_view *source, const dv_allocator *allocator, dv_error *err)    \
    {                                                                                              \
        (void)learned;                                                                             \
        return call_with(make, view_out, step, source, allocator, err);                            \
    }                                                                                              \
    const dvi_step_class dvi_class_##name = {.open = {.size = sizeof(dv_step_class),               \
                                                      .version = 1,                                \
                                                      .view = view_##name,                         \
                                                      .adds_columns = (adds)},                     \
                                             .widens = (widening),                                 \
                                             .keys = (use)};

VIEW_CLASS(convert, convert, true, DVI_WIDENS_NOTHING, DVI_KEYS_READ)
VIEW_CLASS(combine, combine, true, DVI_WIDENS_ITEMS, DVI_KEYS_READ)
VIEW_CLASS(copy, copy, true, DVI_WIDENS_NOTHING, DVI_KEYS_PASSED)
VIEW_CLASS(select, choose, false, DVI_WIDENS_NOTHING, DVI_KEYS_PASSED)
VIEW_CLASS(drop, drop, false, DVI_WIDENS_NOTHING, DVI_KEYS_PASSED)
VIEW_CLASS(range, filter_range, false, DVI_WIDENS_NOTHING, DVI_KEYS_READ)
VIEW_CLASS(dropna, filter_na, false, DVI_WIDENS_NOTHING, DVI_KEYS_PASSED)
VIEW_CLASS(slice, slice, false, DVI_WIDENS_NOTHING, DVI_KEYS_PASSED)
