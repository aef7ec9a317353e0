/* SPDX-License-Identifier: MIT */
/* arrow_metadata.c: writes the metadata of Arrow fields. */
#include "interop/arrow_metadata.h"
#include "base/alloc.h"
#include "base/check.h"
#include "view/column.h"
#include <dataview/value.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define META "dataview.meta."

/* Text that grows up to a limit. */
typedef struct buffer {
    const dv_allocator *allocator;
    char *data;
    size_t n, cap, most;
    dv_status status; /* DV_ERR_MEMORY; DV_ERR_LIMIT: above the limit */
    dv_error *err;
} buffer;

static bool append(void *ctx, const char *data, size_t n)
{
    buffer *b = ctx;
    void *grown = b->data;
    if (b->status == DV_OK && n > b->most - b->n)
        b->status = DV_ERR_LIMIT;
    if (b->status == DV_OK)
        b->status = dvi_array_reserve(b->allocator, &grown, &b->cap, b->n + n, 1, b->err);
    b->data = grown;
    if (b->status != DV_OK)
        return false;
    if (n > 0)
        memcpy(b->data + b->n, data, n);
    b->n += n;
    return true;
}

static void append_text(buffer *b, const char *text)
{
    append(b, text, strlen(text));
}

static void append_i32(buffer *b, int32_t number)
{
    append(b, (const char *)&number, sizeof number);
}

/* --- Pairs ------------------------------------------------------------------------------------ */

/* Pairs begin with their number, which is set at the end. */
typedef struct pairs {
    buffer text;
    int32_t n;
} pairs;

/* Write a key, and begin its value; returns where its length is. */
static size_t begin_pair(pairs *p, const char *prefix, dv_text key)
{
    const size_t n = strlen(prefix);
    append_i32(&p->text, (int32_t)(n + (size_t)key.nbytes));
    append(&p->text, prefix, n);
    append(&p->text, key.data, (size_t)key.nbytes);
    append_i32(&p->text, 0);
    return p->text.n - sizeof(int32_t);
}

static void end_pair(pairs *p, size_t at)
{
    const int32_t nbytes = (int32_t)(p->text.n - at - sizeof(int32_t));
    if (p->text.status != DV_OK)
        return;
    memcpy(p->text.data + at, &nbytes, sizeof nbytes);
    p->n++;
}

static void add_pair(pairs *p, const char *key, dv_text value)
{
    const size_t at = begin_pair(p, "", dv_text_of(key));
    append(&p->text, value.data, (size_t)value.nbytes);
    end_pair(p, at);
}

static void append_type(buffer *b, const dv_type *type)
{
    char name[1024];
    const size_t n = dv_type_print(type, name, sizeof name);
    append(b, name, n < sizeof name ? n : 0); /* of more than 80 dims: no type */
}

static void add_type(pairs *p, const char *key, const dv_type *type)
{
    const size_t at = begin_pair(p, "", dv_text_of(key));
    append_type(&p->text, type);
    end_pair(p, at);
}

/* --- Metadata of the column ------------------------------------------------------------------- */

/* {"type":"R4","value":"r4:3f800000"} */
static void append_value(buffer *b, const dv_type *type, const dv_column_view *view)
{
    const dv_sink sink = {append, b};
    const dv_value value = dv_value_first(view);
    append_text(b, "{\"type\":\"");
    append_type(b, type);
    append_text(b, "\",\"value\":");
    dv_value_write(&value, DV_STYLE_EXACT, &sink);
    append_text(b, "}");
}

