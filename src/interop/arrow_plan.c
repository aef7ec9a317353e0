/* SPDX-License-Identifier: MIT */
/* arrow_plan.c: decides what each column becomes in Arrow, and makes the schema that says so. */
#include "interop/arrow_plan.h"
#include "base/alloc.h"
#include "base/check.h"
#include "base/options.h"
#include "type/open_type.h"
#include "view/column.h"
#include "scan/cursor.h"
#include "interop/arrow_array.h"
#include "interop/arrow_metadata.h"
#include "interop/arrow_node.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- Scalars ---------------------------------------------------------------------------------- */

/* Integers by width, signed or not. */
static const char *integer_format(size_t width, bool is_signed)
{
    switch (width) {
    case 1:
        return is_signed ? "c" : "C";
    case 2:
        return is_signed ? "s" : "S";
    case 4:
        return is_signed ? "i" : "I";
    default:
        return is_signed ? "l" : "L";
    }
}

static void set(dvi_arrow_field *f, dvi_arrow_form form, const char *format, bool is_nullable)
{
    f->form = form;
    f->is_nullable = is_nullable;
    snprintf(f->format, sizeof f->format, "%s", format);
}

/* "tsu:UTC"; is_span: a duration, which has no zone. */
static void set_time(dvi_arrow_field *f, dvi_arrow_form form, dv_arrow_times times, bool is_span,
                     const char *zone)
{
    const char unit = times == DV_ARROW_TIMES_NS ? 'n' : 'u';
    set(f, form, "l", true);
    if (times != DV_ARROW_TIMES_TICKS)
        snprintf(f->format, sizeof f->format, is_span ? "tD%c" : "ts%c:%s", unit, zone);
}

/* The dictionary's index is signed: pandas copies others. */
static void set_index(dvi_arrow_field *f, const dv_type *key)
{
    const size_t width = (size_t)dv_kind_width(key->kind);
    const uint64_t most = ((uint64_t)1 << (8 * width - 1)) - 1;
    f->code_width = width < 8 && key->key_count > most + 1 ? 2 * width : width;
    set(f, DVI_ARROW_CODES, integer_format(f->code_width, true), true);
}

/* A key without values. */
static void set_numbers(dvi_arrow_field *f, const dv_type *key, dv_arrow_keys keys)
{
    const size_t width = (size_t)dv_kind_width(key->kind);
    const uint64_t most = UINT64_MAX >> (64 - 8 * width);
    const bool is_meant = keys == DV_ARROW_KEYS_MEANT && key->key_min > 0;
    const bool fits = key->key_count > 0 ? key->key_min <= most - (key->key_count - 1) : false;
    f->first_code = is_meant ? key->key_min : 0;
    f->code_width = is_meant && !fits ? 8 : width;
    set(f, DVI_ARROW_CODES, integer_format(f->code_width, false), true);
}

static void set_kind(dvi_arrow_field *f, const dv_type *item, const dv_arrow_options *options)
{
    const bool has_na = options->na == DV_ARROW_NA_NULL;
    const size_t width = dvi_width_of(item);
    char format[16];
    switch (item->kind) {
    case DV_KIND_I1:
    case DV_KIND_I2:
    case DV_KIND_I4:
    case DV_KIND_I8:
        set(f, DVI_ARROW_PLAIN, integer_format(width, true), has_na);
        return;
    case DV_KIND_U1:
    case DV_KIND_U2:
    case DV_KIND_U4:
    case DV_KIND_U8:
        set(f, DVI_ARROW_PLAIN, integer_format(width, false), false);
        return;
    case DV_KIND_R4:
    case DV_KIND_R8:
        set(f, DVI_ARROW_PLAIN, width == 4 ? "f" : "g", options->nan_is_null);
        return;
    case DV_KIND_TX:
        set(f, DVI_ARROW_TEXT, "u", true);
        return;
    case DV_KIND_BY:
        set(f, DVI_ARROW_TEXT, "z", false);
        return;
    case DV_KIND_BL:
        set(f, DVI_ARROW_BITS, "b", true);
        return;
    case DV_KIND_TS:
    case DV_KIND_DT:
        set_time(f, options->times == DV_ARROW_TIMES_TICKS ? DVI_ARROW_PLAIN : DVI_ARROW_CLOCK,
                 options->times, item->kind == DV_KIND_TS, "");
        return;
    case DV_KIND_DZ:
        set_time(f, options->offsets ? DVI_ARROW_ZONED : DVI_ARROW_UTC, options->times, false,
                 "UTC");
        return;
    case DV_KIND_UG:
    case DV_KIND_EXTENSION:
    case DV_KIND_NONE:
        snprintf(format, sizeof format, "w:%zu", width);
        set(f, DVI_ARROW_PLAIN, format, false);
        return;
    }
}

static void set_item(dvi_arrow_field *f, const dv_arrow_options *options)
{
    const dv_type item = dv_type_item(&f->type);
    if (!item.is_key)
        set_kind(f, &item, options);
    else if (f->values)
        set_index(f, &item);
    else if (options->keys != DV_ARROW_KEYS_STORED)
        set_numbers(f, &item, options->keys);
    else
        set(f, DVI_ARROW_PLAIN, integer_format(dvi_width_of(&item), false),
            options->na == DV_ARROW_NA_NULL);
}

