/* SPDX-License-Identifier: MIT */
/* step_map.c: map, which knows from its options which value stands for which: from a table, or from
 * two lists. */
#include "base/alloc.h"
#include "base/check.h"
#include "steps/step_class.h"
#include "transform/map_columns.h"
#include "transform/map_pairs.h"
#include "transform/tf_map.h"

typedef struct learned {
    dv_allocator allocator;
    dv_view *table; /* the pairs */
    dvi_value_map *map;
} learned;

static void free_learned(void *of)
{
    learned *l = of;
    const dv_allocator allocator = l->allocator;
    dvi_value_map_free(&l->map);
    dv_view_release(&l->table);
    dvi_free(&allocator, l, sizeof *l);
}

/* Of a table, which is retained. */
static dv_status create(void **learned_out, const dv_step *step, dv_view *table,
                        const dv_allocator *given, dv_error *err)
{
    void *made;
    const dv_allocator allocator = dvi_allocator_of(given);
    const dvi_value_map_spec spec = {.table = table,
                                     .values_as_keys = dv_step_integer(step, "askeys"),
                                     .missing_is_na = dv_step_integer(step, "missing") == 1};
    *learned_out = NULL;
    DVI_TRY(dvi_alloc_zeroed(&allocator, &made, sizeof(learned), err));
    learned *l = made;
    l->allocator = allocator;
    l->table = table;
    dv_view_retain(table);
    const dv_status status = dvi_value_map_create(&l->map, &spec, &allocator, err);
    if (status == DV_OK)
        *learned_out = l;
    else
        free_learned(l);
    return status;
}

/* --- Its options ------------------------------------------------------------------------------ */

/* The type that an option names, or else another one. dims: 8 of them. */
static dv_status read_type(dv_type *type_out, int32_t *dims, const dv_step *step,
                           const char *option, dv_type other, dv_error *err)
{
    *type_out = other;
    if (!dv_step_is_given(step, option))
        return DV_OK;
    const dv_status status = dv_type_parse(type_out, dv_step_text(step, option, 0), dims, 8, err);
    if (status < 0)
        dvi_error_within(err, "option \"%s\"", option);
    return status;
}

/* The pairs of two lists. */
static dv_status list_pairs(dv_view **pairs_out, const dv_step_binding *b, dv_error *err)
{
    int32_t dims[2][8];
    const dvi_option_value *keys = dvi_step_option(b->step, "keys");
    const dvi_option_value *values = dvi_step_option(b->step, "values");
    dvi_map_pairs pairs = {.keys = keys->texts, .values = values->texts, .n = keys->n};
    if (!keys->is_given || !values->is_given)
        return dvi_fail_argument(err, "it is not said what stands for what: set \"table\", or "
                                      "\"keys\" and \"values\"");
    if (keys->n != values->n)
        return dvi_fail_argument(err, "%lld key%s and %lld value%s: each key needs a value",
                                 (long long)keys->n, DVI_S(keys->n), (long long)values->n,
                                 DVI_S(values->n));
    const dv_type source = dv_type_item(&dv_schema_column(b->schema, b->sources[0])->type);
    DVI_TRY(read_type(&pairs.key_type, dims[0], b->step, "keytype", source, err));
    DVI_TRY(
        read_type(&pairs.value_type, dims[1], b->step, "valuetype", dv_type_of(DV_KIND_TX), err));
    return dvi_map_pairs_table(pairs_out, &pairs, b->allocator, err);
}

/* The pairs of a table. */
static dv_status table_pairs(dv_view **pairs_out, const dv_step_binding *b, dv_error *err)
{
    int32_t dims[2][8];
    dv_type key_type, value_type;
    const dv_step *step = b->step;
    dvi_map_columns columns = {.table = dv_step_table(step, "table"),
                               .key = dv_step_text(step, "keycolumn", 0),
                               .value = dv_step_text(step, "valuecolumn", 0)};
    if (!columns.table)
        return dvi_fail_argument(err, "@%s, the table, was not kept when the pipeline was saved",
                                 dvi_show(dv_step_text(step, "table", 0)).text);
    DVI_TRY(read_type(&key_type, dims[0], step, "keytype", dv_type_of(DV_KIND_TX), err));
    DVI_TRY(read_type(&value_type, dims[1], step, "valuetype", dv_type_of(DV_KIND_TX), err));
    columns.key_type = dv_step_is_given(step, "keytype") ? &key_type : NULL;
    columns.value_type = dv_step_is_given(step, "valuetype") ? &value_type : NULL;
    const dv_status status = dvi_map_columns_table(pairs_out, &columns, b->allocator, err);
    if (status < 0)
        dvi_error_within(err, "option \"table\"");
    return status;
}

/* Neither way may say what the other one does. */
static dv_status check_options(const dv_step *step, dv_error *err)
{
    static const char *const lists[] = {"keys", "values"};
    static const char *const columns[] = {"keycolumn", "valuecolumn"};
    const bool has_table = dv_step_is_given(step, "table");
    for (int i = 0; i < 2; i++) {
        if (has_table && dv_step_is_given(step, lists[i]))
            return dvi_fail_argument(err, "\"table\" says what stands for what; \"%s\" would too",
                                     lists[i]);
        if (!has_table && dv_step_is_given(step, columns[i]))
            return dvi_fail_argument(err, "\"%s\" is of a table: set \"table\"", columns[i]);
    }
    return DV_OK;
}

static dv_status give(void **learned_out, const dv_step_binding *b, dv_error *err)
{
    dv_view *pairs;
    *learned_out = NULL;
    DVI_TRY(check_options(b->step, err));
    DVI_TRY(dv_step_is_given(b->step, "table") ? table_pairs(&pairs, b, err)
                                               : list_pairs(&pairs, b, err));
    const dv_status status = create(learned_out, b->step, pairs, b->allocator, err);
    dv_view_release(&pairs);
    return status;
}

/* --- Tables ----------------------------------------------------------------------------------- */

static const char *const *tables(const dv_step *step)
{
    static const char *const names[] = {"pairs", NULL};
    (void)step;
    return names;
}

static dv_status show(dv_view **table_out, void *of, int32_t table, const dv_allocator *allocator,
                      dv_error *err)
{
    const learned *l = of;
    (void)table;
    (void)allocator;
    (void)err;
    *table_out = l->table;
    dv_view_retain(*table_out);
    return DV_OK;
}

static dv_status load(void **learned_out, const dv_step *step, dv_view *const *list,
                      const dv_allocator *allocator, dv_error *err)
{
    dv_error own = DV_ERROR_INIT;
    const dv_status status = create(learned_out, step, list[0], allocator, &own);
    if (status == DV_ERR_ARGUMENT)
        return dvi_fail(err, DV_ERR_CORRUPT, "dvp:PT15", -1, "table of a map",
                        "pairs of different keys and values|%s", own.message);
    if (status < 0 && err)
        *err = own;
    return status;
}

/* --- Applying --------------------------------------------------------------------------------- */

static dv_status plan(dvi_new_column *made, dvi_arena *arena, const dv_step_binding *b, void *of,
                      dv_error *err)
{
    const learned *l = of;
    return dvi_map_plan(made, arena, b->schema, b->sources[0], l->map, err);
}

const dvi_step_class dvi_class_map = {.open = {.size = sizeof(dv_step_class),
                                               .version = 1,
                                               .give = give,
                                               .free_learned = free_learned,
                                               .tables = tables,
                                               .show = show,
                                               .load = load},
                                      .plan = plan};