/* Write a value as a pair. DV_OK; DV_NOT_FOUND: it cannot be read, or is too long; an error. */
static dv_status add_value(pairs *p, const dvi_arrow_plan *plan, const dv_schema *schema,
                           int32_t column, int32_t i, dv_error *err)
{
    const dv_metadata_info *info = dv_schema_metadata(schema, column, i);
    const dv_batch *batch;
    dv_error own = DV_ERROR_INIT;
    if (plan->options.metadata_nbytes == 0)
        return DV_NOT_FOUND;
    const size_t before = p->text.n, at = begin_pair(p, META, info->kind);
    DVI_TRY(p->text.status);
    dv_status status = dv_schema_metadata_value(schema, column, i, &batch, &own);
    if (status == DV_ERR_IO || status == DV_ERR_MEMORY) {
        if (err)
            *err = own;
        return status;
    }
    const size_t start = p->text.n;
    if (status == DV_OK) {
        p->text.most = start + (size_t)plan->options.metadata_nbytes;
        append_value(&p->text, &info->type, dv_batch_column(batch, 0));
        p->text.most = INT32_MAX;
        dv_batch_release(&batch);
        status = p->text.status;
    }
    if (status == DV_ERR_MEMORY)
        return status;
    if (status != DV_OK) { /* damaged, or too long */
        p->text.n = before;
        p->text.status = DV_OK;
        return DV_NOT_FOUND;
    }
    end_pair(p, at);
    return DV_OK;
}

/* ["SlotNames"]: what is not there. */
static void append_left_out(buffer *list, dv_text kind)
{
    const dv_sink sink = {append, list};
    append_text(list, list->n == 0 ? "[" : ",");
    dv_text_write_json(kind, &sink);
}

static dv_status add_metadata(pairs *p, const dvi_arrow_plan *plan, const dvi_arrow_field *f,
                              const dv_schema *schema, int32_t column, buffer *left_out,
                              dv_error *err)
{
    const int32_t n = dv_schema_column(schema, column)->metadata_count;
    for (int32_t i = 0; i < n; i++) {
        const dv_text kind = dv_schema_metadata(schema, column, i)->kind;
        if (f->values && dv_text_equal(kind, dv_text_of(DV_KEY_VALUES)))
            continue; /* they are the dictionary */
        const dv_status status = add_value(p, plan, schema, column, i, err);
        DVI_TRY(status);
        if (status == DV_NOT_FOUND)
            append_left_out(left_out, kind);
        DVI_TRY(left_out->status);
    }
    if (left_out->n > 0) {
        append_text(left_out, "]");
        add_pair(p, "dataview.left_out", (dv_text){left_out->data, (int64_t)left_out->n});
    }
    return DV_OK;
}

/* --- Extensions ------------------------------------------------------------------------------- */

/* ,"dim_names":["C","H","W"], if the column has DimNames. */
static dv_status add_dim_names(pairs *p, const dv_type *type, const dv_schema *schema,
                               int32_t column, dv_error *err)
{
    int32_t i;
    const dv_batch *batch;
    const dv_sink sink = {append, &p->text};
    if (dv_schema_find_metadata(schema, column, dv_text_of("DimNames"), &i) != DV_OK)
        return DV_OK;
    const dv_type *names = &dv_schema_metadata(schema, column, i)->type;
    if (names->kind != DV_KIND_TX || names->rank != 1 || names->size != type->rank)
        return DV_OK;
    DVI_TRY(dv_schema_metadata_value(schema, column, i, &batch, err));
    const dv_column_view *view = dv_batch_column(batch, 0);
    if (dvi_vector_count(&view->as.vector, 0) < 0) { /* dense */
        dv_value name = dv_value_first(view->as.vector.items);
        for (int32_t k = 0; k < type->rank; k++, dv_value_next(&name)) {
            append_text(&p->text, k > 0 ? "," : ",\"dim_names\":[");
            dv_value_write(&name, DV_STYLE_EXACT, &sink);
        }
        append_text(&p->text, "]");
    }
    dv_batch_release(&batch);
    return p->text.status;
}

static dv_status add_tensor(pairs *p, const dv_type *type, const dv_schema *schema, int32_t column,
                            dv_error *err)
{
    add_pair(p, "ARROW:extension:name", dv_text_of("arrow.fixed_shape_tensor"));
    const size_t at = begin_pair(p, "", dv_text_of("ARROW:extension:metadata"));
    for (int32_t i = 0; i < type->rank; i++) {
        char dim[32];
        snprintf(dim, sizeof dim, "%s%" PRId32, i > 0 ? "," : "{\"shape\":[", dv_type_dim(type, i));
        append_text(&p->text, dim);
    }
    append_text(&p->text, "]");
    DVI_TRY(add_dim_names(p, type, schema, column, err));
    append_text(&p->text, "}");
    end_pair(p, at);
    return DV_OK;
}