static dv_arrow_vectors vectors_of(const dv_arrow_options *options, int32_t k)
{
    return options->column_vectors ? options->column_vectors[k] : options->vectors;
}

static dvi_arrow_list list_of(const dv_type *type, dv_arrow_vectors vectors,
                              const dv_arrow_options *options)
{
    if (type->rank == 0)
        return DVI_ARROW_SCALAR;
    if (type->size == 0)
        return DVI_ARROW_LIST;
    const bool is_wide = type->rank == 1 && type->size > options->dense_slots;
    const bool is_sparse =
        vectors == DV_ARROW_VECTORS_BY_SIZE ? is_wide : vectors == DV_ARROW_VECTORS_SPARSE;
    return is_sparse ? DVI_ARROW_SPARSE : DVI_ARROW_FIXED;
}

/* --- Dictionaries ----------------------------------------------------------------------------- */

/* The metadata with the values of a key; -1: there is none with a value for each. */
static int32_t find_values(const dv_schema *schema, int32_t column, const dv_type *key)
{
    int32_t i;
    if (!key->is_key || key->key_count == 0 || key->key_count > INT32_MAX ||
        dv_schema_find_metadata(schema, column, dv_text_of(DV_KEY_VALUES), &i) != DV_OK)
        return -1;
    const dv_type *type = &dv_schema_metadata(schema, column, i)->type;
    return type->rank == 1 && (uint64_t)type->size == key->key_count && !type->is_key ? i : -1;
}

static dv_status add_dictionary(dvi_arrow_plan *plan, dvi_arrow_field *f, const dv_schema *schema,
                                int32_t column, int32_t i, dv_error *err)
{
    void *memory;
    const dv_batch *batch;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &memory, sizeof(dvi_arrow_field), err));
    dvi_arrow_field *values = memory;
    values->name = (dv_text){"", 0};
    values->type = dv_schema_metadata(schema, column, i)->type;
    set_item(values, &plan->options);
    DVI_TRY(dv_schema_metadata_value(schema, column, i, &batch, err));
    const dv_status status = dvi_arrow_array_of_items(&f->dictionary, plan, values, batch,
                                                      dv_batch_column(batch, 0), err);
    dv_batch_release(&batch);
    f->values = values;
    return status;
}

/* --- The plan --------------------------------------------------------------------------------- */

static dv_status read_options(dvi_arrow_plan *plan, const dv_arrow_options *given, dv_error *err)
{
    dv_arrow_options *options = &plan->options;
    *options = (dv_arrow_options)DV_ARROW_OPTIONS_INIT;
    DVI_TRY(dvi_options_read(options, sizeof *options, given, "DV_ARROW_OPTIONS_INIT", err));
    DVI_REQUIRE(
        (unsigned)options->na <= DV_ARROW_NA_KEEP &&
            (unsigned)options->keys <= DV_ARROW_KEYS_STORED &&
            (unsigned)options->times <= DV_ARROW_TIMES_TICKS &&
            (unsigned)options->vectors <= DV_ARROW_VECTORS_SPARSE,
        dvi_fail_argument(err, "arrow: na, keys, times or vectors is no value of its enum"));
    DVI_REQUIRE(options->dense_slots >= 0 && options->made_nbytes > 0 &&
                    options->metadata_nbytes >= 0 && options->metadata_nbytes < INT32_MAX / 2,
                dvi_fail_argument(err, "arrow: dense_slots is negative, made_nbytes not positive, "
                                       "or metadata_nbytes not below 2^30"));
    return dvi_cursor_read_options(options->cursor, &plan->cursor, err);
}

static dv_status plan_columns(dvi_arrow_plan *plan, const dv_schema *schema, const int32_t *columns,
                              dv_error *err)
{
    void *memory;
    DVI_TRY(dvi_arena_alloc(&plan->arena, &memory, (size_t)plan->n * sizeof(dvi_arrow_field), err));
    plan->fields = memory;
    for (int32_t k = 0; k < plan->n; k++) {
        dvi_arrow_field *f = &plan->fields[k];
        const dv_column_info *info = dv_schema_column(schema, columns[k]);
        DVI_REQUIRE((unsigned)vectors_of(&plan->options, k) <= DV_ARROW_VECTORS_SPARSE,
                    dvi_fail_argument(err, "arrow: column_vectors is no value of its enum"));
        const dv_type item = dv_type_item(&info->type);
        const dv_status allowed = dvi_open_type_refuse(&item, "Arrow", err);
        if (allowed < 0)
            dvi_error_within(err, "column \"%s\"", dvi_show(info->name).text);
        DVI_TRY(allowed);
        const int32_t i = plan->options.keys == DV_ARROW_KEYS_STORED
                              ? -1
                              : find_values(schema, columns[k], &item);
        f->name = info->name;
        f->type = info->type;
        f->list = list_of(&info->type, vectors_of(&plan->options, k), &plan->options);
        if (i >= 0)
            DVI_TRY(add_dictionary(plan, f, schema, columns[k], i, err));
        set_item(f, &plan->options);
        DVI_TRY(dvi_arrow_metadata_of(plan, k, schema, columns[k], err));
    }
    return DV_OK;
}

