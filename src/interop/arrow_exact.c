/* SPDX-License-Identifier: MIT */
/* arrow_exact.c: reads values in the exact form, as dv_value_write writes them with
 * DV_STYLE_EXACT. */
#include "interop/arrow_exact.h"
#include "base/check.h"
#include "base/owner.h"
#include "simd/dispatch.h"
#include "type/schema.h"
#include "codec/parse.h"
#include "codec/scalar.h"
#include "view/column.h"
#include "interop/arrow_json.h"
#include <string.h>

#define META "dataview.meta."
#define NA_BIT (UINT32_C(1) << 31)
#define DIMS_MAX 64

/* Values as they are read: twice, first to measure them, with `memory` NULL. */
typedef struct items {
    dv_type type;
    dv_layout layout;
    size_t width;
    int64_t n;
    size_t nbytes;   /* of text */
    uint8_t *values; /* values, ticks, or ends of text; NULL: they are measured */
    uint8_t *more;   /* minutes, or bytes of text */
} items;

/* --- Scalars ---------------------------------------------------------------------------------- */

static bool parse_signed(int64_t *number_out, dv_text text)
{
    const size_t n = (size_t)text.nbytes;
    return text.nbytes > 0 && dvi_parse_i8(number_out, text.data, n, n);
}

bool dvi_exact_hex(uint8_t *dst, size_t n, dv_text text, bool is_number)
{
    if (text.nbytes != (int64_t)(2 * n))
        return false;
    for (size_t i = 0; i < 2 * n; i++) {
        const char c = text.data[i];
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return false;
        uint8_t *to = dst ? &dst[is_number ? n - 1 - i / 2 : i / 2] : NULL;
        if (to)
            *to = (uint8_t)(i % 2 ? *to | digit : digit << 4);
    }
    return true;
}

/* The text after a tag such as "r4:". */
static bool skip_tag(dv_text *text, const char *tag)
{
    const size_t n = strlen(tag);
    if (text->nbytes < (int64_t)n || memcmp(text->data, tag, n) != 0)
        return false;
    *text = (dv_text){text->data + n, text->nbytes - (int64_t)n};
    return true;
}

static void put_value(items *to, const void *value)
{
    if (to->values)
        memcpy(to->values + (size_t)to->n * to->width, value, to->width);
    to->n++;
}

static bool put_end(items *to, size_t nbytes, bool is_na)
{
    to->nbytes += nbytes;
    const uint32_t end = (uint32_t)to->nbytes | (is_na ? NA_BIT : 0);
    put_value(to, &end);
    return to->nbytes <= INT32_MAX;
}

static bool read_text(items *to, dvi_json *json)
{
    if (dvi_json_take_word(json, "null"))
        return put_end(to, 0, true);
    const size_t n = dvi_json_string(json, to->more ? (char *)to->more + to->nbytes : NULL);
    return put_end(to, n, false);
}

static bool read_bytes(items *to, dvi_json *json)
{
    dv_text word = dvi_json_word(json);
    if (!skip_tag(&word, "by:") || word.nbytes % 2 != 0)
        return false;
    const size_t n = (size_t)word.nbytes / 2;
    return dvi_exact_hex(to->more ? to->more + to->nbytes : NULL, n, word, false) &&
           put_end(to, n, false);
}

/* "dz:TICKS:MINUTES" */
static bool read_zoned(items *to, dvi_json *json)
{
    int64_t ticks = DV_TICKS_NA, minutes = 0;
    if (!dvi_json_take_word(json, "null")) {
        dv_text word = dvi_json_word(json);
        if (!skip_tag(&word, "dz:"))
            return false;
        const char *colon = memchr(word.data, ':', (size_t)word.nbytes);
        if (!colon || !parse_signed(&ticks, (dv_text){word.data, colon - word.data}) ||
            !parse_signed(&minutes, (dv_text){colon + 1, word.data + word.nbytes - colon - 1}) ||
            minutes < INT16_MIN || minutes > INT16_MAX)
            return false;
    }
    const int16_t narrow = (int16_t)minutes;
    if (to->more)
        memcpy(to->more + 2 * (size_t)to->n, &narrow, sizeof narrow);
    put_value(to, &ticks);
    return true;
}

