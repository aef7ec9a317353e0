/* SPDX-License-Identifier: MIT */
/* relayout.c: a step of pipelines (step.h) that gives vectors another layout. */
#include "support/relayout.h"
#include "view/growing_column.h"
#include "support/lines.h"
#include "support/produce.h"
#include <dataview/step.h>
#include <dataview/transform.h>
#include <stdlib.h>
#include <string.h>

static dv_status type(dv_type *type_out, const dv_step_binding *b, void *learned, dv_error *err)
{
    (void)learned;
    (void)err;
    *type_out = dv_schema_column(b->schema, b->sources[0])->type;
    return DV_OK;
}

static dv_status describe(dv_schema *schema, int32_t column, const dv_step_binding *b,
                          void *learned, dv_error *err)
{
    const dv_column_info *info = dv_schema_column(b->schema, b->sources[0]);
    (void)learned;
    for (int32_t i = 0; i < info->metadata_count; i++) {
        const dv_batch *value;
        const dv_text kind = dv_schema_metadata(b->schema, b->sources[0], i)->kind;
        DVT_MUST(dv_schema_metadata_value(b->schema, b->sources[0], i, &value, err) == DV_OK);
        const dv_status status =
            dv_schema_add_metadata(schema, column, kind, dv_batch_column(value, 0), err);
        dv_batch_release(&value);
        if (status != DV_OK)
            return status;
    }
    return DV_OK;
}

/* What is written of a batch; freed when the next one is, or the cursor is closed. */
typedef struct memory {
    dvi_growing_column items;
    dv_column_view shown;
    dvi_memory *lengths, *counts, *indices;
    int64_t n; /* indices */
} memory;

static void release(void *of)
{
    memory *m = of;
    dvi_growing_free(&m->items);
    dvi_memory_release(&m->lengths);
    dvi_memory_release(&m->counts);
    dvi_memory_release(&m->indices);
}

static void put(dvi_memory **to, int64_t at, int32_t number)
{
    DVT_MUST(dvi_memory_extend(to, (size_t)at * 4, (size_t)at * 4 + 4, NULL, NULL) == DV_OK);
    memcpy((*to)->data + 4 * at, &number, 4);
}

static void append(memory *m, const dv_value *item)
{
    dv_column_view one = *item->column;
    dvi_column_advance(&one, item->row);
    DVT_MUST(dvi_growing_reserve(&m->items, &one, 1, NULL, NULL) == DV_OK);
    dvi_growing_append(&m->items, &one, 1);
}

static void put_row(memory *m, int64_t row, const dv_value *value, const dv_column_view *none,
                    bool is_dense)
{
    const dv_value hole = dv_value_first(none);
    const int32_t n = dv_value_items(value);
    const int32_t length = value->length;
    int32_t stored = 0;
    for (int32_t slot = 0, i = 0; slot < length; slot++) {
        const bool is_there = i < n && dv_value_slot(value, i) == slot;
        const dv_value item = is_there ? dv_value_item(value, i) : hole;
        i += is_there;
        if (is_dense || !dv_value_same(&item, &hole)) {
            append(m, &item);
            if (!is_dense)
                put(&m->indices, m->n++, slot);
            stored++;
        }
    }
    put(&m->lengths, row, length);
    put(&m->counts, row, is_dense ? -1 : stored);
}

static dv_status fill(dv_column_view *out, const dv_step_filling *f, dv_error *err)
{
    memory *m = f->memory;
    const bool is_dense = dv_step_integer(f->binding->step, "dense");
    const dv_type item = dv_type_item(f->type);
    const dv_column_view none = dvi_column_of_default(&item);
    dvi_column items;
    (void)err;
    release(m);
    *m = (memory){.n = 0};
    for (int64_t row = 0; row < f->rows; row++) {
        const dv_value value = dv_value_at(f->sources[0], row);
        put_row(m, row, &value, &none, is_dense);
    }
    if (m->items.rows == 0) { /* so that the growing column has memory */
        const dv_value hole = dv_value_first(&none);
        append(m, &hole);
        dvi_growing_reset(&m->items);
    }
    dvi_growing_view(&m->items, &item, &items);
    m->shown = items.view;
    dvi_column made = {.items = m->shown};
    if (!m->indices)
        put(&m->indices, 0, 0);
    dvi_column_set_vectors(&made, f->type, f->rows, m->lengths, m->counts, m->indices, m->n);
    *out = made.view;
    out->as.vector.items = &m->shown;
    dvi_column_retain(&made); /* the library drops what it is given */
    return DV_OK;
}

static const dv_step_option options[] = {
    {"dense", "+", "the layout", DV_STEP_OPTION_FLAG, 0, 0, NULL}};
static const dv_transform_info info = {.name = "relayout",
                                       .ml_net = "",
                                       .summary = "Give vectors another layout.",
                                       .columns = DV_STEP_COLUMNS_ONE,
                                       .options = options,
                                       .options_count = 1};
static const dv_step_class class = {.size = sizeof(dv_step_class),
                                    .version = 1,
                                    .type = type,
                                    .describe = describe,
                                    .fill = fill,
                                    .memory = sizeof(memory),
                                    .release = release};

static void add_name(dvt_lines *text, dv_text name)
{
    dvt_lines_print(text, " \"");
    for (int64_t i = 0; i < name.nbytes; i++)
        dvt_lines_print(text, "%s%c", strchr("\"\\", name.data[i]) && name.data[i] ? "\\" : "",
                        name.data[i]);
    dvt_lines_print(text, "\"");
}

dv_view *dvt_relayout(dv_view *source, bool is_dense)
{
    static bool is_added;
    dv_view *made;
    dv_error err = DV_ERROR_INIT;
    dvt_lines text = {0}, names = {0};
    const dv_schema *schema = dv_view_schema(source);
    bool has_vectors = false;
    if (!is_added)
        DVT_MUST(dv_step_register(&info, &class, NULL) == DV_OK);
    is_added = true;
    dvt_lines_print(&text, "relayout dense%c", is_dense ? '+' : '-');
    dvt_lines_print(&names, "; select");
    for (int32_t i = 0, last; i < dv_schema_columns(schema); i++) {
        const dv_column_info *column = dv_schema_column(schema, i);
        if (dv_schema_find(schema, column->name, &last) != DV_OK || last != i)
            continue;
        add_name(&names, column->name);
        if (dv_type_is_vector(&column->type))
            add_name(&text, column->name);
        has_vectors |= dv_type_is_vector(&column->type);
    }
    if (!has_vectors) {
        dvt_lines_free(&text);
        dvt_lines_print(&text, " ");
    }
    dvt_lines_add(&text, names.data, names.nbytes);
    const dv_status status = dv_view_pipe(&made, source, dvt_lines_text(&text), NULL, NULL, &err);
    if (status != DV_OK)
        dvt_must(false, err.message, __FILE__, __LINE__);
    dvt_lines_free(&text);
    dvt_lines_free(&names);
    dv_view_release(&source);
    return made;
}
