/* SPDX-License-Identifier: MIT */
/* map_columns.c: takes the keys and values of a map from a table. */
#include "transform/map_columns.h"
#include "base/check.h"
#include "scan/derived.h"
#include <dataview/cursor.h>
#include <dataview/schema.h>
#include <dataview/transform.h>
#include <dataview/value.h>

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

/* The two columns as Key and Value, in memory; specs: where they come from. */
static dv_status hold_columns(dv_view **view_out, dv_column_spec specs[2], const dvi_map_columns *c,
                              const dv_allocator *allocator, dv_error *err)
{
    dv_view *view;
    if ((c->key.nbytes < 0) != (c->value.nbytes < 0))
        return dvi_fail_argument(err, "\"keycolumn\" and \"valuecolumn\" belong together: set both "
                                      "or neither");
    if (c->key.nbytes < 0)
        DVI_TRY(find_two(specs, dv_view_schema(c->table), err));
    DVI_TRY(dv_view_select(&view, c->table, specs, 2, DV_HIDDEN_DROP, allocator, err));
    const dv_status status = dv_view_materialize(view_out, view, NULL, allocator, err);
    dv_view_release(&view);
    return status;
}

/* --- What does not convert -------------------------------------------------------------------- */

/* Texts such as NaN and 0 are what they became. */
static bool is_told(const dv_value *from, const dv_type *type)
{
    dv_scalar scalar;
    return from->column->type.kind == DV_KIND_TX &&
           dv_value_parse(&scalar, type, dv_value_tx(from));
}

/* Became a value NA that was not, or 0 in a type without NA? */
static bool is_lost(const dv_value *from, const dv_value *to)
{
    const dv_type *type = &to->column->type;
    if (dv_type_has_na(type))
        return dv_value_is_na(to) && !dv_value_is_na(from) && !is_told(from, type);
    return dv_value_is_default(to) && !dv_value_is_default(from) &&
           (dv_value_is_na(from) || !is_told(from, type));
}

static dv_status check_value(const dv_value *from, const dv_value *to, const char *what,
                             dv_error *err)
{
    char name[64];
    if (!is_lost(from, to))
        return DV_OK;
    dv_type_print(&to->column->type, name, sizeof name);
    const bool is_na = dv_value_is_na(from);
    return dvi_fail(err, DV_ERR_ARGUMENT, "semantics:7.19", -1, what, "%s|%s", name,
                    is_na                                   ? "NA"
                    : from->column->type.kind == DV_KIND_TX ? dvi_show(dv_value_tx(from)).text
                                                            : "a value that does not fit");
}

static dv_status check_row(const dv_batch *batch, int64_t i, const char *what, dv_error *err)
{
    const dv_value from = dv_value_at(dv_batch_column(batch, 0), i);
    const dv_value to = dv_value_at(dv_batch_column(batch, 1), i);
    if (from.column->layout != DV_LAYOUT_VECTOR)
        return check_value(&from, &to, what, err);
    const int32_t n = dv_value_items(&from);
    for (int32_t k = 0; k < n; k++) {
        const dv_value item = dv_value_item(&from, k), made = dv_value_item(&to, k);
        DVI_TRY(check_value(&item, &made, what, err));
    }
    return DV_OK;
}

/* Compare two columns of a view: what was converted, and what it became. */
static dv_status check_column(dv_view *all, const int32_t columns[2], const char *what,
                              dv_error *err)
{
    dv_cursor *cursor;
    const dv_batch *batch;
    dv_status status;
    int64_t row = 0;
    dv_cursor_options options = DV_CURSOR_OPTIONS_INIT;
    options.columns = columns;
    options.columns_count = 2;
    DVI_TRY(dv_cursor_open(&cursor, all, &options, err));
    while ((status = dv_cursor_next(cursor, &batch, err)) == DV_OK) {
        for (int64_t i = 0; i < batch->rows && status == DV_OK; i++, row++)
            status = check_row(batch, i, what, err);
        if (status < 0) {
            dvi_error_within(err, "row %lld", (long long)row - 1);
            break;
        }
    }
    dv_cursor_close(&cursor);
    return status < 0 ? status : DV_OK;
}

/* Check the columns that were converted; each replaced the hidden column before it. */
static dv_status check(dv_view *all, const dv_column_spec own[2], const dvi_map_columns *c,
                       dv_error *err)
{
    static const char *const what[] = {"key of the map", "value of the map"};
    const dv_type *const types[] = {c->key_type, c->value_type};
    for (int i = 0; i < 2; i++) {
        int32_t columns[2];
        if (!types[i] || types[i]->kind == DV_KIND_TX)
            continue;
        DVI_TRY(dvi_find_column(dv_view_schema(all), pair[i].source, &columns[1], err));
        columns[0] = columns[1] - 1;
        const dv_status status = check_column(all, columns, what[i], err);
        if (status < 0) {
            dvi_error_within(err, "column \"%s\"", dvi_show(own[i].source).text);
            return status;
        }
    }
    return DV_OK;
}

/* The columns of *view in their types. */
static dv_status convert(dv_view **view, const dv_column_spec own[2], const dvi_map_columns *c,
                         const dv_allocator *allocator, dv_error *err)
{
    dv_view *all, *made = NULL, *held = NULL;
    dv_conversion_spec specs[2];
    const dv_type *const types[] = {c->key_type, c->value_type};
    int32_t n = 0;
    for (int32_t i = 0; i < 2; i++)
        if (types[i])
            specs[n++] = (dv_conversion_spec){pair[i].source, dv_text_of(NULL), *types[i]};
    if (n == 0)
        return DV_OK;
    DVI_TRY(dv_view_convert(&all, *view, specs, n, allocator, err));
    dv_status status = check(all, own, c, err);
    if (status == DV_OK)
        status = dv_view_select(&made, all, pair, 2, DV_HIDDEN_DROP, allocator, err);
    dv_view_release(&all);
    if (status == DV_OK)
        status = dv_view_materialize(&held, made, NULL, allocator, err);
    dv_view_release(&made);
    DVI_TRY(status);
    dv_view_release(view);
    *view = held;
    return DV_OK;
}

dv_status dvi_map_columns_table(dv_view **pairs_out, const dvi_map_columns *c,
                                const dv_allocator *allocator, dv_error *err)
{
    dv_column_spec own[] = {{c->key, pair[0].source}, {c->value, pair[1].source}};
    *pairs_out = NULL;
    DVI_TRY(hold_columns(pairs_out, own, c, allocator, err));
    const dv_status status = convert(pairs_out, own, c, allocator, err);
    if (status < 0)
        dv_view_release(pairs_out);
    return status;
}