/* A whole number that the width has, or the number of a key. */
static bool read_integer(items *to, dvi_json *json)
{
    dv_scalar value = {.u8 = 0};
    const dv_text digits = dvi_json_integer(json);
    const dv_type plain = dv_type_of(to->type.kind);
    if (json->is_wrong ||
        !dvi_scalar_parse(&value, &plain, digits.data, (size_t)digits.nbytes, '.'))
        return false;
    put_value(to, &value);
    return true;
}

static bool read_tagged(items *to, dvi_json *json)
{
    uint8_t bytes[16];
    dv_text word = dvi_json_word(json);
    const bool is_real = to->type.kind == DV_KIND_R4 || to->type.kind == DV_KIND_R8;
    const char *tag = to->type.kind == DV_KIND_R4   ? "r4:"
                      : to->type.kind == DV_KIND_R8 ? "r8:"
                      : to->type.kind == DV_KIND_UG ? "ug:"
                      : to->type.kind == DV_KIND_TS ? "ts:"
                                                    : "dt:";
    if (!skip_tag(&word, tag))
        return false;
    if (is_real || to->type.kind == DV_KIND_UG) {
        if (!dvi_exact_hex(bytes, to->width, word, true))
            return false;
        put_value(to, bytes);
        return true;
    }
    int64_t ticks;
    if (!parse_signed(&ticks, word))
        return false;
    put_value(to, &ticks);
    return true;
}

static bool read_plain(items *to, dvi_json *json)
{
    const dv_kind kind = to->type.kind;
    const bool is_real = kind == DV_KIND_R4 || kind == DV_KIND_R8;
    if (!to->type.is_key && !is_real && dvi_json_take_word(json, "null")) {
        const dv_scalar na = dvi_scalar_na(&to->type);
        put_value(to, &na);
        return dv_type_has_na(&to->type);
    }
    if (kind == DV_KIND_BL) {
        const int8_t is_true = dvi_json_take_word(json, "true");
        put_value(to, &is_true);
        return is_true || dvi_json_take_word(json, "false");
    }
    return kind <= DV_KIND_U8 ? read_integer(to, json) : read_tagged(to, json);
}

static bool read_item(items *to, dvi_json *json)
{
    switch (to->type.kind) {
    case DV_KIND_TX:
        return read_text(to, json);
    case DV_KIND_BY:
        return read_bytes(to, json);
    case DV_KIND_DZ:
        return read_zoned(to, json);
    default:
        return read_plain(to, json);
    }
}

static bool read_list(items *to, dvi_json *json)
{
    dvi_json_require(json, '[');
    if (dvi_json_take(json, ']'))
        return !json->is_wrong;
    do {
        if (json->is_wrong || !read_item(to, json))
            return false;
    } while (dvi_json_take(json, ','));
    dvi_json_require(json, ']');
    return !json->is_wrong;
}

/* --- Values ----------------------------------------------------------------------------------- */

/* A value that is being read. */
typedef struct value {
    dv_type type;
    items items, indices;
    int64_t length;
    bool is_sparse;
    dvi_memory *memory[3]; /* values, more, indices */
} value;

static bool take_key(dvi_json *json, const char *key)
{
    const bool is_next = dv_text_equal(dvi_json_word(json), dv_text_of(key));
    dvi_json_require(json, ':');
    return is_next && !json->is_wrong;
}