static dv_status add_extension(pairs *p, const dvi_arrow_plan *plan, const dvi_arrow_field *f,
                               const dv_schema *schema, int32_t column, dv_error *err)
{
    const bool is_time = plan->options.times != DV_ARROW_TIMES_TICKS;
    if (!plan->options.extensions)
        return DV_OK;
    if (f->list == DVI_ARROW_FIXED && !f->values)
        DVI_TRY(add_tensor(p, &f->type, schema, column, err));
    if (f->list == DVI_ARROW_SCALAR && f->form == DVI_ARROW_ZONED && is_time) {
        add_pair(p, "ARROW:extension:name", dv_text_of("arrow.timestamp_with_offset"));
        add_pair(p, "ARROW:extension:metadata", dv_text_of(""));
    }
    return p->text.status;
}

/* --- Fields ----------------------------------------------------------------------------------- */

/* What the schema alone does not say. */
static void add_facts(pairs *p, const dvi_arrow_plan *plan, const dvi_arrow_field *f,
                      bool is_hidden)
{
    const dv_arrow_keys keys = plan->options.keys;
    const dv_type item = dv_type_item(&f->type);
    add_type(p, "dataview.type", &f->type);
    if (is_hidden)
        add_pair(p, "dataview.hidden", dv_text_of("1"));
    if (memchr(f->name.data, '\0', (size_t)f->name.nbytes)) /* a C string ends there */
        add_pair(p, "dataview.name", f->name);
    if (f->values)
        add_type(p, "dataview.values", &f->values->type);
    else if (item.is_key && keys != DV_ARROW_KEYS_CLASSES)
        add_pair(p, "dataview.keys", dv_text_of(keys == DV_ARROW_KEYS_MEANT ? "meant" : "stored"));
}

/* Whether nothing but the type is told of a field. */
static bool is_plain(const dvi_arrow_field *f, const dv_schema *schema, int32_t column)
{
    const dv_column_info *info = dv_schema_column(schema, column);
    return info->metadata_count == 0 && !info->is_hidden && !f->values &&
           !memchr(f->name.data, '\0', (size_t)f->name.nbytes);
}

dv_status dvi_arrow_metadata_of(dvi_arrow_plan *plan, int32_t k, const dv_schema *schema,
                                int32_t column, dv_error *err)
{
    dvi_arrow_field *field = &plan->fields[k];
    field->is_plain = is_plain(field, schema, column);
    if (k > 0 && field->is_plain && field[-1].is_plain && field->list == field[-1].list &&
        dv_type_equal(&field->type, &field[-1].type)) {
        field->metadata = field[-1].metadata;
        return DV_OK;
    }
    const buffer empty = {.allocator = &plan->allocator, .most = INT32_MAX, .err = err};
    pairs p = {.text = empty};
    buffer left_out = empty;
    append_i32(&p.text, 0);
    add_facts(&p, plan, field, dv_schema_column(schema, column)->is_hidden);
    dv_status status = p.text.status;
    if (status == DV_OK)
        status = add_metadata(&p, plan, field, schema, column, &left_out, err);
    if (status == DV_OK) {
        status = add_extension(&p, plan, field, schema, column, err);
    }
    if (status == DV_OK) {
        memcpy(p.text.data, &p.n, sizeof p.n);
        status = dvi_arena_text(&plan->arena, &field->metadata,
                                (dv_text){p.text.data, (int64_t)p.text.n}, err);
    }
    dvi_free(&plan->allocator, p.text.data, p.text.cap);
    dvi_free(&plan->allocator, left_out.data, left_out.cap);
    return status;
}

dv_text dvi_arrow_mapping(void)
{
    static const char mapping[] = "\1\0\0\0\20\0\0\0dataview.mapping\1\0\0\0"
                                  "1";
    return (dv_text){mapping, sizeof mapping - 1};
}
