/* SPDX-License-Identifier: MIT */
/* map_columns.c: takes the keys and values of a map from a table. */
#include "transform/map_columns.h"
#include "base/check.h"
#include <dataview/schema.h>
#include <dataview/transform.h>

static const dv_column_spec pair[] = {{{"Key", 3}, {NULL, -1}}, {{"Value", 5}, {NULL, -1}}};

/* The two columns of a table, if no name is given. */
static dv_status find_two(dv_column_spec specs[2], const dv_schema *schema, dv_error *err)
{
    int32_t found = 0;
    const int32_t n = dv_schema_columns(schema);
    for (int32_t i = 0; i < n; i++) {
        if (dv_schema_column(schema, i)->is_hidden)
            continue;
        if (found < 2)
            specs[found].source = dv_schema_column(schema, i)->name;
        found++;
    }
    if (found == 2)
        return DV_OK;
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, "columns of the table",
                    "2, or \"keycolumn\" and \"valuecolumn\"|%d", (int)found);
}

static dv_status select_columns(dv_view **view_out, const dvi_map_columns *c,
                                const dv_allocator *allocator, dv_error *err)
{
    dv_column_spec specs[] = {{c->key, pair[0].source}, {c->value, pair[1].source}};
    if ((c->key.nbytes < 0) != (c->value.nbytes < 0))
        return dvi_fail_argument(err, "\"keycolumn\" and \"valuecolumn\" belong together: set both "
                                      "or neither");
    if (c->key.nbytes < 0)
        DVI_TRY(find_two(specs, dv_view_schema(c->table), err));
    return dv_view_select(view_out, c->table, specs, 2, DV_HIDDEN_DROP, allocator, err);
}

/* The columns of *view in their types. */
static dv_status convert(dv_view **view, const dvi_map_columns *c, const dv_allocator *allocator,
                         dv_error *err)
{
    dv_view *all, *made;
    dv_conversion_spec specs[2];
    const dv_type *const types[] = {c->key_type, c->value_type};
    int32_t n = 0;
    for (int32_t i = 0; i < 2; i++)
        if (types[i])
            specs[n++] = (dv_conversion_spec){pair[i].source, dv_text_of(NULL), *types[i]};
    if (n == 0)
        return DV_OK;
    DVI_TRY(dv_view_convert_strict(&all, *view, specs, n, allocator, err));
    const dv_status status = dv_view_select(&made, all, pair, 2, DV_HIDDEN_DROP, allocator, err);
    dv_view_release(&all);
    DVI_TRY(status);
    dv_view_release(view);
    *view = made;
    return DV_OK;
}

dv_status dvi_map_columns_table(dv_view **pairs_out, const dvi_map_columns *c,
                                const dv_allocator *allocator, dv_error *err)
{
    dv_view *view;
    *pairs_out = NULL;
    DVI_TRY(select_columns(&view, c, allocator, err));
    dv_status status = convert(&view, c, allocator, err);
    if (status == DV_OK)
        status = dv_view_materialize(pairs_out, view, NULL, allocator, err);
    dv_view_release(&view);
    return status;
}