/* {"len":3,"dense":[..]} or {"len":5,"idx":[..],"val":[..]} */
static bool read_vector(value *v, dvi_json *json)
{
    dvi_json_require(json, '{');
    if (!take_key(json, "len") || !parse_signed(&v->length, dvi_json_integer(json)))
        return false;
    dvi_json_require(json, ',');
    const dv_text form = dvi_json_word(json);
    dvi_json_require(json, ':');
    v->is_sparse = dv_text_equal(form, dv_text_of("idx"));
    if (v->is_sparse) {
        if (!read_list(&v->indices, json))
            return false;
        dvi_json_require(json, ',');
        if (!take_key(json, "val"))
            return false;
    } else if (!dv_text_equal(form, dv_text_of("dense"))) {
        return false;
    }
    const bool is_read = read_list(&v->items, json);
    dvi_json_require(json, '}');
    return is_read && !json->is_wrong;
}

static void start_items(items *to, const dv_type *type, uint8_t *values, uint8_t *more)
{
    const dv_layout layout = dvi_layout_of(type);
    const size_t width = layout == DV_LAYOUT_FIXED   ? dvi_width_of(type)
                         : layout == DV_LAYOUT_ZONED ? 8
                                                     : 4;
    *to = (items){.type = *type, .layout = layout, .width = width, .values = values, .more = more};
}

/* Read the value; the memory is NULL the first time. */
static bool read_value(value *v, dvi_json json)
{
    const dv_type item = dv_type_item(&v->type), index = dv_type_of(DV_KIND_I4);
    start_items(&v->items, &item, v->memory[0] ? v->memory[0]->data : NULL,
                v->memory[1] ? v->memory[1]->data : NULL);
    start_items(&v->indices, &index, v->memory[2] ? v->memory[2]->data : NULL, NULL);
    const bool is_read = v->type.rank > 0 ? read_vector(v, &json) : read_item(&v->items, &json);
    dvi_json_require(&json, '}');
    return is_read && dvi_json_is_done(&json);
}

static dv_status reserve(value *v, const dv_allocator *allocator, dv_error *err)
{
    const size_t n = (size_t)v->items.n;
    const size_t more = v->items.layout == DV_LAYOUT_ZONED ? 2 * n : v->items.nbytes;
    DVI_TRY(dvi_memory_create(&v->memory[0], allocator, n * v->items.width, err));
    DVI_TRY(dvi_memory_create(&v->memory[1], allocator, more, err));
    return dvi_memory_create(&v->memory[2], allocator, 4 * (size_t)v->indices.n, err);
}

static dv_column_view view_items(const value *v)
{
    const items *from = &v->items;
    dv_column_view view = {.type = from->type, .layout = from->layout, .rows = from->n};
    const dv_buffer values =
        dvi_memory_buffer(v->memory[0], 0, (size_t)from->n * from->width, from->width);
    if (from->layout == DV_LAYOUT_ZONED) {
        view.as.zoned.ticks = values;
        view.as.zoned.minutes = dvi_memory_buffer(v->memory[1], 0, (size_t)from->n * 2, 2);
    } else if (from->layout == DV_LAYOUT_FIXED) {
        view.as.fixed.values = values;
    } else {
        view.as.text.ends = values;
        view.as.text.utf8 = dvi_memory_buffer(v->memory[1], 0, from->nbytes, 1);
    }
    return view;
}

/* The length is what the type and the items say; indices rise, below it. */
static bool is_sound(const value *v, const dvi_column *made)
{
    const bool is_text = v->items.layout == DV_LAYOUT_TEXT;
    const dv_column_view *scalars = v->type.rank > 0 ? &made->items : &made->view;
    if (is_text && dvi_text_check(scalars))
        return false;
    if (v->type.rank == 0)
        return true;
    const dv_sparse sparse = dvi_vector_sparse(&made->view.as.vector, 1);
    if (v->length < 0 || v->length > INT32_MAX || (v->type.size > 0 && v->length != v->type.size))
        return false;
    return v->is_sparse ? v->indices.n == v->items.n && v->items.n <= v->length &&
                              dvi_kernels()->indices_check(&sparse, (size_t)v->indices.n) ==
                                  (size_t)v->indices.n
                        : v->items.n == v->length;
}