dv_status dvi_arrow_plan_make(dvi_arrow_plan *plan, const dv_schema *schema,
                              const dv_arrow_options *options, const dv_allocator *allocator,
                              dv_error *err)
{
    int32_t *columns = NULL;
    *plan = (dvi_arrow_plan){.allocator = dvi_allocator_of(allocator)};
    dvi_arena_init(&plan->arena, &plan->allocator);
    DVI_TRY(read_options(plan, options, err));
    dv_status status =
        dvi_cursor_read_columns(schema, &plan->cursor, &plan->allocator, &columns, &plan->n, err);
    if (status == DV_OK)
        status = plan_columns(plan, schema, columns, err);
    dvi_free(&plan->allocator, columns, (size_t)plan->n * sizeof *columns);
    return status;
}

void dvi_arrow_plan_free(dvi_arrow_plan *plan)
{
    for (int32_t k = 0; plan->fields && k < plan->n; k++)
        dvi_arrow_array_drop(&plan->fields[k].dictionary);
    dvi_arena_free(&plan->arena);
    plan->fields = NULL;
}

/* --- Schemas ---------------------------------------------------------------------------------- */

static const dv_text no_metadata = {NULL, 0};

/* Scalars, or the items of a list. */
static dv_status add_item(struct ArrowSchema *schema_out, const dvi_arrow_field *f,
                          const char *name, dv_text metadata, const dv_allocator *allocator,
                          dv_error *err)
{
    const bool is_zoned = f->form == DVI_ARROW_ZONED;
    DVI_TRY(dvi_arrow_schema_create(schema_out, is_zoned ? "+s" : f->format,
                                    *name ? dv_text_of(name) : f->name, metadata,
                                    f->is_nullable ? ARROW_FLAG_NULLABLE : 0, is_zoned ? 2 : 0,
                                    f->values != NULL, allocator, err));
    if (is_zoned) {
        DVI_TRY(dvi_arrow_schema_create(schema_out->children[0], f->format, dv_text_of("timestamp"),
                                        no_metadata, 0, 0, false, allocator, err));
        DVI_TRY(dvi_arrow_schema_create(schema_out->children[1], "s", dv_text_of("offset_minutes"),
                                        no_metadata, 0, 0, false, allocator, err));
    }
    return f->values ? add_item(schema_out->dictionary, f->values, "", no_metadata, allocator, err)
                     : DV_OK;
}

static dv_status add_pairs(struct ArrowSchema *schema_out, const dvi_arrow_field *f,
                           const dv_allocator *allocator, dv_error *err)
{
    DVI_TRY(dvi_arrow_schema_create(schema_out, "+s", dv_text_of("item"), no_metadata, 0, 2, false,
                                    allocator, err));
    DVI_TRY(dvi_arrow_schema_create(schema_out->children[0], "i", dv_text_of("index"), no_metadata,
                                    0, 0, false, allocator, err));
    return add_item(schema_out->children[1], f, "value", no_metadata, allocator, err);
}

static dv_status add_field(struct ArrowSchema *schema_out, const dvi_arrow_field *f,
                           const dv_allocator *allocator, dv_error *err)
{
    char format[16] = "+l";
    if (f->list == DVI_ARROW_SCALAR)
        return add_item(schema_out, f, "", f->metadata, allocator, err);
    if (f->list == DVI_ARROW_FIXED)
        snprintf(format, sizeof format, "+w:%" PRId32, f->type.size);
    DVI_TRY(dvi_arrow_schema_create(schema_out, format, f->name, f->metadata, 0, 1, false,
                                    allocator, err));
    return f->list == DVI_ARROW_SPARSE
               ? add_pairs(schema_out->children[0], f, allocator, err)
               : add_item(schema_out->children[0], f, "item", no_metadata, allocator, err);
}

dv_status dvi_arrow_schema_of_field(struct ArrowSchema *schema_out, const dvi_arrow_field *field,
                                    const dv_allocator *allocator, dv_error *err)
{
    const dv_status status = add_field(schema_out, field, allocator, err);
    if (status != DV_OK)
        dvi_arrow_schema_drop(schema_out);
    return status;
}

dv_status dvi_arrow_schema_of(struct ArrowSchema *schema_out, const dvi_arrow_plan *plan,
                              dv_error *err)
{
    const dv_text none = {"", 0};
    dv_status status = dvi_arrow_schema_create(schema_out, "+s", none, dvi_arrow_mapping(), 0,
                                               plan->n, false, &plan->allocator, err);
    for (int32_t k = 0; k < plan->n && status == DV_OK; k++)
        status = add_field(schema_out->children[k], &plan->fields[k], &plan->allocator, err);
    if (status != DV_OK)
        dvi_arrow_schema_drop(schema_out);
    return status;
}