static dv_status add_value(dv_schema *schema, int32_t column, dv_text kind, value *v,
                           const dv_buffer *counts, dv_error *err)
{
    dvi_column made;
    const dv_column_view scalars = view_items(v);
    dv_buffer count = *counts;
    dvi_memory *own = NULL;
    count.nbytes = sizeof(int32_t);
    if (v->type.rank > 0 && v->is_sparse) {
        const int32_t n = (int32_t)v->items.n;
        DVI_TRY(dvi_memory_create(&own, dvi_schema_allocator(schema), sizeof n, err));
        memcpy(own->data, &n, sizeof n);
        count = dvi_memory_buffer(own, 0, sizeof n, sizeof n);
    }
    made.view = made.items = scalars;
    if (v->type.rank > 0) {
        made.view = (dv_column_view){.type = v->type, .layout = DV_LAYOUT_VECTOR, .rows = 1};
        made.view.as.vector = (dv_vector_layout){
            .length = (int32_t)v->length,
            .counts = count,
            .indices = dvi_memory_buffer(v->memory[2], 0, 4 * (size_t)v->indices.n, 4),
            .items = &made.items};
    }
    const dv_status status = is_sound(v, &made)
                                 ? dv_schema_add_metadata(schema, column, kind, &made.view, err)
                                 : DV_NOT_FOUND;
    dvi_memory_release(&own);
    return status;
}

dv_status dvi_arrow_exact_add(dv_schema *schema, int32_t column, dv_text kind, dv_text text,
                              const dv_buffer *counts, dv_error *err)
{
    int32_t dims[DIMS_MAX];
    value v = {.length = 0};
    dvi_json json = dvi_json_of(text);
    dvi_json_require(&json, '{');
    if (!take_key(&json, "type") ||
        dv_type_parse(&v.type, dvi_json_word(&json), dims, DIMS_MAX, NULL) != DV_OK ||
        dv_type_check(&v.type, NULL) != DV_OK)
        return DV_NOT_FOUND;
    dvi_json_require(&json, ',');
    if (!take_key(&json, "value") || !read_value(&v, json))
        return DV_NOT_FOUND;
    dv_status status = reserve(&v, dvi_schema_allocator(schema), err);
    if (status == DV_OK)
        status =
            read_value(&v, json) ? add_value(schema, column, kind, &v, counts, err) : DV_NOT_FOUND;
    for (size_t i = 0; i < sizeof v.memory / sizeof *v.memory; i++)
        dvi_memory_release(&v.memory[i]);
    return status;
}

/* --- Fields ----------------------------------------------------------------------------------- */

dv_status dvi_arrow_add_metadata(dv_schema *schema, int32_t column, const dvi_arrow_column *from,
                                 const dv_buffer *counts, dv_error *err)
{
    const dvi_arrow_shape *field = from->field;
    bool has_names = false;
    for (int32_t i = 0; (from->is_ours || from->is_chosen) && i < field->pairs_count; i++) {
        dv_text kind = field->pairs[i].key;
        if (!skip_tag(&kind, META))
            continue;
        const dv_status status =
            dvi_arrow_exact_add(schema, column, kind, field->pairs[i].value, counts, err);
        if (status == DV_NOT_FOUND || status == DV_ERR_ARGUMENT)
            return dvi_fail(err, DV_ERR_CORRUPT, "docs/arrow.md", -1, "metadata",
                            "the exact form of a value|%s%s", META, dvi_show(kind).text);
        DVI_TRY(status);
        has_names = has_names || dv_text_equal(kind, dv_text_of("DimNames"));
    }
    const bool is_named = from->tensor.names.nbytes > 0 && from->type.rank == from->tensor.rank;
    return is_named && !has_names ? dvi_arrow_exact_add(schema, column, dv_text_of("DimNames"),
                                                        from->tensor.names, counts, err)
                                  : DV_OK;
}
